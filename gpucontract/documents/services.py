"""What people do with documents: ask for the appendix, sign off a revision's hash."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.mandates import BASES, Amount, mandate_to_sign
from gpucontract.accounts.models import Mandate, User
from gpucontract.accounts.roles import SIDES, Side
from gpucontract.accounts.second_factor import FRESH_FOR, METHODS, Proof
from gpucontract.canonical import sha256
from gpucontract.contracts import services as contracts
from gpucontract.contracts.earlier import before
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.lifecycle import FACTS, STATES, Fact, State
from gpucontract.contracts.models import Contract, Revision
from gpucontract.contracts.money import is_firm, total
from gpucontract.contracts.naming import is_signatory, signatory_of
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.succession import must_amend_what_binds
from gpucontract.contracts.superseding import lock_line
from gpucontract.contracts.terms import NotGiven
from gpucontract.documents.context import Appendix, SignOffLine, against_of, appendix, printed_moment
from gpucontract.documents.journals import heads_of
from gpucontract.documents.models import Document, SignOff
from gpucontract.documents.render import TEMPLATE_VERSION
from gpucontract.verdicts.succeeding import succeed
from gpucontract.wording import Text

LONGEST_NAME = 100

_MAY_NOT = Text(
    "您没有权限在这份合同上签署，请找有签署权限的同事。", "You may not sign this contract; ask a colleague who may."
)
_NOT_AGREED = Text(
    "合同处于“{state}”，只有双方逐项达成一致之后才能签署。",
    "The contract is “{state}”; it can be signed only after both sides have agreed on every line.",
)
_OTHER_BYTES = Text(
    "您看到的版本（{seen}…）不是现在要签署的版本（{now}…）。请重新打开页面，核对后再签署。",
    "The version you saw ({seen}…) is not the one to be signed now ({now}…). Open the page again and check it.",
)
_OTHER_NAME = Text(
    "签署要写账户上的姓名“{expected}”，写的是“{typed}”。",
    "Sign with the name of your account, “{expected}”; you typed “{typed}”.",
)
_BARRED = Text("不能签署：{why}。", "You cannot sign: {why}.")
_BUYERS_POINT = Text(
    "甲方内部还有一项要先处理，处理之后才能签署。",
    "The buyer has a point of its own to settle before this can be signed.",
)
_NO_PROOF = Text(
    "签署前须再次验证本人：输入验证器应用的验证码，或使用通行密钥（{minutes} 分钟内有效）。",
    "Prove that it is you before signing: the code of your authenticator app, or a passkey (good for {minutes} min).",
)
_TWICE = Text("{side}已经签署了这一版。", "The {side} has already signed this revision.")


def printed(revision: Revision) -> Appendix:
    """The facts the appendix of a revision prints today: frozen clauses and the sign-offs there are."""
    signed = revision.sign_offs.select_related("user", "mandate").order_by("side")
    lines = tuple(_sign_off_line(line) for line in signed)
    body, earlier = revision.body(), before(revision)
    against = against_of(_name_of(earlier, revision), earlier.body(), body) if earlier else None
    return appendix(body, revision.frozen_at.isoformat(), lines, against=against, heads=heads_of(revision))


def _name_of(earlier: Revision, revision: Revision) -> str:
    name = f"v{earlier.number}"
    return name if earlier.contract_id == revision.contract_id else f"{earlier.contract.number} {name}"


def is_current(document: Document, revision: Revision) -> bool:
    """Whether a rendering still prints what there is: one made before signing does not name who signed."""
    return document.content_sha256 == sha256(printed(revision).stored().encode())


@transaction.atomic
def request_appendix(revision: Revision, *, by: User | None, now: datetime) -> Document:
    """The rendering of these facts; asking twice gives the same row, and one that failed is tried again."""
    if by is not None and not revision.contract.may(by, "download_appendix"):
        raise NotAllowed(_MAY_NOT)
    context = printed(revision).stored()
    document, is_new = Document.objects.get_or_create(
        revision=revision, kind="appendix", content_sha256=sha256(context.encode()), template_version=TEMPLATE_VERSION,
        defaults={"context": context, "due_at": now, "requested_at": now},
    )  # fmt: skip
    if is_new:
        contracts.record(revision.contract, "appendix_requested", by=by, at=now, revision=revision)
    if document.state == "failed":
        Document.objects.filter(pk=document.pk, state="failed").update(state="queued", due_at=now, attempts=0, error="")
        document.refresh_from_db()
    return document


@transaction.atomic
def sign_off(
    revision: Revision, *, by: User, typed_name: str, sha256: str, proof: Proof | None, now: datetime
) -> Contract:
    """Approve one exact hash for one's side; with both sides there the contract is signed.

    sha256: the hash the person saw. proof: their second factor, proven for this act. Raises ContractError when the
    hash is not the newest sent revision's, or the proof is missing, old or somebody else's.
    """
    held = lock_line(revision.contract)
    side = held.side_of(by)
    if side is None or not held.may(by, "sign"):
        raise NotAllowed(_MAY_NOT)
    name = typed_name.strip()
    _check(held, revision, side, sha256)
    _check_person(held, by, name)
    if proof is None or not proof.holds_for(by, now):
        raise ContractError(_NO_PROOF.fill(minutes=FRESH_FOR.seconds // 60))
    mandate = _mandate(held, side, by, now)
    SignOff.objects.create(
        revision=revision, side=side.value, user=by, typed_name=name, revision_sha256=revision.sha256, at=now,
        factor=proof.method, factor_at=proof.at, mandate=mandate,
    )  # fmt: skip
    said: dict[str, object] = {"side": side.value, "typed_name": name, "factor": proof.method, "factor_at": proof.at}
    said |= {"mandate": str(mandate.uuid), "basis": mandate.basis, "letter": mandate.file_sha256 or None}
    signatory = signatory_of(revision.body()) if side is Side.BUYER else ""
    said |= {"signatory": signatory} if signatory and not is_signatory(signatory, name) else {}
    contracts.record(held, "signed_off", by=by, at=now, revision=revision, body=said)
    signed = _sign_when_both(held, revision, by, now)
    if signed.state != State.AGREED:
        request_appendix(revision, by=None, now=now)
    return signed


def _mandate(contract: Contract, side: Side, by: User, now: datetime) -> Mandate:
    """The mandate under which the person signs. Raises ContractError with what is wrong with theirs."""
    organisation = contract.vendor if side is Side.VENDOR and contract.vendor else contract.buyer
    try:
        return mandate_to_sign(by, organisation, amount_of(contract), timezone.localdate(now))
    except AccountError as refusal:
        raise ContractError(refusal.text) from refusal


def amount_of(contract: Contract) -> Amount:
    """What the contract amounts to over its whole term; what depends on use is not known beforehand."""
    terms = terms_of(contract)
    currency = str(terms.get("c/currency", "CNY"))
    try:
        return Amount(total(terms) if is_firm(terms) else None, currency)
    except NotGiven:
        return Amount(None, currency)


def expected_name(person: User) -> str:
    """The name a person signs with: the one of the account."""
    return person.name or person.email


def is_same_name(typed: str, expected: str) -> bool:
    """Whether two spellings are one name: width, spaces and case do not matter."""
    plain = ("".join(unicodedata.normalize("NFKC", name).split()).casefold() for name in (typed, expected))
    return next(plain) == next(plain)


def name_refusal(person: User, typed: str) -> Text | None:
    """Why a typed name does not sign; None where it is the account's."""
    if is_same_name(typed, expected_name(person)):
        return None
    return _OTHER_NAME.fill(expected=expected_name(person), typed=typed[:LONGEST_NAME])


