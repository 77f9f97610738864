"""A replacement is declared by the vendor and agreed to by the buyer; then its parts are expected, and not before."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from gpucontract.contracts.errors import NotAllowed
from gpucontract.measurements.errors import MeasurementError
from gpucontract.measurements.models import Node, Replacement
from gpucontract.measurements.replacing import agreed_names, decide_replacement, declare_replacement
from tests import factories
from tests.web import stage

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def node(db):
    return stage.measured().node


def declared(node, names=("1650099",), reason="ECC 错误，返厂更换", by="vera"):
    return declare_replacement(node, names=names, reason=reason, by=factories.person(by), now=NOW)


def test_its_parts_are_expected_once_the_buyer_agrees(node):
    made = declared(node, ["1650099", " GPU-1 ", "1650099", ""])
    assert agreed_names([node.pk]) == frozenset()
    decide_replacement(made, is_agreed=True, by=factories.person("eng"), now=NOW)
    assert agreed_names([node.pk]) == {"1650099", "GPU-1"}
    kinds = [event.kind for event in node.group.contract.events.order_by("number")][-2:]
    assert kinds == ["replacement_declared", "replacement_agreed"]
    said = json.loads(node.group.contract.events.get(kind="replacement_agreed").body)
    assert (said["node"], said["names"]) == (node.code, ["1650099", "GPU-1"])


def test_a_refused_one_is_not_expected_and_an_answer_is_given_once(node):
    made = declared(node)
    decide_replacement(made, is_agreed=False, by=factories.person("ada"), now=NOW)
    assert agreed_names([node.pk]) == frozenset()
    with pytest.raises(MeasurementError, match="answered already"):
        decide_replacement(made, is_agreed=True, by=factories.person("ada"), now=NOW)


def test_who_declared_it_does_not_agree_to_it_from_the_other_side(node):
    made = declared(node)
    Replacement.objects.filter(pk=made.pk).update(declared_by=factories.person("eng"))
    made.refresh_from_db()
    with pytest.raises(MeasurementError, match="somebody else on the buyer's side"):
        decide_replacement(made, is_agreed=True, by=factories.person("eng"), now=NOW)
    assert agreed_names([node.pk]) == frozenset()


def test_another_slot_expects_nothing(node):
    made = declared(node)
    decide_replacement(made, is_agreed=True, by=factories.person("eng"), now=NOW)
    other = Node.objects.exclude(pk=node.pk).get()
    assert agreed_names([other.pk]) == frozenset()


@pytest.mark.parametrize("person", ["eng", "ada", "wen"])
def test_the_buyer_declares_nothing(node, person):
    with pytest.raises(NotAllowed):
        declared(node, by=person)


@pytest.mark.parametrize("person", ["vera", "sun", "wen", "bing"])
def test_nobody_but_the_buyers_engineer_and_approver_agrees(node, person):
    with pytest.raises(NotAllowed):
        decide_replacement(declared(node), is_agreed=True, by=factories.person(person), now=NOW)


@pytest.mark.parametrize(
    ("names", "reason", "said"),
    [
        ([], "x", "serial numbers or UUIDs"),
        ([" "], "x", "serial numbers or UUIDs"),
        ([f"part{number}" for number in range(65)], "x", "at most 64"),
        (["a b c d"], "x", "no blank"),
        (["abc"], "x", "4 to 80"),
        (["序列号一二三"], "x", "4 to 80"),
        (["1650099"], " ", "Say why"),
        (["1650099"], "x" * 301, "at most 300"),
    ],
    ids=["none", "blank", "too-many", "a-blank-inside", "too-short", "not-ascii", "no-reason", "long-reason"],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(node, names, reason, said):
    with pytest.raises(MeasurementError, match=said):
        declared(node, names, reason)
    assert not Replacement.objects.exists()


def test_both_sides_do_it_on_the_page(client, node):
    runs = reverse("contract-runs", args=[node.group.contract.uuid])
    client.force_login(factories.person("vera"))
    assert "登记部件更换" in client.get(runs).content.decode()
    given = {"names": "1650099\r\nGPU-77", "reason": "GPU 5 掉卡"}
    assert client.post(reverse("node-replacement", args=[node.uuid]), given).status_code == 302
    assert "甲方还没有答复" in client.get(runs).content.decode()
    client.force_login(factories.person("eng"))
    assert "乙方更换了机器部件：请同意或拒绝" in client.get(reverse("dashboard")).content.decode()
    page = client.get(runs).content.decode()
    assert "更换待同意" in page and "1650099, GPU-77" in page and "登记部件更换" not in page
    client.post(reverse("replacement-decide", args=[Replacement.objects.get().uuid]), {"agree": ""})
    assert "已同意更换" in client.get(runs).content.decode()
    assert "乙方更换了机器部件" not in client.get(reverse("dashboard")).content.decode()


def test_what_is_refused_stays_on_the_page(client, node):
    client.force_login(factories.person("vera"))
    response = client.post(reverse("node-replacement", args=[node.uuid]), {"names": "a b", "reason": "掉卡"})
    assert response.status_code == 422 and "中间没有空格" in response.content.decode()
