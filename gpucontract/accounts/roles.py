"""Who may do what on a contract: one table of side x action -> roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from gpucontract.wording import Text


class Side(StrEnum):
    """The side an organisation stands on in one contract; a reseller is a buyer in one and a vendor in the next."""

    BUYER = "buyer"
    VENDOR = "vendor"


class Role(StrEnum):
    DRAFTER = "drafter"
    ENGINEER = "engineer"
    APPROVER = "approver"
    VIEWER = "viewer"
    CONFIRMER = "confirmer"
    SIGNER = "signer"
    ADMIN = "admin"


SIDES: Mapping[str, Text] = {Side.BUYER: Text("甲方", "Buyer"), Side.VENDOR: Text("乙方", "Vendor")}

ROLES: Mapping[str, Text] = {
    Role.DRAFTER: Text("起草人", "Drafter"),
    Role.ENGINEER: Text("工程师", "Engineer"),
    Role.APPROVER: Text("审批人", "Approver"),
    Role.VIEWER: Text("查看人", "Viewer"),
    Role.CONFIRMER: Text("确认人", "Confirmer"),
    Role.SIGNER: Text("签署人", "Signer"),
    Role.ADMIN: Text("组织管理员", "Organisation admin"),
}

ACTIONS: Mapping[str, Text] = {
    "view": Text("查看合同", "Read the contract"),
    "draft": Text("起草和修改草稿", "Draft and edit"),
    "send": Text("发送给乙方", "Send to the vendor"),
    "waive": Text("豁免检查或条款", "Waive a check or a clause"),
    "withdraw": Text("撤回合同", "Withdraw the contract"),
    "answer": Text("逐项答复", "Answer line by line"),
    "submit": Text("提交答复", "Submit the answers"),
    "reject": Text("拒绝合同", "Reject the contract"),
    "agree": Text("处理答复并定稿", "Settle the answers and close the wording"),
    "sign": Text("签署", "Sign"),
    "deliver": Text("登记交付", "Record the delivery"),
    "confirm_delivery": Text("确认交付日", "Confirm the day of the delivery"),
    "hand_in": Text("提交文件", "Hand in papers"),
    "decide_papers": Text("确认文件", "Confirm papers"),
    "enrol_agent": Text("登记测试代理", "Enrol an agent"),
    "declare_replacement": Text("登记部件更换", "Declare a replacement"),
    "approve_node": Text("确认节点", "Approve a node"),
    "order_runs": Text("下达测试", "Order test runs"),
    "upload_evidence": Text("上传证据", "Upload evidence"),
    "view_checks": Text("查看风险检查", "See the risk checks"),
    "view_policy": Text("查看检查标准", "See the limits of the checks"),
    "set_policy": Text("修改检查标准", "Change the limits of the checks"),
    "download_appendix": Text("下载配置附件", "Download the appendix"),
    "view_evidence": Text("查看证据", "See the evidence"),
    "accept": Text("作出验收决定", "Decide the acceptance"),
    "remedy": Text("商定处理办法", "Agree on a remedy"),
    "terminate": Text("解除合同", "Terminate the contract"),
    "manage_members": Text("管理成员", "Manage members"),
}

_BUYER_READERS = {Role.DRAFTER, Role.ENGINEER, Role.APPROVER, Role.VIEWER}
_VENDOR_READERS = {Role.CONFIRMER, Role.SIGNER, Role.VIEWER}
_ADMIN = {Role.ADMIN}

# A pair that is missing here is allowed to nobody.
_TABLE: Mapping[tuple[str, str], set[Role]] = {
    ("buyer", "view"): _BUYER_READERS | _ADMIN,
    ("buyer", "draft"): {Role.DRAFTER, Role.APPROVER},
    ("buyer", "send"): {Role.APPROVER},
    ("buyer", "waive"): {Role.APPROVER},
    ("buyer", "withdraw"): {Role.APPROVER},
    ("buyer", "agree"): {Role.APPROVER},
    ("buyer", "sign"): {Role.APPROVER},
    ("buyer", "deliver"): {Role.ENGINEER, Role.APPROVER},
    ("buyer", "confirm_delivery"): {Role.ENGINEER, Role.APPROVER},
    ("buyer", "decide_papers"): {Role.ENGINEER, Role.APPROVER},
    ("buyer", "enrol_agent"): {Role.ENGINEER, Role.APPROVER},
    ("buyer", "approve_node"): {Role.ENGINEER, Role.APPROVER},
    ("buyer", "order_runs"): {Role.ENGINEER, Role.APPROVER},
    ("buyer", "upload_evidence"): {Role.DRAFTER, Role.ENGINEER, Role.APPROVER},
    ("buyer", "view_checks"): _BUYER_READERS,
    ("buyer", "view_policy"): _BUYER_READERS | _ADMIN,
    ("buyer", "set_policy"): {Role.APPROVER} | _ADMIN,
    ("buyer", "download_appendix"): _BUYER_READERS,
    ("buyer", "view_evidence"): _BUYER_READERS,
    ("buyer", "accept"): {Role.APPROVER},
    ("buyer", "remedy"): {Role.APPROVER},
    ("buyer", "terminate"): {Role.APPROVER},
    ("buyer", "manage_members"): _ADMIN,
    ("vendor", "view"): _VENDOR_READERS | _ADMIN,
    ("vendor", "answer"): {Role.CONFIRMER, Role.SIGNER},
    ("vendor", "submit"): {Role.CONFIRMER, Role.SIGNER},
    ("vendor", "reject"): {Role.SIGNER},
    ("vendor", "sign"): {Role.SIGNER},
    ("vendor", "deliver"): {Role.CONFIRMER, Role.SIGNER},
    ("vendor", "hand_in"): {Role.CONFIRMER, Role.SIGNER},
    ("vendor", "enrol_agent"): {Role.CONFIRMER, Role.SIGNER},
    ("vendor", "declare_replacement"): {Role.CONFIRMER, Role.SIGNER},
    ("vendor", "download_appendix"): _VENDOR_READERS,
    ("vendor", "view_evidence"): _VENDOR_READERS,
    ("vendor", "remedy"): {Role.CONFIRMER, Role.SIGNER},
    ("vendor", "terminate"): {Role.SIGNER},
    ("vendor", "manage_members"): _ADMIN,
}


def may_ever_sign(roles: Iterable[str]) -> bool:
    """Whether these roles sign on either side; without one of them a mandate is of no use."""
    held = tuple(roles)
    return any(may(side, held, "sign") for side in Side)


def who_may(side: str, action: str) -> tuple[Text, ...]:
    """The roles of a side that may do an action, by their names."""
    return tuple(ROLES[role] for role in ROLES if role in _TABLE.get((side, action), set()))


def may(side: str | None, roles: Iterable[str], action: str) -> bool:
    """Whether someone holding these roles may do the action for that side; None is a stranger, who may nothing.

    Raises KeyError for an action that ACTIONS does not list, so that a misspelt one is never a quiet "no".
    """
    ACTIONS[action]
    return side is not None and not _TABLE.get((side, action), set()).isdisjoint(roles)
