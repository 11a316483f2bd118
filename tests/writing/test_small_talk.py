"""What is small talk, and what only looks like it."""

import pytest

from memcore.writing.small_talk import is_small_talk


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
        *("I'm fine, thanks", "I'm good!", "Nice!", "Ty", "ty!", "It's OK", "That's nice", "Nice to see you", "I'm ok"),
        *("yep", "cool", "no problem", "What's up?", "How are you?", "👍", "🎉🎉", "thank you very much"),
        *(
            "Got it",
            "got it, thanks!",
            "Sounds good.",
            "I see",
            "See you",
            "of course",
            "Makes sense!",
            "How are you doing",
        ),
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
        *("是我的", "我的", "是你的。", "是的，我是"),
        *("Hi, I'm Ty", "I’m Ty.", "hi, i'm ty", "I am Bravo", "I'm at Nice", "in Nice", "This is Ty", "From Nice!"),
        *("It was mine", "He is with her", "I was there before", "I have it", "He was here again", "that's it"),
        "thank you " * 9,
    ],
)
def test_an_answer_a_number_a_denial_or_a_word_with_content_is_not(text):
    assert not is_small_talk(text)
