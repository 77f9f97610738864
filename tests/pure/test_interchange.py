"""A draft as a JSON file: nothing lost on the way out and back, and every fault of a wrong file named by its path."""

import json
from decimal import Decimal

import pytest
from jsonschema import Draft202012Validator

from gpucontract.contracts import interchange
from gpucontract.contracts.interchange import FORMAT, LARGEST_BYTES, InterchangeRefused, dump, load, to_text
from gpucontract.contracts.interchange_schema import schema
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Kind
from gpucontract.contracts.terms import NotApplicable, Terms
from tests.every_term import every_term
from tests.sample_terms import SAMPLE


def faults(document):
    text = document if isinstance(document, str | bytes) else json.dumps(document, ensure_ascii=False)
    with pytest.raises(InterchangeRefused) as refused:
        load(text)
    return {fault.path: fault.reason.en for fault in refused.value.faults}


def plain(value):
    """A value with its kind; child rows without their empty columns."""
    if isinstance(value, tuple) and value and isinstance(value[0], dict):
        return [{name: item for name, item in row.items() if item is not None} for row in value]
    return (bool, value) if isinstance(value, bool) else value


def given(**parts):
    return {"format": FORMAT, **parts}


@pytest.mark.parametrize("rows", [every_term(), SAMPLE, {"c": {}}], ids=["every term", "the sample", "nothing"])
def test_every_field_comes_back_as_it_went(rows):
    terms = Terms(rows)
    back = load(to_text(dump(terms, "标题 “x”")))
    assert back.title == "标题 “x”"
    assert set(back.terms.rows) == set(rows)
    for code, row in rows.items():
        for path in (f"{code}/{name}" for name in row):
            assert plain(back.terms.get(path)) == plain(terms.get(path)), path
            assert back.terms.reason(path) == terms.reason(path)


def test_what_goes_out_fits_the_published_schema():
    document = json.loads(to_text(dump(Terms(every_term()))))
    assert [error.message for error in Draft202012Validator(schema()).iter_errors(document)] == []


def test_the_schema_is_a_schema_and_knows_every_term():
    Draft202012Validator.check_schema(schema())
    described = schema()["properties"]
    known = {
        *described["contract"]["properties"],
        *described["groups"]["items"]["properties"],
        *described["mounts"]["items"]["properties"],
    }
    assert known - {"code"} == {name for name, info in TERMS.items() if not info.is_computed}


def test_a_term_left_out_keeps_its_default_and_null_empties_it():
    back = load(json.dumps(given(contract={"tolerance_pct": None}, groups=[{}])))
    assert back.terms.rows == {"c": {"tolerance_pct": None}, "g1": {}}


def test_a_term_that_does_not_apply_keeps_its_reason():
    excused = next(info.id for info in TERMS.values() if info.may_be_none and info.row == "contract")
    terms = Terms({"c": {excused: NotApplicable("只租一天")}})
    document = dump(terms)
    assert document["contract"][excused] == {"not_applicable": "只租一天"}
    assert load(to_text(document)).terms.reason(f"c/{excused}") == "只租一天"


def test_a_term_no_contract_can_do_without_is_not_excused():
    found = faults(given(contract={"buyer_name": {"not_applicable": "weil"}}))
    assert "no contract can do without it" in found["$.contract.buyer_name"]


def test_a_reason_that_says_nothing_is_refused():
    excused = next(info.id for info in TERMS.values() if info.may_be_none and info.row == "contract")
    assert faults(given(contract={excused: {"not_applicable": ""}}))
    assert faults(given(contract={excused: {"reason": "x"}}))


def test_an_exact_decimal_may_be_a_number_or_text():
    back = load('{"format": "gpucontract-draft/1", "contract": {"sla_availability_pct": 99.9, "price_cut_pct": "10"}}')
    assert back.terms["c/sla_availability_pct"] == Decimal("99.9")
    assert back.terms["c/price_cut_pct"] == 10


FAULTS = [
    (given(format="gpucontract-draft/2"), "$.format", "only “gpucontract-draft/1” is read"),
    ({"contract": {}}, "$", "“format” is missing"),
    ([], "$", "should be an object"),
    (given(groups={}), "$.groups", "should be a list"),
    (given(groups=[{"node_count": "two"}]), "$.groups[0].node_count", "not a number"),
    (given(groups=[{"node_count": "2"}]), "$.groups[0].node_count", "should be a whole number or null"),
    (given(groups=[{"node_count": 2.5}]), "$.groups[0].node_count", "not a whole number"),
    (
        given(groups=[{"node_count": 0}]),
        "$.groups[0].node_count",
        "0 machines is out of range. Enter a number from 1 to 10,000 machines",
    ),
    (given(groups=[{"node_count": True}]), "$.groups[0].node_count", "not a number"),
    (given(groups=[{"gpu_modle": "H100"}]), "$.groups[0].gpu_modle", "Did you mean gpu_model"),
    (given(contract={"zzz": 1}), "$.contract.zzz", "Nothing here is called “zzz”"),
    (given(groups=[{"gpu_form_factor": "sxm"}]), "$.groups[0].gpu_form_factor", "“sxm” is no choice"),
    (given(groups=[{"code": "m1"}]), "$.groups[0].code", "not written as it should be"),
    (given(groups=[{"code": "g1"}, {"code": "g1"}]), "$.groups[1].code", "used twice"),
    (given(groups=[{}], mounts=[{"groups": ["g1", "g9"]}]), "$.mounts[0].groups[1]", "has no node group g9"),
    (given(contract={"term_start": "1.1.2027"}), "$.contract.term_start", "not a date"),
    (given(contract={"root_access": "yes"}), "$.contract.root_access", "should be true or false"),
    (given(contract={"os_version": "x" * 81}), "$.contract.os_version", "81 characters, at most 80 fit"),
    (given(contract={"os_version": "100\u202e001"}), "$.contract.os_version", "turn the reading direction"),
    (given(contract={"access_method": ["vpn", "vpn"]}), "$.contract.access_method", "stands there twice"),
    (given(contract={"price_cut_pct": "10.123"}), "$.contract.price_cut_pct", "too many decimals"),
    (
        given(mounts=[{"io_test_profile": [{"rw": "read", "iodepth": 0}]}]),
        "$.mounts[0].io_test_profile[0].iodepth",
        "out of range",
    ),
    (
        given(mounts=[{"io_test_profile": [{"rw": "read", "depth": 1}]}]),
        "$.mounts[0].io_test_profile[0].depth",
        "Nothing here is called “depth”",
    ),
]


