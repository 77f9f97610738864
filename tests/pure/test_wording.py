"""Text: both halves always, each filled in its own language."""

import pytest

from gpucontract.wording import Text

WELCOME = Text("{who}，合计 {sum}", "{who}, in all {sum}")


def test_it_fills_both_halves():
    assert WELCOME.fill(who="Bing", sum=3) == Text("Bing，合计 3", "Bing, in all 3")


def test_a_text_inside_gives_each_half_its_own_language():
    assert WELCOME.fill(who=Text("甲方", "the buyer"), sum=3) == Text("甲方，合计 3", "the buyer, in all 3")


@pytest.mark.parametrize(("zh", "en"), [("", "yes"), ("是", ""), ("", "")])
def test_it_refuses_a_missing_half(zh, en):
    with pytest.raises(ValueError, match="both languages"):
        Text(zh, en)


@pytest.mark.parametrize(
    ("code", "half"),
    [("zh", "是"), ("zh-hans", "是"), ("zh-cn", "是"), ("en", "yes"), ("en-gb", "yes"), ("fr", "yes")],
)
def test_it_answers_in_the_readers_language(code, half):
    assert Text("是", "yes").in_language(code) == half


def test_a_missing_value_is_an_error_and_not_a_gap():
    with pytest.raises(KeyError):
        WELCOME.fill(who="Bing")


@pytest.mark.parametrize(
    ("value", "zh"),
    [
        (Text("以太网 TCP", "Ethernet"), "通过以太网 TCP 通信"),
        ("RoCE v2", "通过 RoCE v2 通信"),
        ("TCP 网", "通过 TCP 网通信"),
        ("“专线”", "通过“专线”通信"),
        (8, "通过 8 通信"),
    ],
)
def test_no_blank_stands_between_chinese_and_chinese(value, zh):
    assert Text("通过 {value} 通信", "over {value}").fill(value=value).zh == zh


def test_what_people_wrote_keeps_its_own_blanks():
    assert Text("备注：{value} 完", "note: {value}").fill(value="甲 乙").zh == "备注：甲 乙完"
    assert Text("{a} {b}", "{a} {b}").fill(a="数量", b="很多").zh == "数量 很多"


def test_several_things_are_listed_as_each_language_lists_them():
    filled = Text("主机 {hosts} 未连通", "down: {hosts}").fill(hosts=["node-1", Text("二号机", "node-2")])
    assert filled == Text("主机 node-1、二号机未连通", "down: node-1, node-2")
