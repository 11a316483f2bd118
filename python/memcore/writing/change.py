"""Changing a stored memory."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from memcore.errors import InvalidInputError
from memcore.kinds import Embed, Ending, Kind, OperationAction, ReviewState
from memcore.records import MemoryRecord, checked_id
from memcore.storage import memories, operations, partitions
from memcore.storage.encoding import to_micros
from memcore.storage.neighbours import Sight
from memcore.storage.operations import RowChange
from memcore.storage.returning import disputes_of
from memcore.storage.supersede import hides
from memcore.writing import fields
from memcore.writing.analysis import calendar_moment, token_stream
from memcore.writing.decide import NEVER_NEAR
from memcore.writing.evidence import UNTRUSTED
from memcore.writing.identity import identity_key
from memcore.writing.importance import ORDINARY
from memcore.writing.postponed import moved_beginning
from memcore.writing.reach import Reach, found
from memcore.writing.reading import records_of
from memcore.writing.rules import Rules
from memcore.writing.vectors import GivenVector
from memcore.writing.write import embed_after

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import tzinfo

    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow
    from memcore.writing.vectors import VectorSource

__all__ = ["Changes", "UpdateFields", "changes", "update"]


class UpdateFields(TypedDict, total=False):
    """The keywords of `update`; None leaves a field as it is."""

    content: Any
    importance: Any
    tags: Any
    metadata: Any
    event_time: Any
    source_ref: Any
    embedding: Any


@dataclass(frozen=True, slots=True)
class Changes:
    """The checked new values of some columns, and the vector that belongs to the text."""

    columns: "Mapping[str, Any]"
    embedding: "NDArray[np.float32] | None" = field(default=None, compare=False)


def changes(**given: Unpack[UpdateFields]) -> Changes:
    """What a call of `update` changes; `tags` and `metadata` replace what was there.

    Raises:
        InvalidInputError: a field is not accepted, or none was given.
    """
    checks: dict[str, Callable[[str, object], Any]] = {
        "content": fields.text,
        "importance": fields.importance,
        "tags": fields.tags,
        "metadata": fields.json_object,
        "event_time": fields.moment,
        "source_ref": fields.name,
    }
    values: dict[str, object] = {key: value for key, value in given.items() if value is not None}
    if not values:
        raise InvalidInputError(f"update: nothing to change was given; give one of {', '.join([*checks, 'embedding'])}")
    embedding = values.get("embedding")
    return Changes(
        {key: check(key, values[key]) for key, check in checks.items() if key in values},
        None if embedding is None else fields.vector("embedding", embedding),
    )


def update(
    database: "Database",
    memory_id: object,
    new: Changes,
    *,
    within: Reach,
    vectors: "VectorSource",
    now: datetime,
    rules: Rules | None = None,
    embed: Embed = Embed.NOW,
) -> MemoryRecord:
    """The memory as it is after the change. A new content is analysed and embedded as by `add`.

    The values from before are kept in an operation, an old content among them, until the memory is deleted. What else
    stands in the slot of a fact and says something else by then is in conflict with it, as a part of that operation,
    unless somebody decided between the two before. What is to begin with its event begins when that is by then.

    Raises:
        InvalidInputError: `memory_id` is no id, an entity's new name is taken, what a tool, the web or a job brought is
            to be made important, what was rejected or called wrong is to say something else, or no search would find
            any more what took the place of something, or an event that a claim is to begin with is moved to the past or
            beyond the end of the claim.
        NotFoundError: it is unknown, or not the named user's own.
        DimensionError: the given embedding does not fit the space; nothing was changed.
        ProviderError: an embedding was given, and the embedder cannot say which space it is of; nothing was changed.
    """
    wanted, rules = checked_id("id", memory_id), Rules() if rules is None else rules
    vectors.check({"embedding": new.embedding})
    identity = None if new.embedding is None else vectors.identity(new.embedding.size)
    with database.write() as connection:
        row = found(connection, within, [wanted], field="id", to_change=True)[0]
        sight = Sight.at(now, rules.retention_days)
        _refuse_raising(row, new.columns)
        _refuse_refused(row, new.columns)
        _refuse_hiding(connection, row, new.columns, rules, sight)
        columns = _columns(row, new, now.tzinfo)
        if columns:
            values = memories.edited(connection, wanted, columns)
            change = RowChange("memory", (wanted,), wanted, values)
            partition = partitions.ensure(connection, row.partition)
            event = columns.get("event_time")
            made = [change, *([] if event is None else moved_beginning(connection, row, event, sight))]
            made += disputes_of(connection, made, sight, now)
            operations.record(connection, partition, OperationAction.UPDATE, made, now=now)
            memories.touch(connection, [wanted], now)
        content = columns.get("content", row.content)
        if new.embedding is not None and identity is not None:
            vectors.fit(connection, identity, [GivenVector("embedding", new.embedding)])
            vectors.store_given(connection, identity, [wanted], [new.embedding], [content])
        [changed] = records_of(connection, found(connection, within, [wanted], field="id"))
    if "content" in columns and identity is None and embed is Embed.NOW:
        embed_after(database, vectors, {wanted: content})
    return changed


def _refuse_raising(row: "MemoryRow", columns: "Mapping[str, Any]") -> None:
    """Lets an importance pass that does not make important what nobody has said to be true; lowering is no matter."""
    wanted, most = columns.get("importance", 0.0), max(ORDINARY, row.importance)
    if row.origin in UNTRUSTED and wanted > most:
        raise InvalidInputError(
            f"importance: {wanted:g} is not accepted, memory {row.id} comes from origin {row.origin}; what a tool, the "
            f"web or a job brought is never made important: give at most {most:g}, or add it as what the user says"
        )


def _refuse_hiding(
    connection: "Connection", row: "MemoryRow", columns: "Mapping[str, Any]", rules: Rules, sight: Sight
) -> None:
    """Lets an event time pass by which what took the place of another is still found: or nothing would be of both."""
    if "event_time" not in columns:
        return
    replaced = hides(connection, row.id, to_micros(columns["event_time"]), sight)
    if replaced is not None:
        fields.refuse(
            "event_time",
            columns["event_time"].isoformat(),
            f"it is before the {rules.retention_days[Kind(row.kind)]} days for which a {row.kind} is kept, and memory "
            f"{row.id} took the place of memory {replaced}, so no search would find either: give a later moment, or "
            "undo that first",
        )


def _refuse_refused(row: "MemoryRow", columns: "Mapping[str, Any]") -> None:
    """Lets a new content pass but of what somebody has said no to: the no is to that text, and stays with it."""
    said_no = row.review_state is ReviewState.REJECTED or row.ending is Ending.WRONG
    if said_no and columns.get("content", row.content) != row.content:
        state = "rejected" if row.review_state is ReviewState.REJECTED else "called wrong"
        fields.refuse(
            "content", columns["content"], f"memory {row.id} is {state}, and stays what was refused; add the new text"
        )


def _columns(row: "MemoryRow", new: Changes, zone: "tzinfo | None") -> dict[str, Any]:
    """The columns to write: what follows from the new values too, and not the content where it stays the same."""
    columns = dict(new.columns)
    if columns.get("content") == row.content:
        del columns["content"]
    if row.kind is Kind.ENTITY and "content" in columns:
        columns["content"] = fields.name("content", columns["content"])
    if "content" in columns or "event_time" in columns:
        columns["tokens"] = token_stream(
            columns.get("content", row.content),
            speaker=row.speaker,
            event_time=columns["event_time"] if "event_time" in columns else _day_of(row, zone),
        )
    if "content" in columns and isinstance(row.kind, Kind) and row.kind not in NEVER_NEAR:
        columns["identity_key"] = identity_key(row.kind, columns["content"])
    if "importance" in columns:
        earned = row.base_importance - row.importance
        columns["base_importance"] = min(10.0, max(0.0, columns["importance"] + earned))
    return columns


def _day_of(row: "MemoryRow", zone: "tzinfo | None") -> datetime:
    """The day of a memory in the calendar of whoever stored it."""
    return calendar_moment(row.tokens, row.content, speaker=row.speaker, event_time=row.event_time, zone=zone)
