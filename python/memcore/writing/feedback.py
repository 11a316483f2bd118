"""What somebody says of a memory: that it helped or not, that it is wrong, what it should say instead."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError
from memcore.kinds import Ending, Kind, OperationAction, Outcome
from memcore.records import Added, checked_id
from memcore.storage import feedback_rows, operations, partitions, strength
from memcore.storage.neighbours import Sight
from memcore.writing import fields
from memcore.writing.correct import Correction, correct, correctable
from memcore.writing.decide import joined
from memcore.writing.reach import Reach, found
from memcore.writing.replacing import record_replacing
from memcore.writing.standing import ended, refuse_entity, taken_out
from memcore.writing.write import embed_after

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow
    from memcore.writing.rules import Rules
    from memcore.writing.vectors import VectorSource

__all__ = ["Said", "feedback", "said"]


@dataclass(frozen=True, slots=True)
class Said:
    """The checked words of a call of `feedback`."""

    helpful: bool | None
    wrong: bool
    corrected: str | None


def said(helpful: object, wrong: object, corrected: object) -> Said:
    """What a call of `feedback` says.

    Raises:
        InvalidInputError: nothing is said, something is not accepted, or a memory is called helpful and wrong at once.
    """
    if helpful is not None and not isinstance(helpful, bool):
        fields.refuse("helpful", helpful, "give True or False, or leave it out")
    if not isinstance(wrong, bool):
        fields.refuse("wrong", wrong, "give True or False")
    if helpful is None and not wrong and corrected is None:
        raise InvalidInputError("feedback: nothing was said; give one of helpful, wrong, corrected")
    if helpful and wrong:
        fields.refuse("helpful", helpful, "leave it out where wrong=True")
    return Said(helpful, wrong, None if corrected is None else fields.text("corrected", corrected))


def feedback(
    database: "Database",
    memory_id: object,
    what: Said,
    *,
    within: Reach,
    vectors: "VectorSource",
    rules: "Rules",
    now: datetime,
) -> Added | None:
    """What became of the corrected text, with a reason that says what was done; None where none was given.

    Each is kept as a label. `wrong` takes the memory out of the searches, and where it had not begun, what it was to
    take the place of keeps its time; a corrected text supersedes it, or, where it
    is no claim, takes the place of it as something wrong. One that is stored already is strengthened instead. All are
    operations, and an undo takes the label back too.

    Raises:
        InvalidInputError: `memory_id` is no id, the memory cannot be wrong or corrected, or is superseded already.
        NotFoundError: it is unknown, or, to be wrong or corrected, not the named user's own.
    """
    wanted = checked_id("id", memory_id)
    changing = what.wrong or what.corrected is not None
    with database.write() as connection:
        row = found(connection, within, [wanted], field="id", to_change=changing)[0]
        if what.corrected is not None:
            correctable(row, what.corrected)
            kind = Kind(row.kind)
            if kind.layer not in rules.layers:
                return Added(None, kind, Outcome.DROP, f"the layer {kind.layer} is off; nothing was changed")
        elif what.wrong:
            refuse_entity(row, "wrong", "delete(id) removes it")
        correction = _written(connection, row, what, vectors=vectors, rules=rules, now=now)
    if correction is None or what.corrected is None:
        return None
    if correction.is_new:
        embed_after(database, vectors, {correction.memory_id: what.corrected})
    outcome = Outcome.ACCEPT if correction.is_new else Outcome.MERGE
    return Added(correction.memory_id, Kind(row.kind), outcome, correction.reason, supersedes=wanted)


def _written(
    connection: "Connection", row: "MemoryRow", what: Said, *, vectors: "VectorSource", rules: "Rules", now: datetime
) -> Correction | None:
    """The correction, where one was given, after label and operation were written."""
    is_wrong, sight = what.wrong or what.corrected is not None, Sight.at(now, rules.retention_days)
    label = feedback_rows.label(connection, row.id, helpful=what.helpful, wrong=is_wrong, now=now)
    if not is_wrong:
        operations.apply_change(connection, label)
        return None
    partition = partitions.ensure(connection, row.partition)
    if what.corrected is None:
        changes, kept = taken_out(connection, ended(row, Ending.WRONG, now), sight)
        reason = joined("wrong", kept)
        operations.record(connection, partition, OperationAction.WRONG, [label, *changes], now=now, reason=reason)
        strength.reschedule(connection, sorted({one.memory_id for one in changes}))
        return None
    correction = correct(connection, row, what.corrected, wrong=what.wrong, vectors=vectors, rules=rules, now=now)
    changes = [label, *correction.changes]
    follows = record_replacing(connection, partition, correction.action, changes, sight=sight, reason="corrected")
    strength.reschedule(connection, sorted({one.memory_id for one in changes}))
    return replace(correction, reason=joined(correction.reason, follows))
