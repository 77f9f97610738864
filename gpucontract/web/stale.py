"""Pages opened before a newer revision came: what was answered there is not taken for answers to the new one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from django.http import QueryDict

from gpucontract.contracts.models import Revision
from gpucontract.wording import Text

SEEN = "seen"
SHOWN = "shown"
_NEWER = Text(
    "您打开页面之后，甲方又发来了第 {number} 版：这一页没有保存。没有改动的条款保留了您的填写，有改动的请看过再答复。",
    "Since you opened the page the buyer sent revision {number}: nothing of the page was saved. What you typed on "
    "lines that did not change is still here; look at the changed ones before you answer them.",
)
_ANSWERED_ANEW = Text(
    "您打开页面之后，往来已到第 {number} 版：没有保存。您写的文字还在，选择请看过乙方现在的答复之后再作。",
    "Since you opened the page the rounds went on to revision {number}: nothing was saved. Your words are still here; "
    "choose again once you have read what the vendor says now.",
)


def is_stale(revision: Revision, posted: QueryDict) -> bool:
    """Whether the page that was posted showed another revision."""
    return bool(posted.get(SEEN)) and posted[SEEN] != revision.sha256


def shown_at(posted: QueryDict) -> datetime | None:
    """When the page was made that was posted; None where it does not say."""
    try:
        moment = datetime.fromisoformat(posted.get(SHOWN, ""))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def newer_offer(revision: Revision) -> Text:
    """What a vendor is told whose page showed an earlier revision."""
    return _NEWER.fill(number=revision.number)


def newer_round(revision: Revision) -> Text:
    """What a buyer is told whose page showed an earlier revision."""
    return _ANSWERED_ANEW.fill(number=revision.number)


def still_meant(revision: Revision, posted: QueryDict) -> QueryDict:
    """What was typed on lines that say in this revision what they said on the page."""
    shown = revision.contract.revisions.sent().filter(sha256=posted.get(SEEN, "")).first()
    before = _hashes(shown) if shown else {}
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
