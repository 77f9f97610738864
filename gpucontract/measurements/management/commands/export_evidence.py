"""export_evidence: everything measured under a contract as a folder for the offline judge, of any size."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gpucontract.contracts.models import Contract
from gpucontract.measurements.evidence import EvidenceLost
from gpucontract.measurements.packs import write_pack


class Command(BaseCommand):
    """Writes the pack into a new or empty folder."""

    help = "Write a contract's evidence into a folder that manage.py judge --evidence reads."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which contract, and where to."""
        parser.add_argument("contract", type=UUID, help="the UUID in the address of the contract's page")
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Refuses a folder that holds something already, so that no two packs mix."""
        contract, folder = Contract.objects.filter(uuid=options["contract"]).first(), options["folder"]
        if contract is None:
            raise CommandError(f"export_evidence: there is no contract {options['contract']}")
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"export_evidence: {folder} is not empty; name a new folder")
        try:
            count = write_pack(contract, folder)
        except EvidenceLost as fault:
            raise CommandError(f"export_evidence: {fault}; restore it from a backup") from fault
        self.stdout.write(f"export_evidence: {count} results in {folder}")