@pytest.mark.parametrize(("document", "path", "said"), FAULTS, ids=[f"{path} {said}" for _, path, said in FAULTS])
def test_a_fault_is_named_by_its_path_and_reason(document, path, said):
    found = faults(document)
    assert said in found[path]
    assert len(found) == 1


def test_every_fault_is_named_at_once():
    document = given(contract={"zzz": 1, "price_cut_pct": 200}, groups=[{"node_count": 0}, {"gpus_per_node": "x"}])
    assert set(faults(document)) == {
        "$.contract.zzz",
        "$.contract.price_cut_pct",
        "$.groups[0].node_count",
        "$.groups[1].gpus_per_node",
    }


UNREADABLE = [
    ("{", "Line 1, column 2 is not JSON"),
    ("", "Line 1, column 1 is not JSON"),
    (b"\xff\xfe{", "not UTF-8 text"),
    ('{"format": NaN}', "NaN is no number"),
    ('{"a": 1, "a": 2}', "“a” stands twice in one object"),
    ("[" * 100_000, "cannot be read as JSON"),
    ('{"contract": {"unit_price": ' + "9" * 5000 + "}}", "cannot be read as JSON"),
    (" " * (LARGEST_BYTES + 1), "at most 1,048,576 are read"),
]


@pytest.mark.parametrize(("text", "said"), UNREADABLE, ids=[said for _, said in UNREADABLE])
def test_a_file_that_is_no_json_is_refused_with_what_is_wrong(text, said):
    assert said in faults(text)["$"]


def test_a_huge_exponent_is_refused_and_never_computed():
    assert (
        "out of range"
        in faults('{"format":"gpucontract-draft/1","contract":{"unit_price": 1e999999}}')["$.contract.unit_price"]
    )


HALVES = [
    (given(title="a\ud800"), "$.title"),
    (given(format="\udfff"), "$.format"),
    (given(**{"x\ud800": 1}), "$.x\\ud800"),
    (given(groups=[{"code": "g\ud800"}]), "$.groups[0].code"),
    (given(groups=[{"gpu_form_factor": "\ud800"}]), "$.groups[0].gpu_form_factor"),
    (given(contract={"access_method": ["vpn", {"\ud800": 1}]}), "$.contract.access_method[1].\\ud800"),
]


@pytest.mark.parametrize(("document", "path"), HALVES, ids=[path for _, path in HALVES])
def test_half_a_character_is_refused_at_its_place_and_spelled_out(document, path):
    found = faults(json.dumps(document))
    assert list(found) == [path]
    assert "half of a surrogate pair" in found[path] and "\\ud" in found[path]


def test_a_whole_pair_is_a_character_and_a_name_that_stands_twice_is_spelled_out():
    assert load(json.dumps(given(title="😀"))).title == "😀"
    assert "“\\ud800” stands twice" in faults('{"\\ud800": 1, "\\ud800": 2}')["$"]


def test_only_so_many_faults_are_listed():
    with pytest.raises(InterchangeRefused) as refused:
        load(json.dumps(given(contract={f"no{number}": 1 for number in range(150)})))
    assert len(refused.value.faults) == interchange.MOST_FAULTS
    assert refused.value.left_out == 50


def test_a_partial_file_leaves_out_what_it_does_not_speak_of():
    document = dump(Terms({"c": {"currency": "USD", "price_cut_pct": None}}), is_partial=True)
    assert document["contract"] == {"currency": "USD", "price_cut_pct": None}


def test_every_kind_of_term_has_a_place_in_the_schema():
    assert {info.kind for info in TERMS.values()} == set(Kind)


def test_a_document_of_an_earlier_version_still_opens_with_what_fits():
    document = dump(Terms(SAMPLE))
    document["contract"]["gone_term"] = "x"
    document["groups"][0]["node_count"] = 0
    terms = interchange.kept(to_text(document))
    assert not terms.is_given("g1/node_count")
    assert terms["g1/gpu_model"] == SAMPLE["g1"]["gpu_model"]
    assert "gone_term" not in terms.rows["c"]
