"""The offline judge: a frozen appendix and a folder of evidence in, the same verdicts out; no database, no network."""

import json
import sys
import traceback
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gpucontract.contracts.body import Body, BodyError, unpack
from gpucontract.contracts.printing import printed_value
from gpucontract.localise import spoken
from gpucontract.measurements.folders import FolderError, read_folders, unpacked
from gpucontract.measurements.paper_lists import read_papers
from gpucontract.verdicts.admission import context_for
from gpucontract.verdicts.appendix_pdf import packed_in_pdf
from gpucontract.verdicts.sentences import shown_value
from gpucontract.verdicts.states import STATE_TEXTS, ClauseVerdict, State
from gpucontract.verdicts.summary import Counts, count, summary_line
from gpucontract.verdicts.whole import judge_all
from gpucontract.verdicts.writing import plain_verdict

BAD_INPUT = 2
UNSIGNED = "unsigned evidence accepted as if it were signed (--accept-unsigned)"
NOT_ACCEPTED = (
    "目录里的文件带不来采集程序的签名，所以不作判定；若是您自己从系统下载的，加 --accept-unsigned 再运行。\n"
    "Files in a folder carry no agent's signature, so they decide nothing; if you downloaded them from the system "
    "yourself, run again with --accept-unsigned."
)
CRASHED = (
    "判定程序自己出错，没有判定任何条款（{fault}）；请把上面的内容发给开发者。"
    "The judge itself failed and decided nothing ({fault}); send its developers the lines above."
)


class Command(BaseCommand):
    help = "Judge a folder of evidence against a frozen appendix. Exit: 0 all verified, 1 any breached, 2 otherwise."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--appendix", required=True, type=Path, help="the appendix: its PDF, or the JSON inside it")
        parser.add_argument(
            "--evidence",
            required=True,
            type=Path,
            action="append",
            help="a folder with MANIFEST.csv, or its ZIP; may be repeated",
        )
        parser.add_argument("--machines", default="", help="host names in slot order, separated by commas")
        parser.add_argument("--accept-unsigned", action="store_true", help="let unsigned files verify and breach")
        parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._judge(options)
        except CommandError:
            raise
        except Exception as fault:
            # Python's own exit status after an error is 1, which here means breached.
            traceback.print_exc()
            raise CommandError(CRASHED.format(fault=type(fault).__name__), returncode=BAD_INPUT) from fault

    def _judge(self, options: dict[str, Any]) -> None:
        body = self._body(options["appendix"])
        verdicts = self._verdicts(body, options)
        counts = count({key: verdict.state for key, verdict in verdicts.items()})
        accepted = options["accept_unsigned"]
        if options["json"]:
            self.stdout.write(json.dumps(_document(body, verdicts, counts, accepted), ensure_ascii=False, indent=1))
        else:
            self._print(body, verdicts, counts, accepted)
        sys.exit(exit_status(counts))

    def _body(self, path: Path) -> Body:
        try:
            data = path.read_bytes()
            return unpack(packed_in_pdf(data) if data.startswith(b"%PDF") else data)
        except (OSError, BodyError) as fault:
            raise CommandError(f"{path}: {fault}", returncode=BAD_INPUT) from fault

    def _verdicts(self, body: Body, options: dict[str, Any]) -> dict[str, ClauseVerdict]:
        machines = [name.strip() for name in options["machines"].split(",") if name.strip()]
        try:
            with unpacked(options["evidence"]) as folders:
                records = read_folders(folders, body, machines)
                papers = read_papers(folders)
        except FolderError as fault:
            raise CommandError(str(fault), returncode=BAD_INPUT) from fault
        context = context_for(body, records, datetime.now(UTC), accept_unsigned=options["accept_unsigned"])
        return judge_all(body, records, replace(context, papers=papers))

    def _print(self, body: Body, verdicts: dict[str, ClauseVerdict], counts: Counts, accepted: bool) -> None:
        for key, verdict in sorted(verdicts.items(), key=lambda item: (-item[1].state.severity, item[0])):
            clause = body.clause(key)
            value = spoken(shown_value(clause, verdict.value))
            state = f"{STATE_TEXTS[verdict.state].zh} {verdict.state.value}"
            self.stdout.write(f"{state:<20} {key:<26} {spoken(printed_value(clause)):<24} {value:<16} {verdict.scope}")
            self.stdout.write(f"    {verdict.sentence.zh}\n    {verdict.sentence.en}")
        self.stdout.write(UNSIGNED if accepted else NOT_ACCEPTED)
        self.stdout.write(summary_line("judge", counts))


def exit_status(counts: Counts) -> int:
    """0 when every clause is verified or does not apply, 1 when any is breached, 2 otherwise."""
    if counts.breached:
        return 1
    return 0 if counts.verified + counts.not_applicable == counts.clauses else 2


def _document(body: Body, verdicts: dict[str, ClauseVerdict], counts: Counts, accepted: bool) -> dict[str, Any]:
    return {
        "contract": body.contract, "revision": body.number, "sha256": body.sha256, "accept_unsigned": accepted,
        "counts": {state.value: getattr(counts, state.value) for state in State},
        "verdicts": {key: plain_verdict(body.clause(key), verdict) for key, verdict in verdicts.items()},
    }  # fmt: skip
