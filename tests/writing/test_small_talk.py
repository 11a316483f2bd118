"""What is small talk, what only looks like it, and what a model's thinking aloud leaves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.writing.small_talk import is_small_talk, without_thinking


@pytest.mark.parametrize(
    "text",
    [
        *(
            "hi",
            "Hello!",
            "ok",
            "OK.",
            "k",
            "thanks!",
            "Thank you so much",
            "lol",
            "haha",
            "Good morning!",
            "bye",
            "yes",
        ),
        *("yep", "cool", "no problem", "What's up?", "How are you?", "👍", "🎉🎉", "thank you very much"),
        *(
            "谢谢",
            "谢谢！",
            "好的",
            "好的，谢谢",
            "哈哈",
            "哈哈哈哈",
            "你好",
            "早上好！",
            "嗯",
            "收到",
            "没问题",
            "再见",
            "ＯＫ",
            "OK啦",
        ),
    ],
)
def test_greetings_thanks_assent_and_laughter_are(text):
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        *("OK Corral", "no", "No.", "nope", "5", "42", "A", "b", "A1", "yes, 3 pm", "thanks for the fish", "not now"),
        *("Hi, I am Ana", "I am good at chess", "GB/s", "*", "?", "after", "hers", "never again in Rome", "v2 ok"),
        *("不", "不要", "没有", "周三", "时区", "谢谢你的咖啡", "行动是对的", "三", "我爱你", "好的，周五见", "上海"),
        "thank you " * 9,
    ],
)
def test_an_answer_a_number_a_denial_or_a_word_with_content_is_not(text):
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>Let me see.</think>The answer is 42.", "The answer is 42."),
        ("<THINKING>\na\n\nb\n</THINKING>\n\nDone.", "Done."),
        ("First. <reasoning>why</reasoning> Then.", "First.  Then."),
        ("<think>never closed", ""),
        ("The answer. <think> hmm", "The answer."),
        ("答案是四十二。<think>真的吗", "答案是四十二。"),
        ("plan\nplan\n</think>\n42", "42"),
        ("<think>a</think><think>b</think>", ""),
        ("How do I use the <think> tag?", "How do I use the <think> tag?"),
        ("The tag `<think>` opens, `</think>` closes it.", "The tag `<think>` opens, `</think>` closes it."),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
    ],
)
def test_thinking_aloud_is_cut_and_a_tag_that_is_spoken_of_is_not(text, left):
    assert without_thinking(text) == left


@given(st.text(max_size=80))
def test_cutting_twice_is_cutting_once_and_adds_nothing(text):
    once = without_thinking(text)
    assert without_thinking(once) == once
    assert len(once) <= len(text)
