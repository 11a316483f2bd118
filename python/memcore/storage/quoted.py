"""The traces of searches whose words have the whole text of a memory, of now or of before a change.

Who has a memory removed has its text removed, also from what somebody asked. One pass over the texts and one over the
traces find them, however many memories go.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
_FOLDED = 3
"""How many characters one may become when its case is folded."""
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
        """One more; only as the whole of what was said where it is too short to be told from a part of other words."""
        self.whole.add(text)
        if len(text) >= _FEWEST and len(text.encode("utf-8", "replace")) >= _FEWEST_BYTES:
            head = text[:_HEAD]
            self.lengths[head].add(len(text))
            self.heads.add(len(head))

    def is_in(self, said: str) -> bool:
        """Whether one of them is in what somebody said."""
        if said in self.whole:
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
    sizes = "SELECT agent_id, max(max(length(query)), coalesce(max(length(filters)), 0)) FROM search_trace GROUP BY 1"
    longest = {agent: _FOLDED * length for agent, length in plain_rows(conn, sizes)}
    if not longest:
        return []
    texts: dict[str, _Texts] = defaultdict(_Texts)
    for query in _SAID:
        for agent, said in conn.exec_driver_sql(query.format(which=which), given):
            if said and len(said) <= longest.get(agent, 0):
                texts[agent].add(said.casefold())
    return sorted(found for agent, of_agent in texts.items() for found in _with(conn, agent, of_agent))


def _with(conn: Connection, agent_id: str, texts: _Texts) -> Iterator[int]:
    rows = conn.exec_driver_sql("SELECT id, query, filters FROM search_trace WHERE agent_id = ?", (agent_id,))
    for trace_id, query, filters in rows:
        if any(texts.is_in(said.casefold()) for said in (query, *_in_filters(filters))):
            yield trace_id


def _in_filters(filters: str | None) -> Iterator[str]:
    """The texts that filters compare with; none where a hand made them unreadable."""
    if filters is not None:
        try:
            yield from _texts_of(json.loads(filters))
        except (RecursionError, ValueError):
            return


def _texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts_of(one)
