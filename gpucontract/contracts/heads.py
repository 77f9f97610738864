"""Heads of chains, kept day by day, signed, and written to a file that can be carried elsewhere: a cut tail shows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from gpucontract.accounts.models import Organisation, OrganisationEvent
from gpucontract.accounts.sealing import is_signed, signature
from gpucontract.canonical import Fault, chain_faults
from gpucontract.contracts.models import ChainHead, Contract, Event
from gpucontract.filing import write_durably

PURPOSE = "chain heads"
COLUMNS = ("chain", "day", "number", "sha256", "signature")


@dataclass(frozen=True, slots=True)
class Head:
    """One chain's last event on a day, with the server's signature under that."""

    chain: str
    day: str
    number: int
    sha256: str
    signature: str

    @property
    def is_ours(self) -> bool:
        """Whether this server signed exactly this."""
        return is_signed(PURPOSE, said(self.chain, self.day, self.number, self.sha256), self.signature)


@dataclass(frozen=True, slots=True)
class ChainReport:
    """What verifying one chain found. forged: heads that were handed in but not signed by this server."""

    chain: str
    name: str
    length: int
    faults: tuple[Fault, ...]
    forged: tuple[Head, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.faults and not self.forged


def keep_heads(now: datetime | None = None) -> int:
    """Keep today's head of every chain that grew since its last one; once a day each. Returns how many."""
    moment = now or timezone.now()
    day = timezone.localdate(moment)
    last = dict(ChainHead.objects.values_list("chain").annotate(number=Max("number")))
    done = set(ChainHead.objects.filter(day=day).values_list("chain", flat=True))
    grown = [(chain, number) for chain, number in _lengths() if chain not in done and number > last.get(chain, 0)]
    made = [_head(chain, number, day, moment) for chain, number in grown]
    if made:
        ChainHead.objects.bulk_create(made, ignore_conflicts=True)
        _write(day)
    return len(made)


def said(chain: str, day: str, number: int, sha256: str) -> bytes:
    """What is signed under a head."""
    return f"{chain} {day} {number} {sha256}".encode()


def kept_heads() -> Iterator[Head]:
    """The heads in the database."""
    for row in ChainHead.objects.order_by("chain", "day").iterator():
        yield Head(row.chain, row.day.isoformat(), row.number, row.sha256, row.signature)


def heads_in(path: Path) -> list[Head]:
    """The heads of a file that keep_heads wrote. Raises ValueError, OSError."""
    with path.open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream)
        if tuple(table.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path} is no file of chain heads: its columns are not {', '.join(COLUMNS)}")
        return [Head(row["chain"], row["day"], int(row["number"]), row["sha256"], row["signature"]) for row in table]


def verify_all(elsewhere: Iterable[Head] = ()) -> Iterator[ChainReport]:
    """Verify every chain against the heads kept here and those kept elsewhere, one report each."""
    heads: dict[str, list[Head]] = {}
    for head in (*kept_heads(), *elsewhere):
        heads.setdefault(head.chain, []).append(head)
    for contract in Contract.objects.select_related("buyer").order_by("pk").iterator():
        yield _report(f"contract:{contract.uuid}", f"{contract.buyer} {contract.number}", _events_of(contract), heads)
    for organisation in Organisation.objects.order_by("pk").iterator():
        events = organisation.events.select_related("organisation").order_by("number")
        yield _report(f"organisation:{organisation.uuid}", organisation.name, list(events), heads)
    for chain, lost in heads.items():
        yield _report(chain, chain, [], {chain: lost})


def _events_of(contract: Contract) -> list[Event]:
    return list(contract.events.select_related("contract").order_by("number"))


def _report(
    chain: str, name: str, events: list[Event] | list[OrganisationEvent], heads: dict[str, list[Head]]
) -> ChainReport:
    known = heads.pop(chain, [])
    ours = [(head.number, head.sha256) for head in known if head.is_ours]
    faults = chain_faults([event.link() for event in events], ours)
    return ChainReport(chain, name, len(events), faults, tuple(head for head in known if not head.is_ours))


def _lengths() -> Iterator[tuple[str, int]]:
    contracts = Event.objects.values_list("contract__uuid").annotate(number=Max("number"))
    organisations = OrganisationEvent.objects.values_list("organisation__uuid").annotate(number=Max("number"))
    yield from ((f"contract:{uuid}", number) for uuid, number in contracts.order_by())
    yield from ((f"organisation:{uuid}", number) for uuid, number in organisations.order_by())


def _head(chain: str, number: int, day: date, now: datetime) -> ChainHead:
    kind, _, uuid = chain.partition(":")
    if kind == "contract":
        sha256 = Event.objects.values_list("sha256", flat=True).get(contract__uuid=uuid, number=number)
    else:
        sha256 = OrganisationEvent.objects.values_list("sha256", flat=True).get(organisation__uuid=uuid, number=number)
    signed = signature(PURPOSE, said(chain, day.isoformat(), number, sha256))
    return ChainHead(chain=chain, day=day, number=number, sha256=sha256, kept_at=now, signature=signed)


def _write(day: date) -> None:
    """The day's heads as a file; whoever copies it elsewhere can prove a cut tail even to us."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for row in ChainHead.objects.filter(day=day).order_by("chain"):
        table.writerow([row.chain, row.day.isoformat(), row.number, row.sha256, row.signature])
    write_durably(Path(settings.DOCUMENT_ROOT) / "heads" / f"{day.isoformat()}.csv", text.getvalue().encode())
