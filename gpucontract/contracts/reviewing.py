"""The risk checks of a draft with the buyer's waivers laid over them; nothing here ever reaches the vendor."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from gpucontract.accounts.models import Mandate, User
from gpucontract.contracts import checks
from gpucontract.contracts.checks.check import Policy, Result
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import CheckRecord, CheckWaiver, Confirmation, Contract, Revision
from gpucontract.contracts.policies import policy_of
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.terms import Terms
from gpucontract.wording import Text

LONGEST_REASON = 1000

_NO_REASON = Text(
    "豁免检查 {check} 需要写明理由，最多 {limit} 个字。",
    "Waiving check {check} needs a reason of at most {limit} characters.",
)
_NOT_FAILED = Text(
    "检查 {check} 在“{code}”上现在没有报问题，无须豁免。请刷新页面。",
    "Check {check} does not object to {code} now; there is nothing to waive. Reload the page.",
)
_NOT_WAIVABLE = Text(
    "检查 {check} 不能豁免：{message}请改正后再发送。",
    "Check {check} cannot be waived: {message} Mend it before sending.",
)


@dataclass(frozen=True, slots=True)
class Review:
    """Every result, and the waivers that hold now: (check, row code) -> reason."""

    results: tuple[Result, ...]
    waived: dict[tuple[str, str], str]

    @property
    def blocking(self) -> tuple[Result, ...]:
        """The results that stop sending: blockers that failed and that nobody waived."""
        return tuple(result for result in self.results if result.is_blocking and not self.reason_for(result))

    def reason_for(self, result: Result) -> str:
        """Why an approver let this pass, or "" where nobody did."""
        return self.waived.get((result.check, code_of(result)), "") if result.is_waivable else ""


def code_of(result: Result) -> str:
    """The row a result speaks about: c, g1, m1."""
    return result.path.partition("/")[0]


def review(contract: Contract, terms: Terms | None = None) -> Review:
    """Run all checks over the drafted terms. A waiver holds only while the check says the very sentence it waived."""
    results = checks.run(terms_of(contract) if terms is None else terms, _lines_of(contract))
    said = {(result.check, code_of(result)): result.text.en for result in results}
    waived = {
        (waiver.check_id, waiver.code): waiver.reason
        for waiver in contract.check_waivers.all()
        if said.get((waiver.check_id, waiver.code)) == waiver.sentence
    }
    return Review(tuple(results), waived)


def _lines_of(contract: Contract) -> Policy:
    """The buyer's policy, with who confirmed lines without a mandate."""
    return replace(policy_of(contract.buyer), without_mandate=_without_mandate(contract))


def _without_mandate(contract: Contract) -> tuple[str, ...] | None:
    """Who confirmed lines of the newest answered revision without a mandate on record; None while nobody did."""
    if contract.state == State.DRAFT:
        return None
    confirmed = Confirmation.objects.filter(
        revision__contract=contract, answer="confirm", submitted_at__isnull=False
    ).order_by("-revision__number")
    newest = confirmed.values_list("revision", flat=True).first()
    if newest is None:
        return None
    people = User.objects.filter(pk__in=confirmed.filter(revision=newest).values("answered_by"))
    in_force = Q(valid_until=None) | Q(valid_until__gte=timezone.localdate())
    held = Mandate.objects.filter(in_force, organisation=contract.vendor, revoked_at=None)
    return tuple(str(person) for person in people.exclude(pk__in=held.values("user")).order_by("pk"))


@transaction.atomic
def waive_check(contract: Contract, check: str, *, code: str, reason: str, by: User) -> CheckWaiver:
    """Let a failed check pass on one row, with a reason; a later change of its sentence ends the waiver."""
    must(contract, by, "waive")
    held = lock(contract)
    must_be_editable(held)
    text = reason.replace("\x00", "").strip()
    if not text or len(text) > LONGEST_REASON:
        raise ContractError(_NO_REASON.fill(check=check, limit=LONGEST_REASON))
    result = _failed(held, check, code)
    if not result.is_waivable:
        raise ContractError(_NOT_WAIVABLE.fill(check=check, message=result.text))
    fresh = {"sentence": result.text.en, "reason": text, "waived_by": by}
    waiver, _ = CheckWaiver.objects.update_or_create(contract=held, check_id=check, code=code, defaults=fresh)
    record(held, "check_waived", by=by, body={"check": check, "code": code, "reason": text})
    return waiver


def keep_review(revision: Revision, found: Review) -> CheckRecord:
    """Keep what the checks said when a revision was sent, beside it and never in it."""
    results = [
        {
            "check": result.check,
            "outcome": str(result.outcome),
            "severity": str(result.severity),
            "path": result.path,
            "zh": result.text.zh,
            "en": result.text.en,
            "waived": found.reason_for(result),
        }
        for result in found.results
    ]
    return CheckRecord.objects.create(revision=revision, rules=checks.VERSION, results=results)


def _failed(contract: Contract, check: str, code: str) -> Result:
    for result in checks.run(terms_of(contract), _lines_of(contract)):
        if result.check == check and code_of(result) == code and result.outcome == "failed":
            return result
    raise ContractError(_NOT_FAILED.fill(check=check[:20], code=code[:8]))
