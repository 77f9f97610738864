"""Nothing of the published list is lost: 252 terms with their choices, 148 checks with their severity."""

import csv
from pathlib import Path

import pytest

from gpucontract.contracts.checks import CHECKS
from gpucontract.contracts.lifecycle import INVARIANTS, MOVES
from gpucontract.contracts.sections.steps import SECTION_OF, TERMS
from gpucontract.contracts.sections.term import Row

FOLDER = Path(__file__).parent.parent / "published"


def rows(name):
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


LISTED, RULES = rows("terms.csv"), rows("checks.csv")
BY_ID = {check.id: check for check in CHECKS}
# Where the list says "when there is shared storage", the row of a mount is that condition.
OF_A_MOUNT = {name for name, info in TERMS.items() if info.row is Row.MOUNT}


def test_the_lists_are_whole():
    assert (len(LISTED), len({row["id"] for row in LISTED})) == (252, 252)
    assert (len(RULES), len({row["id"] for row in RULES})) == (152, 152)


@pytest.mark.parametrize("row", LISTED, ids=lambda row: row["id"])
def test_a_listed_term_is_asked_in_its_step_with_every_choice(row):
    info = TERMS[row["id"]]
    assert SECTION_OF[info.id] == row["section"]
    assert {word for word in row["choices"].split("|") if word} <= {str(choice) for choice in info.choices}
    assert info.is_computed == (row["requirement"] == "-")
    if not info.is_computed and info.id not in OF_A_MOUNT:
        assert info.requirement.value == row["requirement"]


@pytest.mark.parametrize("row", RULES, ids=lambda row: row["id"])
def test_a_listed_check_is_run_or_is_a_fact_of_a_move(row):
    if row["severity"] == "invariant":
        assert any(INVARIANTS[row["id"]] in move.facts for move in MOVES.values())
        return
    check = BY_ID[row["id"]]
    assert check.severity == row["severity"]
    assert row["waivable"] == "" or check.is_waivable == (row["waivable"] == "yes")
