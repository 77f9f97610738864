"""Which final addresses may be called, with and without named networks, with and without TLS."""

import pytest

from gpucontract.measurements.addresses import WrongAddress, agent_address, networks, refusal

PUBLIC = ["8.8.8.8", "2606:4700::1111", "93.184.216.34"]
INSIDE = ["10.1.2.3", "172.16.0.9", "192.168.1.1", "fd12:3456::1", "127.0.0.1", "::1", "100.64.7.7"]
NEVER = {
    "link local": "169.254.1.1",
    "link local six": "fe80::1%eth0",
    "unspecified": "0.0.0.0",
    "unspecified six": "::",
    "multicast": "224.0.0.1",
    "multicast six": "ff02::1",
    "broadcast": "255.255.255.255",
    "reserved": "240.0.0.1",
    "documentation": "192.0.2.1",
    "benchmarking": "198.18.0.1",
    "site local": "fec0::1",
    "protocol assignments": "192.0.0.8",
    "six to four relay": "192.88.99.1",
    "no address": "localhost",
}
CARRIERS = {
    "mapped loopback": "::ffff:127.0.0.1",
    "mapped public": "::ffff:8.8.8.8",
    "NAT64 metadata": "64:ff9b::a9fe:a9fe",
    "local NAT64": "64:ff9b:1::7f00:1",
    "6to4 loopback": "2002:7f00:1::",
    "Teredo": "2001:0:53aa:64c::1",
    "compatible": "::7f00:2",
    "translated": "::ffff:0:127.0.0.1",
}
METADATA = {
    "most clouds": "169.254.169.254",
    "container credentials": "169.254.170.2",
    "Alibaba": "100.100.100.200",
    "Azure": "168.63.129.16",
    "Oracle": "192.0.0.192",
    "AWS six": "fd00:ec2::254",
}


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_called_over_tls_only(address):
    assert refusal(address, (), is_plain=False) == ""
    assert "without TLS" in refusal(address, (), is_plain=True)


@pytest.mark.parametrize("address", INSIDE)
def test_an_inside_address_is_called_exactly_when_its_network_is_named(address):
    own = networks([address])
    assert refusal(address, (), is_plain=False)
    assert refusal(address, networks(["203.0.113.0/24"]), is_plain=False)
    assert refusal(address, own, is_plain=False) == ""
    assert refusal(address, own, is_plain=True) == ""


@pytest.mark.parametrize("address", [*NEVER.values(), *CARRIERS.values()], ids=[*NEVER, *CARRIERS])
def test_no_odd_address_is_called_by_default(address):
    assert refusal(address, (), is_plain=False)
    assert refusal(address, (), is_plain=True)


@pytest.mark.parametrize("address", CARRIERS.values(), ids=CARRIERS)
def test_naming_the_world_does_not_open_addresses_that_carry_another(address):
    assert "inside" in refusal(address, networks(["0.0.0.0/0", "::/0"]), is_plain=False)


@pytest.mark.parametrize("address", METADATA.values(), ids=METADATA)
def test_naming_the_network_does_not_open_metadata(address):
    assert "metadata" in refusal(address, networks(["0.0.0.0/0", "::/0"]), is_plain=False)


def test_a_wrong_network_is_named():
    with pytest.raises(ValueError, match=r"10\.0\.0\.1/8"):
        networks(["10.0.0.1/8"])


GOOD = {
    "https://gpu-node-01.example:9443": "https://gpu-node-01.example:9443",
    " http://127.0.0.1:9101/ ": "http://127.0.0.1:9101",
    "https://[2606:4700::1111]": "https://[2606:4700::1111]",
}
WRONG = {
    "no scheme": ("gpu-node-01:9443", "begin with"),
    "a file": ("file:///etc/passwd", "begin with"),
    "no host": ("https://", "no host"),
    "a blank": ("https://a b", "no host"),
    "a line break": ("https://a\nb", "no host"),
    "credentials": ("https://root:pw@a.example", "user name"),
    "a path": ("https://a.example/admin", "nothing may follow"),
    "a query": ("https://a.example?x=1", "nothing may follow"),
    "a port too high": ("https://a.example:70000", "port must be"),
    "a port of zero": ("https://a.example:0", "port must be"),
    "a port of letters": ("https://a.example:ssh", "port must be"),
    "too long": ("https://" + "a" * 300, "300"),
}


@pytest.mark.parametrize(("url", "kept"), GOOD.items())
def test_a_good_agent_address_is_kept_as_scheme_host_and_port(url, kept):
    assert agent_address(url) == kept


@pytest.mark.parametrize(("url", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_agent_address_is_refused_with_its_reason(url, said):
    with pytest.raises(WrongAddress) as caught:
        agent_address(url)
    assert said in caught.value.text.en and caught.value.text.zh != caught.value.text.en