def _check_person(held: Contract, by: User, name: str) -> None:
    if refusal := name_refusal(by, name):
        raise ContractError(refusal)
    if held.side_of(by) is Side.BUYER and contracts.is_barred(held, by):
        raise ContractError(_BARRED.fill(why=FACTS[Fact.OTHER_EYES]))


def _check(held: Contract, revision: Revision, side: Side, seen: str) -> None:
    if held.state != State.AGREED:
        raise ContractError(_NOT_AGREED.fill(state=STATES[held.state]))
    must_amend_what_binds(held)
    newest = held.revisions.sent().latest("number")
    if seen != newest.sha256 or revision != newest:
        raise ContractError(_OTHER_BYTES.fill(seen=seen[:12] or "-", now=newest.sha256[:12]))
    if contracts.review(held).blocking:
        raise ContractError(_BUYERS_POINT)
    if revision.sign_offs.filter(side=side.value).exists():
        raise ContractError(_TWICE.fill(side=SIDES[side]))


def _sign_when_both(held: Contract, revision: Revision, by: User, now: datetime) -> Contract:
    signed = set(revision.sign_offs.values_list("side", "revision_sha256"))
    if {side for side, _ in signed} != {Side.BUYER.value, Side.VENDOR.value}:
        return held
    facts = {Fact.BUYER_SIGNED, Fact.VENDOR_SIGNED} | (set() if contracts.review(held).blocking else {Fact.CHECKED})
    facts |= {Fact.SAME_HASH} if {digest for _, digest in signed} == {revision.sha256} else set()
    facts |= {Fact.ALL_CONFIRMED} if contracts.is_confirmed(revision) else set()
    moved = contracts.move(held, "sign", by=by, facts=facts, now=now, revision=revision)
    return succeed(moved, at=now) if moved.amends_id else moved


def _both(words: Mapping[str, Text], key: str) -> str:
    return f"{words[key].zh} {words[key].en}" if key in words else key


def _sign_off_line(line: SignOff) -> SignOffLine:
    organisation = getattr(line.revision.contract, line.side)
    return SignOffLine(
        line.side, organisation.name if organisation else "", line.typed_name, line.user.email,
        printed_moment(line.at), _both(METHODS, line.factor),
        _both(BASES, line.mandate.basis) if line.mandate else "",
    )  # fmt: skip
