"""The results of the risk checks as pages show them: the buyer's eyes only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from gpucontract.contracts.checks.check import Outcome, Result, Severity
from gpucontract.contracts.reviewing import Review, code_of
from gpucontract.contracts.sections.gaps import is_asked
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS, TERMS
from gpucontract.contracts.terms import Terms
from gpucontract.localise import spoken
from gpucontract.web.wizard import place_in_words, place_on_page

TONES = {Severity.BLOCKER: "bad", Severity.WARNING: "warn", Severity.HINT: "info"}
WORDS = {Severity.BLOCKER: _("Stops sending"), Severity.WARNING: _("Warning"), Severity.HINT: _("Hint")}
ORDER = list(TONES)
# Checks that no term can cure: the page of the contract where something can be done, and what.
ELSEWHERE = {
    "C-SIG-04": ("contract-detail", _("Ask the vendor to put a mandate on record, with a remark on any line")),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One failed check. step, target: where the term it points at is asked, section and place: the same in words.

    page, deed: where it is cured instead, and how, if no term can cure it. reason: why an approver waived it.
    """

    check: str
    code: str
    tone: str
    word: str
    text: str
    step: str
    target: str
    section: str
    place: str
    reason: str
    is_waivable: bool
    page: str = ""
    deed: str = ""


@dataclass(frozen=True, slots=True)
class Awaited:
    """An empty term that checks wait for, where it is asked, and how many of them."""

    label: str
    step: str
    target: str
    checks: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What failed, how many passed, and the terms that others wait for.

    A check about something that this contract does not have, or that no catalogue knows, is in none of them.
    """

    failed: tuple[Finding, ...]
    passed: int
    awaited: tuple[Awaited, ...]

    @property
    def open(self) -> int:
        """How many checks wait for a term."""
        return sum(each.checks for each in self.awaited)

    @property
    def worst(self) -> str:
        """The tone of the most serious finding that nobody waived; good when there is none."""
        return next((finding.tone for finding in self.failed if not finding.reason), "good")


def findings_of(review: Review, terms: Terms, titles: Mapping[str, str], step: str = "") -> Findings:
    """The findings beside a step, or all of them; blockers first, waived ones last. titles: what rows are called."""
    results = [result for result in review.results if not step or step in result.sections]
    failed = [_finding(result, review, titles) for result in _sorted(results)]
    failed.sort(key=lambda finding: bool(finding.reason))
    passed = sum(result.outcome is Outcome.PASSED for result in results)
    return Findings(tuple(failed), passed, tuple(_awaited(results, terms, titles)))


def _awaited(results: Iterable[Result], terms: Terms, titles: Mapping[str, str]) -> Iterator[Awaited]:
    for path, count in Counter(result.lacking for result in results if result.lacking).items():
        code, _slash, term = path.partition("/")
        info = TERMS[term]
        if is_asked(terms, code, info) and not terms.reason(path):
            yield Awaited(place_in_words(path, titles), SECTION_OF[term], place_on_page(code, info), count)


def _sorted(results: Iterable[Result]) -> list[Result]:
    failed = [result for result in results if result.outcome is Outcome.FAILED]
    return sorted(failed, key=lambda result: ORDER.index(result.severity))


def _finding(result: Result, review: Review, titles: Mapping[str, str]) -> Finding:
    code, _slash, term = result.path.partition("/")
    reason = review.reason_for(result)
    page, deed = ELSEWHERE.get(result.check, ("", ""))
    return Finding(
        check=result.check,
        code=code_of(result),
        tone="idle" if reason else TONES[result.severity],
        word=str(WORDS[result.severity]),
        text=spoken(result.text),
        step=SECTION_OF[term],
        target=place_on_page(code, TERMS[term]),
        section=spoken(SECTIONS[SECTION_OF[term]].title),
        place=place_in_words(result.path, titles),
        reason=reason,
        is_waivable=result.is_waivable and result.is_blocking,
        page=page,
        deed=str(deed),
    )
