"""When an amendment is signed: its parent ends, and it goes on from where the parent stood."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction

from gpucontract.contracts.body import Body
from gpucontract.contracts.carrying import CARRIED, carried
from gpucontract.contracts.clauses import Clause, Scope, VerifiedBy
from gpucontract.contracts.comparing import Kind, changes
from gpucontract.contracts.earlier import amended
from gpucontract.contracts.handover import handovers
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import IN_FORCE, STATES, Fact, State
from gpucontract.contracts.models import Contract
from gpucontract.contracts.moving import move
from gpucontract.contracts.running import accepted_on
from gpucontract.wording import Text

_ROAD = (
    ("carry_delivery", Fact.HANDED_OVER_BEFORE),
    ("carry_tests", Fact.TESTED_BEFORE),
    ("carry_acceptance", Fact.ACCEPTED_BEFORE),
)
_DIFFERS = (Kind.ADDED, Kind.VALUE, Kind.CONDITIONS)
# Said of the group, and answered by each machine alone.
_COUNTED = "node_count_reachable"

_TAKES = Text(
    "双方签署后，本协议取代合同 {of}：原合同上不能再办理任何事项，进行中的测试会取消；"
    "已有的证据、文件和交付日继续有效。",
    "Once both have signed, this takes the place of contract {of}: nothing can be done on that one any more and its "
    "open tests are cancelled; its evidence, papers and day of delivery go on to count.",
)
_STATE = Text("签署后本协议处于“{state}”。", "It will then be “{state}”.")
_AGAIN = Text(
    "原合同已经验收，本协议有须验收的改动：{what}。签署后这些须先验收，租期和租金不因此中断。",
    "The contract was accepted, and this brings what needs acceptance: {what}. Term and rent run on meanwhile.",
)
_CLAUSES = Text("改动或新增 {count} 条须验收的条款", "clauses changed or added: {count}")
_MACHINES = Text("新增 {count} 台机器", "machines added: {count}")


@dataclass(frozen=True, slots=True)
class Succession:
    """What signing an amendment brings. state: the one it will be in; changed, added: see carrying.Carried."""

    parent: Contract
    state: State
    changed: tuple[str, ...]
    added: tuple[str, ...]


def succession(amendment: Contract) -> Succession | None:
    """What signing it would bring now; None where it amends nothing that is in force."""
    parent, before = amendment.amends, amended(amendment)
    revision = amendment.revisions.sent().order_by("-number").first()
    if parent is None or before is None or revision is None or parent.state not in IN_FORCE:
        return None
    old, new = before.body(), revision.body()
    # What an earlier amendment changed and nobody has accepted since is still to be accepted.
    known = carried([parent]).get(parent.pk) if parent.state != State.ACTIVE else None
    news = _changed(old, new) | set(known.changed if known else ())
    keys = tuple(clause.key for clause in new.judged if clause.mandatory and clause.key in news)
    more = set(_slots(new)) - set(_slots(old)) | set(known.added if known else ())
    added = tuple(code for code in _slots(new) if code in more)
    return Succession(parent, state_after(State(parent.state), bool(keys or added)), keys, added)


def state_after(was: State, has_news: bool) -> State:
    """Where an amendment starts whose parent was there. has_news: something in it that was never accepted."""
    return State.ACCEPTING if was is State.ACTIVE and has_news else was


def unchanged(old: Body, new: Body) -> frozenset[str]:
    """The clauses that say what they said."""
    return frozenset(clause.key for clause in new.clauses) - _changed(old, new)


def lines_of(coming: Succession) -> tuple[Text, ...]:
    """The same in words, for whoever is about to sign."""
    lines = [_TAKES.fill(of=coming.parent.number), _STATE.fill(state=STATES[coming.state])]
    if coming.parent.state == State.ACTIVE and coming.state is State.ACCEPTING:
        lines.append(_AGAIN.fill(what=news_words(len(coming.changed), len(coming.added))))
    return tuple(lines)


def news_words(changed: int, added: int) -> Text:
    """What was never accepted, counted."""
    parts = [words.fill(count=count) for words, count in ((_CLAUSES, changed), (_MACHINES, added)) if count]
    return Text("、".join(part.zh for part in parts), ", ".join(part.en for part in parts))


def lock_line(contract: Contract) -> Contract:
    """The contract held for writing, and before it the one that it amends: always in this order."""
    if contract.amends is not None:
        lock(contract.amends)
    return lock(contract)


@transaction.atomic
def supersede(amendment: Contract, *, at: datetime) -> Contract:
    """End the parent of a signed amendment and let the amendment go on from there; the caller holds both rows."""
    held = lock_line(amendment)
    coming = succession(held)
    if coming is None:
        raise ValueError(f"{held.number} amends nothing in force")
    parent = lock(coming.parent)
    body = _carried_from(parent, coming)
    move(parent, "supersede", by=None, facts={Fact.AMENDMENT_SIGNED}, now=at, body={"successor": held.number})
    record(held, CARRIED, by=None, at=at, body=body)
    for name, fact in _ROAD[: IN_FORCE.index(coming.state)]:
        held = move(held, name, by=None, facts={fact}, now=at, body={"of": parent.number})
    amendment.state = held.state
    return held


def _carried_from(parent: Contract, coming: Succession) -> dict[str, object]:
    found, signed = handovers([parent])
    given, accepted = found.get(parent.pk), accepted_on([parent]).get(parent.pk)
    said: dict[str, object] = {"of": parent.number, "from": parent.state}
    said |= {"signed_on": signed[parent.pk].isoformat()} if parent.pk in signed else {}
    said |= {"handover": _plain(asdict(given))} if given else {}
    said |= {"accepted_on": accepted.isoformat()} if accepted else {}
    return said | {"changed": list(coming.changed), "added": list(coming.added)}


def _plain(handover: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in handover.items() if value not in (None, "")}


def _changed(old: Body, new: Body) -> frozenset[str]:
    """The clauses that say something else, or are judged by something else that the contract says."""
    said = {change.key for change in changes(old, new) if change.kind in _DIFFERS}
    return frozenset(said | _judged_otherwise(old, new))


def _judged_otherwise(old: Body, new: Body) -> set[str]:
    """Joint clauses where another share of the machines must pass, and those of a mount that more groups must see."""
    is_shared_otherwise = Decimal(old.coverage_pct) != Decimal(new.coverage_pct)
    saw = {mount.code: set(mount.groups) for mount in old.mounts}
    seen = {mount.code for mount in new.mounts if not set(mount.groups) <= saw.get(mount.code, set())}
    return {clause.key for clause in new.judged if clause.code in seen or (is_shared_otherwise and _is_joint(clause))}


def _is_joint(clause: Clause) -> bool:
    """Whether machines answer it together, so that those which pass must cover the contracted share of the group."""
    is_measured = clause.verified_by is VerifiedBy.MEASUREMENT
    return is_measured and clause.scope is Scope.GROUP and clause.metric != _COUNTED


def _slots(body: Body) -> tuple[str, ...]:
    return tuple(code for group in body.groups for code in group.node_codes)
