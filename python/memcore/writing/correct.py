"""A corrected text in the place of a memory: stored beside it, of the same kind, for the same thing."""

import re
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.errors import CorruptDatabaseError, InvalidInputError
from memcore.kinds import Channel, Ending, Kind, OperationAction, Origin
from memcore.storage import entities
from memcore.storage.detail_reading import claim_of, detail_of
from memcore.storage.detail_rows import Claim
from memcore.storage.encoding import same_text, to_micros
from memcore.storage.operations import RowChange, born
from memcore.storage.rows import NewMemory
from memcore.writing import fields
from memcore.writing.analysis import token_stream
from memcore.writing.names import NamedEntity
from memcore.writing.proposal import Proposal
from memcore.writing.standing import ended, refuse_entity
from memcore.writing.store import store

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.storage.rows import MemoryRow
    from memcore.writing.rules import Rules
    from memcore.writing.vectors import VectorSource

__all__ = ["correct", "correctable"]

_UNSPACED = "\u2e80"  # from here on Unicode has the scripts of East Asia


def correctable(row: "MemoryRow", content: str) -> None:
    """Lets a memory pass that another text can take the place of.

    Raises:
        InvalidInputError: it is an entity or a piece of a file, or says that already.
    """
    refuse_entity(row, "corrected", "update(id, content=…) renames it")
    if not row.intact:
        raise CorruptDatabaseError(f"memory {row.id}: its text or another column is damaged; restore it from a backup")
    if row.kind is Kind.CHUNK:
        raise InvalidInputError(f"id: {row.id} is not accepted, it is a piece of a file; change the file")
    if same_text(content) == same_text(row.content):
        fields.refuse("corrected", content, f"memory {row.id} says that already; give what it should say")


def correct(
    connection: "Connection", row: "MemoryRow", content: str, *, vectors: "VectorSource", rules: "Rules", now: datetime
) -> tuple[int, OperationAction, list[RowChange]]:
    """The id of the corrected text, which is stored, and the operation that lets it take the place of a memory.

    It is said by the user now, of what the memory speaks of: with its kind, details, speaker, event time, importance,
    tags, metadata and channel, and its entities that the text names; outside any conversation. A claim is superseded
    from its beginning; any other memory ends as wrong, and so does a claim without a beginning.

    Raises:
        InvalidInputError: the memory is superseded already.
    """
    claim = claim_of(connection, row.id)
    if claim is not None and claim.superseded_by is not None:
        raise InvalidInputError(f"id: {row.id} is superseded by memory {claim.superseded_by}; correct that one")
    kind, channel = Kind(row.kind), None if row.channel is None else Channel(row.channel)
    names = entities.named_by(connection, row.id)
    proposal = Proposal(
        partition=row.partition,
        content=content,
        kind=kind,
        origin=Origin.USER,
        speaker=row.speaker,
        infer=False,
        entities=tuple(NamedEntity(name) for name in names if _names(content, name)),
    )
    begun = None if claim is None else claim.valid_from
    # what was recorded as begun stays so when the clock steps back
    valid_from = begun if begun is None or begun > row.recorded_at else min(begun, now)
    new = NewMemory(
        partition=row.partition,
        kind=kind,
        content=content,
        tokens=token_stream(content, speaker=row.speaker, event_time=row.event_time),
        origin=Origin.USER,
        importance=row.importance,
        event_time=row.event_time,
        recorded_at=now,
        speaker=row.speaker,
        tags=row.tags,
        metadata=row.metadata,
        channel=channel,
        claim=None if claim is None else Claim(valid_from=valid_from, valid_until=claim.valid_until),
        detail=detail_of(connection, row.id, kind),
    )
    [added] = store(connection, [proposal], [new], vectors=vectors, identity=None, now=now, rules=rules).added
    new_id = added.id
    if new_id is None:
        raise InvalidInputError(f"corrected: nothing was stored, {added.reason}; nothing was changed")
    if claim is None:
        return new_id, OperationAction.WRONG, [ended(row, Ending.WRONG, now), born(new_id, now)]
    changes = [RowChange("claim", (row.id,), row.id, _closed(begun, new_id, now)), born(new_id, now)]
    if begun is None:
        changes.append(ended(row, Ending.WRONG, now))
    return new_id, OperationAction.SUPERSEDE, changes


def _names(content: str, name: str) -> bool:
    """Whether a text names something: as a whole word, or, in scripts without spaces, anywhere."""
    wanted = same_text(name)
    before, after = (r"(?<!\w)" if wanted[0] < _UNSPACED else "", r"(?!\w)" if wanted[-1] < _UNSPACED else "")
    return re.search(f"{before}{re.escape(wanted)}{after}", same_text(content)) is not None


def _closed(begun: datetime | None, new_id: int, now: datetime) -> dict[str, int]:
    """The columns of a claim that ends where it began; one that always held, until it was over, keeps its end."""
    end = {} if begun is None else {"valid_until": to_micros(begun), "closed_at": to_micros(now)}
    return {**end, "superseded_by": new_id}
