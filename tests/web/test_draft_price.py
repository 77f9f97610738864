"""The price stands beside the commercial step as it is typed: in full, in 万, in formal numerals, by month and hour."""

import pytest

from gpucontract.contracts import services
from tests import factories
from tests.web.typing_in import post, shown, url

pytestmark = pytest.mark.django_db
PRICED = {
    "unit_price": "10000", "pricing_unit": "CNY/GPU/month", "month_basis": "30d", "currency": "CNY",
    "term_months": 12,
}  # fmt: skip


def panel(client, contract, step="commercial"):
    return client.get(url(contract, step, "contract-draft-panel")).content.decode()


@pytest.fixture
def priced(contract):
    services.write_terms(contract, values={"c": PRICED}, by=factories.person("bing"))
    return contract


def test_it_is_written_in_three_ways_and_by_month_and_hour(drafter, priced):
    said = panel(drafter, priced)
    assert "1,920,000.00 元" in said and "192 万元" in said and "人民币壹佰玖拾贰万元整" in said
    assert "160,000.00 元" in said
    assert "每卡时" in said and "每个可用卡时" in said


def test_it_follows_what_is_typed_before_it_is_saved(drafter, priced):
    typed = shown(drafter, priced, "commercial") | {"c-unit_price": "20000"}
    drafter.post(url(priced, "commercial", "contract-draft-autosave"), typed, headers={"HX-Request": "true"})
    assert "人民币叁佰捌拾肆万元整" in panel(drafter, priced)


def test_what_the_total_waits_for_is_named(drafter, priced):
    services.write_terms(priced, values={"c": {"unit_price": None}}, by=factories.person("bing"))
    assert "填写“单价”后即可算出总价" in panel(drafter, priced)


def test_text_that_is_no_number_is_not_called_missing(drafter, priced):
    post(drafter, priced, "commercial", act="later", c__unit_price="1800万")
    said = panel(drafter, priced)
    assert "“单价”里还不是数字" in said and "填写“单价”" not in said


def test_other_steps_show_no_price(drafter, priced):
    assert "卡时" not in panel(drafter, priced, "nodes")


def test_promised_storage_rates_bring_their_usual_test(drafter, contract):
    services.write_terms(contract, values={"m1": {"io_test_profile": None}}, by=factories.person("bing"))
    changes = {"m1__shared_read_gbs": "20", "m1-shared_read_gbs.na": "", "m1-io_test_profile.na": ""}
    response = post(drafter, contract, "storage", **changes)
    assert response.status_code == 302, [each.message for each in response.context["problems"]]
    assert "已按常用方法填好" in drafter.get(response["Location"]).content.decode()
    (line,) = shown(drafter, contract, "storage")["m1-io_test_profile"]
    assert shown(drafter, contract, "storage")[f"m1-io_test_profile-{line}-rw"] == ["read"]


def test_an_untouched_step_has_nothing_to_judge_yet(drafter):
    contract = factories.empty_contract()
    said = panel(drafter, contract, "nodes")
    assert "还没有可判断的内容" in said and "正常" not in said
    post(drafter, contract, "nodes", act="later", g1__node_count="2")
    assert "还没有可判断的内容" not in panel(drafter, contract, "nodes")


def test_a_list_names_the_vendor_as_typed_before_the_contract_is_sent(drafter, contract):
    services.write_terms(contract, values={"c": {"vendor_name": "尚未开户的算力公司"}}, by=factories.person("bing"))
    assert contract.vendor is None
    assert "尚未开户的算力公司" in drafter.get("/contracts/").content.decode()


def test_a_total_that_the_other_terms_give_is_offered_and_filled_in(drafter, priced):
    services.write_terms(priced, values={"c": {"total_value_stated": None}}, by=factories.person("bing"))
    assert 'data-fill="c-total_value_stated" data-value="1920000"' in panel(drafter, priced)
    post(drafter, priced, "commercial", act="fill")
    assert shown(drafter, priced, "commercial")["c-total_value_stated"] == ["1920000"]


def test_a_total_that_depends_on_use_is_not_offered(drafter, priced):
    open_fee = {"total_value_stated": None, "other_fees": ({"kind": "power", "basis": "open"},)}
    services.write_terms(priced, values={"c": open_fee}, by=factories.person("bing"))
    assert 'data-fill="c-total_value_stated"' not in panel(drafter, priced)


def test_the_computed_total_stands_in_the_same_form_as_the_price(drafter, contract):
    page = drafter.get(url(contract, "commercial")).content.decode()
    assert "<dd>1,560,000.00 元</dd>" in page and "1560000<" not in page
