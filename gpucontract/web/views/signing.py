"""Signing off: one exact hash, one typed name, one tick, one second factor; both sides' state stays visible."""

from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.models import User
from gpucontract.accounts.roles import Side
from gpucontract.accounts.second_factor import FactorRefused, has_app, has_passkey, passkey_challenge, prove_here
from gpucontract.contracts.confirming import confirmed_without_authority, signers_of
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.eyes import is_barred
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Revision
from gpucontract.contracts.naming import OPEN_STATES, Named, name_signer, named_signer, other_than_named
from gpucontract.contracts.sections.parties import SIGNING_METHODS
from gpucontract.contracts.superseding import lines_of, succession
from gpucontract.documents.models import SignOff
from gpucontract.documents.services import expected_name, name_refusal, sign_off
from gpucontract.localise import spoken
from gpucontract.verdicts.succeeding import remedy_lines, waiver_lines
from gpucontract.web.access import contract_for, offer_for
from gpucontract.web.forms.signing import SignForm
from gpucontract.web.views.contracts import head_of
from gpucontract.web.views.factors import come_back_to
from gpucontract.wording import Text

# What the contract may ask for beyond what is done here.
OUTSIDE = {name: SIGNING_METHODS[name] for name in ("esign_platform", "pdf_pades")}


def contract_sign(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The hash to be signed and who has signed it; a signer signs here."""
    if request.method != "POST":
        revision = offer_for(request.user, uuid, "view")
        form = SignForm(initial={"sha256": revision.sha256}, has_app=has_app(request.user))
        return render(request, "contracts/sign.html", sign_page(request, revision, form))
    revision = offer_for(request.user, uuid, "sign")
    form = SignForm(request.POST, has_app=has_app(request.user))
    if not _is_sound(request, form):
        return render(request, "contracts/sign.html", sign_page(request, revision, form), status=422)
    try:
        _sign(request, revision, form.cleaned_data)
    except (FactorRefused, ContractError) as refusal:
        is_factor = isinstance(refusal, FactorRefused) and has_app(request.user)
        form.add_error("code" if is_factor else None, spoken(refusal.text))
        page = sign_page(request, revision, form)
        return render(request, "contracts/sign.html", page, status=422 if is_factor else 409)
    messages.success(request, _signed(revision))
    return redirect("contract-sign", uuid)


def _is_sound(request: HttpRequest, form: SignForm) -> bool:
    """Whether all is filled in and the name is the account's; every fault shows at once, that of the code too."""
    is_complete = form.is_valid()
    typed = form.cleaned_data.get("typed_name")
    refusal = name_refusal(cast(User, request.user), typed) if typed else None
    if refusal is None:
        return is_complete
    form.add_error("typed_name", spoken(refusal))
    if is_complete and form.cleaned_data["code"]:
        try:
            prove_here(request, code=form.cleaned_data["code"], credential=None)
        except FactorRefused as fault:
            form.add_error("code", spoken(fault.text))
        else:
            form.add_error("code", _("The code was right and is used up: type the next one your app shows."))
    return False


def _signed(revision: Revision) -> str:
    """What the signature brought about: the contract, or the wait for the other side's."""
    contract = revision.contract
    contract.refresh_from_db()
    if contract.state != State.AGREED:
        return _("Signed. Both sides have signed: the contract is concluded.")
    done = {line.side for line in revision.sign_offs.all()}
    waiting = [str(getattr(contract, side.value)) for side in Side if side.value not in done]
    return _("Signed. Now %(party)s signs.") % {"party": _(", ").join(waiting)}


def _sign(request: HttpRequest, revision: Revision, given: dict[str, Any]) -> None:
    proof = prove_here(request, code=given["code"], credential=given["credential"])
    name, seen = given["typed_name"], given["sha256"]
    sign_off(revision, by=request.user, typed_name=name, sha256=seen, proof=proof, now=timezone.now())


@require_POST
def contract_name_signer(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Name who signs for the vendor instead of oneself."""
    contract = contract_for(request.user, uuid, "answer")
    try:
        named = name_signer(contract, email=request.POST.get("email", "")[:254], by=request.user)
    except (AccountError, ContractError) as refusal:
        messages.error(request, spoken(refusal.text))
    else:
        messages.success(
            request, _("Noted, and your side is told. %(standing)s") % {"standing": spoken(named.standing)}
        )
    return redirect("contract-sign", uuid)


def _signing_method(revision: Revision) -> str:
    """How the contract says it is signed."""
    found = [clause.value for clause in revision.body().clauses if clause.key == "c/signing_method"]
    return str(found[0]) if found else ""


def sign_page(request: HttpRequest, revision: Revision, form: SignForm) -> dict[str, Any]:
    """The context of sign.html."""
    contract = revision.contract
    page = head_of(request, contract, "sign")
    signed = {line.side: line for line in revision.sign_offs.select_related("user")}
    parties = [(side, getattr(contract, side.value), signed.get(side.value)) for side in Side]
    # Whom the vendor's people named is theirs to know.
    named = named_signer(contract) if page["side"] is Side.VENDOR else None
    may = contract.state == State.AGREED and contract.may(request.user, "sign") and page["side"] not in signed
    page["is_barred"] = may and page["side"] is Side.BUYER and is_barred(contract, request.user)
    may = may and not page["is_barred"]
    is_bound = Side.VENDOR.value in signed
    page["caution"] = confirmed_without_authority(revision) if page["side"] is Side.BUYER and not is_bound else None
    own = getattr(contract, page["side"].value) if page["side"] else None
    page["signers"] = signers_of(own, page["side"]) if own and page["side"] not in signed else []
    is_vendors = page["side"] is Side.VENDOR and Side.VENDOR.value not in signed
    page["named"] = named if is_vendors else None
    page["others"] = _others(revision, named, list(signed.values()), cast(User, request.user) if may else None)
    page["may_name"] = is_vendors and not may and contract.state in OPEN_STATES and contract.may(request.user, "answer")
    page["signs_outside"] = OUTSIDE.get(_signing_method(revision))
    page["open_states"] = OPEN_STATES
    coming = succession(contract) if contract.state == State.AGREED else None
    page["outcome"] = (*lines_of(coming), *remedy_lines(contract)) if coming else ()
    # Waivers are the buyer's own.
    if coming and page["side"] is Side.BUYER:
        page["outcome"] += waiver_lines(contract, coming.state)
    page["unsigned"] = [side for side, _party, line in parties if line is None]
    page["awaited"] = [party for side, party, line in parties if line is None] if signed else []
    return (
        page
        | {"form": form, "parties": parties, "may_sign": may, "expected": expected_name(request.user)}
        | (factor_page(request) if may else {})
    )


def _others(revision: Revision, named: Named | None, signed: list[SignOff], signer: User | None) -> list[Text]:
    """Whoever signed, or is about to, without being the one who was named for it."""
    people = [(Side(line.side), line.typed_name, line.user.email) for line in signed]
    side = revision.contract.side_of(signer) if signer else None
    if signer and side:
        people.append((side, expected_name(signer), signer.email))
    body = revision.body()
    found = (other_than_named(body, named, side, name=name, email=email) for side, name, email in people)
    return [caution for caution in found if caution]


def factor_page(request: HttpRequest) -> dict[str, Any]:
    """Which second factors the signer has; who has none is led to set one up and back here."""
    by_passkey = has_passkey(request.user)
    has_factor = by_passkey or has_app(request.user)
    come_back_to(request, "" if has_factor else request.path)
    challenge = passkey_challenge(request.user) if by_passkey else None
    return {"has_factor": has_factor, "passkey": challenge}
