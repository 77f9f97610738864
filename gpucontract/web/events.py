"""The journal in words: what each kind of event is called, and which the vendor may read."""

from __future__ import annotations

from collections.abc import Mapping

from gpucontract.accounts.roles import Side
from gpucontract.contracts.lifecycle import MOVES
from gpucontract.contracts.models import Contract, Event
from gpucontract.wording import Text

# The buyer's desk: drafting, checks and waivers never reach the vendor.
_BUYERS_OWN: Mapping[str, Text] = {
    "contract_created": Text("新建合同", "created the contract"),
    "terms_written": Text("填写约定项", "wrote terms"),
    "vendor_named": Text("选定乙方", "named the vendor"),
    "group_added": Text("增加节点组", "added a node group"),
    "mount_added": Text("增加共享挂载", "added a shared mount"),
    "row_removed": Text("删除一行", "removed a row"),
    "rows_ordered": Text("调整行的顺序", "reordered rows"),
    "revision_frozen": Text("生成版本", "froze a revision"),
    "check_waived": Text("豁免一项检查", "waived a check"),
    "clause_waived": Text("豁免一条条款", "waived a clause"),
    "move_withdraw": Text("撤回", "withdrew it"),
}
# The vendor's desk: answers are the buyer's to read once they are submitted.
_VENDORS_OWN: Mapping[str, Text] = {"clauses_answered": Text("保存答复", "saved answers")}
_SHARED: Mapping[str, Text] = {
    "appendix_requested": Text("请求生成配置附件", "asked for the appendix"),
    "paper_handed_in": Text("提交文件", "handed in a paper"),
    "paper_decided": Text("确认或退回文件", "decided on a paper"),
    "signed_off": Text("签署", "signed"),
    "nodes_delivered": Text("登记节点", "recorded the nodes"),
    "agent_enrolled": Text("登记采集程序", "enrolled an agent"),
    "agent_revoked": Text("撤销采集程序", "revoked an agent"),
    "runs_ordered": Text("下达测试", "ordered tests"),
    "run_retried": Text("重试一次运行", "tried a run again"),
    "run_cancelled": Text("取消一次运行", "cancelled a run"),
    **{f"move_{move.name}": move.text for move in MOVES.values() if move.name != "withdraw"},
}
WORDS: Mapping[str, Text] = {**_BUYERS_OWN, **_VENDORS_OWN, **_SHARED}


def events_for(contract: Contract, side: Side | None) -> list[tuple[Event, Text]]:
    """The events this side may read, newest first, each with its words; an unknown kind is the buyer's only."""
    events = contract.events.select_related("actor").order_by("-number")
    if side is Side.VENDOR:
        sent = contract.revisions.sent().order_by("number").values_list("sent_at", flat=True).first()
        events = events.filter(kind__in=[*_SHARED, *_VENDORS_OWN], at__gte=sent)
    elif side is Side.BUYER:
        events = events.exclude(kind__in=list(_VENDORS_OWN))
    return [(event, WORDS.get(event.kind, Text(event.kind, event.kind))) for event in events]
