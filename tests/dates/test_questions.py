"""Whether a text asks for a time, and whether a turn ends in a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.dates import asks_when, ends_in_question

ASKS_WHEN = [
    "When did Ana move?",
    "when's the deadline",
    "Do you remember when we met?",
    "What date was the exam?",
    "On which day did she call?",
    "What is the specific date of that day?",
    "In what year did he start?",
    "How long ago was the trip?",
    "What time does the train leave?",
    "How many days ago did it rain?",
    "我什么时候去的博物馆？",
    "你哪天有空",
    "会议是几号？",
    "他何时出发",
    "火车几点开",
    "星期几开会？",
    "那一天的具体日期是？",
    "她啥时候回来",
    "多久以前搬家的",
    "活动的时间是什么",
]
ASKS_SOMETHING_ELSE = [
    "",
    "Where does Ana live?",
    "What did she say when she arrived?",
    "What happened on 8 May?",
    "How long is the bridge?",
    "Whenever you like.",
    "我有时候会忘记",
    "你有什么想法？",
    "给我几点建议",
    "在4月27日你推荐了什么？",
    "多久去一次健身房",
]


@pytest.mark.parametrize("text", ASKS_WHEN)
def test_a_query_for_a_time_is_seen(text: str) -> None:
    assert asks_when(text)


@pytest.mark.parametrize("text", ASKS_SOMETHING_ELSE)
def test_a_query_for_anything_else_asks_for_no_time(text: str) -> None:
    assert not asks_when(text)


QUESTIONS = [
    "How are you?",
    "I moved. Where do you live now?",
    "Really?!",
    "Really?...",
    "Did you like it? 😊",
    "Did you like it? :)",
    "What is this? [image: a photo of a dog]",
    "你看这个？【图片】",
    'She asked "why?"',
    "(Do you mean me?)",
    "你今天去哪里了？",
    "你喜欢这本书吗",
    "你吃饭了吗。",
    "我在看书，你呢",
    "你在做什么呢。",
    "好玩吗～😄",
]
STATEMENTS = [
    "",
    "   ",
    "[image: where?]",
    "How are you? I am fine.",
    "Why not? I did it. [image: a question mark?]",
    "I like it :)",
    "我还在加班呢。",
    "她正在睡觉呢！",
    "我搬到上海了。",
    "你去哪里了？我找了你好久。",
    "?? is an operator",
]


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_turn_whose_last_sentence_asks_ends_in_a_question(text: str) -> None:
    assert ends_in_question(text)


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_turn_whose_last_sentence_tells_does_not(text: str) -> None:
    assert not ends_in_question(text)


@given(st.one_of(st.text(), st.text(alphabet='?？呢吗[]【】()）:;)-😀 ."\n', max_size=30)))
def test_no_text_raises(text: str) -> None:
    assert ends_in_question(text) in {True, False}
    assert asks_when(text) in {True, False}


@given(st.text(alphabet="abc 你好", min_size=1), st.sampled_from(["", " ", "😊", '"', "）", " [image: x.]", "!"]))
def test_decoration_behind_a_question_changes_nothing(words: str, decoration: str) -> None:
    assert ends_in_question(f"{words}?{decoration}")


@pytest.mark.parametrize("unit", ["]", "[x]", "?", ")", "😀", "呢", "a"])
def test_a_turn_of_a_hundred_thousand_characters_is_read(unit: str) -> None:
    text = "Is it so? " + unit * (100_000 // len(unit))
    assert ends_in_question(text) == (unit not in {"呢", "a"})
