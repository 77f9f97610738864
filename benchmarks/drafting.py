"""The wizard: a step of five node groups against Django's own layout, and all checks of a full contract."""

from collections.abc import Callable

from django.template.loader import render_to_string

from benchmarks.timing import best_of
from gpucontract.contracts import checks as all_checks
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.contracts.terms import Terms
from gpucontract.web.demo.sample import SAMPLE
from gpucontract.web.forms.steps import StepForm, places_of, typed_from
from gpucontract.web.wizard import shown_rows

STEP = "interconnect"
CODES = tuple(f"g{number}" for number in range(1, 6))
TERMS = Terms({"c": SAMPLE["c"], **dict.fromkeys(CODES, SAMPLE["g1"]), "m1": SAMPLE["m1"]})
TITLES = {code: f"Node group {code}" for code in (*CODES, "m1")}
ALL_CHECKS_S = 0.020


def step() -> tuple[float, float]:
    """Seconds for the rows of a step with every term in place, and for the same fields by Django's own as_div."""
    places = places_of(SECTIONS[STEP], TERMS, TITLES)
    typed = typed_from(places, TERMS)

    def ours() -> str:
        rows = shown_rows(STEP, StepForm(places, typed, TITLES), TERMS, CODES)
        return "".join(render_to_string("contracts/draft/_row.html", {"row": row}) for row in rows)

    def floor() -> str:
        return "".join(row.as_div() for row in StepForm(places, typed, TITLES).forms)

    assert ours().count('id="div_id_') == sum(len(place.infos) for place in places)
    return best_of(ours), best_of(floor)


def checks() -> tuple[float, float]:
    """Seconds for all checks on a contract of five groups, and what they may take."""
    return best_of(lambda: all_checks.run(TERMS)), ALL_CHECKS_S


CASES: dict[str, Callable[[], tuple[float, float]]] = {"draft-step": step, "draft-checks": checks}
