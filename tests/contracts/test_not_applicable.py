"""“Not applicable” is an answer with a reason: it settles a required term, prints as a line, and is never a value."""

import pytest

from gpucontract.contracts import compile
from gpucontract.contracts.errors import TermsRefused
from gpucontract.contracts.models import NotApplicableTerm
from gpucontract.contracts.printing import printed_value
from gpucontract.contracts.sections.gaps import missing
from gpucontract.contracts.services import add_group, duplicate_row, remove_row, write_terms
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.terms import NotApplicable, NotGiven
from tests import factories

pytestmark = pytest.mark.django_db
REASON = "整机柜共享电源，不设单卡上限"


@pytest.fixture
def contract():
    return factories.drafted_contract()


def say_none(contract, bing, path="g1/gpu_power_limit_w", reason=REASON):
    code, _, term = path.partition("/")
    return write_terms(contract, values={code: {term: NotApplicable(reason)}}, by=bing)


def test_it_takes_the_place_of_the_value_and_reads_as_not_given(contract, bing):
    assert say_none(contract, bing) == ("g1/gpu_power_limit_w",)
    terms = terms_of(contract)
    assert terms.reason("g1/gpu_power_limit_w") == REASON and not terms.is_given("g1/gpu_power_limit_w")
    with pytest.raises(NotGiven):
        terms["g1/gpu_power_limit_w"]


def test_saying_it_again_changes_nothing(contract, bing):
    say_none(contract, bing)
    assert say_none(contract, bing) == ()


@pytest.mark.parametrize("value", [700, None], ids=["a value", "empty"])
def test_a_value_or_emptying_ends_it(contract, bing, value):
    say_none(contract, bing)
    write_terms(contract, values={"g1": {"gpu_power_limit_w": value}}, by=bing)
    assert (
        terms_of(contract).reason("g1/gpu_power_limit_w") == ""
        and not NotApplicableTerm.objects.filter(term="gpu_power_limit_w").exists()
    )


def test_a_required_term_answered_so_is_not_missing(contract, bing):
    write_terms(contract, values={"g1": {"gpu_memory_gb": None}}, by=bing)
    assert "g1/gpu_memory_gb" in [gap.path for gap in missing(terms_of(contract))]
    say_none(contract, bing, "g1/gpu_memory_gb")
    assert "g1/gpu_memory_gb" not in [gap.path for gap in missing(terms_of(contract))]


def test_it_prints_as_a_line_of_its_own_that_nothing_measures(contract, bing):
    say_none(contract, bing)
    (line,) = [each for each in compile.clauses(terms_of(contract)) if each.key == "g1/gpu_power_limit_w"]
    assert line.text.zh == f"单卡功耗上限不低于：不适用，理由：{REASON}" and not line.is_judged
    assert (printed_value(line).zh, printed_value(line).en) == ("不适用", "not applicable")
    assert not [each for each in compile.clauses(terms_of(contract)) if each.name == "power_limit"]


@pytest.mark.parametrize(
    ("path", "reason", "said"),
    [
        ("g1/gpu_memory_gb", "  ", "需要写明理由"),
        ("g1/gpu_memory_gb", "无" * 201, "最多 200 个字"),
        ("g1/gpu_memory_gb", "a\u202eb", "看不见的字符"),
        ("g1/gpu_model", REASON, "不能填“不适用”"),
        ("g1/gpu_memory_type", REASON, "不能填“不适用”"),
    ],
    ids=["no reason", "too long", "turning marks", "indispensable", "optional"],
)
def test_it_is_refused_without_a_reason_or_where_no_contract_can_do_without(contract, bing, path, reason, said):
    with pytest.raises(TermsRefused) as refused:
        say_none(contract, bing, path, reason)
    assert said in refused.value.refusals[path].zh


def test_rows_can_be_not_applicable_too(contract, bing):
    say_none(contract, bing, "m1/io_test_profile")
    assert terms_of(contract).reason("m1/io_test_profile") == REASON
    assert duplicate_row(contract, code="m1", by=bing) == "m2"
    assert terms_of(contract).reason("m2/io_test_profile") == REASON


def test_it_goes_with_its_row_and_is_copied_with_it(contract, bing):
    add_group(contract, by=bing)
    say_none(contract, bing)
    assert duplicate_row(contract, code="g1", by=bing) == "g3"
    assert terms_of(contract).reason("g3/gpu_power_limit_w") == REASON
    remove_row(contract, code="g1", by=bing)
    assert [row.code for row in NotApplicableTerm.objects.filter(term="gpu_power_limit_w")] == ["g3"]
