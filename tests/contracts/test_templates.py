"""The templates that come with the software: nothing blocks once the parties, the price and the date are typed."""

from datetime import date
from decimal import Decimal

import pytest

from gpucontract.catalogue.gpus import find
from gpucontract.contracts import checks
from gpucontract.contracts.compile import clauses
from gpucontract.contracts.sections.gaps import is_asked, missing
from gpucontract.contracts.sections.hints import hint
from gpucontract.contracts.sections.steps import TERMS, terms_of
from gpucontract.contracts.suggestions import suggestion
from gpucontract.contracts.templates import differences, templates
from gpucontract.contracts.terms import NotApplicable, Terms
from tests.sample_terms import BUYER, VENDOR

# What only the two parties know of a deal; everything else a template must bring.
PARTIES_KNOW = {
    "buyer_name": BUYER[0],
    "buyer_uscc": BUYER[1],
    "vendor_name": VENDOR[0],
    "vendor_uscc": VENDOR[1],
    "unit_price": Decimal("65000"),
    "term_start": date(2027, 1, 1),
    "buyer_notice_email": "notice@buyer.example",
    "buyer_signatory": "李薇，授权委托书 2027-01",
    "vendor_founded_on": date(2015, 6, 1),
    "vendor_registered_capital": Decimal("5000"),
    "vendor_role": "owner",
    "vendor_licence_no": "B1-20230001",
    "vendor_licence_scope": ("IDC",),
    "vendor_licence_region": ("national",),
    "vendor_licence_expiry": date(2032, 1, 1),
    "export_control_statement": "maker_channel",
    "datacenter_name": "江北一号机房",
    "datacenter_address": "湖北省武汉市江夏区光谷大道 1 号",
    "datacenter_owned": "own",
    "mlps_level": "3",
    "mlps_cert_ref": "42010023001-00001，2026-05-01",
    "data_region": "湖北省武汉市",
    "local_ops_staff": 4,
    "local_ops_city": "武汉",
    "hotline": "400-000-0000",
    "delivery_date": date(2026, 12, 15),
    "payee_account_name": VENDOR[0],
}
# What a template may leave standing, with its reason.
ACCEPTED = {
    # A hint: a workstation has one port for everything, and nothing trains across them.
    "rtx4090-workstations": {"C-NET-24"},
}

ALL = list(templates().values())


def empty_of(template, is_wanted):
    terms = filled(template)
    return [
        f"{code}/{info.id}"
        for code in terms.rows
        for info in terms_of(code)
        if is_wanted(terms, code, info)
        and not terms.is_given(f"{code}/{info.id}")
        and not terms.reason(f"{code}/{info.id}")
    ]


def filled(template):
    rows = {code: dict(row) for code, row in template.terms.rows.items()}
    machines, months = rows["g1"]["node_count"], rows["c"]["term_months"]
    batches = {"delivery_batches": ({"due_on": PARTIES_KNOW["delivery_date"], "nodes": machines},)}
    rows["g1"]["server_model"] = "NF5688M7"
    rows["c"] |= PARTIES_KNOW | batches | {"total_value_stated": PARTIES_KNOW["unit_price"] * machines * months}
    return Terms(rows)


def by_id(template):
    return template.id


@pytest.mark.parametrize("template", ALL, ids=by_id)
def test_nothing_is_missing_once_the_parties_have_typed_what_they_know(template):
    assert [gap.path for gap in missing(filled(template))] == []
    assert empty_of(template, is_asked) == []


@pytest.mark.parametrize("template", ALL, ids=by_id)
def test_what_the_parties_know_is_left_to_them(template):
    assert not set(PARTIES_KNOW) & set(template.terms.rows["c"])


@pytest.mark.parametrize("template", ALL, ids=by_id)
def test_no_check_objects_to_it(template):
    failed = {result.check: result.text.en for result in checks.run(filled(template)) if result.outcome == "failed"}
    assert {check: said for check, said in failed.items() if check not in ACCEPTED.get(template.id, ())} == {}


