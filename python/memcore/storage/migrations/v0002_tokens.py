"""Schema version 2, word for word: token streams in which the day of a memory is a term of its own. Never edited.

In version 1 the day and the month were bare numbers, which a question about "room 8" found too. The streams say which
calendar day was meant when the text was stored, which the moment in UTC does not; so they are rewritten, not made anew.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["apply", "with_day_terms"]

_BATCH = 1_000
_ENGLISH = re.compile(
    r"(?<![^ ])([0-9]{1,2}) ((?:januari|februari|march|april|may|june|juli|august|septemb|octob|novemb|decemb)"
    r" [0-9]{1,4} (?:mon|tues|wednes|thurs|fri|satur|sun)day)(?![^ ])"
)
_CHINESE = re.compile(
    r"(?<![^ ])([0-9]{1,4}) \1年 ([0-9]{1,2}) \2月 ([0-9]{1,2}) \3日 \2 \2月 \3 \3日(?= 星期[一二三四五六日](?![^ ]))"
)


def apply(conn: Connection) -> None:
    """Rewrite every stored stream."""
    last = 0
    while rows := conn.exec_driver_sql(
        "SELECT id, tokens FROM memory WHERE id > ? AND tokens IS NOT NULL ORDER BY id LIMIT ?", (last, _BATCH)
    ).all():
        last = rows[-1][0]
        changed = [(new, id_) for id_, tokens in rows if (new := with_day_terms(tokens)) != tokens]
        if changed:
            conn.exec_driver_sql("UPDATE memory SET tokens = ? WHERE id = ?", changed)


def with_day_terms(tokens: str) -> str:
    """The stream with the first date in it, which is the memory's own, in the terms of version 2.

    >>> with_day_terms("ana 8 may 2023 monday room 8")
    'ana ---08 may 2023 monday room 8'
    """
    english, chinese = _ENGLISH.search(tokens), _CHINESE.search(tokens)
    if english and not (chinese and chinese.start() < english.start()):
        day, rest = english.groups()
        return f"{tokens[: english.start()]}---{int(day):02} {rest}{tokens[english.end() :]}"
    if chinese:
        year, month, day = chinese.groups()
        date = f"--{int(month):02} {month}月 ---{int(day):02} {day}日"
        return f"{tokens[: chinese.start()]}{year} {year}年 {date} {date}{tokens[chinese.end() :]}"
    return tokens
