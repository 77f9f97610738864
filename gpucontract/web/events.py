"""The journal in words: what each kind of event is called, and which the vendor may read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from gpucontract.accounts.roles import Side
from gpucontract.contracts.lifecycle import MOVES
from gpucontract.contracts.models import Contract, Event
from gpucontract.contracts.numbering import citations
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.localise import spoken
from gpucontract.wording import Text

# The buyer's desk: drafting, checks and waivers never reach the vendor.
_BUYERS_OWN: Mapping[str, Text] = {
    "contract_created": Text("新建合同", "created the contract"),
    "draft_filled": Text("用模板、副本或文件填写草稿", "filled the draft from a template, a copy or a file"),
    "contract_copied": Text("复制为新合同", "copied it into a new contract"),
    "sheet_taken_over": Text("从规格表取用约定项", "took terms over from a spec sheet"),
    "template_saved": Text("存为本组织的模板", "saved it as a template of the organisation"),
    "terms_written": Text("填写约定项", "wrote terms"),
    "file_attached": Text("添加附件", "attached a file"),
    "file_detached": Text("移除附件", "removed a file"),
    "vendor_named": Text("选定乙方", "named the vendor"),
    "group_added": Text("增加节点组", "added a node group"),
    "mount_added": Text("增加共享挂载", "added a shared mount"),
    "row_removed": Text("删除一行", "removed a row"),
    "rows_ordered": Text("调整行的顺序", "reordered rows"),
    "revision_frozen": Text("生成版本", "froze a revision"),
    "check_waived": Text("豁免一项检查", "waived a check"),
    "clause_waived": Text("豁免一条条款", "waived a clause"),
    "marginal_accepted": Text("按临界接受一条条款", "accepted a clause as marginal"),
    "waiver_withdrawn": Text("撤回一项豁免", "took a waiver back"),
    "counter_accepted": Text("接受修改", "accepted a counter"),
    "counter_declined": Text("不接受修改", "did not accept a counter"),
    "question_answered": Text("答复提问", "answered a question"),
    "four_eyes_set": Text("设定四眼原则", "set the four-eyes rule"),
    "draft_ready": Text("告知审批人草稿已备好", "told the approvers that the draft is ready"),
    "amendment_started": Text("起草补充协议", "started an amendment"),
    "waivers_carried": Text("沿用原合同的豁免", "carried the waivers over"),
    "waivers_ended": Text("原合同的部分豁免失效，须重新决定", "ended waivers that need a new decision"),
    "noted_buyer": Text("写内部评论", "wrote an internal comment"),
}
# The vendor's desk: answers are the buyer's to read once they are submitted.
_VENDORS_OWN: Mapping[str, Text] = {
    "clauses_answered": Text("保存答复", "saved answers"),
    "answer_file_laid": Text("为答复添加附件", "laid a file beside an answer"),
    "answer_file_taken_away": Text("移除答复的附件", "took a file away from an answer"),
    "noted_vendor": Text("写内部评论", "wrote an internal comment"),
    "signer_named": Text("指定签署人", "named who signs"),
}
# A journal tells what was done, where a button says what to do.
_DONE = {
    "send": "sent it to the vendor", "submit": "submitted the answers", "agree": "closed the wording",
    "reopen": "reopened it", "sign": "signed it", "deliver": "recorded its delivery",
    "start_acceptance": "started its acceptance", "accept": "accepted it", "end": "ended it",
    "withdraw": "withdrew it", "reject": "rejected it", "expire": "let the offer expire",
    "extend": "extended the time to answer", "terminate": "terminated it",
    "supersede": "a signed amendment took its place", "carry_delivery": "carried the delivery over",
    "carry_tests": "went on with the acceptance", "carry_acceptance": "carried the acceptance over",
}  # fmt: skip
_SHARED: Mapping[str, Text] = {
    "appendix_requested": Text("请求生成配置附件", "asked for the appendix"),
    "paper_handed_in": Text("提交文件", "handed in a paper"),
    "paper_decided": Text("确认或退回文件", "decided on a paper"),
    "signed_off": Text("一方签署", "signed for one side"),
    "commented": Text("写双方可见的评论", "wrote a comment to both sides"),
    "amendment_took_over": Text("接替所补充的合同", "took the place of the contract that it amends"),
    "offer_reminded": Text("提醒答复期限", "reminded of the time to answer"),
    "handover_confirmed": Text("确认交付日", "confirmed the day of the delivery"),
    "handover_denied": Text("表示没有收到机器", "said that the machines were not received"),
    "nodes_delivered": Text("登记节点", "recorded the nodes"),
    "agent_enrolled": Text("登记采集程序", "enrolled an agent"),
    "agent_revoked": Text("撤销采集程序", "revoked an agent"),
    "replacement_declared": Text("登记部件更换", "declared a replacement"),
    "replacement_agreed": Text("同意部件更换", "agreed to a replacement"),
    "replacement_refused": Text("不同意部件更换", "refused a replacement"),
    "remedy_proposed": Text("提出一项处理办法", "offered a remedy"),
    "remedy_agreed": Text("同意一项处理办法", "agreed to a remedy"),
    "remedy_declined": Text("不同意一项处理办法", "declined a remedy"),
    "remedy_withdrawn": Text("撤回一项处理办法", "took a remedy back"),
    "remedy_lapsed": Text("处理办法因结果改变而失效", "ended a remedy because the result changed"),
    "remedies_carried": Text("沿用原合同商定的处理办法", "carried the agreed remedies over"),
    "runs_ordered": Text("下达测试", "ordered tests"),
    "run_retried": Text("重试一次运行", "tried a run again"),
    "run_cancelled": Text("取消一次运行", "cancelled a run"),
    **{f"move_{move.name}": Text(move.text.zh, _DONE[move.name]) for move in MOVES.values()},
    "move_sign": Text("双方签署完毕", "both sides have signed"),
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


_OF_ROW = Text("{code} {label}", "{code} {label}")
# Events whose reason is for everybody who may read the event.
_WITH_REASON = frozenset({"move_withdraw", "move_reject", "move_reopen", "move_terminate", "counter_accepted",
                          "counter_declined", "question_answered", "remedy_proposed",
                          "remedy_agreed", "remedy_declined", "remedy_withdrawn"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the journal as a side reads it: an event with its words, or how many are the other side's own.

    clause: the line it is about, by number and words.
    is_own: done by this side or the system, so that how and from where may be read too.
    """

    event: Event | None = None
    words: Text | None = None
    reason: str = ""
    clause: Text | None = None
    hidden: int = 0
    is_own: bool = False


