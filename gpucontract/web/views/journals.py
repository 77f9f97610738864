"""A contract's journal as a file: the share of the side that asks, for a spreadsheet or a program."""

import csv
import json
from collections.abc import Iterator
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse

from gpucontract.contracts.models import Contract
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for
from gpucontract.web.events import entries_for

COLUMNS = (
    "number", "at", "kind", "words", "actor", "role", "strength", "address", "clause", "revision_sha256", "body",
    "prev_sha256", "sha256", "hidden",
)  # fmt: skip
# What a spreadsheet takes for the beginning of a formula.
STARTS = ("=", "+", "-", "@", "\t", "\r")


def contract_journal_csv(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One event a row, newest first; cells that a spreadsheet would run begin with an apostrophe."""
    contract = contract_for(request.user, uuid, "view")
    response = HttpResponse(content_type="text/csv; charset=utf-8", headers=_as_file(contract, "csv"))
    response.write("\ufeff")
    table = csv.DictWriter(response, COLUMNS)
    table.writeheader()
    table.writerows({name: safe(str(value)) for name, value in row.items()} for row in _rows(request, contract))
    return response


def contract_journal_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The same as JSON, with each event's body as it was hashed."""
    contract = contract_for(request.user, uuid, "view")
    said = {"contract": str(contract.uuid), "number": contract.number, "events": list(_rows(request, contract))}
    return JsonResponse(
        said, json_dumps_params={"ensure_ascii": False, "indent": 1}, headers=_as_file(contract, "json")
    )


def safe(cell: str) -> str:
    """The cell as text, whatever opens it."""
    return f"'{cell}" if cell.startswith(STARTS) else cell


def _rows(request: HttpRequest, contract: Contract) -> Iterator[dict[str, object]]:
    side = contract.side_of(request.user)
    for entry in entries_for(contract, side):
        event = entry.event
        if event is None:
            yield dict.fromkeys(COLUMNS, "") | {"hidden": entry.hidden}
            continue
        is_own = event.role.startswith(f"{side}:") or event.role == "system"
        yield {
            "number": event.number, "at": event.at.isoformat(), "kind": event.kind,
            "words": spoken(entry.words) if entry.words else "", "actor": event.actor_email, "role": event.role,
            "strength": event.strength if is_own else "", "address": event.address if is_own else "",
            "clause": event.key, "revision_sha256": event.revision_sha256,
            "body": json.dumps(json.loads(event.body), ensure_ascii=False) if is_own else "",
            "prev_sha256": event.prev_sha256, "sha256": event.sha256, "hidden": "",
        }  # fmt: skip


def _as_file(contract: Contract, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{contract.number}-journal.{ending}"'}
