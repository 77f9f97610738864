"""The whole chain on this machine: sample contract, two replaying agents, verdicts, appendix, then the site."""

import shutil
import socket
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from gpucontract.contracts.models import Contract
from gpucontract.documents import rendering
from gpucontract.documents.models import Document
from gpucontract.measurements import parsing, pull
from gpucontract.measurements.packs import write_pack
from gpucontract.measurements.services import in_force
from gpucontract.verdicts import judging
from gpucontract.web.demo import agents, people, story, table

PATIENCE_S = 120
# Everything a demonstration leaves in VAR_DIR, and nothing else, is taken away before the next one.
LEFT_BEHIND = ("gpucontract.sqlite3", "gpucontract.sqlite3-wal", "gpucontract.sqlite3-shm", "appendix.pdf")
FOLDERS_LEFT = ("evidence", "store", "documents", "agents", "static", "mail")


class Command(BaseCommand):
    help = "Load the sample, measure two replayed machines, judge every clause, print the table, then serve."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="end after the table")
        parser.add_argument("--healthy", action="store_true", help="deliver two healthy machines instead")
        parser.add_argument("--code", action="store_true", help="print the signers' second-factor codes and end")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["code"]:
            self._print_codes()
            return
        if not options["once"]:
            self._must_be_free(options["port"])
        self._start_afresh()
        users = people.load_people()
        contract = story.draft(users, "H100 训练集群")
        story.agree(contract, users)
        contract.refresh_from_db()
        machines = story.ALL_HEALTHY if options["healthy"] else story.AS_DELIVERED
        self.stdout.write(f"{contract.number} {contract.title}: {' + '.join(machines)}")
        processes = story.deliver(contract, users, machines, Path(settings.VAR_DIR) / "agents")
        try:
            self._measure(contract)
            self._write_papers(contract)
            if options["once"]:
                self._print_table(contract)
                return
            story.others(users)
            self._print_table(contract)
            self._serve(options["port"])
        finally:
            agents.stop(processes)

    def _print_codes(self) -> None:
        now = timezone.now()
        left = 30 - int(now.timestamp()) % 30
        for short, secret in people.FACTORS.items():
            self.stdout.write(f"{people.PEOPLE[short].email:<28} {people.code_of(secret, now)}  ({left} s)")

    def _must_be_free(self, port: int) -> None:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as fault:
                raise CommandError(
                    f"Port {port} is in use, perhaps by another demo: stop it, or run make demo PORT=8001"
                ) from fault

    def _start_afresh(self) -> None:
        folder = Path(settings.VAR_DIR)
        folder.mkdir(parents=True, exist_ok=True)
        for name in LEFT_BEHIND:
            (folder / name).unlink(missing_ok=True)
        for name in FOLDERS_LEFT:
            shutil.rmtree(folder / name, ignore_errors=True)
        call_command("migrate", verbosity=0, interactive=False)

    def _measure(self, contract: Contract) -> None:
        """Drain the stages here, exactly the functions the ticker and the workers call, until nothing is open."""
        give_up = time.monotonic() + PATIENCE_S
        while contract.runs.open().exists():
            if time.monotonic() > give_up:
                raise CommandError(f"{contract.runs.open().count()} runs brought no result within {PATIENCE_S} s")
            pull.pull_due()
            parsing.parse_due()
            time.sleep(0.1)
        while parsing.parse_due():
            pass
        while judging.judge_due():
            pass

    def _write_papers(self, contract: Contract) -> None:
        folder = Path(settings.VAR_DIR)
        rendering.render_due()
        document = Document.objects.get(revision=in_force(contract), state="done")
        (folder / "appendix.pdf").write_bytes(rendering.stored_bytes(document))
        (folder / "appendix.json").write_bytes(rendering.attachment_of(document.revision))
        count = write_pack(contract, folder / "evidence")
        self.stdout.write(f"{folder / 'appendix.pdf'}; {folder / 'evidence'}: {count} results")

    def _print_table(self, contract: Contract) -> None:
        for line in table.lines(contract):
            self.stdout.write(line)

    def _serve(self, port: int) -> None:
        self.stdout.write(f"\nhttp://127.0.0.1:{port}/    Ctrl-C ends. Password for everybody: {people.PASSWORD}")
        for person in people.PEOPLE.values():
            self.stdout.write(f"  {person.email:<28} {person.name}  {person.does}")
        self.stdout.write("\nSigning asks a second factor: make demo CODE=1 prints it, or give an authenticator app")
        for short, secret in people.FACTORS.items():
            self.stdout.write(f"  {people.PEOPLE[short].email:<28} {secret}")
        self.stdout.write(f"\nMails: {settings.EMAIL_FILE_PATH}")
        self.stdout.flush()
        try:
            call_command("serve", bind=f"127.0.0.1:{port}")
        except (KeyboardInterrupt, SystemExit):
            self.stdout.write("demo: stopped")
