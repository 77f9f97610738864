"""Which network addresses the server may call: public ones over TLS, others only inside networks the operator names."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from gpucontract.wording import Text

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Cloud metadata services; they answer with credentials, so naming a network around them does not open them.
METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in (
        "169.254.169.254", "169.254.170.2", "169.254.0.23", "100.100.100.200", "168.63.129.16", "192.0.0.192",
        "fd00:ec2::254", "fd20:ce::254",
    )
)  # fmt: skip

# is_global alone calls several of these public: forms that carry an IPv4 address inside an IPv6 one.
EMBEDDED = tuple(
    ipaddress.ip_network(text)
    for text in (
        "::/96",
        "::ffff:0:0/96",
        "::ffff:0:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/32",
        "2002::/16",
    )
)
NEVER_PUBLIC = tuple(
    ipaddress.ip_network(text) for text in ("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "fec0::/10")
)


LONGEST_URL = 300
_WRONG_ADDRESS = Text(
    "采集程序地址“{url}”不对：{reason}；应类似 https://gpu-node-01.example:9443",
    'The agent\'s address "{url}" is wrong: {reason}; it should look like https://gpu-node-01.example:9443',
)
_REASONS = {
    "scheme": Text("必须以 https:// 或 http:// 开头", "it must begin with https:// or http://"),
    "host": Text("缺少主机名", "it names no host"),
    "port": Text("端口必须是 1 到 65535 的数字", "the port must be a number from 1 to 65535"),
    "user": Text("不能包含用户名或密码", "it must hold no user name or password"),
    "path": Text("主机和端口之后不能有内容", "nothing may follow host and port"),
    "long": Text("超过 300 个字符", "it is longer than 300 characters"),
}


class WrongAddress(ValueError):
    """An agent's address that cannot be used; text says why in both languages."""

    def __init__(self, url: str, reason: str) -> None:
        self.text = _WRONG_ADDRESS.fill(url=url[:80], reason=_REASONS[reason])
        super().__init__(self.text.en)


def agent_address(url: str) -> str:
    """The address of an agent as it is kept: scheme, host and port. Raises WrongAddress."""
    url = url.strip()
    if len(url) > LONGEST_URL:
        raise WrongAddress(url, "long")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise WrongAddress(url, "host")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise WrongAddress(url, "port") from None
    wrong = {
        "scheme": parts.scheme not in ("http", "https"),
        "host": not parts.hostname,
        "user": "@" in parts.netloc,
        "port": port == 0,
        "path": bool(parts.path.strip("/") or parts.query or parts.fragment),
    }
    for reason, is_wrong in wrong.items():
        if is_wrong:
            raise WrongAddress(url, reason)
    return f"{parts.scheme}://{parts.netloc}"


def networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """The operator's networks, read from CIDR texts. Raises ValueError naming the wrong one."""
    return tuple(ipaddress.ip_network(text) for text in texts)


def refusal(address: str, allowed: Sequence[Network], *, is_plain: bool) -> str:
    """Why this final address may not be called, or "" when it may. is_plain: no TLS, so only inside named networks."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return f"{address} is not an IP address"
    if ip in METADATA:
        return f"{ip} is a cloud metadata service"
    if any(ip in network for network in EMBEDDED) and not ip.is_loopback:
        return f"{ip} carries another address inside"
    if any(ip in network for network in allowed):
        return ""
    if is_plain:
        return f"{ip} would be called without TLS outside the networks that AGENT_NETWORKS names"
    if not ip.is_global or ip.is_multicast or ip.is_reserved or any(ip in network for network in NEVER_PUBLIC):
        return f"{ip} is not a public address and no network in AGENT_NETWORKS holds it"
    return ""
