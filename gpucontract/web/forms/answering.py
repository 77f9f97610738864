"""The vendor's answers as posted: one radio group and one question per clause."""

from collections.abc import Iterable, Mapping

from gpucontract.contracts.services import Given

Posted = Mapping[str, str]


def answers_in(posted: Posted, keys: Iterable[str]) -> dict[str, Given]:
    """The answers chosen in a posted page, by clause key; lines without a choice are left as they are."""
    found: dict[str, Given] = {}
    for key in keys:
        answer = posted.get(f"answer-{key}", "")
        if answer:
            reason = posted.get(f"question-{key}", "") if answer == "ask" else ""
            found[key] = Given(answer, reason)
    return found
