"""The results of the risk checks as pages show them: the buyer's eyes only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from gpucontract.contracts.checks.check import Outcome, Result, Severity
from gpucontract.contracts.reviewing import Review, code_of
from gpucontract.contracts.sections.steps import SECTION_OF, TERMS
from gpucontract.localise import spoken
from gpucontract.web.wizard import place_on_page

TONES = {Severity.BLOCKER: "bad", Severity.WARNING: "warn", Severity.HINT: "info"}
WORDS = {Severity.BLOCKER: _("Stops sending"), Severity.WARNING: _("Warning"), Severity.HINT: _("Hint")}
ORDER = list(TONES)


@dataclass(frozen=True, slots=True)
class Finding:
    """One failed check. step, target: where the term it points at is asked; reason: why an approver waived it."""

    check: str
    code: str
    tone: str
    word: str
    text: str
    step: str
    target: str
    reason: str
    is_waivable: bool


@dataclass(frozen=True, slots=True)
class Findings:
    """What failed, and how many passed or cannot be told yet."""

    failed: tuple[Finding, ...]
    passed: int
    open: int

    @property
    def worst(self) -> str:
        """The tone of the most serious finding that nobody waived; good when there is none."""
        return next((finding.tone for finding in self.failed if not finding.reason), "good")


def findings_of(review: Review, step: str = "") -> Findings:
    """The findings beside a step, or all of them; blockers first, waived ones last."""
    results = [result for result in review.results if not step or step in result.sections]
    failed = [_finding(result, review) for result in _sorted(results)]
    failed.sort(key=lambda finding: bool(finding.reason))
    count = [result.outcome for result in results].count
    return Findings(tuple(failed), count(Outcome.PASSED), count(Outcome.NOT_EVALUATED))


def _sorted(results: Iterable[Result]) -> list[Result]:
    failed = [result for result in results if result.outcome is Outcome.FAILED]
    return sorted(failed, key=lambda result: ORDER.index(result.severity))


def _finding(result: Result, review: Review) -> Finding:
    code, _slash, term = result.path.partition("/")
    reason = review.reason_for(result)
    return Finding(
        check=result.check,
        code=code_of(result),
        tone="idle" if reason else TONES[result.severity],
        word=str(WORDS[result.severity]),
        text=spoken(result.text),
        step=SECTION_OF[term],
        target=place_on_page(code, TERMS[term]),
        reason=reason,
        is_waivable=result.is_waivable and result.is_blocking,
    )
