"""Two sources in one run, and one machine then and now: what must agree and what must not change."""

from decimal import Decimal

import pytest

from gpucontract.measurements.comparisons import SHOWN, named, since, within
from gpucontract.measurements.parsers.capture import Reading

UUIDS = {f"gpu{place}": f"GPU-{place}" for place in range(8)}


def counts(kernel, listed, unreadable=None):
    found = [Reading("kernel_gpu_count", kernel), Reading("gpu_count", listed)]
    return found + ([Reading("gpu_unreadable", unreadable)] if unreadable is not None else [])


def codes(findings):
    return [(finding.code, finding.scope) for finding in findings]


def each(name, value, unit="", **others):
    return [Reading(name, others.get(scope, value), unit, scope) for scope in UUIDS]


def cards(**changed):
    """The UUIDs of eight cards, some of them changed."""
    return [Reading("gpu_uuid", changed.get(scope, uuid), scope=scope) for scope, uuid in UUIDS.items()]


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        (counts(8, 8), []),
        (counts(8, 7), ["gpus_hidden"]),
        (counts(8, 7, 1), []),
        (counts(7, 8), ["gpus_invented"]),
        (counts(None, 8), []),
        (counts(8, None), []),
        (counts(8, 8)[1:], []),
    ],
    ids=["agree", "hidden", "unreadable is listed", "invented", "kernel unread", "driver unread", "kernel not asked"],
)
def test_the_drivers_list_is_held_against_the_kernels(readings, expected):
    assert [finding.code for finding in within(readings)] == expected


def test_both_counts_stand_in_the_sentence():
    (finding,) = within(counts(8, 7))
    assert finding.text.zh.startswith("内核认得 8 块 GPU，nvidia-smi 只列出 7 块")


def test_an_exchanged_card_is_named():
    (finding,) = since(cards(), cards(gpu5="GPU-new"), named(1))
    assert finding.code == "gpu_changed"
    assert finding.text.en.startswith("Since round 1 GPUs were exchanged: GPU-5 gone, GPU-new new.")


def test_many_exchanged_cards_are_counted():
    (finding,) = since(cards(), cards(**{scope: f"new-{uuid}" for scope, uuid in UUIDS.items()}), named(1))
    assert f"… ({len(UUIDS)})" in finding.text.zh and finding.text.zh.count("new-GPU") == SHOWN


def test_a_serial_tells_an_exchange_that_the_uuid_does_not():
    before, now = each("gpu_serial", "S", gpu3="S3"), each("gpu_serial", "S", gpu3="S9")
    assert codes(since(cards() + before, cards() + now, named(1))) == [("gpu_changed", "")]


def test_an_exchanged_drive_is_named():
    before, now = ([Reading("nvme_serial", serial, scope="disk:nvme0n1")] for serial in ("A", "B"))
    assert codes(since(before, now, named(2))) == [("disk_changed", "")]


def test_cards_under_other_numbers_are_the_same_cards():
    power = [*each("power_limit", Decimal(700), "W", gpu0=Decimal(650))]
    swapped = [*each("power_limit", Decimal(700), "W", gpu1=Decimal(650))]
    assert list(since(cards() + power, cards(gpu0="GPU-1", gpu1="GPU-0") + swapped, named(1))) == []


@pytest.mark.parametrize("now", [cards()[:7], [], [Reading("gpu_uuid", None, scope="gpu0", why="unreadable")]])
def test_a_missing_or_unread_card_is_no_exchange(now):
    assert list(since(cards(), now, named(1))) == []


@pytest.mark.parametrize(
    ("name", "before", "now", "expected"),
    [
        ("ecc_enabled", True, False, "ecc_changed"),
        ("ecc_enabled", False, True, "ecc_changed"),
        ("ecc_enabled", True, None, None),
        ("power_limit", Decimal("700.00"), Decimal("650.00"), "power_limit_changed"),
        ("power_limit", Decimal("700.00"), Decimal("700"), None),
        ("ecc_uncorrected_aggregate", 0, 4, "errors_grown"),
        ("ecc_uncorrected_aggregate", 4, 0, None),
        ("ecc_uncorrected_aggregate", 4, 4, None),
        ("remapped_rows_uncorrectable", 1, 2, "errors_grown"),
        ("retired_pages_double_bit", 0, 1, "errors_grown"),
        ("gpu_temperature", 40, 60, None),
    ],
)
def test_settings_must_not_change_and_counters_must_not_grow(name, before, now, expected):
    then, today = cards() + each(name, before), cards() + each(name, before, gpu5=now)
    assert codes(since(then, today, named(1))) == ([(expected, "gpu5")] if expected else [])


def test_the_sentence_says_from_what_to_what_since_when():
    (finding,) = since(cards() + each("ecc_enabled", True), cards() + each("ecc_enabled", True, gpu2=False), named(3))
    assert finding.text.zh.startswith("ECC 自第 3 轮以来由开变为关。")
    assert finding.text.en.startswith("ECC has gone from on to off since round 3.")


def test_a_card_without_uuid_is_known_by_its_number():
    before, now = each("remapped_rows_uncorrectable", 0), each("remapped_rows_uncorrectable", 0, gpu1=3)
    assert codes(since(before, now, named(1))) == [("errors_grown", "gpu1")]


SERIALS = [Reading("gpu_serial", f"16500{place}", scope=scope) for place, scope in enumerate(UUIDS)]


def swapped(**names):
    """GPU 5 by another UUID and another serial, as after a card was exchanged."""
    uuids = cards(gpu5=names.get("uuid", "GPU-new"))
    return uuids + [
        Reading("gpu_serial", names.get("serial", "999"), scope="gpu5") if r.scope == "gpu5" else r for r in SERIALS
    ]


@pytest.mark.parametrize(
    ("agreed", "expected"),
    [
        ((), ["gpu_changed"]),
        (("999",), ["gpu_replaced"]),
        (("gpu-NEW",), ["gpu_replaced"]),
        (("998",), ["gpu_changed"]),
        (("165005",), ["gpu_changed"]),
    ],
    ids=["nobody agreed", "by its serial", "by its UUID", "another part", "the old part"],
)
def test_a_card_exchanged_by_agreement_is_told_as_such(agreed, expected):
    found = list(since(cards() + SERIALS, swapped(), named(1), agreed))
    assert [finding.code for finding in found] == expected
    assert ("双方登记的更换一致" in found[0].text.zh) is (expected == ["gpu_replaced"])


def test_one_agreed_card_covers_no_second_one():
    now = swapped() + cards(gpu5="GPU-new", gpu6="GPU-other")
    assert codes(since(cards() + SERIALS, now, named(1), ["999"])) == [("gpu_changed", "")]


def test_drives_and_cards_are_agreed_on_each_by_itself():
    before = [*cards(), Reading("nvme_serial", "S1", scope="nvme0n1")]
    now = [*cards(gpu1="GPU-new"), Reading("nvme_serial", "S2-x", scope="nvme0n1")]
    assert codes(since(before, now, named(1), ["S2-x"])) == [("gpu_changed", ""), ("disk_replaced", "")]
