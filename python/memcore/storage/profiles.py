"""Sets of parameters under names, and what was put into the parameter file, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcore.storage.encoding import from_micros, to_micros

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = [
    "Activated",
    "Stored",
    "begin",
    "begin_rollback",
    "begun",
    "begun_rollbacks",
    "call_off",
    "call_off_rollback",
    "finish",
    "finish_rollback",
    "knows",
    "last_activated",
    "put",
    "remove",
    "stored",
]

_BEGUN, _GOING_BACK = -(2**63), -(2**63) + 1
"""In the column `rolled_back_at`, and moments of no clock: the file is about to be written."""


class Stored(NamedTuple):
    """A profile: its name, when it was saved, and the text of a parameter file."""

    name: str
    recorded_at: datetime
    document: bytes


class Activated(NamedTuple):
    """That a profile was put into the parameter file; `before` is what had been in it, None where there was no file."""

    id: int
    profile: str
    recorded_at: datetime
    before: bytes | None
    after: bytes


def stored(conn: Connection) -> list[Stored]:
    """Every profile, by name."""
    rows = conn.exec_driver_sql("SELECT name, recorded_at, document FROM profile ORDER BY name")
    return [Stored(name, from_micros(at), document) for name, at, document in rows]


def put(conn: Connection, name: str, document: bytes, now: datetime) -> None:
    """Save a profile; one of this name is replaced."""
    conn.exec_driver_sql(
        "INSERT INTO profile (name, recorded_at, document) VALUES (?, ?, ?) ON CONFLICT (name)"
        " DO UPDATE SET recorded_at = excluded.recorded_at, document = excluded.document",
        (name, to_micros(now), document),
    )


def knows(conn: Connection, document: bytes) -> bool:
    """Whether a text of the parameter file is kept already: as a profile, or as what an activation wrote or found."""
    found = conn.exec_driver_sql(
        "SELECT 1 FROM profile WHERE document = ?1 UNION ALL"
        ' SELECT 1 FROM activation WHERE "after" = ?1 OR "before" = ?1 LIMIT 1',
        (document,),
    )
    return found.first() is not None


def remove(conn: Connection, name: str) -> None:
    """Have a profile no more; nothing where there is none."""
    conn.exec_driver_sql("DELETE FROM profile WHERE name = ?", (name,))


def begin(conn: Connection, profile: str, before: bytes | None, after: bytes, now: datetime) -> int:
    """Note that a profile is about to go into the parameter file; its number. It stands once it is `finish`ed."""
    made = conn.exec_driver_sql(
        'INSERT INTO activation (profile, recorded_at, rolled_back_at, "before", "after") VALUES (?, ?, ?, ?, ?)'
        " RETURNING id",
        (profile, to_micros(now), _BEGUN, before, after),
    )
    return int(made.scalar_one())


def finish(conn: Connection, activation_id: int) -> bool:
    """Note that it is in the file; False where it was not about to be, because another process saw to it."""
    return _mark(conn, activation_id, _BEGUN, None)


def call_off(conn: Connection, activation_id: int) -> None:
    """Forget an activation that was begun and is not in the file."""
    conn.exec_driver_sql("DELETE FROM activation WHERE id = ? AND rolled_back_at = ?", (activation_id, _BEGUN))


def last_activated(conn: Connection) -> Activated | None:
    """The last activation that stands: in the file, and not rolled back."""
    return next(iter(_activations(conn, "rolled_back_at IS NULL")), None)


def begin_rollback(conn: Connection, activation_id: int) -> None:
    """Note that what was before an activation is about to go into the file."""
    conn.exec_driver_sql("UPDATE activation SET rolled_back_at = ? WHERE id = ?", (_GOING_BACK, activation_id))


def finish_rollback(conn: Connection, activation_id: int, now: datetime) -> bool:
    """Note that it is in the file; False where it was not about to be."""
    return _mark(conn, activation_id, _GOING_BACK, to_micros(now))


def call_off_rollback(conn: Connection, activation_id: int) -> None:
    """Have an activation stand whose rollback was begun and is not in the file."""
    _mark(conn, activation_id, _GOING_BACK, None)


def begun(conn: Connection) -> list[Activated]:
    """The activations that were begun, and neither finished nor called off."""
    return _activations(conn, f"rolled_back_at = {_BEGUN}")


def begun_rollbacks(conn: Connection) -> list[Activated]:
    """The activations whose rollback was begun, and neither finished nor called off."""
    return _activations(conn, f"rolled_back_at = {_GOING_BACK}")


def _mark(conn: Connection, activation_id: int, was: int, then: int | None) -> bool:
    query = "UPDATE activation SET rolled_back_at = ? WHERE id = ? AND rolled_back_at = ?"
    return conn.exec_driver_sql(query, (then, activation_id, was)).rowcount > 0


def _activations(conn: Connection, condition: str) -> list[Activated]:
    """Those that meet a condition, newest first."""
    rows = conn.exec_driver_sql(
        f'SELECT id, profile, recorded_at, "before", "after" FROM activation WHERE {condition} ORDER BY id DESC'
    )
    return [Activated(row[0], row[1], from_micros(row[2]), row[3], row[4]) for row in rows]
