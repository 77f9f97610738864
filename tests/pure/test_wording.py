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
