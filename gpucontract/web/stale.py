"""Pages opened before a newer revision came: what was answered there is not taken for answers to the new one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from django.http import QueryDict

from gpucontract.contracts.models import Revision
from gpucontract.wording import Text

SEEN = "seen"
SHOWN = "shown"
_NUMBER = re.compile(r"[0-9]{1,9}")
NEWER_OFFER = Text(
    "您打开页面之后，甲方又发来了第 {number} 版：这一页没有保存。没有改动的条款保留了您的填写，有改动的请看过再答复。",
    "Since you opened the page the buyer sent revision {number}: nothing of the page was saved. What you typed on "
    "lines that did not change is still here; look at the changed ones before you answer them.",
)
NEWER_ROUND = Text(
    "您打开页面之后，往来已到第 {number} 版：没有保存。您写的文字还在，选择请看过乙方现在的答复之后再作。",
    "Since you opened the page the rounds went on to revision {number}: nothing was saved. Your words are still here; "
    "choose again once you have read what the vendor says now.",
)


SAYS_NOTHING = Text(
    "这一页没有说明打开时显示的是什么，所以没有保存。您填写的内容还在：请看过现在的内容，再按一次。",
    "The page did not say what it showed when you opened it, so nothing was saved. What you typed is still here: look "
    "at what stands there now, then press again.",
)


def why_stale(revision: Revision, posted: QueryDict, newer: Text) -> Text | None:
    """Why a posted page binds nobody: it does not say what it showed, or showed another revision.

    newer: the sentence for the latter.
    """
    if not posted.get(SEEN) or _number(posted) is None:
        return SAYS_NOTHING
    return None if posted[SEEN] == revision.sha256 else newer.fill(number=revision.number)


def shown_number(posted: QueryDict) -> int:
    """The journal's newest number when the page was made that was posted; of one that is not stale."""
    number = _number(posted)
    if number is None:
        raise ValueError(f"the page does not say what it showed: {posted.get(SHOWN)!r}")
    return number


def _number(posted: QueryDict) -> int | None:
    said = posted.get(SHOWN, "")
    return int(said) if _NUMBER.fullmatch(said) else None


def still_meant(revision: Revision, posted: QueryDict) -> QueryDict:
    """What was typed on lines that say in this revision what they said on the page.

    Of a page that does not say what it showed all that was typed; only no line stays confirmed.
    """
    shown = revision.contract.revisions.sent().filter(sha256=posted.get(SEEN, "")).first()
    if shown is None:
        return _only(posted, lambda name: "-" in name and posted[name] != "confirm")
    before = _hashes(shown)
    same = {key for key, sha in _hashes(revision).items() if before.get(key) == sha}
    return _only(posted, lambda name: name.partition("-")[2] in same)


def words_alone(posted: QueryDict) -> QueryDict:
    """The texts without the choices beside them."""
    return _only(posted, lambda name: name.startswith("text-"))


def _hashes(revision: Revision) -> Mapping[str, str]:
    return {clause.key: clause.sha256 for clause in revision.body().clauses}


def _only(posted: QueryDict, is_kept: Callable[[str], bool]) -> QueryDict:
    kept = QueryDict(mutable=True)
    for name, values in posted.lists():
        if is_kept(name):
            kept.setlist(name, values)
    return kept
