"""Sets of parameters under names, and what was put into the parameter file, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcore.storage.encoding import from_micros, to_micros

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["Activated", "Stored", "activated", "knows", "last_activated", "put", "rolled_back", "stored"]


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


def activated(conn: Connection, profile: str, before: bytes | None, after: bytes, now: datetime) -> None:
    """Note that a profile goes into the parameter file."""
    conn.exec_driver_sql(
        'INSERT INTO activation (profile, recorded_at, "before", "after") VALUES (?, ?, ?, ?)',
        (profile, to_micros(now), before, after),
    )


def last_activated(conn: Connection) -> Activated | None:
    """The last activation that was not rolled back."""
    row = conn.exec_driver_sql(
        'SELECT id, profile, recorded_at, "before", "after" FROM activation WHERE rolled_back_at IS NULL'
        " ORDER BY id DESC LIMIT 1"
    ).first()
    return None if row is None else Activated(row[0], row[1], from_micros(row[2]), row[3], row[4])


def rolled_back(conn: Connection, activation_id: int, now: datetime) -> None:
    """Note that an activation was rolled back."""
    conn.exec_driver_sql("UPDATE activation SET rolled_back_at = ? WHERE id = ?", (to_micros(now), activation_id))
