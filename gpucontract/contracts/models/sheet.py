"""A vendor's spec sheet that somebody is taking terms from: its cells, kept until they are taken or given up."""

from __future__ import annotations

import json
import uuid

from django.db import models

from gpucontract.accounts.models import User
from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.sheets import Cell, Sheet


class SpecSheet(models.Model):
    """An uploaded spec sheet. cells: JSON text of [[sheet name, [[row, column, text, is formula, is error]]]]."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contract = models.ForeignKey(Contract, models.CASCADE, related_name="spec_sheets")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    cells = models.TextField()
    uploaded_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contract", "uploaded_by"], name="spec_sheet_one_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.name}"

    def sheets(self) -> tuple[Sheet, ...]:
        """The sheets as they were read."""
        return tuple(
            Sheet(name, {(row, column): Cell(*rest) for row, column, *rest in cells})
            for name, cells in json.loads(self.cells)
        )


def packed(sheets: tuple[Sheet, ...]) -> str:
    """The sheets as SpecSheet.cells holds them."""
    return json.dumps(
        [
            [sheet.name, [[*place, cell.text, cell.is_formula, cell.is_error] for place, cell in sheet.cells.items()]]
            for sheet in sheets
        ]
    )
