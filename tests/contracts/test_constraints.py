"""What a form would refuse, the database refuses too: every range and every closed list."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, transaction

from gpucontract.contracts.models import Contract
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Kind
from gpucontract.contracts.tables import CHILD_TABLES, ONE_PER_CONTRACT, TABLE_OF
from tests import factories

pytestmark = pytest.mark.django_db


def wrong_values(info):
    if info.kind in (Kind.CHOICE, Kind.MULTI) and info.choices:
        return ["nonsense"] if info.kind is Kind.CHOICE else [("nonsense",)]
    if info.kind is Kind.WHOLE:
        between = set(range(int(info.minimum), int(info.minimum) + 3)) - set(info.choices) if info.choices else ()
        return [-5, int(info.maximum) + 1, *sorted(between)]
    if info.kind is Kind.DECIMAL:
        return [Decimal(-5), info.maximum + 1]
    return []


COLUMNS = [(name, table, wrong) for name, table in TABLE_OF.items() for wrong in wrong_values(TERMS[name])]
CHILD_COLUMNS = [
    (info.id, table, wrong)
    for term, (table, _, _) in CHILD_TABLES.items()
    for info in TERMS[term].columns
    for wrong in wrong_values(info)
]
ALL = COLUMNS + CHILD_COLUMNS


@pytest.fixture
def contract():
    made = factories.empty_contract()
    factories.services.add_mount(made, by=factories.person("bing"))
    return made


def row(table, contract):
    """A saved row of that table."""
    if table in ONE_PER_CONTRACT:
        return table.objects.filter(contract=contract).first() or table.objects.create(contract=contract)
    for child, parent, letter in CHILD_TABLES.values():
        if child is table:
            holder = contract if parent == "contract" else contract.shared_mounts.get()
            return table.objects.create(**{parent: holder}, code=f"{letter}1")
    if TABLE_OF["path"] is table:
        return contract.shared_mounts.get()
    group = contract.node_groups.get()
    if isinstance(group, table):
        return group
    return table.objects.create(group=group)


@pytest.mark.parametrize(("name", "table", "wrong"), ALL, ids=[f"{name}={wrong}" for name, _, wrong in ALL])
def test_validator_and_database_both_refuse(contract, name, table, wrong):
    held = row(table, contract)
    with pytest.raises((IntegrityError, DatabaseError)), transaction.atomic():
        table.objects.filter(pk=held.pk).update(**{name: wrong})
    setattr(held, name, wrong)
    with pytest.raises(ValidationError) as caught:
        held.clean_fields()
    assert name in caught.value.message_dict


def test_every_number_and_every_choice_is_in_that_table():
    covered = {name for name, _, _ in COLUMNS}
    listed = (Kind.CHOICE, Kind.WHOLE, Kind.DECIMAL, Kind.MULTI)
    asked = {name for name, info in TERMS.items() if info.kind in listed and name != "groups" and not info.is_computed}
    assert covered == asked


def test_a_contract_has_two_parties_and_a_known_state(contract):
    for change in ({"state": "lost"}, {"vendor_id": contract.buyer_id}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Contract.objects.filter(pk=contract.pk).update(**change)


def test_a_number_stands_once_per_buyer_and_may_stand_with_another_buyer(contract, zoe, bing):
    with pytest.raises(IntegrityError), transaction.atomic():
        Contract.objects.create(buyer=contract.buyer, number=contract.number, created_by=bing)
    other = factories.organisation_of("zoe")
    assert Contract.objects.create(buyer=other, number=contract.number, created_by=zoe).pk


@pytest.mark.parametrize("code", ["", "g0", "m1", "g1a", "G1", "c"])
def test_a_group_code_has_its_shape(contract, code):
    with pytest.raises(IntegrityError), transaction.atomic():
        contract.node_groups.update(code=code)
