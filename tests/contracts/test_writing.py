"""Terms are written exactly or refused in a sentence that names term, value and limit."""

from datetime import date
from decimal import Decimal

import pytest

from gpucontract.contracts import snapshot
from gpucontract.contracts.errors import ContractError, NotAllowed, TermsRefused
from gpucontract.contracts.models import Event, NodeGroup
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Kind
from gpucontract.contracts.terms import NotApplicable
from gpucontract.contracts.writing import write_terms
from tests import factories
from tests.sample_terms import SAMPLE

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract():
    return factories.empty_contract()


def refusals(contract, bing, values):
    with pytest.raises(TermsRefused) as caught:
        write_terms(contract, values=values, by=bing)
    return caught.value.refusals


GOOD = [
    ("g1/node_count", "2", 2),
    ("g1/node_count", " ８ ", 8),
    ("g1/intra_busbw_min", "455", Decimal("455.00")),
    ("g1/intra_busbw_min", "455.5", Decimal("455.50")),
    ("g1/intra_busbw_min", 455, Decimal("455.00")),
    ("g1/gpu_ecc_enabled", "true", True),
    ("g1/gpu_ecc_enabled", False, False),
    ("g1/inter_port_gbps", "400", 400),
    ("g1/roce_lossless", "ECN,PFC", ("PFC", "ECN")),
    ("g1/roce_lossless", ["PFC"], ("PFC",)),
    ("g1/inter_fabric_type", "rocev2", "rocev2"),
    ("c/term_start", "2027-01-01", date(2027, 1, 1)),
    ("c/vendor_name", " 湖北 ", "湖北"),
    ("c/vendor_name", "江北 👩‍💻", "江北 👩‍💻"),
    ("c/tolerance_pct", "0", Decimal("0.00")),
]


@pytest.mark.parametrize(("path", "typed", "value"), GOOD, ids=[f"{path}={typed}" for path, typed, _ in GOOD])
def test_it_reads_a_typed_value_exactly(contract, bing, path, typed, value):
    code, _, term = path.partition("/")
    write_terms(contract, values={code: {term: typed}}, by=bing)
    assert snapshot.terms_of(contract)[path] == value


BAD = [
    ("g1/intra_busbw_min", "-5", "-5 GB/s is out of range", "from 0.01 to 20,000 GB/s"),
    ("g1/intra_busbw_min", "abc", "“abc” is not a number", "20,000 GB/s"),
    ("g1/intra_busbw_min", "455.123", "too many decimals", "Write at most 2"),
    ("g1/intra_busbw_min", "NaN", "not a number", "GB/s"),
    ("g1/intra_busbw_min", "1e400", "out of range", "GB/s"),
    ("g1/intra_busbw_min", "9" * 5000, "not a number", "…"),
    ("g1/intra_busbw_min", "1,00", "not a number", "commas for thousands"),
    ("g1/intra_busbw_min", True, "not a number", "GB/s"),
    ("g1/node_count", "-5", "-5 machines is out of range", "from 1 to 10,000 machines"),
    ("g1/node_count", "99999999", "99,999,999 machines is out of range", "from 1 to 10,000 machines"),
    ("g1/node_count", "2.5", "not a whole number", "10,000 machines"),
    ("g1/node_count", "0", "0 machines is out of range", "from 1 to 10,000 machines"),
    ("g1/inter_port_gbps", "300", "no choice", "400 Gb/s"),
    ("g1/inter_fabric_type", "RDMA 网络", "no choice", "RoCE v2"),
    ("g1/roce_lossless", ["PFC", "QoS"], "“QoS” is no choice", "DCQCN"),
    ("g1/gpu_ecc_enabled", "maybe", "neither yes nor no", "maybe"),
    ("c/term_start", "next month", "not a date", "2026-11-30"),
    ("c/vendor_name", "名" * 121, "121 characters", "at most 120 fit. Shorten it"),
    ("c/vendor_name", "a\x00b", "invisible characters", "Vendor's legal name"),
    ("c/vendor_name", "江北\u202e001", "turn the reading direction", "Vendor's legal name"),
    ("c/vendor_name", "\u200f江北", "turn the reading direction", "Vendor's legal name"),
    ("c/vendor_name", "\u200b\ufeff", "invisible characters", "Vendor's legal name"),
    ("g1/inter_fabric_type", ["rocev2"], "no choice", "RoCE v2"),
    ("g1/no_such_term", "1", "is not a term here", "g1/no_such_term"),
    ("g1/vendor_name", "x", "is not a term here", "g1/vendor_name"),
    ("m1/groups", ["g7"], "there is no group g7", "g1"),
    ("m1/io_test_profile", [{"rw": "read", "iodepth": -5}], "Queue depth: -5 is out of range", "4,096"),
]


