"""What a judged clause says beside its verdict: the next step, what counted, every place once, places and not ports."""

import pytest
from django.urls import reverse

from gpucontract.measurements.models import Run
from gpucontract.verdicts.models import Verdict
from gpucontract.verdicts.states import State
from gpucontract.web.advice import advice
from gpucontract.web.evidence_page import about
from gpucontract.wording import Text
from tests import factories
from tests.web import stage

pytestmark = pytest.mark.django_db


def judged(contract, key, state, **fields):
    given = {"zh": "判定。", "en": "Said.", "reason": "missed", "scope": "g1-001", **fields}
    return Verdict.objects.create(
        contract=contract, revision=factories.latest(contract), key=key, state=state, value_zh="", value_en="",
        attribution="unknown", digest="0" * 64, rules_version=1, **given,
    )  # fmt: skip


def check_of(client, contract, key, language="zh-hans"):
    """The part of the contract's page that is about one clause."""
    client.force_login(factories.person("bing"))
    client.cookies["django_language"] = language
    page = client.get(reverse("contract-detail", args=[contract.uuid])).content.decode()
    text = factories.latest(contract).body().clause(key).text
    start = page.index(text.zh if language == "zh-hans" else text.en)
    return page[start : page.index("</details>", start)]


def document_of(contract):
    return next(each.key for each in factories.latest(contract).body().clauses if each.verified_by == "document")


def test_a_document_waits_for_its_file_and_never_for_a_test(client):
    contract = stage.measured().contract
    key = document_of(contract)
    judged(contract, key, "pending", reason="no_file")
    part = check_of(client, contract, key)
    assert "乙方上传文件后由甲方确认" in part and "测试完成后" not in part
    assert reverse("contract-papers", args=[contract.uuid]) in part


def test_a_place_that_falls_short_shows_the_run_that_was_set_aside_for_it(client):
    made = stage.measured()
    one, other = (str(run.uuid) for run in Run.objects.filter(contract=made.contract)[:2])
    place = {"scope": "g1-001", "state": "inconclusive", "reason": "tool_failed", "zh": "没测出。", "en": "Not read.",
             "runs": [], "aside": [[one, "tool_failed"], [other, "older_round"]]}  # fmt: skip
    judged(
        made.contract, "g1/links_per_gpu", "inconclusive", runs=[], aside=place["aside"],
        exceptions=[place, {**place, "scope": "g1-002", "zh": "也没测出。"}],
    )  # fmt: skip
    part = check_of(client, made.contract, "g1/links_per_gpu")
    assert "<dt>计入的运行" not in part
    assert part.count(reverse("run-detail", args=[one])) == 3 and part.count(reverse("run-detail", args=[other])) == 1
    assert "工具报错" in part and "旧一轮" in part


def test_the_same_words_stand_once_and_places_are_counted_as_places(client):
    contract = stage.measured().contract
    place = {"scope": "g1-001", "state": "inconclusive", "zh": "同一句话。", "en": "Same words.", "runs": []}
    other = {**place, "zh": "另一句话。", "en": "Other words."}
    judged(
        contract, "g1/links_per_gpu", "inconclusive", exceptions=[place, {**place, "scope": "g1-002"}, other],
        counts={"verified": 8, "inconclusive": 1},
    )  # fmt: skip
    part = check_of(client, contract, "g1/links_per_gpu")
    assert (part.count("同一句话。"), part.count("另一句话。")) == (1, 1)
    assert "8 处" in part and "1 处" in part
    english = check_of(client, contract, "g1/links_per_gpu", "en")
    assert "8 places" in english and "1 place<" in english


@pytest.mark.parametrize(
    ("scope", "zh"),
    [
        ("gpu5", "GPU 5：该卡。"),
        ("gpu0+gpu1", "GPU 0 / GPU 1：该卡。"),
        ("port:mlx5_0", "mlx5_0：该卡。"),
        ("", "该卡。"),
    ],
)
def test_a_remark_names_what_it_is_about(scope, zh):
    assert about(scope, Text("该卡。", "This card.")).zh == zh


def test_a_remark_that_names_its_gpu_is_left_alone():
    text = Text("GPU 5 只有 16 条链路。", "GPU 5 shows 16 links.")
    assert about("gpu5", text) == text


@pytest.mark.parametrize(
    ("attribution", "says"), [("provider", "乙方先处理"), ("unknown", "先处理"), ("tenant", "先处理")]
)
def test_a_clause_held_up_by_another_names_who_acts(attribution, says):
    told = advice(State.INCONCLUSIVE, attribution, has_cause=True).zh
    assert told.startswith(says) and "甲方重新下达测试" in told
