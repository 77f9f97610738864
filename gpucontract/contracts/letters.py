"""The letters of a negotiation: on which event, to whom, in which words; both languages in each letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gpucontract.accounts.roles import Role, Side
from gpucontract.wording import Text

BOTH = (Side.BUYER, Side.VENDOR)
HEARERS = (Role.DRAFTER, Role.APPROVER, Role.CONFIRMER, Role.SIGNER)


@dataclass(frozen=True, slots=True)
class Letter:
    """One letter. sides and roles: who gets it; page: the URL name its link leads to. Placeholders: see FACTS."""

    sides: tuple[Side, ...]
    subject: Text
    body: Text
    page: str = "contract-detail"
    roles: tuple[Role, ...] = HEARERS


# What a letter may speak of; a dash where the event does not say it. Nothing here is only one side's to know.
FACTS = ("contract", "title", "buyer", "vendor", "who", "side", "number", "lines", "open", "confirm", "counter", "ask",
         "reason", "deadline", "line", "successor", "on", "recorded", "what", "about")  # fmt: skip

_ABOUT = Text("合同 {contract}《{title}》", "Contract {contract} “{title}”")


def _letter(
    sides: tuple[Side, ...], subject: Text, body: Text, page: str = "contract-detail", also: tuple[Role, ...] = ()
) -> Letter:
    return Letter(
        sides, Text(f"{_ABOUT.zh}：{subject.zh}", f"{_ABOUT.en}: {subject.en}"), body, page, (*HEARERS, *also)
    )


LETTERS: Mapping[str, Letter] = {
    "draft_ready": replace(_letter(
        (Side.BUYER,), Text("草稿已备好，请审批后发送", "the draft is ready for you to check and send"),
        Text("{who}请您核对草稿并发送给乙方。", "{who} asks you to check the draft and to send it to the vendor."),
        "contract-draft-check",
    ), roles=(Role.APPROVER,)),
    "move_send": _letter(
        (Side.VENDOR,), Text("请逐项确认，{open} 条待答复", "please confirm line by line, {open} open"),
        Text("{buyer}发来第 {number} 版，共 {lines} 条，其中 {open} 条待您方答复。答复期限：{deadline}。",
             "{buyer} sent revision {number}. Lines: {lines}; waiting for you: {open}. Answer by: {deadline}."),
        "contract-answers",
    ),
    "move_submit": _letter(
        (Side.BUYER,),
        Text("乙方已答复：提出修改 {counter} 条，提问 {ask} 条", "answered; counters: {counter}, questions: {ask}"),
        Text("{vendor}答复了全部 {lines} 条：确认 {confirm} 条，提出修改 {counter} 条，提问 {ask} 条。",
             "{vendor} answered every line. Confirmed: {confirm}, countered: {counter}, asked about: {ask}."),
        "contract-rounds",
    ),
    "move_agree": _letter(
        BOTH, Text("每一条都已确认，可以签署", "every line is agreed, it can be signed"),
        Text("双方已就每一条达成一致，请双方签署人签署。",
             "Both sides agree on every line; a signer of each side signs next."),
        "contract-sign",
    ),
    "move_reopen": _letter(
        BOTH, Text("甲方正在修改条款", "the buyer revises the terms"),
        Text("{buyer}重新打开了条款，之后会发送新版本；没有改动且已确认的条款仍然有效，此前的签署不再有效。",
             "{buyer} reopened the terms and will send a new revision. Unchanged lines that you confirmed stay "
             "confirmed; signatures on the earlier revision no longer count."),
    ),
    "move_extend": _letter(
        (Side.VENDOR,), Text("答复期限延长", "more time to answer"),
        Text("新的答复期限：{deadline}。", "Answer by: {deadline}."), "contract-answers",
    ),
    "offer_reminded": _letter(
        (Side.VENDOR,), Text("答复期限将到", "the time to answer ends soon"),
        Text("{buyer}的要约将于 {deadline} 过期，请在此前提交答复。",
             "The offer of {buyer} expires on {deadline}; submit your answers before."), "contract-answers",
    ),
    "move_expire": _letter(
        BOTH, Text("要约已过期", "the offer has expired"),
        Text("答复期限 {deadline} 已过，乙方未提交答复。甲方可以延长期限。",
             "The time to answer, {deadline}, is over without answers. The buyer may give more time."),
    ),
    "move_reject": _letter(
        BOTH, Text("乙方拒绝了要约", "the vendor declined the offer"),
        Text("{who}代表{vendor}拒绝了整份要约，理由：{reason}", "{who} declined the offer for {vendor}: {reason}"),
    ),
    "move_withdraw": _letter(
        BOTH, Text("甲方撤回了合同", "the buyer withdrew the contract"),
        Text("{who}代表{buyer}撤回了合同，理由：{reason}", "{who} withdrew the contract for {buyer}: {reason}"),
    ),
    "signed_off": _letter(
        BOTH, Text("一方已签署", "one side has signed"),
        Text("{who}已代表{side}签署。双方都签署后，合同签署完成。",
             "{who} has signed ({side}). The contract is concluded once both sides have."), "contract-sign",
    ),
    "move_sign": _letter(
        BOTH, Text("双方签署完毕", "signed by both sides"),
        Text("合同已签署，此后的改动须另签补充协议。",
             "The contract is signed; from now on only an amendment changes it."),
        "contract-documents",
    ),
    "move_deliver": _letter(
        BOTH, Text("登记了交付", "the delivery is recorded"),
        Text("{who}登记了交付。由乙方登记的，请甲方确认交付日：验收期自该日起算。",
             "{who} recorded the delivery. Where the vendor did, the buyer confirms the day: the acceptance window "
             "runs from it."),
        also=(Role.ENGINEER,),
    ),
    "handover_confirmed": _letter(
        BOTH, Text("甲方确认了交付日 {on}", "the buyer confirmed the day of delivery, {on}"),
        Text("乙方登记的交付日是 {recorded}，甲方确认的是 {on}，验收期自 {on} 起算。两个日期不同的，请双方核对。",
             "The vendor recorded {recorded} as the day of delivery, the buyer confirmed {on}; the acceptance window "
             "runs from {on}. Where the two differ, agree on one."),
        also=(Role.ENGINEER,),
    ),
    "handover_denied": _letter(
        BOTH, Text("甲方表示没有收到机器", "the buyer says that the machines were not received"),
        Text("乙方登记的交付日是 {recorded}。{who}表示没有收到，理由：{reason}",
             "The vendor recorded {recorded} as the day of delivery. {who} says that they were not received: {reason}"),
        also=(Role.ENGINEER,),
    ),
    "move_start_acceptance": _letter(
        (Side.VENDOR,), Text("甲方开始验收测试", "the acceptance tests have started"),
        Text("{buyer}下达了第一轮测试。测试期间机器会满载，请不要另作他用；进度见合同的“测试与证据”页。",
             "{buyer} ordered the first round of tests. The machines run at full load meanwhile: use them for nothing "
             "else. The page “Runs and evidence” of the contract shows how far it is."),
        also=(Role.ENGINEER,),
    ),
    "move_accept": _letter(
        BOTH, Text("验收通过", "the machines are accepted"),
        Text("{buyer}作出验收决定：验收通过，合同进入租期。起租日和租期见合同页面。",
             "{buyer} decided: the machines are accepted and the term runs. The contract's page says from when rent is "
             "due and until when the term lasts."),
        also=(Role.ENGINEER,),
    ),
    "move_terminate": _letter(
        BOTH, Text("合同已解除", "the contract is terminated"),
        Text("{who}解除了合同，理由：{reason}\n未完成的测试已取消。请按合同中的退出约定导出和删除数据、归还机器。",
             "{who} terminated the contract and says why: {reason}\nOpen tests are cancelled. Export and erase data "
             "and hand the machines back as the contract says."),
        also=(Role.ENGINEER,),
    ),
    "move_end": _letter(
        BOTH, Text("租期已满，合同到期", "the term is over, the contract has ended"),
        Text("租期已满。请按合同中的退出约定导出和删除数据、归还机器。",
             "The term is over. Export and erase data and hand the machines back as the contract says."),
        also=(Role.ENGINEER,),
    ),
    "move_supersede": _letter(
        BOTH, Text("已被补充协议 {successor} 取代", "amendment {successor} took its place"),
        Text("补充协议 {successor} 已由双方签署，取代本合同。本合同未完成的测试已取消；此后的测试、文件、验收和期限"
             "都在补充协议上办理。本合同的签署文件、证据和日志仍可查阅。",
             "Both sides have signed amendment {successor}, which takes the place of this contract. What was still "
             "ordered here is cancelled; tests, papers, acceptance and deadlines go on there. What was signed, the "
             "evidence and the journal stay here to be read."),
        also=(Role.ENGINEER,),
    ),
    "remedy_proposed": _letter(
        BOTH, Text("有一项处理办法待答复", "a remedy waits for an answer"),
        Text("{who}就条款 {about}提出：{what}。\n理由：{reason}\n另一方同意后生效，可以同意或不同意。",
             "{who} offers for clause {about}: {what}.\nReason: {reason}\nIt binds once the other side agrees."),
        "contract-remedies",
    ),
    "remedy_agreed": _letter(
        BOTH, Text("处理办法已商定", "a remedy is agreed"),
        Text("{who}同意了条款 {about}的处理办法：{what}。", "{who} agreed to the remedy for clause {about}: {what}."),
        "contract-remedies",
    ),
    "remedy_declined": _letter(
        BOTH, Text("处理办法未获同意", "a remedy is declined"),
        Text("{who}不同意条款 {about}的处理办法：{what}。", "{who} declined the remedy for clause {about}: {what}."),
        "contract-remedies",
    ),
    "remedy_lapsed": _letter(
        BOTH, Text("处理办法因结果改变而失效", "a remedy ended because the result changed"),
        Text("条款 {about}测出了另一个结果，商定的处理办法“{what}”不再有效。仍要的请按新结果重新商定。",
             "Clause {about} shows another result, so the remedy agreed for it ended: {what}. Agree anew on the new "
             "result if it is still meant."),
        "contract-remedies",
    ),
    "remedy_withdrawn": _letter(
        BOTH, Text("处理办法已撤回", "a remedy is taken back"),
        Text("{who}撤回了条款 {about}的处理办法：{what}。", "{who} took back the remedy for clause {about}: {what}."),
        "contract-remedies",
    ),
    "commented": _letter(
        BOTH, Text("有新的评论", "a new comment"),
        Text("{who}对条款“{line}”写了双方可见的评论。", "{who} wrote a comment for both sides on the line “{line}”."),
        "contract-line",
    ),
    "signer_named": _letter(
        (Side.VENDOR,), Text("指定了签署人", "somebody is named to sign"),
        Text("{who}指定由 {reason} 签署本合同。组织管理员请确认其已加入组织、有签署人角色并已登记授权。",
             "{who} names {reason} to sign this contract. An admin sees to it that they are a member, have the "
             "signer's role and a mandate on record."),
        "contract-sign", (Role.ADMIN,),
    ),
}  # fmt: skip
# Moves of which no letter tells, and what tells of them instead.
UNTOLD: Mapping[str, str] = {
    "carry_delivery": "move_sign of the amendment and move_supersede of its parent, in the same moment",
    "carry_tests": "move_sign of the amendment and move_supersede of its parent, in the same moment",
    "carry_acceptance": "move_sign of the amendment and move_supersede of its parent, in the same moment",
}


_UNSAID: Mapping[str, Text] = {"deadline": Text("未约定", "no date is set")}


def _with_effects(body: Text, effects: list[list[str]]) -> Text:
    zh, en = ("\n".join(f"- {effect[place]}" for effect in effects) for place in (0, 1))
    return Text(f"{body.zh}\n\n已接受的价格影响：\n{zh}", f"{body.en}\n\nPrice effects accepted:\n{en}")


def written(letter: Letter, facts: Mapping[str, object], link: str) -> tuple[str, str]:
    """(subject, text) with both languages in one letter, Chinese first."""
    known = {name: facts.get(name) if facts.get(name) not in (None, "") else _UNSAID.get(name, "—") for name in FACTS}
    subject, body = letter.subject.fill(**known), letter.body.fill(**known)
    effects = facts.get("price_effects")
    body = _with_effects(body, effects) if isinstance(effects, list) and effects else body
    # One line, whatever titles and names hold: a header with a break is no letter at all.
    return " ".join(f"{subject.zh} / {subject.en}".split()), f"{body.zh}\n\n{link}\n\n---\n\n{body.en}\n\n{link}\n"
