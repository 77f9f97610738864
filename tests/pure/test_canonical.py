"""One value, one sequence of bytes; what has no exact form is refused."""

import math
from collections import OrderedDict
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gpucontract.canonical import FIRST_LINK, NotCanonical, decimal_text, decode, digest, encode, link, sha256
from gpucontract.wording import Text


class Colour(StrEnum):
    RED = "red"


ENCODED = [
    ("keys in order", {"b": 1, "a": 2}, '{"a":2,"b":1}'),
    ("ordered mapping", OrderedDict(z=1, y=2), '{"y":2,"z":1}'),
    ("None keys left out", {"a": None, "b": 1}, '{"b":1}'),
    ("None in a list kept", [None, 1], "[null,1]"),
    ("no spaces, no escapes", {"名": "甲 乙"}, '{"名":"甲 乙"}'),
    ("composed letters", "e\u0301", '"\u00e9"'),
    ("decimal is text", Decimal("400.00"), '"400"'),
    ("small decimal is plain", Decimal("1E-7"), '"0.0000001"'),
    ("large decimal is plain", Decimal("1E+3"), '"1000"'),
    ("negative zero", Decimal("-0.0"), '"0"'),
    ("whole number is a number", 8, "8"),
    ("yes", True, "true"),
    ("date", date(2027, 1, 2), '"2027-01-02"'),
    ("time in UTC", datetime(2027, 1, 2, 8, tzinfo=timezone(timedelta(hours=8))), '"2027-01-02T00:00:00.000000Z"'),
    ("enum", Colour.RED, '"red"'),
    ("text", Text("是", "yes"), '{"en":"yes","zh":"是"}'),
    ("tuple", (1, "a"), '[1,"a"]'),
]
REFUSED = [
    ("float", 0.5),
    ("float inside", {"a": [1, {"b": 2.0}]}),
    ("not a number", Decimal("NaN")),
    ("infinite", Decimal("Infinity")),
    ("set", {1, 2}),
    ("bytes", b"a"),
    ("naive time", datetime(2027, 1, 1)),
    ("too large", 2**53),
    ("too small", -(2**53)),
    ("key not text", {1: "a"}),
    ("key twice after composing", {"\u00e9": 1, "e\u0301": 2}),
    ("object", object()),
]


@pytest.mark.parametrize(("_", "value", "text"), ENCODED, ids=[row[0] for row in ENCODED])
def test_a_value_has_one_form(_, value, text):
    assert encode(value) == text.encode()


@pytest.mark.parametrize(("_", "value"), REFUSED, ids=[row[0] for row in REFUSED])
def test_it_refuses_what_has_no_exact_form(_, value):
    with pytest.raises(NotCanonical):
        encode(value)


def test_a_refusal_says_where():
    with pytest.raises(NotCanonical, match=r"\$\.a\[1\]\.b"):
        encode({"a": [1, {"b": 2.0}]})


def test_the_largest_whole_number_readers_hold_exactly_is_allowed():
    assert encode(2**53 - 1) == b"9007199254740991"


@pytest.mark.parametrize("text", ["0.5", "[1,2e3]", "NaN", "-Infinity"])
def test_reading_refuses_floats(text):
    with pytest.raises(NotCanonical):
        decode(text.encode())


SIMPLE = some.recursive(
    some.none() | some.booleans() | some.integers(-(2**53) + 1, 2**53 - 1) | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(SIMPLE)
def test_encoding_what_was_read_gives_the_same_bytes(value):
    try:
        data = encode(value)
    except NotCanonical as refusal:
        assert "stands twice" in str(refusal)
    else:
        assert encode(decode(data)) == data


@given(some.decimals(allow_nan=False, allow_infinity=False, places=6), some.integers(0, 5))
def test_trailing_zeros_never_change_a_hash(number, zeros):
    padded = Decimal(f"{number:f}" + "0" * zeros)
    assert decimal_text(padded) == decimal_text(number)
    assert digest(padded) == digest(number)
    assert Decimal(decimal_text(number)) == number


def test_a_chain_link_depends_on_what_stands_before():
    first = link(FIRST_LINK, b"one")
    assert link(first, b"two") != link(FIRST_LINK, b"two")
    assert first == sha256(b"0" * 64 + b"\none")


def test_utc_and_local_time_of_one_moment_hash_alike():
    here = datetime(2027, 1, 1, 8, tzinfo=timezone(timedelta(hours=8)))
    assert digest(here) == digest(here.astimezone(UTC))


def test_infinity_of_the_standard_library_is_refused():
    with pytest.raises(NotCanonical):
        encode(math.inf)
