"""Taking terms out of a vendor's spec sheet: kept when uploaded, written by choice, through the same door as typing."""

from __future__ import annotations

from django.db import transaction

from gpucontract.accounts.models import User
from gpucontract.canonical import sha256
from gpucontract.contracts.journal import record
from gpucontract.contracts.models import Contract, SpecSheet
from gpucontract.contracts.models.sheet import packed
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.contracts.sheets import read_sheets
from gpucontract.contracts.writing import Values, write_terms


def keep_sheet(contract: Contract, *, name: str, data: bytes, by: User) -> SpecSheet:
    """The cells of an uploaded .xlsx, in place of the one the person uploaded before. Raises SheetRefused."""
    must(contract, by, "draft")
    must_be_editable(contract)
    cells = packed(read_sheets(data))
    kept, _ = SpecSheet.objects.update_or_create(
        contract=contract, uploaded_by=by, defaults={"name": name[:200], "sha256": sha256(data), "cells": cells}
    )
    return kept


@transaction.atomic
def apply_sheet(sheet: SpecSheet, *, values: Values, by: User) -> tuple[str, ...]:
    """Write the chosen values and let the sheet go; returns the paths that changed. Raises TermsRefused."""
    paths = write_terms(sheet.contract, values=values, by=by)
    body = {"file": sheet.name, "sha256": sheet.sha256, "paths": sorted(paths)}
    record(sheet.contract, "sheet_taken_over", by=by, body=body)
    sheet.delete()
    return paths


@transaction.atomic
def drop_sheet(sheet: SpecSheet, *, by: User) -> None:
    """Give up a sheet without taking anything from it."""
    must(sheet.contract, by, "draft")
    sheet.delete()
