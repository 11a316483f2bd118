"""Small talk: short texts that say nothing to remember, in English and Chinese."""

import re
import unicodedata

from memcore.writing.words import STOP_WORDS

__all__ = ["is_small_talk"]

_LONGEST_SMALL_TALK = 24
_SAID = frozenset(
    """
    ah alright aww bye bravo cheers cool cu evening fine good goodbye goodnight great gotcha haha hahaha hahahaha hehe
    hello hey hi hiya hm hmm hmmm howdy k kk lmao lol lovely morning nice night ok okay okey okie oh ooh perfect
    please pls plz rofl sorry sure thank thanks thankyou thx ty u uh uhm um umm ur welcome well what's wow xd ya yay
    yea yeah yep yes yo youre yup again day see it's that's you're i'm lot lots bunch
    """.split()  # noqa: SIM905 (a word list reads better as a text)
)
_BESIDE = frozenset("again bunch day i'm it's lot lots see that's u ur well yo you're youre".split())  # noqa: SIM905
"""Words of small talk that make none by themselves: "it was mine again" says something."""
_PHRASES = (
    "got it", "got you", "how are you", "how are you doing", "how r u", "i see", "makes sense", "never mind",
    "nevermind", "no prob", "no problem", "no problems", "no worries", "not at all", "not bad", "np", "of course",
    "see u", "see ya", "see you", "sounds good", "what's up",
)  # fmt: skip
_PHRASE = re.compile(rf"\b(?:{'|'.join(sorted(_PHRASES, key=len, reverse=True))})\b")
_STATES = frozenset(
    """
    again alright cool day evening fine good goodnight great haha here k lovely lot lots morning night ok okay okey okie
    perfect please sorry sure thanks well
    """.split()  # noqa: SIM905
)
"""Words of small talk that say how somebody is, or when: after "I'm", or in capitals, they are no names."""
_BEFORE_NAMES = frozenset(("i'm", "im", "am", "at", "in", "from"))
_CHINESE = re.compile(
    "(?:早上好|上午好|中午好|下午好|晚上好|你好|您好|大家好|再见|拜拜|晚安|早安|谢谢|多谢|感谢|谢啦|谢了|不客气|没关系|没事|对不起|"
    "不好意思|辛苦了|好的|好吧|好啊|好呀|好哒|好滴|好嘞|收到|明白了|明白|知道了|了解|可以|行吧|嗯嗯|哈哈|呵呵|嘿嘿|嘻嘻|在吗|在不在|是的|"
    "是啊|对的|对啊|没问题|没错|吃了吗|太好了|太棒了|真棒|不错|厉害|加油|ok|okay|"
    "[你您我早好嗯哦噢喔啊呀吧啦呢吗哈嗨嘿喂哎唉行对是了的])+"
)
_HAN_BESIDE = frozenset("你您我是的了")
"""Characters of Chinese small talk that make none by themselves: 是我的 says something."""
_NOT_WORDS = re.compile(r"[^\w']+|_+")


def is_small_talk(content: str) -> bool:
    """Whether `content` is short and holds nothing but greetings, thanks, assent and words without content.

    Emoji by themselves are small talk too. A word without content by itself is not, nor are marks, a digit, a letter
    or a denial: they may be an answer.
    """
    if len(content) > _LONGEST_SMALL_TALK:
        return False
    plain = unicodedata.normalize("NFKC", content).casefold().replace("’", "'")
    words = _NOT_WORDS.sub(" ", plain).split()
    if _names_somebody(content, words):
        return False
    if not words:
        return any(unicodedata.category(character) == "So" for character in plain)
    words = _PHRASE.sub("ok", " ".join(words)).split()
    social = [word in _SAID or _is_chinese_small_talk(word) for word in words]
    if len(words) == 1:
        return social[0] and (len(plain.strip()) > 1 or words[0] == "k" or not words[0].isascii())
    if not any(said and word not in _BESIDE for said, word in zip(social, words, strict=True)):
        return False
    return all(said or word in STOP_WORDS for said, word in zip(social, words, strict=True))


def _is_chinese_small_talk(word: str) -> bool:
    return _CHINESE.fullmatch(word) is not None and (word == "是的" or not _HAN_BESIDE.issuperset(word))


def _names_somebody(content: str, words: list[str]) -> bool:
    """Whether a word of small talk stands where a name does: "I'm Ty", "I'm at Nice"."""
    written = _NOT_WORDS.sub(" ", unicodedata.normalize("NFKC", content).replace("’", "'")).split()
    return any(
        word in _SAID
        and word not in _STATES | STOP_WORDS
        and (before in _BEFORE_NAMES or (before in STOP_WORDS and as_written.istitle()))
        for before, word, as_written in zip(words, words[1:], written[1:], strict=False)
    )
