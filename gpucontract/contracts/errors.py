"""What goes wrong in the contract room, as a sentence a person can act on."""

from __future__ import annotations

from collections.abc import Mapping

from gpucontract.wording import Text


class ContractError(Exception):
    """A refusal with its sentence in both languages."""

    def __init__(self, text: Text) -> None:
        super().__init__(f"{text.zh} / {text.en}")
        self.text = text


class NotAllowed(ContractError):
    """The person has not the right for this action."""


class TermsRefused(ContractError):
    """Values that do not fit their terms. refusals: path -> sentence; nothing was written."""

    def __init__(self, refusals: Mapping[str, Text]) -> None:
        zh = ";".join(text.zh for text in refusals.values())
        en = "; ".join(text.en for text in refusals.values())
        super().__init__(Text(zh, en))
        self.refusals = dict(refusals)


class AnswersRefused(ContractError):
    """Answers that cannot be kept as they are. refusals: clause key -> sentence; nothing was saved."""

    def __init__(self, refusals: Mapping[str, Text]) -> None:
        zh, en = (" ".join(text.in_language(code) for text in refusals.values()) for code in ("zh", "en"))
        super().__init__(Text(zh, en))
        self.refusals = dict(refusals)


class StillOpen(ContractError):
    """Answers cannot be submitted while lines have none; what is saved stays saved."""


class StepConflict(ContractError):
    """Somebody else saved the step meanwhile; what they saved is untouched. who and when say it in the sentence."""


class NotReady(ContractError):
    """A revision cannot be sent yet. reasons: every missing term and every blocking check, one sentence each."""

    def __init__(self, text: Text, reasons: tuple[Text, ...]) -> None:
        super().__init__(text)
        self.reasons = reasons
