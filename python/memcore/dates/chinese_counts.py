"""Chinese numbers that count units of time: 3, 二十五, 一百二十, 三四, 二三十, 3到4, 2.5, 一个半, 十几, 半, 几."""

import re

from memcore.dates.chinese import number_of
from memcore.dates.counts import Count

__all__ = ["COUNT", "NO_NUMBER_BEFORE", "count_of"]

_DIGIT = "一二两三四五六七八九"
_NUMERAL = "零〇一二两三四五六七八九十廿百"
_ONE_NUMBER = rf"(?:[0-9]{{1,3}}(?:\.[0-9]{{1,2}})?|[{_DIGIT}十]点[{_DIGIT}]|[{_NUMERAL}]{{1,7}})"
_JOIN = r"\s?(?:到|至|或者?|或是|、|-|–|—|~|～)\s?"
_UNIT = r"(?:天|日|周|星期|礼拜|月|年)"
COUNT = (
    rf"(?P<number>好?几十|十几|[{_DIGIT}]十几|半|好?几"
    rf"|{_ONE_NUMBER}(?:\s?个?{_UNIT}?{_JOIN}{_ONE_NUMBER})?(?:[多来余](?=\s?(?:{_UNIT}|个)))?(?:个半(?=[月星礼周季]))?)"
)
"""A count, in the group `number`; 个 and the unit follow it."""
NO_NUMBER_BEFORE = rf"(?<![第点几周期拜千万亿0-9{_NUMERAL}])(?<![0-9{_NUMERAL}][.,/:~～、到至或–—-])"
"""Nothing before the number that could belong to it."""
_IDIOMS = {"三五": Count(3, 5), "三两": Count(2, 3)}
_PARTS = re.compile(rf"(?P<first>{_ONE_NUMBER})\s?个?{_UNIT}?{_JOIN}(?P<last>{_ONE_NUMBER})")
_BELOW_HUNDRED = re.compile(rf"(?P<tens>[{_DIGIT}]{{0,2}})十(?P<ones>[{_DIGIT}]{{0,2}})")
_DECIMAL = re.compile(rf"(?P<units>[{_DIGIT}十])点(?P<tenths>[{_DIGIT}])")
_DIGIT_BY_DIGIT = re.compile(rf"[{_DIGIT}零〇]|廿[{_DIGIT}]?|[{_DIGIT}][{_DIGIT}零〇]?〇")
_HUNDREDS = re.compile(rf"(?P<hundreds>[{_DIGIT}]{{1,2}})百(?P<rest>.*)")


def count_of(text: str) -> Count | None:
    """The count that the words say; None for 几, a few.

    Two neighbouring digits are the one to the other: 三四 is 3 to 4, 二三十 is 20 to 30. 多 behind a round number
    goes up to the next round one.

    Raises:
        ValueError: The characters are no number.
    """
    text = text.replace(" ", "")
    if text in {"几", "好几"}:
        return None
    if text == "半":
        return Count(0.5, 0.5)
    if text.endswith("几十"):
        return Count(20, 90)
    if text.endswith("几"):
        tens = number_of(text[:-1])
        return Count(tens + 1, tens + 9)
    plain = text.removesuffix("个半").rstrip("多来余")
    parts = _PARTS.fullmatch(plain)
    count = _one(parts["first"]).to(_one(parts["last"])) if parts else _one(plain)
    if text.endswith("个半"):
        return Count(count.least + 0.5, count.most + 0.5)
    return Count(count.least, count.most + _beyond(count.most)) if text != plain else count


def _beyond(number: float) -> int:
    """How far 多 reaches: 十多 to 19, 一百多 to 199."""
    return next((step - 1 for step in (100, 10) if number >= step and number % step == 0), 1)


def _one(text: str) -> Count:
    if text[0].isascii():
        return Count(float(text), float(text))
    if match := _DECIMAL.fullmatch(text):
        amount = number_of(match["units"]) + number_of(match["tenths"]) / 10
        return Count(amount, amount)
    if match := _HUNDREDS.fullmatch(text):
        return _hundreds(match["hundreds"], match["rest"])
    return _below_hundred(text)


def _hundreds(digits: str, rest: str) -> Count:
    """一百二 is 120, 一百零二 is 102, 两三百 is 200 to 300."""
    hundreds = _digits(digits)
    if hundreds.least != hundreds.most and rest:
        raise ValueError(rest)
    below = Count(0, 0)
    if rest.startswith(("零", "〇")):
        below = _digits(rest[1:])
    elif len(rest) == 1 and rest in _DIGIT:
        below = Count(10 * number_of(rest), 10 * number_of(rest))
    elif rest:
        below = _below_hundred(rest)
    return Count(100 * hundreds.least + below.least, 100 * hundreds.most + below.most)


def _below_hundred(text: str) -> Count:
    match = _BELOW_HUNDRED.fullmatch(text)
    if match is None:
        return _digits(text)
    tens, ones = (_digits(match["tens"]) if match["tens"] else Count(1, 1)), Count(0, 0)
    if match["ones"]:
        ones = _digits(match["ones"])
        if tens.least != tens.most:
            raise ValueError(text)
    return Count(10 * tens.least + ones.least, 10 * tens.most + ones.most)


def _digits(text: str) -> Count:
    """One digit, two that name a range, or a number read digit by digit (二〇) or with 廿."""
    if text in _IDIOMS:
        return _IDIOMS[text]
    if len(text) == 2 and all(character in _DIGIT for character in text):
        least, most = number_of(text[0]), number_of(text[1])
        if most != least + 1:
            raise ValueError(text)
        return Count(least, most)
    if _DIGIT_BY_DIGIT.fullmatch(text):
        number = number_of(text)
        return Count(number, number)
    raise ValueError(text)
