"""An operation by which something takes the place of others: a plan that never comes to hold by it is called off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage import operations, strength
from memcore.storage.called_off import given_back, never_begin, told
from memcore.storage.encoding import from_micros
from memcore.storage.returning import disputes_of
from memcore.writing.decide import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from memcore.kinds import OperationAction
    from memcore.storage.neighbours import Sight
    from memcore.storage.operations import RowChange

__all__ = ["record_replacing"]


def record_replacing(
    connection: Connection,
    partition: int,
    action: OperationAction,
    changes: Sequence[RowChange],
    *,
    sight: Sight,
    reason: str = "",
    source_ref: str | None = None,
) -> str:
    """Apply and write down the changes as one operation; in words what follows from them, empty where nothing.

    What a plan was to take the place of, of which something else has the place now before it begins, keeps its time by
    the same operation, and is in conflict from now on with what contradicts it by then.
    """
    now = from_micros(sight.now)
    number = operations.record(connection, partition, action, changes, now=now, reason=reason, source_ref=source_ref)
    given = given_back(connection, never_begin(connection, changes, sight), sight)
    if number is None or not given:
        return ""
    back = [one.change for one in given]
    follows = told(given)
    back += disputes_of(connection, back, sight, now)
    operations.extend(connection, number, back, reason=joined(reason, follows))
    strength.reschedule(connection, sorted({one.memory_id for one in back}))
    return follows
