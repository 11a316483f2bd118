"""How important a memory is when nobody says: a rule that needs no model."""

import re
import unicodedata

__all__ = ["has_date", "has_number", "is_small_talk", "ordinary_importance"]

ORDINARY = 5.0
SPECIFIC = 1.0
SMALL_TALK = 2.0

_LONGEST_SMALL_TALK = 24
_ENGLISH_SMALL_TALK = frozenset(
    """
    a again ah all alright and are bye cheers cool day do evening fine good goodbye great haha hahaha hello hey hi
    hm hmm how i is it kk lol lovely morning much nice night no nope np of ok okay oh please see so sorry sure thank
    thanks that the there thx too u up very welcome well what whats what's wow yeah yep yes yo you you're your youre
    """.split()  # noqa: SIM905 (a word list reads better as a text)
)
_CHINESE_SMALL_TALK = re.compile(
    "(?:早上好|上午好|中午好|下午好|晚上好|你好|您好|大家好|再见|拜拜|晚安|早安|谢谢|多谢|感谢|不客气|没关系|没事|对不起|不好意思|辛苦了|"
    "好的|好吧|好啊|好呀|好哒|收到|明白了|知道了|可以|行吧|嗯嗯|哈哈|呵呵|嘿嘿|嘻嘻|在吗|在不在|是的|是啊|对的|对啊|没问题|吃了吗|"
    "[你您我早好嗯哦噢喔啊呀吧啦呢吗哈嗨嘿喂哎唉行对是了的])+"
)
_NOT_WORDS = re.compile(r"[^\w']+|_+")

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_DATE = re.compile(
    rf"\b(?:{_MONTHS})\b|\b(?i:{_WEEKDAYS}|today|tonight|yesterday|tomorrow)\b"
    r"|[今昨明前后][天日晚早年]|(?:周|星期|礼拜)[一二三四五六日天末]|[上下本这][周月]|去年|[一二三四五六七八九十]+月"
)
_CHINESE_NUMBER = re.compile(
    r"[零一二两三四五六七八九十百千万亿]{2,}|[二两三四五六七八九十百千万][年日号点天岁元块个次人位公只本台]"
)


def has_number(content: str) -> bool:
    """Whether a number is written in `content`, in digits or in Chinese numerals."""
    return any(character.isdecimal() for character in content) or bool(_CHINESE_NUMBER.search(content))


def has_date(content: str) -> bool:
    """Whether `content` names a month, a weekday or a day seen from today, in English or Chinese."""
    return bool(_DATE.search(content))


def is_small_talk(content: str) -> bool:
    """Whether `content` is short and holds nothing but greetings, thanks, assent and the like, in English or Chinese.

    A text without any word, such as an emoji, is small talk too.
    """
    if len(content) > _LONGEST_SMALL_TALK:
        return False
    plain = unicodedata.normalize("NFKC", content).casefold().replace("’", "'")
    words = _NOT_WORDS.sub(" ", plain).split()
    return all(word in _ENGLISH_SMALL_TALK or _CHINESE_SMALL_TALK.fullmatch(word) for word in words)


def ordinary_importance(content: str, has_entity: bool) -> float:
    """The importance, from 0 to 10, of a text whose caller gives none.

    5, + 1 where it has a declared entity, a number or a date, − 2 where it is small talk.
    """
    specific = has_entity or has_number(content) or has_date(content)
    return ORDINARY + SPECIFIC * specific - SMALL_TALK * is_small_talk(content)
