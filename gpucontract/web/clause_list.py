"""The clauses of a contract as its page shows them: numbered as on paper, with answer, verdict and evidence beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from django.utils.translation import gettext as _

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import VerifiedBy
from gpucontract.contracts.countering import counter_words
from gpucontract.contracts.models import Confirmation, Revision
from gpucontract.contracts.succession import amended_by
from gpucontract.documents.context import appendix
from gpucontract.localise import spoken
from gpucontract.measurements.models import Node, Run
from gpucontract.measurements.plan import not_settled
from gpucontract.verdicts.models import Remedy, Verdict, Waiver
from gpucontract.verdicts.reasons import ASIDE
from gpucontract.verdicts.remedies import Standing
from gpucontract.verdicts.remedying import Held, held
from gpucontract.verdicts.rent import currency_of
from gpucontract.verdicts.scopes import spoken as place_text
from gpucontract.verdicts.states import State
from gpucontract.web.advice import REMEDIED, advice
from gpucontract.wording import Text

ORDER = ("breached", "marginal", "inconclusive", "pending", "remedied", "waived", "verified", "not_applicable")


@dataclass(frozen=True, slots=True)
class RunLink:
    """A run that a verdict speaks about; why: the remark beside one that was set aside."""

    run: Run
    why: str = ""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One place that keeps a clause from being verified."""

    state: str
    where: str
    sentence: str
    runs: tuple[RunLink, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What the judge says about a clause, ready to show. margin: percent, signed."""

    state: str
    sentence: str
    value: str
    margin: Decimal | None
    where: str
    because: str
    counts: tuple[tuple[str, int], ...]
    shortfalls: tuple[Shortfall, ...]
    runs: tuple[RunLink, ...]
    aside: tuple[RunLink, ...]
    next_text: str


@dataclass(frozen=True, slots=True)
class Row:
    """One clause. look: what it is sorted, filtered and counted by: waived or remedied, else its measured state.

    remedy: what is agreed for it, in words; is_settled: whether that leaves nothing open. offered: what waits for an
    answer.
    """

    number: str
    key: str
    section: str
    text: str
    value: str
    notes: tuple[str, ...]
    verified_by: str
    answer: Confirmation | None = None
    counter: str = ""
    verdict: Finding | None = None
    waiver: Waiver | None = None
    unsettled: str = ""
    remedy: str = ""
    is_settled: bool = False
    offered: str = ""

    @property
    def anchor(self) -> str:
        """The row's own place on the page: 4.2 -> clause-4-2."""
        return f"clause-{self.number.replace('.', '-')}"

    @property
    def look(self) -> str:
        """Waived, remedied, or the measured state; empty before there is a verdict."""
        if self.waiver or self.is_settled:
            return "waived" if self.waiver else "remedied"
        return self.verdict.state if self.verdict else ""

    @property
    def may_be_remedied(self) -> bool:
        """Whether a price cut or machines not taken can settle it: of a paper nobody handed in neither can."""
        state = self.verdict.state if self.verdict and not self.is_settled and not self.waiver else State.VERIFIED
        return State(state).is_failing and (self.verified_by != VerifiedBy.DOCUMENT or state == State.BREACHED)

    @property
    def is_judged(self) -> bool:
        """Whether anything will ever measure it."""
        return self.verified_by != VerifiedBy.NONE


@dataclass(frozen=True, slots=True)
class Section:
    """The rows of one part of the appendix."""

    title: str
    id: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """Everything beside the frozen clauses, by clause key or run id."""

    answers: Mapping[str, Confirmation] = field(default_factory=dict)
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    waivers: Mapping[str, Waiver] = field(default_factory=dict)
    runs: Mapping[str, Run] = field(default_factory=dict)
    hosts: Mapping[str, str] = field(default_factory=dict)
    held: Held = field(default_factory=Held)
    offered: Mapping[str, Remedy] = field(default_factory=dict)

    @classmethod
    def about(cls, revision: Revision, answers: Iterable[Confirmation], shows_waivers: bool) -> Known:
        """What the tables say about a revision's clauses; waivers only for the buyer's eyes."""
        contract = revision.contract
        waivers = contract.waivers.select_related("by") if shows_waivers else ()
        # A verdict on an amendment may rest on what was measured under the contract that it amends.
        runs = Run.objects.filter(contract__in=[contract, *amended_by(contract)])
        return cls(
            answers={answer.key: answer for answer in answers},
            verdicts={verdict.key: verdict for verdict in contract.verdicts.all()},
            waivers={waiver.key: waiver for waiver in waivers},
            runs={str(run.uuid): run for run in runs.select_related("lead", "delivery")},
            hosts=dict(Node.objects.of(contract).values_list("code", "hostname")),
            held=held([contract]).get(contract.pk, Held()),
            offered={each.key: each for each in contract.remedies.filter(standing=Standing.OPEN)},
        )

    def remedy(self, key: str, currency: str) -> str:
        """What is agreed for a clause in words: for it, or by not taking machines on which it falls short."""
        offers = [each for each in self.held.offers if key in self.held.left and (each.key == key or each.slots)]
        return _("; ").join(spoken(each.said(currency)) for each in offers)


def sections_of(body: Body, known: Known) -> list[Section]:
    """All clauses, part by part, in the order and with the numbers of the printed appendix."""
    unsettled = {each.key: spoken(each.reason) for each in not_settled(body)}
    section_of = {clause.key: clause.section for clause in body.clauses}
    chapters = appendix(body, "").chapters
    currency = currency_of(body)
    numbers = {line.key: line.number for chapter in chapters for line in chapter.lines}
    found = []
    for chapter in chapters:
        rows = tuple(
            Row(
                number=line.number, key=line.key, section=section_of[line.key], text=spoken(line.text),
                value=spoken(line.value), notes=tuple(map(spoken, line.notes)), verified_by=line.verified_by,
                answer=known.answers.get(line.key), counter=_counter(known, line.key, body),
                verdict=_verdict(known, line.key, body, numbers),
                waiver=known.waivers.get(line.key), unsettled=unsettled.get(line.key, ""),
                remedy=known.remedy(line.key, currency), is_settled=line.key in known.held.settled,
                offered=spoken(known.offered[line.key].offer.said(currency)) if line.key in known.offered else "",
            )
            for line in chapter.lines
        )  # fmt: skip
        found.append(Section(spoken(chapter.title), rows[0].section, rows))
    return found


def worst_first(sections: Iterable[Section]) -> list[Row]:
    """The judged clauses as a list of checks: what fails on top, paper order within a state."""
    judged = [row for section in sections for row in section.rows if row.is_judged]
    return sorted(judged, key=lambda row: ORDER.index(row.look or "pending"))


def counts_of(rows: Iterable[Row]) -> list[tuple[str, int]]:
    """(state, how many) of the looks that occur, worst first."""
    found = Counter(row.look or "pending" for row in rows)
    return [(state, found[state]) for state in ORDER if found[state]]


def _counter(known: Known, key: str, body: Body) -> str:
    answer = known.answers.get(key)
    return spoken(counter_words(body.clause(key), answer.value)) if answer and answer.value else ""


def _verdict(known: Known, key: str, body: Body, numbers: Mapping[str, str]) -> Finding | None:
    verdict = known.verdicts.get(key)
    if verdict is None:
        return None
    because = numbers.get(verdict.because, "")
    is_document = body.clause(key).verified_by is VerifiedBy.DOCUMENT
    return Finding(
        state=verdict.state, sentence=spoken(verdict.sentence), value=_said(verdict.value_zh, verdict.value_en),
        margin=verdict.margin_pct, where=_place(verdict.scope, known, body), because=because,
        counts=tuple(verdict.counts.items()),
        shortfalls=_once(_shortfall(each, known, body) for each in verdict.exceptions),
        runs=_links(((run, "") for run in verdict.runs), known), aside=_links(verdict.aside, known),
        next_text=spoken(
            REMEDIED if key in known.held.settled
            else advice(State(verdict.state), verdict.attribution, bool(because), is_document)
        ),
    )  # fmt: skip


def _once(shortfalls: Iterable[Shortfall]) -> tuple[Shortfall, ...]:
    """What is said of several places in the same words, once, with the runs of all."""
    found: dict[tuple[str, str], Shortfall] = {}
    for each in shortfalls:
        same = found.setdefault((each.state, each.sentence), each)
        more = tuple(link for link in each.runs if link not in same.runs)
        found[each.state, each.sentence] = replace(same, runs=same.runs + more)
    return tuple(found.values())


def _shortfall(each: Mapping[str, object], known: Known, body: Body) -> Shortfall:
    """One place that falls short, with the runs that tell why: those that counted, else those that did not for that."""
    why = [(run, reason) for run, reason in each.get("aside", ()) if reason == each.get("reason")]
    runs = _links([*((run, "") for run in each["runs"]), *why], known)
    where = _place(str(each["scope"]), known, body)
    return Shortfall(str(each["state"]), where, _said(str(each["zh"]), str(each["en"])), runs)


def _place(scope: str, known: Known, body: Body) -> str:
    return spoken(place_text(scope, known.hosts, body)) if scope else ""


def _links(pairs: Iterable[Iterable[str]], known: Known) -> tuple[RunLink, ...]:
    found = ((known.runs.get(run), why) for run, why in pairs)
    return tuple(RunLink(run, spoken(ASIDE[why]) if why in ASIDE else "") for run, why in found if run)


def _said(zh: str, en: str) -> str:
    return spoken(Text(zh, en)) if zh and en else ""
