"""What goes wrong with people and organisations, as a sentence a person can act on."""

from __future__ import annotations

from gpucontract.wording import Text


class AccountError(Exception):
    """A refusal with its sentence in both languages."""

    def __init__(self, text: Text) -> None:
        super().__init__(f"{text.zh} / {text.en}")
        self.text = text


class NotAdmin(AccountError):
    """The person does not administer the organisation."""
