"""Working memory: named sets of items, each with an end or none. What has ended is not shown, removed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.errors import CorruptDatabaseError
from memcore.records import WorkingItem, WorkingSet
from memcore.storage import partitions
from memcore.storage.encoding import from_micros, id_list, json_text, moment_or_none, read_json, to_micros

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.scope import Partition

__all__ = [
    "count",
    "drop_item",
    "drop_session",
    "drop_set",
    "end_set",
    "fetch",
    "items",
    "last_id",
    "put",
    "remove_ended",
    "sets",
]

_JOINED = "working_item AS i JOIN working_set AS s ON s.id = i.set_id JOIN partition AS p ON p.id = s.partition_id"
_SHOWN = "(i.expires_at IS NULL OR i.expires_at > :now) AND (s.expires_at IS NULL OR s.expires_at > :now)"
_ITEM = (
    f"SELECT i.id, s.name, i.content, p.user_id, s.session_id, i.recorded_at, i.expires_at, i.metadata FROM {_JOINED}"
)
_SET = (
    "SELECT s.name, p.user_id, s.session_id, count(*) AS items, s.recorded_at, s.expires_at"
    f" FROM {_JOINED} WHERE s.partition_id IN (SELECT value FROM json_each(:partitions)) AND {_SHOWN}"
)
_ENDED = """
    WITH ended(id, set_id) AS (
        SELECT id, set_id FROM working_item WHERE expires_at <= :now
        UNION
        SELECT i.id, i.set_id FROM working_set AS s JOIN working_item AS i ON i.set_id = s.id WHERE s.expires_at <= :now
    )
    SELECT ended.id, ended.set_id FROM ended JOIN working_set AS s ON s.id = ended.set_id
    JOIN partition AS p ON p.id = s.partition_id WHERE p.agent_id = :agent ORDER BY ended.id LIMIT :most
"""
_AMONG = "IN (SELECT value FROM json_each(?))"
_EMPTY = "NOT EXISTS (SELECT 1 FROM working_item AS i WHERE i.set_id = working_set.id)"


def put(
    conn: Connection,
    partition: Partition,
    session_id: str | None,
    name: str,
    content: str,
    *,
    expires_at: datetime | None,
    metadata: Mapping[str, Any],
    now: datetime,
) -> int:
    """The id of a new item at the end of a set, which is made where there is none; what has ended in it is removed."""
    number = partitions.ensure(conn, partition)
    set_id = _set_id(conn, number, session_id, name, now)
    if set_id is None:
        made = conn.exec_driver_sql(
            "INSERT INTO working_set (partition_id, session_id, name, recorded_at) VALUES (?, ?, ?, ?) RETURNING id",
            (number, session_id, name, to_micros(now)),
        )
        set_id = int(made.scalar_one())
    values = (set_id, to_micros(now), _micros(expires_at), json_text("metadata", dict(metadata)), content)
    made = conn.exec_driver_sql(
        "INSERT INTO working_item (set_id, recorded_at, expires_at, metadata, content) VALUES (?, ?, ?, ?, ?)"
        " RETURNING id",
        values,
    )
    return int(made.scalar_one())


def fetch(conn: Connection, agent_id: str, item_id: int, now: datetime) -> WorkingItem | None:
    """The item of an agent with this id, or None where it is not there or has ended."""
    given = {"id": item_id, "agent": agent_id, "now": to_micros(now)}
    row = conn.exec_driver_sql(f"{_ITEM} WHERE i.id = :id AND p.agent_id = :agent AND {_SHOWN}", given).first()
    return None if row is None else _item(row)


def items(
    conn: Connection,
    of: Iterable[Partition],
    session_id: str | None,
    name: str,
    *,
    before: int | None,
    limit: int,
    now: datetime,
) -> list[WorkingItem]:
    """The last `limit` items of the sets of this name and session, those below the id `before`, in the order put."""
    given = {
        "partitions": _numbers(conn, of),
        "session": session_id,
        "name": name,
        "before": before,
        "limit": limit,
        "now": to_micros(now),
    }
    rows = conn.exec_driver_sql(
        f"{_ITEM} WHERE s.partition_id IN (SELECT value FROM json_each(:partitions)) AND s.session_id IS :session"
        f" AND s.name = :name AND (:before IS NULL OR i.id < :before) AND {_SHOWN} ORDER BY i.id DESC LIMIT :limit",
        given,
    )
    return [_item(row) for row in rows][::-1]


def sets(conn: Connection, of: Iterable[Partition], session_id: str | None, now: datetime) -> list[WorkingSet]:
    """The sets that have an item, of one session or (None) of any, in the order in which they were made."""
    given = {"partitions": _numbers(conn, of), "session": session_id, "now": to_micros(now)}
    rows = conn.exec_driver_sql(
        f"{_SET} AND (:session IS NULL OR s.session_id = :session) GROUP BY s.id ORDER BY s.id", given
    )
    return [_set(row) for row in rows]


def end_set(
    conn: Connection,
    partition: Partition,
    session_id: str | None,
    name: str,
    *,
    expires_at: datetime | None,
    now: datetime,
) -> WorkingSet | None:
    """The set with its new end; None where there is no such set."""
    number = partitions.find(conn, partition)
    set_id = None if number is None else _set_id(conn, number, session_id, name, now)
    if set_id is None:
        return None
    conn.exec_driver_sql("UPDATE working_set SET expires_at = ? WHERE id = ?", (_micros(expires_at), set_id))
    given = {"partitions": id_list([number or 0]), "id": set_id, "now": to_micros(now)}
    return _set(conn.exec_driver_sql(f"{_SET} AND s.id = :id GROUP BY s.id", given).one())


def drop_set(conn: Connection, partition: Partition, session_id: str | None, name: str, now: datetime) -> int:
    """How many items, shown until now, went with the set; 0 where there is no such set."""
    number = partitions.find(conn, partition)
    set_id = None if number is None else _set_id(conn, number, session_id, name, now)
    return 0 if set_id is None else _remove_sets(conn, [set_id])


def drop_session(conn: Connection, partition: Partition, session_id: str, now: datetime) -> int:
    """How many items, shown until now, went with the sets of a session."""
    number = partitions.find(conn, partition)
    if number is None:
        return 0
    query = "SELECT id, name FROM working_set WHERE partition_id = ? AND session_id = ?"
    named = conn.exec_driver_sql(query, (number, session_id)).all()
    there = [_set_id(conn, number, session_id, name, now) for _, name in named]
    return _remove_sets(conn, [set_id for set_id in there if set_id is not None])


def drop_item(conn: Connection, item_id: int) -> None:
    """Remove an item, and its set where nothing is left in it."""
    gone = conn.exec_driver_sql("DELETE FROM working_item WHERE id = ? RETURNING set_id", (item_id,))
    conn.exec_driver_sql(f"DELETE FROM working_set WHERE id = ? AND {_EMPTY}", (gone.scalar_one(),))


def last_id(conn: Connection, agent_id: str) -> int:
    """The id of the agent's item that was put last and is still in the file; 0 where there is none."""
    row = conn.exec_driver_sql(
        f"SELECT i.id FROM {_JOINED} WHERE p.agent_id = ? ORDER BY i.id DESC LIMIT 1", (agent_id,)
    ).first()
    return 0 if row is None else int(row[0])


