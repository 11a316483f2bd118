"""Salted hashes of texts that a user had removed, so that they do not come back with an old transcript.

Only where they were asked for: whoever has the file can guess a short text and compare.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from memcore.storage.encoding import same_statement
from memcore.storage.hidden import unpurged
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from memcore.scope import Partition

__all__ = ["bury", "bury_earlier", "keep_salt", "moments", "salt_of"]


def keep_salt(conn: Connection, salt: bytes) -> None:
    """Make `salt` the salt of this file, unless it has one."""
    conn.exec_driver_sql("INSERT INTO tombstone_salt (id, salt) VALUES (1, ?) ON CONFLICT DO NOTHING", (salt,))


def salt_of(conn: Connection) -> bytes | None:
    """The salt of this file's tombstones; None while it has none."""
    return next((salt for (salt,) in plain_rows(conn, "SELECT salt FROM tombstone_salt")), None)


def bury(conn: Connection, ids: str, most: int, recorded_at: int) -> None:
    """Leave a tombstone for the first `most` memories of the JSON array `ids`, dated `recorded_at` (microseconds)."""
    rows = conn.exec_driver_sql(
        "SELECT agent_id, user_id, content FROM memory WHERE kind <> 'entity'"
        " AND id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?",
        (ids, most),
    )
    _leave(conn, [tuple(row) for row in rows], recorded_at)


def bury_earlier(conn: Connection, keys: str, recorded_at: int) -> None:
    """Leave a tombstone for each text that changes know of memories that a purge hides.

    `keys`: a JSON array of the changes, each as [operation_id, number]; `recorded_at` in microseconds.
    """
    for side in ("before", "after"):
        rows = conn.exec_driver_sql(
            f"SELECT m.agent_id, m.user_id, json_extract(c.{side}, '$.content') AS said"
            " FROM json_each(?) AS k JOIN operation_change AS c"
            " ON c.operation_id = json_extract(k.value, '$[0]') AND c.number = json_extract(k.value, '$[1]')"
            " JOIN memory AS m ON m.id = c.memory_id"
            f" WHERE c.changed_table = 'memory' AND json_valid(c.{side}) AND m.kind <> 'entity'"
            f" AND said IS NOT NULL AND NOT {unpurged('m')}",
            (keys,),
        )
        _leave(conn, [tuple(row) for row in rows], recorded_at)


def _leave(conn: Connection, texts: Sequence[tuple[Any, ...]], recorded_at: int) -> None:
    """Writes the tombstones of rows of (agent, user, text), where the file has a salt."""
    salt = salt_of(conn)
    if salt is None or not texts:
        return
    conn.exec_driver_sql(
        "INSERT INTO tombstone (digest, recorded_at) VALUES (?, ?)"
        " ON CONFLICT DO UPDATE SET recorded_at = max(recorded_at, excluded.recorded_at)",
        [(_digest(salt, agent_id, user_id, content), recorded_at) for agent_id, user_id, content in texts],
    )


def moments(conn: Connection, salt: bytes, texts: Iterable[tuple[Partition, str]]) -> list[int | None]:
    """For each text of a partition when it was removed (microseconds); None for one that was not."""
    digests = [_digest(salt, partition.agent_id, partition.user_id, content) for partition, content in texts]
    query = "SELECT recorded_at FROM tombstone WHERE digest = ?"
    return [conn.exec_driver_sql(query, (digest,)).scalar() for digest in digests]


def _digest(salt: bytes, agent_id: str, user_id: str | None, content: str) -> bytes:
    said = json.dumps([agent_id, user_id, same_statement(content)]).encode()
    return hashlib.blake2b(said, key=salt, digest_size=16).digest()
