"""Every way in which an exchange with an agent can fail: stable code, sentence, and how often it is tried again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from gpucontract.wording import Text

TRANSPORT_TRIES = 8
REFUSAL_TRIES = 3
FIRST_WAIT = timedelta(seconds=5)
LONGEST_WAIT = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Fault:
    """One failed attempt: a code of SENTENCES and the detail that was seen."""

    code: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else self.code


_TRANSPORT: Mapping[str, Text] = {
    "refused": Text(
        "机器拒绝连接：采集程序没有运行，或端口被挡住",
        "The machine refused the connection: the agent is not running, or a firewall blocks the port",
    ),
    "unreachable": Text("网络无法到达该机器", "The network does not reach the machine"),
    "timeout": Text("机器在 10 秒内没有答复", "The machine did not answer within 10 seconds"),
    "name_unknown": Text("采集程序地址中的主机名无法解析", "The host name in the agent's address cannot be resolved"),
    "disconnected": Text("机器在答复中途断开连接", "The machine broke off the connection in the middle of its answer"),
    "tls": Text("TLS 连接失败：检查证书", "The TLS connection failed: check the certificate"),
    "busy": Text("采集程序暂时无法接受该测试", "The agent cannot take the job at the moment"),
    "stale_order": Text(
        "采集程序认为指令已过期或已用过，将用新的一次性编号重发",
        "The agent held the order for old or used; it is sent again with a fresh one-time number",
    ),
    "agent_failed": Text(
        "采集程序内部出错：查看该机器上的日志", "The agent failed inside: look at its log on the machine"
    ),
    "no_agent": Text("采集程序刚被撤销：请重新登记", "The agent has just been revoked: enrol another one"),
    "hosts_unknown": Text(
        "多机测试还不知道每台机器的主机名：先完成各机的清单测试",
        "The host name of some machine is not known yet: let each machine's inventory finish first",
    ),
    "wrong_key": Text(
        "服务器无法解密该采集程序的密钥：EVIDENCE_KEY 已改变，请重新登记",
        "The server cannot open this agent's secret: EVIDENCE_KEY has changed, enrol the agent again",
    ),
}

_REFUSED: Mapping[str, Text] = {
    "blocked_address": Text(
        "采集程序地址指向不允许访问的网络，未发出请求",
        "The agent's address points into a network that may not be called; nothing was sent",
    ),
    "wrong_secret": Text(
        "采集程序拒绝了签名：两边的密钥不同，请重新登记",
        "The agent refused the signature: the two secrets differ, enrol it again",
    ),
    "other_agent": Text(
        "该地址上的采集程序属于另一台机器：检查地址",
        "The agent at this address belongs to another machine: check the address",
    ),
    "not_recorded": Text("回放的录制中没有这一测试", "The recording that is replayed does not hold this job"),
    "not_an_agent": Text("该地址上的程序不是采集程序", "What answers at this address is not an agent"),
    "redirected": Text("答复是重定向，未跟随", "The answer was a redirect, which is not followed"),
    "encoded": Text("答复使用了压缩编码，未接受", "The answer came in a content encoding, which is not accepted"),
    "too_large": Text(
        "结果超过 32 MiB 上限，未接受", "The result is larger than the limit of 32 MiB and was not accepted"
    ),
    "bad_signature": Text(
        "结果的签名不对：不是这台机器的采集程序签的，或途中被改",
        "The result's signature is wrong: not signed by this machine's agent, or changed on the way",
    ),
    "replayed": Text(
        "结果带的是旧的一次性编号：这是重放的旧答复",
        "The result carries an old one-time number: an earlier answer was sent again",
    ),
    "wrong_agent": Text("结果由另一个采集程序签名", "The result is signed for another agent"),
    "wrong_node": Text(
        "结果来自另一台机器：如果机器已更换或改名，请重新登记采集程序",
        "The result is from another machine: if the machine was replaced or renamed, enrol its agent again",
    ),
    "wrong_run": Text("结果属于另一次测试运行", "The result belongs to another run"),
    "wrong_job": Text("结果属于另一个测试项", "The result belongs to another job"),
    "wrong_params": Text("测试使用的参数与下达的不同", "The job was run with other parameters than ordered"),
    "wrong_protocol": Text(
        "采集程序的协议版本不同：请更新采集程序", "The agent speaks another protocol version: update it"
    ),
    "unknown_origin": Text("结果的来源标记无法识别", "The result's origin mark is not known"),
    "edited_body": Text(
        "结果内容与签名中的哈希不符：途中被改或被截断",
        "The result does not match the hash that was signed: it was changed or cut on the way",
    ),
    "garbage": Text("结果无法读取：格式不对或不完整", "The result cannot be read: wrong format or incomplete"),
    "secrets_left": Text(
        "结果中仍含有应被抹去的密钥或令牌，未保存：请更新采集程序",
        "The result still holds keys or tokens that should have been taken out; it was not stored: update the agent",
    ),
    "not_storable": Text("数据库无法保存该结果", "The database cannot store the result"),
    "job_refused": Text("采集程序不接受该测试或其参数", "The agent does not accept the job or its parameters"),
    "too_long": Text("测试超过允许的最长时间仍未结束", "The job ran longer than allowed"),
    "cancelled": Text("已由人取消", "Cancelled by a person"),
    "superseded": Text(
        "补充协议接管了这台机器，原合同未完成的测试随之取消：请在补充协议下重新下达",
        "The amendment took the machine over, so what this contract still had ordered was cancelled: order it there",
    ),
    "contract_over": Text(
        "合同已到期或已解除，未完成的测试随之取消",
        "The contract has ended or was terminated, so what was still ordered was cancelled",
    ),
}

SENTENCES: Mapping[str, Text] = {**_TRANSPORT, **_REFUSED}
_FINAL = frozenset({"too_long", "cancelled", "superseded", "contract_over"})


def tries(code: str) -> int:
    """How many attempts may end in this fault before the run counts as failed: transport many, forgeries few."""
    if code in _FINAL:
        return 1
    return TRANSPORT_TRIES if code in _TRANSPORT else REFUSAL_TRIES


def wait(attempts: int) -> timedelta:
    """How long to leave the machine alone after the n-th failed attempt: 5 s, doubling, at most 5 minutes."""
    return min(FIRST_WAIT * (1 << min(attempts - 1, 10)), LONGEST_WAIT)


def sentence(error: str) -> Text | None:
    """The sentence for a run's stored error ('code: detail'), detail in brackets; None when there is no error."""
    code, _, detail = error.partition(": ")
    if not code:
        return None
    text = SENTENCES.get(code, Text(code, code))
    return Text(f"{text.zh}（{detail}）", f"{text.en} ({detail})") if detail else text
