"""The sample contract with a few terms changed, for tests of the pure rules."""

from typing import Any

from gpucontract.contracts.terms import Terms
from tests.sample_terms import SAMPLE

GONE = None


def drafted(**changes: Any) -> Terms:
    """The sample's terms with changes by path, `g1/gpus_per_node` written g1__gpus_per_node; GONE empties a term."""
    rows = {code: dict(values) for code, values in SAMPLE.items()}
    for name, value in changes.items():
        code, _, term = name.partition("__")
        rows.setdefault(code, {})[term] = value
    return Terms(rows)


def without(*codes: str) -> Terms:
    """The sample's terms without some rows."""
    return Terms({code: values for code, values in SAMPLE.items() if code not in codes})
