"""Revisions: freezing the terms into bytes, and sending them to the vendor."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.canonical import sha256
from gpucontract.catalogue import tables as catalogue
from gpucontract.contracts import checks, compile
from gpucontract.contracts.answering import carry_over, is_confirmed
from gpucontract.contracts.body import Body, load
from gpucontract.contracts.deciding import open_lines, tell
from gpucontract.contracts.errors import ContractError, NotReady
from gpucontract.contracts.expiry import set_deadline
from gpucontract.contracts.eyes import is_barred, last_change
from gpucontract.contracts.freezing import SALT_BYTES, Deal, Frozen, freeze
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import Fact
from gpucontract.contracts.models import Contract, Revision, RevisionSection
from gpucontract.contracts.moving import move
from gpucontract.contracts.price_effects import effects
from gpucontract.contracts.reviewing import Review, keep_review, review
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.contracts.sections.gaps import missing
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.succession import must_amend_what_binds
from gpucontract.contracts.terms import NotGiven, Terms
from gpucontract.contracts.vendors import settle_vendor
from gpucontract.wording import Text

VERSIONS = {"compiler": compile.VERSION, "catalogue": catalogue.VERSION, "rules": checks.VERSION}

_CHANGED = Text(
    "您打开页面之后，有人改动了条款：还没有发送。请重新核对后再发送。",
    "Somebody changed the terms since you opened the page: nothing was sent. Look through them again, then send.",
)
_NOT_READY = Text(
    "合同 {number} 还不能发送，有 {count} 处需要处理。",
    "Contract {number} cannot be sent yet. To be settled first: {count}.",
)
_EMPTY = Text("{step} · {row}{term}：必填，尚未填写。", "{step} · {row}{term}: required and still empty.")
_BLOCKED = Text(
    "{message}（{check}）改正它，或由审批人写明理由豁免。", "{message} ({check}) Mend it, or have an approver waive it."
)
_NO_STRUCTURE = Text(
    "合同 {number} 还缺 {path}，不能形成版本。", "Contract {number} still lacks {path}; it cannot become a revision."
)


@transaction.atomic
def freeze_revision(contract: Contract, *, by: User, now: datetime | None = None) -> Revision:
    """The terms as an immutable revision: the newest one again while it is unsent and says the same, else the next."""
    must(contract, by, "draft")
    held = lock(contract)
    must_be_editable(held)
    newest = held.revisions.order_by("-number").first()
    frozen = _frozen(held, terms_of(held), newest.number + 1 if newest else 1)
    if newest and not newest.sent_at and _content(newest.body()) == _content(load(frozen.head, frozen.sections)):
        return newest
    return _store(held, frozen, by, now or timezone.now())


@transaction.atomic
def send_revision(
    contract: Contract,
    *,
    by: User,
    now: datetime | None = None,
    valid_until: datetime | None = None,
    seen: int | None = None,
) -> Revision:
    """Check everything, freeze, show it to the vendor; unchanged lines keep their answers.

    valid_until: when the offer expires unanswered; None leaves it open. seen: the last change that whoever sends has
    seen, see eyes.last_change; None does not ask.
    Raises NotReady with every missing term, every blocking check that nobody waived, every counter left undecided.
    """
    must(contract, by, "send")
    held = settle_vendor(lock(contract), by=by)
    must_amend_what_binds(held)
    if seen is not None and seen != last_change(held):
        raise ContractError(_CHANGED)
    at = now or timezone.now()
    found = _ready(held, terms_of(held))
    earlier = held.revisions.filter(sent_at__isnull=False).order_by("-number").first()
    barred = is_barred(held, by)
    revision = freeze_revision(held, by=by, now=at)
    _settled(earlier, revision)
    carried = _show(earlier, revision, by, at)
    keep_review(revision, found)
    set_deadline(held, valid_until, at)
    facts = {Fact.COMPLETE, Fact.CHECKED, Fact.ALL_DECIDED} | ({Fact.HAS_VENDOR} if held.vendor_id else set())
    facts |= {Fact.NEWER} if _is_news(earlier, revision) else set()
    facts |= {Fact.OTHER_EYES} if not barred else set()
    lines = len(revision.body().clauses)
    said: dict[str, object] = {"number": revision.number, "lines": lines, "carried": carried, "open": lines - carried}
    said |= {"price_effects": agreed} if (agreed := _price_effects(earlier, revision)) else {}
    move(contract, "send", by=by, facts=facts, now=at, body=said, revision=revision)
    return revision


def _show(earlier: Revision | None, revision: Revision, by: User, at: datetime) -> int:
    """Open the revision to the vendor, with the answers that carry over and the buyer's word on the others."""
    revision.sent_at, revision.sent_by = at, by
    revision.save(update_fields=["sent_at", "sent_by"])
    if earlier is None:
        return 0
    tell(earlier, at)
    return carry_over(earlier, revision)


