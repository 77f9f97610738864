"""What readings say about each other: two sources in one run, and the same machine then and now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Finding, Reading, ReadingValue
from gpucontract.wording import Text

# Jobs whose readings should stay as they were; those of the other jobs differ from run to run.
COMPARED_JOBS = frozenset({"inventory", "health", "storage"})

HIDDEN = Text(
    "内核认得 {kernel} 块 GPU，nvidia-smi 只列出 {listed} 块。裸机上请供应方查少了的卡；"
    "容器只分到部分卡时也会这样，请在主机上复测。",
    "The kernel knows {kernel} GPUs, nvidia-smi lists {listed}. On bare metal have the vendor look for the missing "
    "cards; a container that was given only some shows the same: run again on the host.",
)
INVENTED = Text(
    "nvidia-smi 列出 {listed} 块 GPU，内核只认得 {kernel} 块。两份输出不可能都真，请当面复测。",
    "nvidia-smi lists {listed} GPUs, the kernel knows only {kernel}. Both cannot be true: measure again in presence "
    "of both sides.",
)
SWAPPED = Text(
    "自{since}以来{thing}换了：原来的 {gone} 不见了，多出 {new}。若更换未经同意，请供应方说明，并对该机重新验收。",
    "Since {since} {thing} were exchanged: {gone} gone, {new} new. If nobody agreed to that, ask the vendor and "
    "accept this machine anew.",
)
REPLACED = Text(
    "自{since}以来{thing}换了（原来的 {gone}，现在的 {new}），与双方登记的更换一致。此后以新的为准；该机的测试应重做。",
    "Since {since} {thing} were exchanged ({gone} gone, {new} new), as both sides have recorded. The new ones "
    "are expected from now on; this machine should be tested anew.",
)
ECC = Text(
    "ECC 自{since}以来由{before}变为{now}。请供应方说明；合同要求开启的，恢复后复测。",
    "ECC has gone from {before} to {now} since {since}. Ask the vendor; where the contract wants it on, have it "
    "turned on and run again.",
)
POWER = Text(
    "功率上限自{since}以来由 {before} W 变为 {now} W。请供应方恢复后复测：上限降低，算力也随之降低。",
    "The power limit has gone from {before} W to {now} W since {since}. Have it set back and run again: a lower "
    "limit means less computing power.",
)
GROWN = Text(
    "{counter}自{since}以来由 {before} 增至 {now}。请供应方检查该卡，并在下一轮再看是否继续增加。",
    "{counter} grew from {before} to {now} since {since}. Have the vendor check the card, and see in the next "
    "round whether it goes on.",
)
_ROUND = Text("第 {number} 轮", "round {number}")
_ROUND_OF = Text("合同 {contract} 的第 {number} 轮", "round {number} of contract {contract}")
ON_OFF = {True: Text("开", "on"), False: Text("关", "off")}
GPUS, DISKS = Text("GPU", "GPUs"), Text("硬盘", "drives")
IDENTITIES = (("gpu_uuid", "gpu", GPUS), ("gpu_serial", "gpu", GPUS), ("nvme_serial", "disk", DISKS))
_IDENTIFIERS = frozenset(name for name, _, _ in IDENTITIES)
COUNTERS = {
    "ecc_uncorrected_aggregate": Text("不可纠正 ECC 错误累计", "The sum of uncorrectable ECC errors"),
    "remapped_rows_uncorrectable": Text("因不可纠正错误重映射的显存行", "Rows remapped for uncorrectable errors"),
    "retired_pages_double_bit": Text("因双比特错误停用的显存页", "Pages retired for double-bit errors"),
}
EXCHANGED = tuple(f"{kind}_{what}" for kind in ("gpu", "disk") for what in ("changed", "replaced"))
SHOWN = 3


def within(readings: Iterable[Reading]) -> Iterator[Finding]:
    """The driver's list against the kernel's, in one run."""
    counts = {reading.name: reading.value for reading in readings if not reading.scope}
    kernel, listed = counts.get("kernel_gpu_count"), counts.get("gpu_count")
    if not isinstance(kernel, int) or not isinstance(listed, int):
        return
    unreadable = counts.get("gpu_unreadable")
    listed += unreadable if isinstance(unreadable, int) else 0
    if listed < kernel:
        yield Finding("gpus_hidden", HIDDEN.fill(kernel=kernel, listed=listed))
    elif listed > kernel:
        yield Finding("gpus_invented", INVENTED.fill(kernel=kernel, listed=listed))


def named(number: int, contract: str = "") -> Text:
    """A round in words, with the contract's number where it was one of another contract."""
    return _ROUND_OF.fill(number=number, contract=contract) if contract else _ROUND.fill(number=number)


