"""A journal as a file, for a spreadsheet or a program: a contract's as far as one's side reads it, or one's own."""

import csv
import json
from collections.abc import Iterable, Iterator
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse

from gpucontract.accounts.models import Organisation
from gpucontract.contracts.models import Contract
from gpucontract.localise import spoken
from gpucontract.office import safe
from gpucontract.web.access import contract_for, organisation_for
from gpucontract.web.events import ORGANISATION_WORDS, entries_for

COLUMNS = (
    "number", "at", "kind", "words", "actor", "role", "strength", "address", "clause", "revision_sha256", "body",
    "prev_sha256", "sha256", "hidden",
)  # fmt: skip
OWN_COLUMNS = tuple(name for name in COLUMNS if name not in ("clause", "revision_sha256", "hidden"))


def contract_journal_csv(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One event a row, newest first; cells that a spreadsheet would run begin with an apostrophe."""
    contract = contract_for(request.user, uuid, "view")
    return _csv(_rows(request, contract), COLUMNS, contract.number)


def contract_journal_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The same as JSON, with each event's body as it was hashed."""
    contract = contract_for(request.user, uuid, "view")
    said = {"contract": str(contract.uuid), "number": contract.number, "events": list(_rows(request, contract))}
    return _json(said, contract.number)


def organisation_journal_csv(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The organisation's journal for its admins, one event a row, newest first."""
    organisation = organisation_for(request.user, uuid, manage=True)
    return _csv(_own_rows(organisation), OWN_COLUMNS, organisation.uscc or "organisation")


def organisation_journal_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The same as JSON, with each event's body as it was hashed."""
    organisation = organisation_for(request.user, uuid, manage=True)
    said = {"organisation": str(organisation.uuid), "name": organisation.name, "events": [*_own_rows(organisation)]}
    return _json(said, organisation.uscc or "organisation")


def _csv(rows: Iterable[dict[str, object]], columns: tuple[str, ...], name: str) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8", headers=_as_file(name, "csv"))
    response.write("\ufeff")
    table = csv.DictWriter(response, columns)
    table.writeheader()
    table.writerows({column: safe(str(value)) for column, value in row.items()} for row in rows)
    return response


def _json(said: dict[str, object], name: str) -> HttpResponse:
    return JsonResponse(said, json_dumps_params={"ensure_ascii": False, "indent": 1}, headers=_as_file(name, "json"))


def _rows(request: HttpRequest, contract: Contract) -> Iterator[dict[str, object]]:
    side = contract.side_of(request.user)
    for entry in entries_for(contract, side):
        event = entry.event
        if event is None:
            yield dict.fromkeys(COLUMNS, "") | {"hidden": entry.hidden}
            continue
        is_own = entry.is_own
        yield {
            "number": event.number, "at": event.at.isoformat(), "kind": event.kind,
            "words": spoken(entry.words) if entry.words else "", "actor": event.actor_email, "role": event.role,
            "strength": event.strength if is_own else "", "address": event.address if is_own else "",
            "clause": event.key, "revision_sha256": event.revision_sha256,
            "body": json.dumps(json.loads(event.body), ensure_ascii=False) if is_own else "",
            "prev_sha256": event.prev_sha256, "sha256": event.sha256, "hidden": "",
        }  # fmt: skip


def _own_rows(organisation: Organisation) -> Iterator[dict[str, object]]:
    for event in organisation.events.order_by("-number"):
        words = ORGANISATION_WORDS.get(event.kind)
        yield {
            "number": event.number, "at": event.at.isoformat(), "kind": event.kind,
            "words": spoken(words) if words else "", "actor": event.actor_email, "role": event.role,
            "strength": event.strength, "address": event.address,
            "body": json.dumps(json.loads(event.body), ensure_ascii=False),
            "prev_sha256": event.prev_sha256, "sha256": event.sha256,
        }  # fmt: skip


def _as_file(name: str, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}-journal.{ending}"'}
