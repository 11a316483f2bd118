"""Embedding spaces: which model made a vector, and what it makes of a probe sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, NotFoundError, shown
from memcore.storage.plain import plain_rows
from memcore.storage.rows import Space

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["ensure", "find", "named", "set_floor"]

_COLUMNS = "id, model, dimension, fingerprint, floor_base, floor_slope"


def ensure(conn: Connection, model: str, dimension: int, fingerprint: str) -> Space:
    """The space of these three; it is made where it is new. A model that changed under its name gets a new space.

    Raises:
        InvalidInputError: the dimension is below 1.
    """
    if dimension < 1:
        raise InvalidInputError(f"dimension: {shown(dimension)} is not accepted; give at least 1")
    conn.exec_driver_sql(
        "INSERT INTO space (model, dimension, fingerprint) SELECT ?1, ?2, ?3 WHERE NOT EXISTS"
        " (SELECT 1 FROM space WHERE model = ?1 AND dimension = ?2 AND fingerprint = ?3)",
        (model, dimension, fingerprint),
    )
    row = conn.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM space WHERE model = ? AND dimension = ? AND fingerprint = ?",
        (model, dimension, fingerprint),
    ).one()
    return Space(*row)


def find(conn: Connection, model: str, dimension: int) -> Space | None:
    """The newest space of a model and a dimension, or None."""
    query = f"SELECT {_COLUMNS} FROM space WHERE model = ? AND dimension = ? ORDER BY id DESC LIMIT 1"
    return next((Space(*row) for row in plain_rows(conn, query, (model, dimension))), None)


def named(conn: Connection, model: str) -> list[Space]:
    """Every space of a model, oldest first."""
    query = f"SELECT {_COLUMNS} FROM space WHERE model = ? ORDER BY id"
    return [Space(*row) for row in plain_rows(conn, query, (model,))]


def set_floor(conn: Connection, space_id: int, base: float, slope: float) -> Space:
    """The space with its calibrated floor: over n memories, what lies under base + slope · √(2 ln n) is unrelated.

    Raises:
        InvalidInputError: the base is outside -1..1, or the slope outside 0..1.
        NotFoundError: there is no such space.
    """
    for name, value, least in (("floor_base", base, -1), ("floor_slope", slope, 0)):
        if not (math.isfinite(value) and least <= value <= 1):
            raise InvalidInputError(f"{name}: {shown(value)} is not accepted; give a number from {least} to 1")
    row = conn.exec_driver_sql(
        f"UPDATE space SET floor_base = ?, floor_slope = ? WHERE id = ? RETURNING {_COLUMNS}", (base, slope, space_id)
    ).first()
    if row is None:
        raise NotFoundError(f"space: there is no space {space_id}")
    return Space(*row)
