"""Verify every journal: altered, removed, reordered and cut events, against the heads kept here and elsewhere."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gpucontract.canonical import Fault, Harm
from gpucontract.contracts.heads import ChainReport, heads_in, verify_all
from gpucontract.wording import Text

BAD_INPUT = 2
_SAID = {
    Harm.ALTERED: Text("{name}：第 {events} 个事件被改动。", "{name}: event {events} was altered."),
    Harm.REMOVED: Text("{name}：第 {events} 个事件被删除。", "{name}: event {events} was removed."),
    Harm.REORDERED: Text("{name}：第 {events} 个事件被调换了顺序。", "{name}: event {events} was put out of order."),
    Harm.CUT: Text("{name}：第 {events} 个事件从末尾被截去。", "{name}: event {events} was cut from the end."),
}
_FORGED = Text(
    "{name}：{day} 的链头签名不是本服务器的，未采用。",
    "{name}: the head of {day} is not signed by this server and was not used.",
)
_WHOLE = Text("{count} 条日志共 {events} 个事件，全部完整。", "{count} journals with {events} events, all whole.")
_HARMED = Text("{count} 条日志中有 {harmed} 条被动过。", "{harmed} of {count} journals were tampered with.")


class Command(BaseCommand):
    help = "Verify all journals. Exit: 0 all whole, 1 tampered with, 2 bad input."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--heads",
            type=Path,
            action="append",
            default=[],
            help="a file of chain heads kept elsewhere; may be repeated",
        )
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            elsewhere = [head for path in options["heads"] for head in heads_in(path)]
        except (OSError, ValueError) as fault:
            raise CommandError(str(fault), returncode=BAD_INPUT) from fault
        reports = list(verify_all(elsewhere))
        harmed = [report for report in reports if not report.is_whole]
        if options["json"]:
            self.stdout.write(json.dumps([asdict(report) for report in harmed], ensure_ascii=False, indent=1))
        else:
            self._print(reports, harmed)
        sys.exit(1 if harmed else 0)

    def _print(self, reports: list[ChainReport], harmed: list[ChainReport]) -> None:
        for report in harmed:
            said = [_SAID[fault.harm].fill(name=report.name, events=_span(fault)) for fault in report.faults]
            said += [_FORGED.fill(name=report.name, day=head.day) for head in report.forged]
            for text in said:
                self.stdout.write(f"{text.zh}\n    {text.en}")
        events = sum(report.length for report in reports)
        last = _HARMED.fill(count=len(reports), harmed=len(harmed)) if harmed else None
        last = last or _WHOLE.fill(count=len(reports), events=events)
        self.stdout.write(f"{last.zh} {last.en}")


def _span(fault: Fault) -> str:
    return str(fault.first) if fault.first == fault.last else f"{fault.first}–{fault.last}"
