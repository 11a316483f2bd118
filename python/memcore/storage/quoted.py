"""The traces of searches whose words have the whole text of a memory, of now or of before a change.

Who has a memory removed has its text removed, also from what somebody asked: from the query, from the session and from
the filters, the names and the numbers in them too. Texts are compared without regard to case, width and space, and to
what ends the text of the memory. One pass over the texts and one over the traces find them, however many memories go.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from memcore.names import without_end, words_key
from memcore.storage.encoding import id_list
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from memcore.scope import Partition

__all__ = ["of_memories", "of_user"]

_HEAD = 8
_FEWEST, _FEWEST_BYTES = 2, 3
"""Characters, and bytes, of a text that is looked for within others: "a" and "ok" are in the words of everybody."""
_FOLDED = 18
"""How many characters one may become as a key of words."""
_SIZES = (
    "SELECT agent_id, max(max(length(query), coalesce(length(filters), 0), coalesce(length(session_id), 0)))"
    " FROM search_trace GROUP BY 1"
)
_IDS = "m.id IN (SELECT value FROM json_each(?1))"
_USER = "m.agent_id = ?1 AND m.user_id IS ?2 AND m.id <= ?3"
_SAID = (
    "SELECT m.agent_id, m.content FROM memory AS m WHERE {which}",
    *(
        f"SELECT m.agent_id, json_extract(c.{side}, '$.content') FROM memory AS m JOIN operation_change AS c"
        " ON c.memory_id = m.id WHERE {which} AND c.changed_table = 'memory'"
        f" AND json_valid(c.{side}) AND json_type(c.{side}, '$.content') = 'text'"
        for side in ("before", "after")
    ),
)


@dataclass(slots=True)
class _Texts:
    """Texts to look for. `lengths`: by the first characters of texts, how long those are that begin so."""

    whole: set[str] = field(default_factory=set)
    lengths: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    heads: set[int] = field(default_factory=set)

    def add(self, text: str) -> None:
        """One more, with what ends it and without."""
        self._add(text)
        self._add(without_end(text))

    def _add(self, text: str) -> None:
        """Only as the whole of what was said where it is too short to be told from a part of other words."""
        self.whole.add(text)
        if len(text) >= _FEWEST and len(text.encode("utf-8", "replace")) >= _FEWEST_BYTES:
            head = text[:_HEAD]
            self.lengths[head].add(len(text))
            self.heads.add(len(head))

    def is_in(self, said: str) -> bool:
        """Whether one of them is in what somebody said."""
        if said in self.whole or without_end(said) in self.whole:
            return True
        size, lengths = len(said), self.lengths
        for head in self.heads:
            for start in range(size - head + 1):
                for length in lengths.get(said[start : start + head], ()):
                    if start + length <= size and said[start : start + length] in self.whole:
                        return True
        return False


def of_memories(conn: Connection, memory_ids: Sequence[int]) -> list[int]:
    """The ids of the traces of their agents that quote one of these memories, oldest first."""
    return _quoting(conn, _IDS, (id_list(memory_ids),))


def of_user(conn: Connection, partition: Partition, last_id: int) -> list[int]:
    """The ids of the agent's traces, whoever asked, that quote a memory of a user up to `last_id`; oldest first."""
    return _quoting(conn, _USER, (partition.agent_id, partition.user_id, last_id))


def _quoting(conn: Connection, which: str, given: tuple[Any, ...]) -> list[int]:
    longest = {agent: _FOLDED * length for agent, length in plain_rows(conn, _SIZES)}
    if not longest:
        return []
    texts: dict[str, _Texts] = defaultdict(_Texts)
    for query in _SAID:
        for agent, said in conn.exec_driver_sql(query.format(which=which), given):
            key = words_key(said) if agent in longest else ""
            if key and len(key) <= longest[agent]:
                texts[agent].add(key)
    return sorted(found for agent, of_agent in texts.items() for found in _with(conn, agent, of_agent))


def _with(conn: Connection, agent_id: str, texts: _Texts) -> Iterator[int]:
    rows = conn.exec_driver_sql(
        "SELECT id, query, coalesce(session_id, ''), filters FROM search_trace WHERE agent_id = ?", (agent_id,)
    )
    for trace_id, query, session, filters in rows:
        if any(texts.is_in(words_key(said)) for said in (query, session, *_in_filters(filters))):
            yield trace_id


def _in_filters(filters: str | None) -> Iterator[str]:
    """The names in filters, and the texts and numbers that they compare with, as they are written.

    All of it as one text where a hand made it unreadable.
    """
    if filters is not None:
        try:
            yield from _texts_of(json.loads(filters, parse_int=str, parse_float=str))
        except (RecursionError, ValueError):
            yield filters


def _texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        if not value.startswith("\0"):  # a mark of ours
            yield value
    elif isinstance(value, dict | list):
        for one in chain(value, value.values()) if isinstance(value, dict) else value:
            yield from _texts_of(one)