def count(conn: Connection, agent_id: str, now: datetime) -> int:
    """How many items of an agent are shown."""
    query = f"SELECT count(*) FROM {_JOINED} WHERE p.agent_id = :agent AND {_SHOWN}"
    return int(conn.exec_driver_sql(query, {"agent": agent_id, "now": to_micros(now)}).scalar_one())


def remove_ended(conn: Connection, agent_id: str, now: datetime, most: int) -> int:
    """How many items of an agent that have ended were removed, at most `most`, oldest first; sets left empty go too."""
    rows = conn.exec_driver_sql(_ENDED, {"agent": agent_id, "now": to_micros(now), "most": most}).all()
    conn.exec_driver_sql(f"DELETE FROM working_item WHERE id {_AMONG}", (id_list(row[0] for row in rows),))
    left = id_list({row[1] for row in rows})
    conn.exec_driver_sql(f"DELETE FROM working_set WHERE id {_AMONG} AND {_EMPTY}", (left,))
    return len(rows)


def _set_id(conn: Connection, number: int, session_id: str | None, name: str, now: datetime) -> int | None:
    """The set, after what has ended in it was removed; None where there is none, or nothing is left of it."""
    query = "SELECT id, expires_at FROM working_set WHERE partition_id = ? AND session_id IS ? AND name = ?"
    row = conn.exec_driver_sql(query, (number, session_id, name)).first()
    if row is None:
        return None
    moment = to_micros(now)
    if row[1] is not None and row[1] <= moment:
        _remove_sets(conn, [row[0]])
        return None
    conn.exec_driver_sql("DELETE FROM working_item WHERE set_id = ? AND expires_at <= ?", (row[0], moment))
    empty = conn.exec_driver_sql(f"DELETE FROM working_set WHERE id = ? AND {_EMPTY}", (row[0],))
    return None if empty.rowcount else int(row[0])


def _remove_sets(conn: Connection, ids: Sequence[int]) -> int:
    gone = conn.exec_driver_sql(f"DELETE FROM working_item WHERE set_id {_AMONG}", (id_list(ids),))
    conn.exec_driver_sql(f"DELETE FROM working_set WHERE id {_AMONG}", (id_list(ids),))
    return gone.rowcount


def _numbers(conn: Connection, of: Iterable[Partition]) -> str:
    found = (partitions.find(conn, partition) for partition in of)
    return id_list(number for number in found if number is not None)


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _item(row: Sequence[Any]) -> WorkingItem:
    metadata = read_json(row[7], dict)
    if metadata is None:
        raise CorruptDatabaseError(
            f"working item {row[0]}: its metadata are damaged; drop its set, or restore a backup"
        )
    return WorkingItem(
        id=row[0],
        set=row[1],
        content=row[2],
        user_id=row[3],
        session_id=row[4],
        recorded_at=from_micros(row[5]),
        expires_at=moment_or_none(row[6]),
        metadata=metadata,
    )


def _set(row: Sequence[Any]) -> WorkingSet:
    return WorkingSet(row[0], row[1], row[2], int(row[3]), from_micros(row[4]), moment_or_none(row[5]))
