"""The sentence for any parser's error: what happened, what to do, and the tool's own words."""

from __future__ import annotations

from gpucontract.measurements.parsers.details import detail_text
from gpucontract.measurements.parsers.gpu_failures import FAILURES
from gpucontract.measurements.parsers.host_failures import HOST_FAILURES
from gpucontract.measurements.parsers.missing_tools import missing_sentence, missing_tool
from gpucontract.wording import Text

# The detail of these is for whoever reads the logs.
SAYS_ALL = {"unknown_tool", "parser_broke"}

SENTENCES: dict[str, Text] = (
    HOST_FAILURES
    | FAILURES
    | {
        "parser_broke": Text(
            "程序没能读懂这份输出，这是本软件的错误。原文已保留，请报告给管理员。",
            "This software failed to read the output, a fault of its own. The text is kept; tell your administrator.",
        ),
    }
)


def failure_sentence(error: str) -> Text | None:
    """The sentence for 'code: detail' with the detail in brackets; None when there is no error.

    A code may carry a number ('fio_job_error 28'); a code without a sentence shows itself.
    """
    head, _, detail = error.partition(": ")
    if not head:
        return None
    code = head.split()[0]
    tool = missing_tool(detail) if code == "command_not_found" else ""
    text = missing_sentence(tool) if tool else SENTENCES.get(code, Text(head, head))
    if not detail or code in SAYS_ALL:
        return text
    said = detail_text(detail)
    return Text(f"{text.zh}（{said.zh}）", f"{text.en} ({said.en})")
