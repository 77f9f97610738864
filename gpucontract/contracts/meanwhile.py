"""What a colleague did since a page was made: such a page overwrites none of it unseen."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from gpucontract.accounts.models import User
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.models import Confirmation, Decision, Revision
from gpucontract.contracts.models.agreeing import DECISIONS
from gpucontract.contracts.models.revision import ANSWERS
from gpucontract.wording import Text

_ANSWERED = Text(
    "“{line}”：您打开页面之后，{person} 已答复“{answer}”{said}。请看过之后再保存；再次保存会以您的答复为准。",
    "“{line}”: {person} answered it since you opened the page: {answer}{said}. Look at it; saving again puts your "
    "answer in its place.",
)
_FILED = Text(
    "“{line}”：您打开页面之后，{person} 在这一条旁放了文件“{name}”。请看过之后再保存；"
    "再次保存会以您的为准，文件需重新选择。",
    "“{line}”: {person} laid the file “{name}” beside it since you opened the page. Look at it; saving again puts "
    "yours in its place, and a file has to be chosen again.",
)
_DECIDED = Text(
    "“{line}”：您打开页面之后，{person} 已处理：{decision}{said}。请看过之后再保存；再次保存会以您的决定为准。",
    "“{line}”: {person} settled it since you opened the page: {decision}{said}. Look at it; saving again puts your "
    "word in its place.",
)
DECIDED = ("counter_accepted", "counter_declined", "question_answered")


def answers_meanwhile(
    revision: Revision, old: Mapping[str, Confirmation], clauses: Mapping[str, Clause], *, by: User, shown: int
) -> dict[str, Text]:
    """A sentence for each of these answers that a colleague gave after the page was made.

    shown: the journal's newest number when the page was made, here and below; a time would let pass what came in the
    same moment.
    """
    later = _touched(revision, by, shown, ("clauses_answered",))
    return {
        key: _ANSWERED.fill(line=clauses[key].text, person=each.answered_by, answer=ANSWERS[each.answer],
                            said=_also(each.value, each.reason))
        for key, each in old.items()
        if key in later and each.answered_by_id != by.pk
    }  # fmt: skip


def files_meanwhile(
    revision: Revision, keys: Collection[str], clauses: Mapping[str, Clause], *, by: User, shown: int
) -> dict[str, Text]:
    """A sentence for each of these lines beside which a colleague laid a file after the page was made."""
    laid = _touched(revision, by, shown, ("answer_file_laid",))
    later = revision.attachments.filter(key__in=laid & set(keys)).exclude(added_by=by)
    return {
        each.key: _FILED.fill(line=clauses[each.key].text, person=each.added_by, name=each.name)
        for each in later.select_related("added_by")
    }


def decisions_meanwhile(
    revision: Revision, kept: Mapping[str, Decision], clauses: Mapping[str, Clause], *, by: User, shown: int
) -> dict[str, Text]:
    """A sentence for each line that a colleague settled after the page was made."""
    later = _touched(revision, by, shown, DECIDED)
    return {
        key: _DECIDED.fill(line=clauses[key].text, person=each.decided_by, decision=DECISIONS[each.answer],
                           said=_also(each.text))
        for key, each in kept.items()
        if key in later and each.decided_by_id != by.pk
    }  # fmt: skip


def _touched(revision: Revision, by: User, shown: int, kinds: Collection[str]) -> frozenset[str]:
    """The lines of a revision on which others did such a thing after an event of the journal."""
    events = revision.contract.events.filter(number__gt=shown, kind__in=kinds, revision_sha256=revision.sha256)
    keys: set[str] = set()
    for event in events.exclude(actor=by):
        keys |= {event.key} if event.key else {key for named in json.loads(event.body).values() for key in named}
    return frozenset(keys)


def _also(*words: str) -> str:
    return "".join(f" {each}" for each in words if each)
