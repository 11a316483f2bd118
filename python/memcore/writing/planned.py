"""What is to take the place of a claim on a later day, and whether it still is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.storage import neighbours
from memcore.storage.claim_ends import without_plans
from memcore.storage.supersede import heirs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour, Sight

__all__ = ["following", "to_follow", "without_plans_off"]


def to_follow(connection: Connection, one: Neighbour) -> frozenset[int]:
    """What is to take the place of a memory on a later day, at once or through others."""
    return heirs(connection, one.row.id) if one.leaves else frozenset()


def following(connection: Connection, one: Neighbour, sight: Sight) -> tuple[Neighbour, ...]:
    """What is there to take the place of a memory on a later day, at once or through others, ascending by id.

    None where the memory is over, or nothing is to take its place.
    """
    if one.over or one.superseded_by is None or one.valid_until is None:
        return ()
    later = neighbours.by_ids(connection, sorted(heirs(connection, one.row.id)), sight)
    return tuple(heir for heir in later.values() if heir.stands)


def without_plans_off(connection: Connection, found: Sequence[Neighbour], sight: Sight) -> list[Neighbour]:
    """The memories, of which one has an end of its own where nothing is there any more to take its place then.

    Where something is, the end that it has behind that is told.
    """
    return [_as_planned(connection, one, sight) if one.leaves else one for one in found]


def _as_planned(connection: Connection, one: Neighbour, sight: Sight) -> Neighbour:
    if not following(connection, one, sight):
        return replace(one, superseded_by=None)
    return replace(one, behind=without_plans(connection, one))
