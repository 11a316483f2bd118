"""English numbers that count units of time: 3, twenty-five, a hundred and ten, 1.5, two and a half, a few."""

import re
from itertools import pairwise

from memcore.dates.counts import Count, whole
from memcore.dates.rules import Words

__all__ = ["JOIN", "NEIGHBOURS", "NUMBER", "START", "count_of", "cut_off", "joined_count", "number_of"]

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"),
    *("sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    **{word: value for value, word in enumerate((*_ONES, *_TEENS), start=1)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
}
_ONE = "|".join(_ONES)
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{_ONE}))?|{'|'.join(_TEENS)}|{_ONE})(?![a-z])"
_HUNDREDS = rf"(?:(?:an?|{_ONE})\s)?hundred(?:\s(?:and\s)?{_BELOW_HUNDRED})?"
_WHOLE = rf"(?:[1-9][0-9]{{0,2}}|0|{_HUNDREDS}|{_BELOW_HUNDRED})"
START = r"(?<![A-Za-z0-9_])(?<![0-9][.,/:-])(?<![A-Za-z]-)"
"""Nothing before the number that could belong to it."""
NUMBER = (
    rf"(?:[0-9]{{1,3}}\.[0-9]{{1,2}}|{_WHOLE}(?:\sand\sa\shalf)?|(?:half\s)?a\sdozen"
    r"|(?:a\s)?half(?:\san?)?|(?:a\s)?couple(?:\sof)?|(?:a\s)?few|several|an?)"
)
JOIN = rf"(?:\s?(?:(?<!ty)-|-(?!(?:{_ONE})(?![a-z]))|–|—)\s?|\s(?:or|to)\s(?:(?:maybe|perhaps|possibly|even)\s)?)"
"""What stands between the two numbers of "3 or 4 days", "3-4 days", "3 to 4 days"."""
NEIGHBOURS = (
    "(?="
    + "|".join(rf"{one}(?:,\s|\sand\s){other}\s" for one, other in (*pairwise(_ONES), *pairwise("123456789")))
    + ")"
)
"""Looks ahead for two neighbouring numbers, as in "three, four days": between others a comma parts two thoughts."""
_PART_OF_MORE = re.compile(
    r"\b(?:hundred|thousand|million|dozen|score|point|half|thirds?|quarters?)\s(?:and\s|of\s)?$", re.IGNORECASE
)
_LONGEST_PART = len(" thousand and ")


def count_of(words: str) -> Count | None:
    """The count that the words say; None for a few and several. "A dozen" is roughly twelve."""
    text = " ".join(words.lower().replace("-", " ").split())
    if text.endswith(" and a half"):
        amount = _value(text.removesuffix(" and a half")) + 0.5
    elif "few" in text or text == "several":
        return None
    elif "dozen" in text:
        return Count(5, 7) if text.startswith("half") else Count(11, 13)
    else:
        amount = 0.5 if "half" in text else 2 if "couple" in text else _value(text)
    return Count(amount, amount)


def joined_count(first: str, last: str | None) -> Count | None:
    """The count that one number or two joined ones say."""
    one, other = count_of(first), count_of(last) if last else None
    return one if one is None or other is None else one.to(other)


def number_of(words: str) -> int | None:
    """The whole number that the words say; None for a few, for fractions and for dozens."""
    return whole(count_of(words))


def cut_off(match: Words) -> bool:
    """Whether the number is the end of a longer one that is not read: "a thousand and five", "half of a"."""
    return _PART_OF_MORE.search(match.string, max(0, match.start() - _LONGEST_PART), match.start()) is not None


def _value(text: str) -> float:
    if text[0].isdecimal():
        return float(text)
    hundreds, found, rest = text.partition("hundred")
    if not found:
        return 1 if text in {"a", "an"} else sum(_VALUES[word] for word in text.split())
    return 100 * (_VALUES.get(hundreds.strip(), 1)) + sum(_VALUES[word] for word in rest.split() if word != "and")
