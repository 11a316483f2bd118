"""Removing a user for good: a mark hides all at once, then batches remove it, each a short transaction of its own.

With the mark the user gets a new partition number. What hangs on the old number is found by nobody from then on, and
what the user writes from then on is new, has ids after `last_id`, and stays.

The traces of other users' searches that quote the user go first, while it is known what the user said.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.scope import Partition
from memcore.storage import partitions, quoted, receipts, revisions, search_traces, statistics, tombstones, unsaid
from memcore.storage.encoding import id_list, to_micros
from memcore.storage.hidden import unpurged
from memcore.storage.places import PLACES
from memcore.storage.rows import ChangedTable, Operation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from sqlalchemy import Connection

    from memcore.storage.places import Place

__all__ = ["BATCH", "QUOTES", "advance", "begin", "count", "forget_quotes", "is_open", "oldest", "quotes"]

BATCH = 2_000
"""How many rows a transaction removes; another writer waits for one of them at most."""
QUOTES = 500
"""How many traces that quote the user a transaction removes."""
_MEMORIES = 500
_OF_TRACES = {"search_trace": "id", "trace_memory": "trace_id", "trace_user": "trace_id"}
_NOBODY = "\0purged {} of {}"  # the agent of a partition that is going; no agent can have this name


@dataclass(frozen=True, slots=True)
class _Mark:
    partition_id: int
    doomed_id: int
    last_id: int
    recorded_at: int
    tombstones: int
    counts: Counter[str]


def count(conn: Connection, partition: Partition) -> dict[str, int]:
    """How many rows of each table a purge of this user would remove now; all of them 0 for one who is not known."""
    number = partitions.find(conn, partition)
    if number is None:
        return {place.table: 0 for place in PLACES}
    rows = conn.exec_driver_sql(
        f"SELECT id FROM memory WHERE agent_id = ? AND user_id IS ? AND {unpurged()}",
        (partition.agent_id, partition.user_id),
    )
    ids = [row[0] for row in rows]
    quoting = quoted.of_user(conn, partition, max(ids, default=0))
    given = {"ids": id_list(ids), "partition": number, "quoting": id_list(quoting)}
    counts = {}
    for place in PLACES:
        named = _OF_TRACES.get(place.table)
        quotes = None if named is None else f"{named} IN (SELECT value FROM json_each(:quoting))"
        condition = " OR ".join(filter(None, (place.of_memories, place.of_partition, quotes)))
        counted = conn.exec_driver_sql(f"SELECT count(*) FROM {place.table} WHERE {condition}", given)
        counts[place.table] = int(counted.scalar_one())
    return counts


def begin(conn: Connection, partition: Partition, now: datetime, *, salt: bytes | None = None) -> int | None:
    """Hide everything of a user; the number that the user has from now on, None for one who is not known.

    With `salt` (random bytes, used where this file has no salt yet) each removed text leaves a tombstone.
    """
    doomed = partitions.find(conn, partition)
    if doomed is None:
        return None
    last = conn.exec_driver_sql(
        "SELECT coalesce(max(id), 0) FROM memory WHERE agent_id = ? AND user_id IS ?",
        (partition.agent_id, partition.user_id),
    ).scalar_one()
    if salt is not None:
        tombstones.keep_salt(conn, salt)
    # a purge that is still open hides nothing more by itself: the new mark reaches further
    conn.exec_driver_sql("UPDATE purge_mark SET partition_id = doomed_id WHERE partition_id = ?", (doomed,))
    conn.exec_driver_sql(
        "UPDATE partition SET agent_id = ?, user_id = NULL WHERE id = ?",
        (_NOBODY.format(doomed, partition.agent_id), doomed),
    )
    number = partitions.ensure(conn, partition)
    conn.exec_driver_sql(
        "INSERT INTO purge_mark (partition_id, doomed_id, last_id, recorded_at, tombstones) VALUES (?, ?, ?, ?, ?)",
        (number, doomed, last, to_micros(now), int(salt is not None)),
    )
    _log(conn, doomed, last)
    return number


def is_open(conn: Connection, partition_id: int | None = None) -> bool:
    """Whether a purge (of the user who has this number) is not at its end."""
    query = "SELECT 1 FROM purge_mark WHERE coalesce(partition_id = ?, TRUE) LIMIT 1"
    return conn.exec_driver_sql(query, (partition_id,)).first() is not None


def oldest(conn: Connection) -> int | None:
    """The number of the oldest purge that is not at its end; None where there is none."""
    mark = _mark(conn, None)
    return None if mark is None else mark.partition_id


def quotes(conn: Connection, partition_id: int) -> list[int]:
    """The traces that have the whole of a text that an open purge removes, whoever searched; none once it is over.

    They are looked for before its first batch: later nobody knows the texts. Searches from before the mark that wait
    to be written leave no trace.
    """
    mark = _mark(conn, partition_id)
    if mark is None:
        return []
    agent, user = conn.exec_driver_sql("SELECT agent_id, user_id FROM partition WHERE id = ?", (partition_id,)).one()
    return quoted.of_user(conn, Partition(agent, user), mark.last_id)


def forget_quotes(conn: Connection, partition_id: int, trace_ids: Sequence[int]) -> None:
    """Forget traces that quote whom an open purge removes, and count them as its own."""
    mark = _mark(conn, partition_id)
    given = (id_list(trace_ids),)
    for table, column in _OF_TRACES.items():
        query = f"SELECT count(*) FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"
        number = int(conn.exec_driver_sql(query, given).scalar_one())
        if mark is not None and number:
            mark.counts[table] += number
    search_traces.forget(conn, trace_ids)
    if mark is not None:
        _note_counts(conn, mark)


def advance(conn: Connection, partition_id: int | None = None) -> bool:
    """Remove one batch of an open purge; whether it is at its end now, perhaps since another process brought it there.

    `partition_id` is the number that `begin` gave; None takes the oldest purge. The end leaves a receipt with how many
    rows of each table went, whose bytes are pending.
    """
    mark = _mark(conn, partition_id)
    if mark is None:
        return True
    before = revisions.latest(conn)
    more = _remove_some(conn, mark)
    revisions.take_back(conn, before)  # nobody had these rows any more
    if more:
        _note_counts(conn, mark)
    else:
        _end(conn, mark)
    return not more


def _mark(conn: Connection, partition_id: int | None) -> _Mark | None:
    row = conn.exec_driver_sql(
        "SELECT partition_id, doomed_id, last_id, recorded_at, tombstones, counts FROM purge_mark"
        " WHERE coalesce(partition_id = ?, TRUE) ORDER BY recorded_at, partition_id LIMIT 1",
        (partition_id,),
    ).first()
    return None if row is None else _Mark(row[0], row[1], row[2], row[3], row[4], Counter(json.loads(row[5])))


def _note_counts(conn: Connection, mark: _Mark) -> None:
    kept = json.dumps(mark.counts)
    conn.exec_driver_sql("UPDATE purge_mark SET counts = ? WHERE partition_id = ?", (kept, mark.partition_id))


def _remove_some(conn: Connection, mark: _Mark) -> bool:
    """Removes at most a batch; whether something may be left."""
    left = BATCH
    for place in PLACES:
        if place.of_partition is not None and place.table != "partition" and left > 0:
            left -= _take(conn, mark, place, place.of_partition, given={"partition": mark.doomed_id}, most=left)
    if left <= 0:
        return True
    owner = conn.exec_driver_sql("SELECT agent_id, user_id FROM partition WHERE id = ?", (mark.partition_id,)).one()
    ids = conn.exec_driver_sql(
        "SELECT id FROM memory WHERE agent_id = ? AND user_id IS ? AND id <= ? ORDER BY id LIMIT ?",
        (*owner, mark.last_id, _MEMORIES),
    ).fetchall()
    if not ids:
        return False
    given = {"ids": id_list(row[0] for row in ids)}
    for place in PLACES:
        if place.memories and left > 0:
            if place.table == "memory" and mark.tombstones:
                tombstones.bury(conn, given["ids"], left, mark.recorded_at)
            left -= _take(conn, mark, place, place.of_memories, given=given, most=left)
    return True


def _take(conn: Connection, mark: _Mark, place: Place, condition: str, *, given: Mapping[str, Any], most: int) -> int:
    """Removes the first `most` rows of a place that meet a condition, and counts them."""
    key = ", ".join(place.key)
    order = " ORDER BY id" if place.table == "memory" else ""
    rows = conn.exec_driver_sql(
        f"SELECT {key} FROM {place.table} WHERE {condition}{order} LIMIT :most", {**given, "most": most}
    ).fetchall()
    if not rows:
        return 0
    operations = {row[0] for row in rows} if place.table == "operation_change" else set()
    if operations and mark.tombstones:
        tombstones.bury_earlier(conn, json.dumps([list(row) for row in rows]), mark.recorded_at)
    before = _operations(conn, operations)
    named = " AND ".join(f"{column} = ?" for column in place.key)
    conn.exec_driver_sql(f"DELETE FROM {place.table} WHERE {named}", [tuple(row) for row in rows])
    mark.counts[place.table] += len(rows)
    mark.counts["operation"] += before - _operations(conn, operations)  # those that have no change left went with them
    unsaid.silence(conn, operations)
    return len(rows)


def _operations(conn: Connection, ids: set[int]) -> int:
    query = "SELECT count(*) FROM operation WHERE id IN (SELECT value FROM json_each(?))"
    return int(conn.exec_driver_sql(query, (id_list(ids),)).scalar_one()) if ids else 0


def _end(conn: Connection, mark: _Mark) -> None:
    """Takes the mark and both numbers away, the new one only where nothing was written to it."""
    agent, user = conn.exec_driver_sql(
        "SELECT agent_id, user_id FROM partition WHERE id = ?", (mark.partition_id,)
    ).one()
    conn.exec_driver_sql("DELETE FROM purge_mark WHERE partition_id = ?", (mark.partition_id,))
    conn.exec_driver_sql("DELETE FROM partition WHERE id = ?", (mark.doomed_id,))
    mark.counts["partition"] += 1
    if mark.partition_id != mark.doomed_id:
        hangs = [f"SELECT 1 FROM {place.table} WHERE {place.of_partition}" for place in PLACES if place.of_partition]
        hangs = [query for query in hangs if "FROM partition " not in query]
        hangs += [
            "SELECT 1 FROM memory WHERE agent_id = :agent AND user_id IS :user",
            "SELECT 1 FROM purge_mark WHERE doomed_id = :partition",
        ]
        found = conn.exec_driver_sql(
            f"SELECT {' OR '.join(f'EXISTS ({query})' for query in hangs)}",
            {"partition": mark.partition_id, "agent": agent, "user": user},
        ).scalar_one()
        if not found:
            conn.exec_driver_sql("DELETE FROM partition WHERE id = ?", (mark.partition_id,))
            _log(conn, mark.partition_id, mark.last_id)
    statistics.forget(conn)
    if mark.partition_id == mark.doomed_id:
        agent = agent.partition(" of ")[2]
    receipts.write(conn, agent, "purge", mark.recorded_at, dict(mark.counts))


def _log(conn: Connection, partition_id: int, last_id: int) -> None:
    """Tells those who have a partition loaded that its number is no longer anybody's."""
    conn.exec_driver_sql(
        "INSERT INTO revision_log (partition_id, changed_table, row_id, operation) VALUES (?, ?, ?, ?)",
        (partition_id, ChangedTable.PURGE.value, last_id, Operation.DELETE.value),
    )
