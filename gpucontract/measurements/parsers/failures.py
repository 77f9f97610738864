"""The sentence for any parser's error: what happened, what to do, and the tool's own words."""

from __future__ import annotations

from gpucontract.measurements.parsers.gpu_failures import FAILURES
from gpucontract.measurements.parsers.host_failures import HOST_FAILURES
from gpucontract.wording import Text

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
    text = SENTENCES.get(head.split()[0], Text(head, head))
    return Text(f"{text.zh}（{detail}）", f"{text.en} ({detail})") if detail else text
