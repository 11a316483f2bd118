"""Embedding spaces: which model made a vector, and what it makes of a probe sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, NotFoundError
from memcore.storage.rows import Space

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["ensure", "find", "set_floor"]

_COLUMNS = "id, model, dimension, fingerprint, floor"


def ensure(conn: Connection, model: str, dimension: int, fingerprint: str) -> Space:
    """The space of these three; it is made where it is new. A model that changed under its name gets a new space.

    Raises:
        InvalidInputError: the dimension is below 1.
    """
    if dimension < 1:
        raise InvalidInputError(f"dimension: {dimension!r} is not accepted; give at least 1")
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
    row = conn.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM space WHERE model = ? AND dimension = ? ORDER BY id DESC LIMIT 1", (model, dimension)
    ).first()
    return None if row is None else Space(*row)


def set_floor(conn: Connection, space_id: int, floor: float | None) -> Space:
    """The space with its calibrated floor, the cosine below which nothing counts as related.

    Raises:
        InvalidInputError: the floor is outside -1..1.
        NotFoundError: there is no such space.
    """
    if floor is not None and not (math.isfinite(floor) and -1 <= floor <= 1):
        raise InvalidInputError(f"floor: {floor!r} is not accepted; give a cosine, -1 to 1, or None")
    row = conn.exec_driver_sql(
        f"UPDATE space SET floor = ? WHERE id = ? RETURNING {_COLUMNS}", (floor, space_id)
    ).first()
    if row is None:
        raise NotFoundError(f"space: there is no space {space_id}")
    return Space(*row)
