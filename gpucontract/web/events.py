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
    "draft_filled": Text("用模板、副本或文件填写草稿", "filled the draft from a template, a copy or a file"),
    "contract_copied": Text("复制为新合同", "copied it into a new contract"),
    "template_saved": Text("存为本组织的模板", "saved it as a template of the organisation"),
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
ORGANISATION_WORDS: Mapping[str, Text] = {
    "member_added": Text("由运维人员加入成员", "added a member from the command line"),
    "member_invited": Text("邀请成员", "invited a person"),
    "vendor_invited": Text("邀请乙方", "invited a vendor"),
    "invitation_sent_again": Text("重新发送邀请", "sent an invitation again"),
    "invitation_revoked": Text("撤回邀请", "revoked an invitation"),
    "member_joined": Text("接受邀请并加入", "accepted an invitation and joined"),
    "vendor_joined": Text("所邀请的乙方已开户", "the invited vendor opened its account"),
    "organisation_founded": Text("开户", "opened the organisation's account"),
    "roles_changed": Text("修改角色", "changed roles"),
    "member_removed": Text("移除成员", "removed a member"),
    "member_left": Text("退出组织", "left"),
    "administration_handed_over": Text("移交组织管理员", "handed the administration over"),
    "mandate_recorded": Text("登记签署授权", "recorded a mandate"),
    "mandate_revoked": Text("撤销签署授权", "revoked a mandate"),
    "policy_changed": Text("修改检查标准", "changed the limits of checks"),
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