def entries_for(contract: Contract, side: Side | None) -> list[Entry]:
    """What this side may read, newest first; where events are left out, how many, so that no number is missed."""
    entries: list[Entry] = []
    hidden, since = 0, _shown_since(contract)
    for event in contract.events.select_related("actor").order_by("-number"):
        if not _may_read(event, side, since):
            hidden += 1
            continue
        entries += [Entry(hidden=hidden)] if hidden else []
        hidden, is_own = 0, event.role.startswith(f"{side}:") or event.role == "system"
        entries.append(Entry(event, WORDS.get(event.kind, Text(event.kind, event.kind)), _reason(event), is_own=is_own))
    return entries + ([Entry(hidden=hidden)] if hidden else [])


def in_words(entries: Sequence[Entry], contract: Contract) -> list[Entry]:
    """The same, each saying the clause or term it is about in the words of the newest revision both have seen."""
    keys = {entry.event.key for entry in entries if entry.event and entry.event.key}
    newest = contract.revisions.sent().order_by("-number").first() if keys else None
    cited = citations(newest.body()) if newest else {}
    words = {key: cited.get(key) or _term(key) for key in keys}
    return [replace(entry, clause=words.get(entry.event.key)) if entry.event else entry for entry in entries]


def _term(key: str) -> Text | None:
    """What the term of a path such as g1/ram is called; nothing for what is no term."""
    code, _slash, name = key.partition("/")
    term = TERMS.get(name)
    return _OF_ROW.fill(code=code, label=term.label) if term and code != "c" else term.label if term else None


def _shown_since(contract: Contract) -> datetime | None:
    return contract.revisions.sent().order_by("number").values_list("sent_at", flat=True).first()


def _may_read(event: Event, side: Side | None, since: datetime | None) -> bool:
    """An unknown kind is the buyer's only; the vendor reads nothing from before it was shown the offer."""
    if side == Side.VENDOR:
        return since is not None and event.at >= since and (event.kind in _SHARED or event.kind in _VENDORS_OWN)
    return side == Side.BUYER and event.kind not in _VENDORS_OWN


def _reason(event: Event) -> str:
    if event.kind not in _WITH_REASON:
        return ""
    body = json.loads(event.body)
    parts = (spoken(Text(*body["what"])) if "what" in body else "", str(body.get("reason") or ""))
    return " · ".join(filter(None, parts))