@pytest.mark.parametrize(("path", "typed", "what", "limit"), BAD, ids=[f"{p}={str(t)[:20]}" for p, t, _, _ in BAD])
def test_it_refuses_with_value_and_limit(contract, bing, path, typed, what, limit):
    factories.services.add_mount(contract, by=bing)
    code, _, term = path.partition("/")
    said = refusals(contract, bing, {code: {term: typed}})[path]
    assert what in said.en and limit in said.en
    assert said.zh != said.en


@pytest.mark.parametrize("typed", ["/data", "/data/", "//data", "/data//", "/./data/."])
def test_a_mount_is_named_as_the_machines_name_it(contract, bing, typed):
    factories.services.add_mount(contract, by=bing)
    write_terms(contract, values={"m1": {"path": typed}}, by=bing)
    assert snapshot.terms_of(contract)["m1/path"] == "/data"


def test_nothing_is_written_when_one_value_is_refused(contract, bing):
    before = snapshot.terms_of(contract)
    found = refusals(contract, bing, {"g1": {"node_count": "2", "gpus_per_node": "-5"}, "c": {"cuda_version": "12.4"}})
    assert set(found) == {"g1/gpus_per_node"}
    assert snapshot.terms_of(contract) == before


def test_an_unknown_row_is_named(contract, bing):
    assert "no group or mount g9" in refusals(contract, bing, {"g9": {"node_count": 1}})["g9"].en
    assert "no group or mount x" in refusals(contract, bing, {"x": {"node_count": 1}})["x"].en


@pytest.mark.parametrize("empty", [None, "", "  "], ids=["none", "empty", "blank"])
@pytest.mark.parametrize("path", ["g1/node_count", "g1/gpu_model", "g1/roce_lossless", "c/term_start"])
def test_an_empty_value_takes_the_term_back(contract, bing, path, empty):
    code, _, term = path.partition("/")
    write_terms(contract, values={code: {term: {**SAMPLE[code]}[term]}}, by=bing)
    assert write_terms(contract, values={code: {term: empty}}, by=bing) == (path,)
    assert not snapshot.terms_of(contract).is_given(path)


def pairs(found, wanted):
    assert len(found) == len(wanted)
    return zip(found, wanted, strict=True)


def test_the_sample_is_read_back_as_it_was_written(bing):
    terms = snapshot.terms_of(factories.drafted_contract())
    for code, values in SAMPLE.items():
        for term, value in values.items():
            if TERMS[term].kind is Kind.ROWS:
                assert all(row.items() >= wanted.items() for row, wanted in pairs(terms[f"{code}/{term}"], value)), term
            elif isinstance(value, NotApplicable):
                assert terms.reason(f"{code}/{term}") == value.reason
            else:
                assert terms[f"{code}/{term}"] == value, term


def test_writing_the_same_again_changes_nothing_and_says_nothing(bing):
    contract = factories.drafted_contract()
    count = Event.objects.count()
    assert write_terms(contract, values=snapshot.terms_of(contract).rows, by=bing) == ()
    assert Event.objects.count() == count


def test_what_changed_stands_in_the_journal_without_its_value(contract, bing):
    write_terms(contract, values={"g1": {"node_count": 3, "gpu_model": "H20 96GB"}}, by=bing)
    event = contract.events.latest("number")
    assert (event.kind, event.body) == ("terms_written", '{"paths":["g1/gpu_model","g1/node_count"]}')


@pytest.mark.parametrize("name", ["eng", "wen", "vera", "mallory", "zoe"])
def test_only_drafters_and_approvers_of_the_buyer_write(contract, name):
    with pytest.raises(NotAllowed) as caught:
        write_terms(contract, values={"g1": {"node_count": 2}}, by=factories.person(name))
    assert contract.number in caught.value.text.en


def test_terms_are_closed_while_the_vendor_reads_them(bing):
    contract = factories.sent_contract()
    with pytest.raises(ContractError) as caught:
        write_terms(contract, values={"g1": {"node_count": 3}}, by=bing)
    assert "With the vendor" in caught.value.text.en
    assert NodeGroup.objects.get(contract=contract).node_count == 2


def test_child_rows_keep_their_codes_and_never_reuse_one(contract, bing):
    def codes():
        rows = snapshot.terms_of(contract).get("c/delivery_documents", ())
        return [(row["code"], row["kind"]) for row in rows]

    def write(*rows):
        write_terms(contract, values={"c": {"delivery_documents": rows}}, by=bing)

    write({"kind": "hardware_list"}, {"kind": "ops_manual"})
    assert codes() == [("d1", "hardware_list"), ("d2", "ops_manual")]
    write({"code": "d2", "kind": "ops_manual"}, {"kind": "other"})
    assert codes() == [("d2", "ops_manual"), ("d3", "other")]
    write({"code": "d99", "kind": "access_guide"})
    assert codes() == [("d4", "access_guide")]