def _price_effects(earlier: Revision | None, revision: Revision) -> list[list[str]]:
    """What was agreed about the price beside the terms, for the letter and the journal."""
    found = effects(earlier, revision.body()) if earlier else ()
    return [[effect.sentence.zh, effect.sentence.en] for effect in found]


def _settled(earlier: Revision | None, revision: Revision) -> None:
    waiting = tuple(line.sentence for line in open_lines(earlier, revision.body())) if earlier else ()
    if waiting:
        raise NotReady(_NOT_READY.fill(number=revision.contract.number, count=len(waiting)), waiting)


def _ready(contract: Contract, terms: Terms) -> Review:
    """The checks' results, or NotReady with all that stands in the way."""
    found = review(contract, terms)
    reasons = [
        _EMPTY.fill(step=SECTIONS[SECTION_OF[gap.info.id]].title, row=_row_name(gap.path), term=gap.info.label)
        for gap in missing(terms)
    ]
    reasons += [_BLOCKED.fill(message=result.text, check=result.check) for result in found.blocking]
    if reasons:
        raise NotReady(_NOT_READY.fill(number=contract.number, count=len(reasons)), tuple(reasons))
    return found


def _row_name(path: str) -> str:
    code = path.partition("/")[0]
    return "" if code == "c" else f"{code} "


def drafted_body(contract: Contract) -> Body | None:
    """The terms as they stand, as the body the next revision would have; None while they cannot become one."""
    newest = contract.revisions.order_by("-number").first()
    try:
        frozen = _frozen(contract, terms_of(contract), newest.number + 1 if newest else 1)
    except NotReady:
        return None
    return load(frozen.head, frozen.sections)


def _frozen(contract: Contract, terms: Terms, number: int) -> Frozen:
    files = tuple(
        {"step": file.step, "term": file.term, "name": file.name, "sha256": file.sha256}
        for file in contract.draft_files.in_draft()
    )
    deal = Deal(contract.number, number, contract.title, VERSIONS, contract.demo, files)
    salts = {name: secrets.token_bytes(SALT_BYTES) for name in SECTIONS}
    try:
        return freeze(deal, terms, compile.clauses(terms), salts)
    except NotGiven as gap:
        said = _NO_STRUCTURE.fill(number=contract.number, path=str(gap))
        raise NotReady(said, (said,)) from gap


def _store(contract: Contract, frozen: Frozen, by: User, now: datetime) -> Revision:
    body = load(frozen.head, frozen.sections)
    revision = Revision.objects.create(
        contract=contract, number=body.number, head=frozen.head, sha256=frozen.sha256, compiler=compile.VERSION,
        frozen_at=now, frozen_by=by,
    )  # fmt: skip
    hashes = {name: sha256(document) for name, document in frozen.sections.items()}
    RevisionSection.objects.bulk_create(
        RevisionSection(revision=revision, name=name, sha256=hashes[name], document=document)
        for name, document in frozen.sections.items()
    )
    revision.draft_files.set(contract.draft_files.in_draft())
    record(contract, "revision_frozen", by=by, at=now, body={"number": revision.number}, revision=revision)
    return revision


def _content(body: Body) -> Body:
    """What a revision says, apart from its number and the salts in its hash."""
    return replace(body, number=0, sha256="")


def _is_news(earlier: Revision | None, revision: Revision) -> bool:
    """Whether the vendor has anything to do: other content, or lines that were not confirmed the last time."""
    return earlier is None or _content(earlier.body()) != _content(revision.body()) or not is_confirmed(earlier)
