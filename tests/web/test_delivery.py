"""Recording the delivery asks for the day, the person and a tick, and says what is wrong."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract(db):
    return factories.signed_contract()


def post(client, contract, **changes):
    client.force_login(factories.person("eng"))
    given = {"on": timezone.localdate().isoformat(), "received_by": "周工", "is_handed_over": "on"} | changes
    return client.post(reverse("contract-deliver", args=[contract.uuid]), given)


def test_it_is_recorded_with_day_and_person(client, contract):
    day = timezone.localdate() - timedelta(days=2)
    assert post(client, contract, on=day.isoformat()).status_code == 302
    contract.refresh_from_db()
    said = json.loads(contract.events.get(kind="move_deliver").body)
    assert (contract.state, said["on"], said["received_by"]) == ("delivered", day.isoformat(), "周工")


@pytest.mark.parametrize(
    ("change", "said"),
    (
        pytest.param({"is_handed_over": ""}, "请在机器移交后勾选", id="not ticked"),
        pytest.param({"received_by": " "}, "请输入接收人", id="nobody"),
        pytest.param({"on": ""}, "请输入移交日期", id="no day"),
        pytest.param({"on": "soon"}, "请输入日期", id="not a day"),
        pytest.param({"on": "2999-01-01"}, "还没有到", id="not yet"),
    ),
)
def test_what_is_missing_is_said_and_nothing_is_delivered(client, contract, change, said):
    response = post(client, contract, **change)
    assert response.status_code == 422 and said in response.content.decode()
    contract.refresh_from_db()
    assert contract.state == "signed"


def test_the_page_asks_before_anything_happens(client, contract):
    client.force_login(factories.person("eng"))
    assert client.get(reverse("contract-deliver", args=[contract.uuid])).status_code == 200
    contract.refresh_from_db()
    assert contract.state == "signed"