@pytest.mark.parametrize("template", ALL, ids=by_id)
def test_every_mark_the_catalogue_proposes_is_the_one_it_proposes(template):
    terms = template.terms
    paths = [f"{code}/{name}" for code in terms.groups for name in TERMS]
    proposed = {path: found.value for path in paths if (found := suggestion(terms, path)) and terms.is_given(path)}
    assert proposed == {path: terms[path] for path in proposed}


@pytest.mark.parametrize("template", ALL, ids=by_id)
@pytest.mark.parametrize("name", ["intra_busbw_min", "inter_busbw_min", "gemm_tflops_min"])
def test_every_performance_mark_says_where_it_comes_from(template, name):
    for code in template.terms.groups:
        if template.terms.is_given(f"{code}/{name}"):
            assert template.provenance(f"{code}/{name}"), f"{code}/{name}"


@pytest.mark.parametrize("template", ALL, ids=by_id)
def test_its_notes_speak_of_values_it_gives(template):
    assert [path for path in template.notes if not template.terms.is_given(path)] == []


@pytest.mark.parametrize("template", ALL, ids=by_id)
def test_nothing_in_it_is_vague(template):
    hints = [
        f"{code}/{name}"
        for code, row in template.terms.rows.items()
        for name, value in row.items()
        if hint(TERMS[name], value)
    ]
    assert hints == []


@pytest.mark.parametrize("template", ALL, ids=by_id)
def test_its_free_text_is_in_the_language_asked_for_and_nothing_else_differs(template):
    zh, en = template.terms_in("zh-hans"), template.terms_in("en")
    other = differences(zh, en)
    assert other
    assert all(each.info.kind in ("text", "rows") or isinstance(each.now, NotApplicable) for each in other)
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in str(en.rows))


@pytest.mark.parametrize("template", ALL, ids=by_id)
def test_it_compiles_into_measured_clauses(template):
    made = clauses(filled(template))
    measured = {clause.name for clause in made if clause.verified_by == "measurement"}
    assert {"gpu_model", "gpu_count", "busbw_intra", "driver"} <= measured
    assert len(made) > 80


def test_there_is_one_for_each_kind_of_machine_that_is_rented():
    offered = {(template.terms["g1/gpu_model"], template.terms["g1/node_count"]) for template in ALL}
    assert {
        ("A100 80GB SXM4", 1),
        ("H100 SXM5 80GB", 16),
        ("H20 96GB", 8),
        ("H200 SXM 141GB", 4),
        ("RTX 4090 24GB", 4),
        ("GB200 186GB", 18),
    } == offered
    assert all(find(model) for model, _ in offered)


def test_the_rack_says_what_cannot_be_measured():
    said = " ".join(limit.en for limit in templates()["gb200-rack"].limits)
    assert "NVLink domain" in said
    assert "inconclusive, never as verified" in said


def test_a_template_has_no_differences_to_itself():
    template = ALL[0]
    assert differences(template.terms, template.terms) == ()


def test_differences_name_the_term_its_value_then_and_now():
    given = templates()["a100-one-node"].terms
    rows = {code: dict(row) for code, row in given.rows.items()}
    rows["g1"] |= {"node_count": 2}
    rows["c"] |= {"price_cut_pct": None, "unit_price": Decimal("65000")}
    found = [(each.path, each.before, each.now) for each in differences(Terms(rows), given)]
    assert sorted(found) == [
        ("c/price_cut_pct", Decimal("10.00"), None),
        ("c/unit_price", None, Decimal("65000")),
        ("g1/node_count", 1, 2),
    ]


def test_a_row_that_came_later_differs_in_all_it_holds():
    given = templates()["a100-one-node"].terms
    now = Terms({**given.rows, "g2": {"node_count": 3}})
    assert [each.path for each in differences(now, given)] == ["g2/node_count"]


def test_codes_of_child_rows_are_no_difference():
    given = templates()["a100-one-node"].terms
    rows = {code: dict(row) for code, row in given.rows.items()}
    rows["c"]["delivery_documents"] = tuple(
        {"code": f"d{number}", **row} for number, row in enumerate(rows["c"]["delivery_documents"])
    )
    assert differences(Terms(rows), given) == ()
