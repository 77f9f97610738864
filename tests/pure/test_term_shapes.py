"""A text that must be measurable is refused when nothing could read it: mount paths and versions."""

import pytest

from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.values import TermRefused, read

GOOD = [
    ("path", "/data"), ("path", "/mnt/lustre-1/a.b"), ("path", "/data..old"),
    ("driver_version", "550.54.15"), ("cuda_version", "12.4"), ("nccl_version", "≥ 2.20"), ("cuda_version", "最新"),
]  # fmt: skip
BAD = [
    ("path", "data"), ("path", "/data/../etc"), ("path", "/数据"), ("path", "/data dir"),
    ("cuda_version", "12,4"), ("cuda_version", "12，4"), ("driver_version", "550。54"), ("cudnn_version", "9, 1"),
]  # fmt: skip


@pytest.mark.parametrize(("term", "typed"), GOOD, ids=[f"{term}={typed}" for term, typed in GOOD])
def test_it_keeps_what_can_be_read(term, typed):
    assert read(TERMS[term], typed) == typed


TYPED_CODES = ["91420100MADEMB02XH", "91420100mademb02xh", "９１４２０１００ＭＡＤＥＭＢ０２ＸＨ", " 91420100 MADEMB02XH ",
               "91420100-MADEMB02X-H", "９1420100ｍademb02xh\u3000"]  # fmt: skip


@pytest.mark.parametrize("typed", TYPED_CODES)
@pytest.mark.parametrize("term", ["buyer_uscc", "vendor_uscc"])
def test_a_credit_code_is_kept_as_registers_write_it_however_it_was_typed(term, typed):
    assert read(TERMS[term], typed) == "91420100MADEMB02XH"


@pytest.mark.parametrize(("term", "typed"), BAD, ids=[f"{term}={typed}" for term, typed in BAD])
def test_it_refuses_what_would_be_read_as_something_else_and_quotes_it(term, typed):
    with pytest.raises(TermRefused) as refusal:
        read(TERMS[term], typed)
    assert f"“{typed}”" in refusal.value.text.zh
    assert f"“{typed}”" in refusal.value.text.en
