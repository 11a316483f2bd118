"""Sets of parameters under names, and what was put into parameter files, in order.

A store may be opened with several parameter files, one after the other or by several processes: each change is of one
`file`, its path as bytes, and says nothing of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcore.storage.encoding import from_micros, to_micros

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = [
    "Activated",
    "Beginning",
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
    "last_elsewhere",
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


class Beginning(NamedTuple):
    """What is about to happen to a file: the profile, its text, and what is in it and was `kept` under that name."""

    file: bytes
    profile: str
    before: bytes | None
    after: bytes
    kept: str | None


class Activated(NamedTuple):
    """That a profile was put into a parameter file; `before` is what had been in it, None where there was no file.

    `kept` is the text that a hand had written, and its name, where a change is begun for which it was kept.
    """

    id: int
    file: bytes
    profile: str
    recorded_at: datetime
    before: bytes | None
    after: bytes
    kept: tuple[str, bytes] | None = None


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


def remove(conn: Connection, name: str, document: bytes) -> None:
    """Have a profile no more; nothing where there is none, or it has another text by now."""
    conn.exec_driver_sql("DELETE FROM profile WHERE name = ? AND document = ?", (name, document))


def begin(conn: Connection, change: Beginning, now: datetime) -> int:
    """Note that a profile is about to go into its file; its number. It stands once it is `finish`ed."""
    made = conn.exec_driver_sql(
        'INSERT INTO activation (file, profile, recorded_at, rolled_back_at, kept, "before", "after")'
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (change.file, change.profile, to_micros(now), _BEGUN, change.kept, change.before, change.after),
    )
    return int(made.scalar_one())


def finish(conn: Connection, activation_id: int) -> bool:
    """Note that it is in the file; False where it was not about to be, because another process saw to it."""
    return _mark(conn, activation_id, _BEGUN, None)


def call_off(conn: Connection, activation_id: int) -> None:
    """Forget an activation that was begun and is not in the file."""
    conn.exec_driver_sql("DELETE FROM activation WHERE id = ? AND rolled_back_at = ?", (activation_id, _BEGUN))


def last_activated(conn: Connection, file: bytes) -> Activated | None:
    """The last activation of a file that stands: in the file, and not rolled back."""
    return next(iter(_activations(conn, "file = ? AND rolled_back_at IS NULL", (file,))), None)


def last_elsewhere(conn: Connection, file: bytes) -> Activated | None:
    """The last activation that stands of any other file."""
    return next(iter(_activations(conn, "file <> ? AND rolled_back_at IS NULL", (file,))), None)


def begin_rollback(conn: Connection, activation_id: int, kept: str | None) -> None:
    """Note that what was before an activation is about to go into its file; what is in it was `kept` under a name."""
    conn.exec_driver_sql(
        "UPDATE activation SET rolled_back_at = ?, kept = ? WHERE id = ?", (_GOING_BACK, kept, activation_id)
    )


def finish_rollback(conn: Connection, activation_id: int, now: datetime) -> bool:
    """Note that it is in the file; False where it was not about to be."""
    return _mark(conn, activation_id, _GOING_BACK, to_micros(now))


def call_off_rollback(conn: Connection, activation_id: int) -> None:
    """Have an activation stand whose rollback was begun and is not in the file."""
    _mark(conn, activation_id, _GOING_BACK, None)


def begun(conn: Connection, file: bytes) -> list[Activated]:
    """The activations of a file that were begun, and neither finished nor called off."""
    return _activations(conn, "file = ? AND rolled_back_at = ?", (file, _BEGUN))


def begun_rollbacks(conn: Connection, file: bytes) -> list[Activated]:
    """The activations of a file whose rollback was begun, and neither finished nor called off."""
    return _activations(conn, "file = ? AND rolled_back_at = ?", (file, _GOING_BACK))


def _mark(conn: Connection, activation_id: int, was: int, then: int | None) -> bool:
    query = "UPDATE activation SET rolled_back_at = ?, kept = NULL WHERE id = ? AND rolled_back_at = ?"
    return conn.exec_driver_sql(query, (then, activation_id, was)).rowcount > 0


def _activations(conn: Connection, condition: str, given: tuple[object, ...]) -> list[Activated]:
    """Those that meet a condition, newest first."""
    rows = conn.exec_driver_sql(
        'SELECT a.id, a.file, a.profile, a.recorded_at, a."before", a."after", p.name, p.document'
        f" FROM activation AS a LEFT JOIN profile AS p ON p.name = a.kept WHERE {condition} ORDER BY a.id DESC",
        given,
    )
    return [
        Activated(
            id=row[0],
            file=row[1],
            profile=row[2],
            recorded_at=from_micros(row[3]),
            before=row[4],
            after=row[5],
            kept=None if row[6] is None else (row[6], row[7]),
        )
        for row in rows
    ]
