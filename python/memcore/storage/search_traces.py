"""Traces of searches as rows: kept with what it takes to run them again, and read as `SearchTrace`."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.scope import Partition
from memcore.storage import partitions, quoted, revisions
from memcore.storage.encoding import id_list, to_micros
from memcore.storage.hidden import unpurged
from memcore.storage.plain import plain_rows
from memcore.storage.rows import ChangedTable, Operation
from memcore.storage.trace_reading import COLUMNS, read_trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.records.learning import SearchTrace

__all__ = [
    "NewTrace",
    "NewTraced",
    "count",
    "fetch",
    "forget",
    "forget_all",
    "forget_with",
    "going_with",
    "ids",
    "insert",
    "note_prompt",
    "page",
    "signals_text",
    "trim",
]

_AMONG = "IN (SELECT value FROM json_each(?))"
_SHOWN = (  # not of a user who is being purged: the number of the user's partition is another agent's then
    "NOT EXISTS (SELECT 1 FROM trace_user AS u JOIN partition AS p ON p.id = u.partition_id"
    " WHERE u.trace_id = t.id AND p.agent_id <> t.agent_id)"
)
_OF_USERS = (
    "EXISTS (SELECT 1 FROM trace_user AS u JOIN partition AS p ON p.id = u.partition_id"
    f" WHERE u.trace_id = t.id AND p.user_id {_AMONG})"
)
_ANSWERED = (
    "SELECT DISTINCT trace_id FROM trace_memory WHERE memory_id IN (SELECT value FROM json_each(?))"
    " AND (answer IS NOT NULL OR entered = 1 OR fill_up = 1)"
)
_NO_PARTITION = -1  # of the lines that tell of forgotten traces


class NewTraced(NamedTuple):
    """A candidate of a trace to keep; `signals` is what `signals_text` makes of them."""

    id: int
    place: int
    score: float
    pick: int | None = None
    answer: int | None = None
    signals: str = "{}"


@dataclass(frozen=True, slots=True)
class NewTrace:
    """A trace to keep. `filters` is what `filters_text` makes of them.

    `setup` is JSON, the same text for all searches that are alike but for their words.
    """

    agent_id: str
    user_ids: tuple[str, ...]
    session_id: str | None
    query: str
    recorded_at: datetime
    present: datetime
    asked_at: datetime
    as_of: datetime | None
    known_at: datetime | None
    filters: str | None
    given_vector: bytes | None
    setup: str
    revision: int
    space_id: int | None
    scope_size: int
    pool_size: int
    took: Mapping[str, float]
    memories: tuple[NewTraced, ...]


def signals_text(signals: Mapping[str, float]) -> str:
    """Signals as they are kept, six digits of each: they are read by people, and compared by nobody."""
    return "{" + ",".join(f'"{name}":{value:.6g}' for name, value in signals.items()) + "}"


def insert(conn: Connection, trace: NewTrace) -> int | None:
    """The id of a trace that is kept; None for one that is not to be.

    That is where no memory of one of its users is stored, so that nobody would think of purging them; and where since
    the search a user was purged, a memory of the agent deleted or its traces forgotten: the query may have the text
    that went, and nobody knows that text any more.
    """
    users: tuple[str | None, ...] = trace.user_ids or (None,)
    numbers = [partitions.find(conn, Partition(trace.agent_id, user)) for user in users if _knows(conn, trace, user)]
    if None in numbers or len(numbers) < len(users) or _removed_since(conn, trace.agent_id, trace.revision):
        return None
    named = [one.id for one in trace.memories]
    there = set(conn.exec_driver_sql(f"SELECT id FROM memory WHERE id {_AMONG}", (id_list(named),)).scalars())
    if any(one.answer is not None and one.id not in there for one in trace.memories):
        return None
    values = (
        trace.agent_id,
        _setup_id(conn, trace.setup),
        *(to_micros(one) for one in (trace.recorded_at, trace.present, trace.asked_at)),
        *(None if one is None else to_micros(one) for one in (trace.as_of, trace.known_at)),
        trace.revision,
        trace.space_id,
        trace.scope_size,
        trace.pool_size,
        len(named) - len(there.intersection(named)),
        json.dumps({name: round(value, 4) for name, value in trace.took.items()}),
        trace.session_id,
        trace.filters,
        trace.given_vector,
        trace.query,
    )
    made = conn.exec_driver_sql(
        "INSERT INTO search_trace (agent_id, setup_id, recorded_at, present, asked_at, as_of, known_at, revision,"
        " space_id, scope_size, pool_size, removed, took, session_id, filters, embedding, query)"
        f" VALUES ({', '.join('?' * len(values))}) RETURNING id",
        values,
    )
    trace_id = int(made.scalar_one())
    rows = [(trace_id, *one) for one in trace.memories if one.id in there]
    if rows:
        conn.exec_driver_sql(
            "INSERT INTO trace_memory (trace_id, memory_id, place, score, pick, answer, signals)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    conn.exec_driver_sql(
        "INSERT INTO trace_user (trace_id, partition_id) VALUES (?, ?)", [(trace_id, number) for number in numbers]
    )
    return trace_id


def note_prompt(conn: Connection, trace_id: int, entered: Sequence[int], fill_ups: Sequence[int]) -> None:
    """Note that memories of a trace stood in a prompt; what is gone by now, trace or memory, is passed over."""
    for column, numbers in (("entered", entered), ("fill_up", fill_ups)):
        conn.exec_driver_sql(
            f"INSERT INTO trace_memory (trace_id, memory_id, {column}) SELECT t.id, m.id, 1"
            f" FROM search_trace AS t JOIN memory AS m ON m.id {_AMONG} WHERE t.id = ?"
            f" ON CONFLICT (trace_id, memory_id) DO UPDATE SET {column} = 1",
            (id_list(numbers), trace_id),
        )


def trim(conn: Connection, agent_id: str, most: int) -> int:
    """Forget the oldest traces of an agent, so that `most` are left; how many went."""
    spare = count(conn, agent_id) - most
    if spare <= 0:
        return 0
    oldest = conn.exec_driver_sql(
        "SELECT id FROM search_trace WHERE agent_id = ? ORDER BY id LIMIT ?", (agent_id, spare)
    )
    return forget(conn, oldest.scalars().all())


def forget(conn: Connection, trace_ids: Sequence[int]) -> int:
    """Forget traces; how many there were."""
    given = (id_list(trace_ids),)
    conn.exec_driver_sql(f"DELETE FROM trace_user WHERE trace_id {_AMONG}", given)
    gone = conn.exec_driver_sql(f"DELETE FROM search_trace WHERE id {_AMONG}", given).rowcount
    if gone:
        conn.exec_driver_sql(
            "DELETE FROM trace_setup WHERE NOT EXISTS (SELECT 1 FROM search_trace WHERE setup_id = trace_setup.id)"
        )
    return gone


def forget_all(conn: Connection, agent_id: str) -> int:
    """Forget every trace of an agent, also those of searches so far that wait to be written; how many were written.

    A line of the log tells of it, by which whoever writes a trace later sees that its search was before.
    """
    conn.exec_driver_sql(
        "INSERT INTO revision_log (partition_id, changed_table, row_id, operation) VALUES (?, ?, ?, ?)",
        (_NO_PARTITION, ChangedTable.PURGE.value, _number_of(agent_id), Operation.DELETE.value),
    )
    return trim(conn, agent_id, 0)


def going_with(conn: Connection, memory_ids: Sequence[int]) -> list[int]:
    """The traces that go with memories, oldest first.

    An answer had one of them; or the query, the session, a name, a text or a number of the filters has the whole of its
    text, of now or of before a change.
    """
    answered = plain_rows(conn, _ANSWERED, (id_list(memory_ids),))
    return sorted({row[0] for row in answered}.union(quoted.of_memories(conn, memory_ids)))


def forget_with(conn: Connection, memory_ids: Sequence[int]) -> int:
    """Forget the traces that go with memories which are to be removed; how many there were."""
    return forget(conn, going_with(conn, memory_ids))


def count(conn: Connection, agent_id: str) -> int:
    """How many traces an agent has."""
    query = "SELECT count(*) FROM search_trace WHERE agent_id = ?"
    return int(conn.exec_driver_sql(query, (agent_id,)).scalar_one())


def ids(conn: Connection, agent_id: str) -> list[int]:
    """The ids of all traces of an agent, oldest first."""
    query = f"SELECT t.id FROM search_trace AS t WHERE t.agent_id = ? AND {_SHOWN} ORDER BY t.id"
    return list(conn.exec_driver_sql(query, (agent_id,)).scalars())


def page(
    conn: Connection, agent_id: str, users: Sequence[str] | None, *, before: int | None, limit: int
) -> list[SearchTrace]:
    """The newest traces of an agent with an id under `before`; with `users` those of searches that named one."""
    condition = "" if users is None else f" AND {_OF_USERS}"
    given: tuple[object, ...] = () if users is None else (json.dumps(list(users)),)
    found: list[SearchTrace] = []
    while len(found) < limit:
        wanted = limit - len(found)
        rows = conn.exec_driver_sql(
            "SELECT t.id FROM search_trace AS t"
            f" WHERE t.agent_id = ? AND (? IS NULL OR t.id < ?) AND {_SHOWN}{condition} ORDER BY t.id DESC LIMIT ?",
            (agent_id, before, before, *given, wanted),
        )
        numbers = rows.scalars().all()
        found += fetch(conn, agent_id, numbers)
        if len(numbers) < wanted:
            break
        before = numbers[-1]
    return found


def fetch(conn: Connection, agent_id: str, trace_ids: Sequence[int]) -> list[SearchTrace]:
    """The traces of an agent with these ids, in the order given; without those that are not there, or unreadable."""
    given = (id_list(trace_ids),)
    rows = conn.exec_driver_sql(
        f"SELECT {COLUMNS} FROM search_trace AS t JOIN trace_setup AS s ON s.id = t.setup_id"
        f" WHERE t.id {_AMONG} AND t.agent_id = ? AND {_SHOWN}",
        (*given, agent_id),
    ).fetchall()
    users: dict[int, list[str]] = defaultdict(list)
    for trace_id, user in conn.exec_driver_sql(
        "SELECT u.trace_id, p.user_id FROM trace_user AS u JOIN partition AS p ON p.id = u.partition_id"
        f" WHERE u.trace_id {_AMONG} AND p.user_id IS NOT NULL ORDER BY p.user_id",
        given,
    ):
        users[trace_id].append(user)
    memories: dict[int, list[Sequence[Any]]] = defaultdict(list)
    for trace_id, *columns in conn.exec_driver_sql(
        "SELECT trace_id, memory_id, place, score, pick, answer, entered, fill_up, signals FROM trace_memory"
        f" WHERE trace_id {_AMONG} ORDER BY trace_id, place IS NULL, place, memory_id",
        given,
    ):
        memories[trace_id].append(columns)
    read = {row[0]: read_trace(row, users[row[0]], memories[row[0]]) for row in rows}
    return [trace for one in trace_ids if (trace := read.get(one)) is not None]


def _setup_id(conn: Connection, document: str) -> int:
    found = conn.exec_driver_sql("SELECT id FROM trace_setup WHERE document = ?", (document,)).scalar()
    if found is None:
        made = conn.exec_driver_sql("INSERT INTO trace_setup (document) VALUES (?) RETURNING id", (document,))
        found = made.scalar_one()
    return int(found)


def _knows(conn: Connection, trace: NewTrace, user: str | None) -> bool:
    """Whether a memory of a user is stored."""
    query = f"SELECT 1 FROM memory WHERE agent_id = ? AND user_id IS ? AND {unpurged()} LIMIT 1"
    return conn.exec_driver_sql(query, (trace.agent_id, user)).first() is not None


def _removed_since(conn: Connection, agent_id: str, revision: int) -> bool:
    """Whether after a revision something was removed that a trace may tell of, or the log does not tell any more."""
    if revisions.latest(conn) == revision:
        return False
    oldest = conn.exec_driver_sql("SELECT min(revision) FROM revision_log WHERE revision > ?", (revision,)).scalar()
    if oldest is None or int(oldest) != revision + 1:
        return True
    removed = conn.exec_driver_sql(
        "SELECT 1 FROM revision_log WHERE revision > ?1 AND ("
        " (changed_table = ?2 AND (partition_id <> ?3 OR row_id = ?4))"
        " OR (changed_table = ?5 AND operation = ?6 AND partition_id IN (SELECT id FROM partition WHERE agent_id = ?7))"
        ") LIMIT 1",
        (
            revision,
            ChangedTable.PURGE.value,
            _NO_PARTITION,
            _number_of(agent_id),
            ChangedTable.MEMORY.value,
            Operation.DELETE.value,
            agent_id,
        ),
    )
    return removed.first() is not None


def _number_of(agent_id: str) -> int:
    """An agent as the row of a line of the log."""
    return int.from_bytes(hashlib.blake2b(agent_id.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big")