def since(
    before: Sequence[Reading],
    now: Sequence[Reading],
    round: Text,
    agreed: Collection[str] = (),
    stood: Parts | None = None,
) -> Iterator[Finding]:
    """What changed on one machine since an earlier round, and should not have: cards, drives, settings, counters.

    round: that earlier one, as named() says it. agreed: serials and UUIDs that both sides expect to be new.
    stood: the parts before, where that round missed some.
    """
    seen: set[str] = set()
    expected, old, new = _parts_of(now, agreed), stood or parts_in(before), parts_in(now)
    for name, kind, thing in IDENTITIES:
        if kind not in seen and (change := _exchanged(old[name], new[name])):
            seen.add(kind)
            is_agreed = new[name] - old[name] <= expected
            words, what = (REPLACED, "replaced") if is_agreed else (SWAPPED, "changed")
            yield Finding(f"{kind}_{what}", words.fill(thing=thing, since=round, gone=change[0], new=change[1]))
    then, today = _by_card(before), _by_card(now)
    for card in today:
        if card in then:
            yield from _card_changes(then[card], today[card], round)


Parts = Mapping[str, set[str]]


def parts_in(readings: Sequence[Reading]) -> Parts:
    """The serials and UUIDs that a run shows, by the name of their reading."""
    return {name: _all(readings, name) for name in _IDENTIFIERS}


def standing(rounds: Iterable[Parts]) -> Parts:
    """What stands in a machine after these rounds: a part that is merely missing still has its place."""
    known: dict[str, set[str]] = {}
    for parts in rounds:
        known |= {name: now for name, now in parts.items() if not now < known.get(name, set())}
    return known


def are_exchanged(before: Parts, now: Parts) -> bool:
    """Whether a card or drive stands in another's place, by agreement or not."""
    return any(_exchanged(before[name], now[name]) for name in before)


def _all(readings: Iterable[Reading], name: str) -> set[str]:
    return {str(reading.value) for reading in readings if reading.name == name and reading.value is not None}


def _parts_of(readings: Iterable[Reading], names: Collection[str]) -> set[str]:
    """All names of the parts that go by one of these: a card agreed on by its serial is known by its UUID, too."""
    wanted = {name.casefold() for name in names}
    parts: dict[str, set[str]] = {}
    for reading in readings:
        if reading.name in _IDENTIFIERS and reading.value is not None:
            parts.setdefault(reading.scope, set()).add(str(reading.value))
    by_part = (own if scope else {one} for scope, own in parts.items() for one in own)
    return {name for own in by_part if any(one.casefold() in wanted for one in own) for name in own}


def _exchanged(before: set[str], now: set[str]) -> tuple[list[str], list[str]] | None:
    """Those gone and those new; cards that are merely missing are a matter of counting, not of exchange."""
    if not before or not now - before or not before - now:
        return None
    return _some(before - now), _some(now - before)


def _some(names: set[str]) -> list[str]:
    return sorted(names)[:SHOWN] + ([f"… ({len(names)})"] if len(names) > SHOWN else [])


Card = Mapping[str, Reading]


def _by_card(readings: Iterable[Reading]) -> dict[str, Card]:
    """Readings of each GPU under its UUID, since a card may come back under another number."""
    cards: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        if reading.scope.startswith("gpu") and reading.value is not None:
            cards.setdefault(reading.scope, {}).setdefault(reading.name, reading)
    return {str(card["gpu_uuid"].value) if "gpu_uuid" in card else scope: card for scope, card in cards.items()}


def _card_changes(before: Card, now: Card, round: Text) -> Iterator[Finding]:
    then, today = _value(before, "ecc_enabled"), _value(now, "ecc_enabled")
    if isinstance(then, bool) and isinstance(today, bool) and then != today:
        text = ECC.fill(before=ON_OFF[then], now=ON_OFF[today], since=round)
        yield Finding("ecc_changed", text, now["ecc_enabled"].scope)
    then, today = _value(before, "power_limit"), _value(now, "power_limit")
    if _are_numbers(then, today) and then != today:
        yield Finding("power_limit_changed", POWER.fill(before=then, now=today, since=round), now["power_limit"].scope)
    for name, counter in COUNTERS.items():
        then, today = _value(before, name), _value(now, name)
        if isinstance(then, int) and isinstance(today, int) and today > then:
            text = GROWN.fill(counter=counter, before=then, now=today, since=round)
            yield Finding("errors_grown", text, now[name].scope)


def _value(card: Card, name: str) -> ReadingValue | None:
    return card[name].value if name in card else None


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, int | Decimal) and not isinstance(value, bool) for value in values)
