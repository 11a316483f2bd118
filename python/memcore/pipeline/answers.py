"""What an answer looks like: whether a text has names, titles or numbers, and which of them a query asks for.

The type of the expected answer is an old help of question answering (Li & Roth 2002). It is told by the question word
alone here, in English and in Chinese: *who*, *where*, *which* and 哪 ask for a name, *what is it called* and 书名 for a
title, *how many* and 电话 for a number. A dialogue asks for nothing in particular.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from memcore.pipeline.dialogue import last_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

__all__ = ["answering", "what_it_holds"]

A_NAME, MORE_NAMES, A_TITLE, A_NUMBER = 1, 2, 4, 8
"""The bits of what a text holds."""

_NAME = re.compile(r"(?<=[a-z,;:'’] )[A-Z][a-z]{2,}")
_TITLE = re.compile(r'《[^》]+》|「[^」]+」|"[A-Z][^"]{2,60}"|“[A-Z][^”]{2,60}”')
_OPENING = ("《", "「", '"', "“")
_NUMBER = re.compile(r"\d")
_ASKS_WHICH = re.compile(
    r"\bnames?\b|\bcalled\b|\btitles?\b|\bwhich\b|\bwho\b|\bwhose\b|\bwhere\b"
    r"|谁|名字|叫什么|哪[本部首家个座里位些]|书名|哪儿|什么(?:书|电影|歌|游戏|小说|音乐)",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(r"\bwhat\b|什么", re.IGNORECASE)
_ASKS_HOW_MANY = re.compile(
    r"\bhow\s(?:many|much|long|old|often|far|tall|big|fast)\b|\bwhat\s(?:time|number|age|year)\b"
    r"|多少|几[个次年月天岁块元点名位家本只条]|多久|多大|多长|号码|电话",
    re.IGNORECASE,
)
_LONGEST_QUESTION = 2_000


def what_it_holds(text: str) -> int:
    """The bits of what a text holds: names (Latin words with a capital inside a sentence), titles in quotes, digits."""
    held = 0
    if not text.islower():
        names = sum(1 for _ in islice(_NAME.finditer(text), 2))
        held = (0, A_NAME, A_NAME | MORE_NAMES)[names]
    if any(mark in text for mark in _OPENING) and _TITLE.search(text):
        held |= A_TITLE
    return held | A_NUMBER if _NUMBER.search(text) else held


def answering(query: str, holds: NDArray[np.uint8]) -> Scores:
    """How far each text, shape (n,), holds what the query asks for, 0 to 1; one name is half of an answer."""
    found = np.zeros(len(holds))
    asked = query[:_LONGEST_QUESTION]
    if last_line(asked) is not None:
        return found
    which = _ASKS_WHICH.search(asked) is not None
    if which or _ASKS_WHAT.search(asked):
        found = 0.5 * ((holds & A_NAME) > 0) + 0.5 * ((holds & MORE_NAMES) > 0)
    if which:
        found = np.maximum(found, (holds & A_TITLE) > 0)
    if _ASKS_HOW_MANY.search(asked):
        found = np.maximum(found, (holds & A_NUMBER) > 0)
    return found
