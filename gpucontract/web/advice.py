"""Pure: who must act on a verdict, and what would change it."""

from __future__ import annotations

from gpucontract.verdicts.states import Attribution, State
from gpucontract.wording import Text

_VERIFIED = Text("无须处理。", "Nothing to do.")
REMEDIED = Text("已商定处理办法，无需再处理。", "A remedy is agreed on; nothing more to do.")
_BREACHED = Text(
    "乙方处理：修复或更换这台机器；随后甲方重新下达测试，以新一轮的结果为准。",
    "The vendor acts: repair or replace the machine. Then the buyer orders a new round, whose results decide.",
)
_BREACHED_UNKNOWN = Text(
    "双方先查明原因：目前的证据还不能说明是哪一方造成的。查明并处理后重新下达测试。",
    "Both sides find the cause first: the evidence does not show yet on whose side it lies. Then order a new round.",
)
_BREACHED_TENANT = Text(
    "甲方处理：原因在租方一侧，例如仍在运行的任务或环境变量。排除后重新下达测试。",
    "The buyer acts: the cause is on the buyer's side, such as a job still running. Remove it, then order a new round.",
)
_MARGINAL = Text(
    "甲方审批人决定：是否接受允许偏差以内的这个值。",
    "The buyer's approver decides whether to accept this value within the agreed tolerance.",
)
_BECAUSE = Text(
    "先处理所指的条款：它解决之前，这一条测不出结论；随后甲方重新下达测试。",
    "Settle the clause named as the cause first: until then this one cannot be decided. Then the buyer orders a new "
    "round.",
)
_BECAUSE_OF_VENDOR = Text(
    "乙方先处理所指的条款：它解决之前，这一条测不出结论；随后甲方重新下达测试。",
    "The vendor settles the clause named as the cause first: until then this one cannot be decided. Then the buyer "
    "orders a new round.",
)
_INCONCLUSIVE = Text(
    "甲方工程师处理：按上面的原因排除障碍，再重新下达测试。无法判定既不是通过，也不是违约。",
    "The buyer's engineer acts: remove the obstacle named above and order the run again. Neither passed nor breached.",
)
_PENDING = Text(
    "还没有结果：测试完成后自动判定。未测既不是通过，也不是违约。",
    "No result yet: it is judged by itself once the tests have run. Neither passed nor breached.",
)


_PAPER_PENDING = Text(
    "乙方上传文件后由甲方确认。文件确认之前既不是通过，也不是违约。",
    "The vendor uploads the file, then the buyer confirms it. Until then this is neither passed nor breached.",
)
_PAPER_OPEN = Text(
    "乙方上传改正后的文件，再由甲方确认。", "The vendor uploads a corrected file, then the buyer confirms it."
)


def advice(state: State, attribution: str, has_cause: bool, is_document: bool = False) -> Text:
    """The next step in one sentence. has_cause: another clause explains this one. is_document: no test will come."""
    if is_document and state not in (State.VERIFIED, State.NOT_APPLICABLE):
        return _PAPER_PENDING if state is State.PENDING else _PAPER_OPEN
    if state is State.BREACHED:
        return _breached(attribution)
    if state is State.INCONCLUSIVE:
        return _because(attribution) if has_cause else _INCONCLUSIVE
    return {State.MARGINAL: _MARGINAL, State.PENDING: _PENDING}.get(state, _VERIFIED)


def _breached(attribution: str) -> Text:
    if attribution == Attribution.TENANT:
        return _BREACHED_TENANT
    return _BREACHED if attribution == Attribution.PROVIDER else _BREACHED_UNKNOWN


def _because(attribution: str) -> Text:
    return _BECAUSE_OF_VENDOR if attribution == Attribution.PROVIDER else _BECAUSE
