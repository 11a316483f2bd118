"""What a text asks: whether it asks for a time, and whether a turn ends in a question."""

import re
import unicodedata

__all__ = ["asks_when", "ends_in_question"]

_ENGLISH_WHEN = re.compile(
    r"\bwhen(?:'s|’s|\s(?:did|do|does|is|was|were|are|am|will|would|can|could|should|shall|has|have|had)\b)"
    r"|(?:^|[.!?;,:\"“]\s?|\b(?:know|remember|recall|tell\sme|sure|wonder|about|exactly|since|until|and|but|or|so)\s)when\b"
    r"|\b(?:what|which)\s(?:exact\s|specific\s|other\s)?(?:dates?|days?|months?|years?|weeks?|weekend|time|season|century)\b"
    r"|\bwhat(?:'s|’s|\s(?:is|was|were))\sthe\s(?:exact\s|specific\s)?(?:date|day|month|year|time)\b"
    r"|\bhow\s(?:long\sago|recently|soon)\b|\bhow\smany\s(?:days|weeks|months|years)\s(?:ago|since|before|after|until|passed|have\spassed)\b",
    re.IGNORECASE | re.ASCII,
)
_CHINESE_WHEN = re.compile(
    r"什么(?:时候|时间|日子)|何时|啥(?:时候?|日子)|几时|多会儿|[哪那几][一]?(?:年|日)(?:的?事|发生|[？?吗呢来]|$)|哪一?(?:天|年|日|周|月|晚)"
    r"|哪一?个(?:月|星期|周末|礼拜|季节|日子)|几(?:月|号)|几点(?!建议|想法|意见|看法|疑问|要求|原因|心得|注意)|(?:星期|周|礼拜)几"
    r"|多久(?:之前|以前|前)|多长时间(?:之前|以前|前)|多少(?:天|年|个月)(?:之前|以前|前)"
    r"|(?:日期|时间|日子)(?:到底)?(?:是|为)(?:什么|啥|哪|几|多少|[？?呢]|$)"
)
_WHOLE_LENGTH = 20_000
_OPENERS = {"]": "[", "】": "【"}
_ENDINGS = "!?！？⁉❓❔.。…~～"
_CLOSERS = "\"'”’」』)）]】》〉}*_` \t\r\n\u3000"
_QUESTION_MARKS = frozenset("?？؟⁇⁈⁉❓❔")
_CAN_ASK = re.compile(f"[{''.join(sorted(_QUESTION_MARKS))}吗呢]")
_EMOTICON = re.compile(r"(?:^|\s)[:;=][-^']?[)(DPpOo3|/\\]+$", re.ASCII)
_SENTENCE_ENDS = frozenset("。！？!?…\n；;，,")
_ASKING = re.compile(r"什么|谁|哪|怎|几|多少|为何|如何|何|咋|啥|多[大久长远高]|要不要|是不是|有没有|会不会|能不能")
_STILL_GOING = re.compile(r"[在正还没]|可|才")
_SHORT_FOLLOW_UP = 8
_SENTENCE_REACH = 60


def asks_when(text: str) -> bool:
    """Whether the text asks for a time: when, what date, which day, how long ago, 什么时候, 哪天, 几号, 何时."""
    asked = text[:_WHOLE_LENGTH]
    return bool(_ENGLISH_WHEN.search(asked) or _CHINESE_WHEN.search(asked))


def ends_in_question(text: str) -> bool:
    """Whether the last sentence is a question: a question mark, or 吗 or 呢 at its end.

    Skipped behind it: notes in square brackets, emoji, quotation marks, closing brackets. 呢 asks only in a short
    follow-up (你呢) or beside a question word; "我还在忙呢。" tells something.
    """
    if not _CAN_ASK.search(text):  # most texts hold nothing of the kind
        return False
    end = _content_end(text)
    marks = end
    while marks > 0 and (
        text[marks - 1] in _ENDINGS or text[marks - 1] in _CLOSERS or text[marks - 1] in _QUESTION_MARKS
    ):
        if text[marks - 1] in _QUESTION_MARKS:
            return True
        marks -= 1
    last = text[marks - 1 : marks]
    return last == "吗" or (last == "呢" and _ne_asks(text, marks))


def _ne_asks(text: str, end: int) -> bool:
    begin = end - 1
    while begin > 0 and end - begin <= _SENTENCE_REACH and text[begin - 1] not in _SENTENCE_ENDS:
        begin -= 1
    sentence = text[begin:end]
    if _ASKING.search(sentence):
        return True
    return len(sentence) <= _SHORT_FOLLOW_UP and not _STILL_GOING.search(sentence)


def _content_end(text: str) -> int:
    """Where the text ends when what is only decoration behind its last sentence is left out."""
    end = len(text)
    openers = dict(_OPENERS)
    while end > 0:
        last = text[end - 1]
        if last in openers:
            begin = text.rfind(openers[last], 0, end)
            if begin >= 0:
                end = begin
                continue
            del openers[last]
        if last in _CLOSERS or unicodedata.category(last) in {"So", "Sk", "Cf", "Mn", "Me", "Cs", "Co"}:
            if last in _QUESTION_MARKS:
                break
            emoticon = _EMOTICON.search(text, max(0, end - 5), end)
            end = emoticon.start() if emoticon else end - 1
            continue
        emoticon = _EMOTICON.search(text, max(0, end - 5), end)
        if not emoticon or emoticon.start() == 0:
            break
        end = emoticon.start()
    return end
