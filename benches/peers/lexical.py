"""SQLite's FTS5 with bm25(): `porter unicode61`, English stop words out of the query.

unicode61 takes a run of Chinese for one word and finds nothing, so a text with Chinese in it is handed over, and asked
for, in the words and bigrams of `memcore.compute.tokenize`.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

from memcore.compute import query_terms, tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.peers.port import Item, Setting

__all__ = ["STOP_WORDS", "Lexical"]

CHINESE = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"\w+")
ENGLISH = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are
was were be been being have has had having do does did doing a an the and but if or because as until while of
at by for with about against between into through during before after above below to from up down in out on
off over under again further then once here there when where why how all any both each few more most other
some such no nor not only own same so than too very s t can will just don should now d ll m o re ve
"""
STOP_WORDS = frozenset(ENGLISH.split())


def indexed(text: str) -> str:
    return " ".join(tokenize(text)) if CHINESE.search(text) else text


def match_of(question: str) -> str:
    """The query in FTS5's language: any of its words; all of them where each is a stop word."""
    if CHINESE.search(question):
        words = query_terms(question) or tokenize(question)
    else:
        spoken = WORD.findall(question.lower())
        words = [word for word in spoken if word not in STOP_WORDS] or spoken
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(words))


class Lexical:
    """A table a scope, so that a word is as rare as it is in that scope.

    Example:
        >>> from benches.peers.port import Item
        >>> peer = Lexical(None)
        >>> peer.fill("u", [Item(t, t, None, None, None) for t in ("Two dogs barked.", "It rained.")])
        >>> peer.search("u", "Did a dog bark?", 5)
        ['Two dogs barked.']
    """

    def __init__(self, _setting: Setting | None) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._tables: dict[str, str] = {}

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        if scope not in self._tables:
            self._tables[scope] = f"scope_{len(self._tables)}"
            self._database.execute(
                f"CREATE VIRTUAL TABLE {self._tables[scope]}"
                " USING fts5(key UNINDEXED, text, tokenize = 'porter unicode61')"
            )
        rows = [(item.key, indexed(item.text)) for item in items]
        self._database.executemany(f"INSERT INTO {self._tables[scope]} VALUES (?, ?)", rows)

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        asked = match_of(question)
        if not asked:
            return []
        table = self._tables[scope]
        found = self._database.execute(
            f"SELECT key FROM {table} WHERE {table} MATCH ? ORDER BY bm25({table}), rowid LIMIT ?", (asked, limit)
        )
        return [key for (key,) in found]

    def forget(self, scope: str, items: Sequence[Item]) -> None:
        keys = [(item.key,) for item in items]
        self._database.executemany(f"DELETE FROM {self._tables[scope]} WHERE key = ?", keys)

    def close(self) -> None:
        self._database.close()
