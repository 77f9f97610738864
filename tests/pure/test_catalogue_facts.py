"""The catalogue fills what follows from the GPU, says where it is from, and says what it cannot know or measure."""

import pytest

from gpucontract.contracts.catalogue_facts import known_value, limits_of
from tests.pure.making import GONE, drafted


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("g1/gpu_memory_gb", 80),
        ("g1/gpu_form_factor", "SXM"),
        ("g1/intra_link_type", "nvlink_nvswitch"),
        ("g1/nvlink_bw_convention", "bidirectional_sum"),
        ("g1/nvlink_all_pairs", True),
        ("c/cuda_version", "11.8"),
    ],
)
def test_a_known_gpu_settles_the_term_and_names_itself(term, value):
    found = known_value(drafted(g1__gpu_model="H100 SXM5 80GB"), term)
    assert (found.value, found.source) == (value, "catalogue")
    assert "H100" in found.reason.zh and "H100" in found.reason.en


def test_a_card_that_takes_a_bridge_is_not_said_to_have_one():
    assert known_value(drafted(g1__gpu_model="A100 80GB PCIe"), "g1/intra_link_type") is None
    assert known_value(drafted(g1__gpu_model="V100 SXM2 32GB"), "g1/intra_link_type").value == "nvlink_mesh"


def test_only_a_modified_card_is_proposed_as_one():
    assert known_value(drafted(g1__gpu_model="RTX 4090 / 4090D 48GB (modified)"), "g1/gpu_modified").value is True
    assert known_value(drafted(g1__gpu_model="RTX 4090 24GB"), "g1/gpu_modified") is None


def test_a_card_whose_printed_name_nobody_knows_says_what_stays_open():
    (said,) = limits_of(drafted(g1__gpu_model="B300 SXM 288GB"))
    assert "B300 SXM 288GB" in said.zh and "无法判定" in said.zh and "inconclusive" in said.en


def test_the_oldest_driver_follows_from_the_agreed_cuda():
    assert known_value(drafted(c__cuda_version="12.4"), "c/driver_version").value == "525"
    assert known_value(drafted(c__cuda_version=GONE), "c/driver_version") is None


@pytest.mark.parametrize("term", ["g1/gpu_memory_gb", "g1/gpu_form_factor", "g1/intra_link_type", "c/cuda_version"])
def test_an_unknown_gpu_settles_nothing(term):
    assert known_value(drafted(g1__gpu_model="神秘卡 9000"), term) is None


def test_what_cannot_be_known_or_measured_is_said():
    assert limits_of(drafted(g1__gpu_model="H100 SXM5 80GB")) == ()
    assert limits_of(drafted(g1__gpu_model=GONE)) == ()
    (unknown,) = limits_of(drafted(g1__gpu_model="神秘卡 9000"))
    assert "神秘卡 9000" in unknown.zh and "基线" in unknown.zh


def test_a_card_of_another_maker_lists_what_needs_papers():
    (said,) = limits_of(drafted(g1__gpu_model="MI300X 192GB"))
    assert "AMD" in said.zh and "测不了" in said.zh and "all_reduce" in said.zh
