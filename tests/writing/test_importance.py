"""The importance of a text whose caller gives none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.writing.importance import ordinary_importance
from memcore.writing.small_talk import is_small_talk


@pytest.mark.parametrize("text", ["Ana likes fado.", "我喜欢喝酒", "用户的时区是上海", "一起吃饭吧", "She may come."])
def test_an_ordinary_text_is_at_five(text):
    assert ordinary_importance(text, has_entity=False) == 5.0


@pytest.mark.parametrize(
    "text",
    ["Rent is 900 euros.", "She was born in May.", "They meet on Monday.", "周三见面", "住在二楼三号", "２千元"],
)
def test_a_number_or_a_date_adds_one(text):
    assert ordinary_importance(text, has_entity=False) == 6.0


def test_several_reasons_add_one_together():
    assert ordinary_importance("On 8 May 2026", has_entity=True) == 6.0


@pytest.mark.parametrize("text", ["hi", "Thanks!!", "What's up?", "好的，谢谢", "早上好！你吃了吗", "👍", "哈哈哈哈"])
def test_small_talk_takes_two_away(text):
    assert ordinary_importance(text, has_entity=False) == 3.0


@pytest.mark.parametrize("text", ["I am good at chess", "行动是对的", "GB/s", "时区", "thanks for the fish"])
def test_a_short_text_with_a_content_word_is_no_small_talk(text):
    assert not is_small_talk(text)


@given(st.text(), st.booleans())
def test_it_stays_within_bounds_whatever_the_text(text, has_entity):
    assert 0.0 <= ordinary_importance(text, has_entity=has_entity) <= 10.0
