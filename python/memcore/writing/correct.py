"""A corrected text in the place of a memory: stored beside it, of the same kind, for the same thing."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memcore.errors import CorruptDatabaseError, InvalidInputError
from memcore.kinds import Ending, Kind, OperationAction, Origin, ReviewState
from memcore.storage import entities, memories, neighbours, partitions
from memcore.storage.claim_ends import without_plans
from memcore.storage.detail_reading import claim_of
from memcore.storage.detail_rows import Claim
from memcore.storage.details import slot_key
from memcore.storage.encoding import from_micros, same_text, to_micros
from memcore.storage.memory_rows import KEYED
from memcore.storage.neighbours import Neighbour, Sight
from memcore.storage.operations import RowChange, born
from memcore.storage.rows import NewMemory
from memcore.storage.supersede import superseded
from memcore.writing import fields
from memcore.writing.analysis import token_stream
from memcore.writing.apply import Applying
from memcore.writing.days import day_told
from memcore.writing.decide import joined, left, superseding
from memcore.writing.evidence import says_the_same, stored_already
from memcore.writing.names import NamedEntity
from memcore.writing.planned import following, to_follow, without_plans_off
from memcore.writing.proposal import Proposal
from memcore.writing.restate import end_told, until
from memcore.writing.said_again import began_when_said, said_again
from memcore.writing.standing import ended, refuse_entity
from memcore.writing.store import store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sqlalchemy import Connection

    from memcore.storage.detail_reading import ClaimRow
    from memcore.storage.rows import MemoryRow
    from memcore.writing.rules import Rules
    from memcore.writing.vectors import VectorSource

__all__ = ["Correction", "correct", "correctable"]

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


@dataclass(frozen=True, slots=True)
class Correction:
    """The memory that says what is right, whether it was stored for that, in words what was done, and the operation."""

    memory_id: int
    is_new: bool
    reason: str
    action: OperationAction
    changes: list[RowChange]


def correct(
    connection: "Connection",
    row: "MemoryRow",
    content: str,
    *,
    wrong: bool,
    vectors: "VectorSource",
    rules: "Rules",
    now: datetime,
) -> Correction:
    """Lets a corrected text take the place of a memory; it is stored, unless a memory of the same slot says it already.

    It is said by the user now, of what the memory speaks of: with its kind, details, speaker, event time, importance,
    tags, metadata and channel, and its entities that the text names; outside any conversation. What else fills the slot
    of a fact at a moment at which it holds is superseded, as by `facts.set`, and what waits there with the same text is
    retired. Where the memory, or what is superseded, is pinned, what is right is pinned too.

    A claim is superseded from its beginning, and the corrected text holds from there on, until what was planned to take
    its place does; where it waited for review,
    was rejected, retired, or has expired, and its beginning was not given, from now on. What waited is rejected. Any
    other memory ends as wrong, and so does a claim without a beginning, or what is called `wrong` as well.

    Raises:
        InvalidInputError: the memory is superseded already, by what holds by now.
    """
    claim = claim_of(connection, row.id)
    sight = Sight.at(now, rules.retention_days)
    own, plans = _until_a_plan(connection, row, sight)
    said = _right(connection, row, content, own if plans else None, now)
    same = [one for one in _same(connection, said, sight) if one.row.id != row.id]
    into, stay = _stored_already(connection, said, same, row, now)
    stay |= {row.id, *(one.row.id for one in plans)}
    applying = Applying(connection, now, rules.retention_days)
    if into is None:
        begins = None if claim is None else _begins(row, claim, now)
        new_id = _stored(connection, said, row, begins, vectors=vectors, rules=rules, now=now)
        changes = [born(new_id, now), *_followed(new_id, own if plans else None, now)]
    else:
        new_id, changes = into.row.id, applying.merging(said, into)
    right = neighbours.by_ids(connection, [new_id], sight)[new_id] if into is None else _as_said(said, into)
    right = replace(right, valid_until=own.valid_until) if into is None and plans else right
    ending = _beside(connection, right, stay, sight, said_before=into is not None)
    if row.pinned or applying.keeps_pin(Origin.USER, [one for one, _ in ending]):
        if into is None:
            memories.pin_new(connection, new_id)
        else:
            changes.append(RowChange("memory", (new_id,), new_id, {"pinned": 1}))
    changes += [superseded(connection, one, new_id, now, begins=since) for one, since in ending]
    leaving = [one.row.id for one in same if one.waits and says_the_same(said, one, now)]
    if into is None and not sight.keeps(row.kind, to_micros(row.event_time)):
        leaving = []  # or no search would find any that says it
    changes += [applying.retired(one) for one in leaving]
    columns: dict[str, Any] = {}
    if claim is not None:
        changes.append(RowChange("claim", (row.id,), row.id, _closed(claim.valid_from, new_id, now)))
        columns = {"review_state": ReviewState.REJECTED.value} if row.review_state is ReviewState.PENDING else {}
    if wrong or claim is None or claim.valid_from is None:
        columns |= ended(row, Ending.WRONG, now).values or {}
    if columns:
        changes.append(RowChange("memory", (row.id,), row.id, columns))
    action = OperationAction.WRONG if claim is None else OperationAction.SUPERSEDE
    reason = joined(
        "" if into is None else "the same text is stored already",
        "" if into is None else end_told(said, into, now.tzinfo),
        superseding([*([] if claim is None else [row.id]), *(one for one, _ in ending)]),
        _ending(row.id, columns),
        _followed_by(own, now) if into is None and plans else "",
        left(leaving),
    )
    return Correction(new_id, into is None, reason, action, changes)


def _ending(memory_id: int, columns: "Mapping[str, Any]") -> str:
    """In words what else becomes of what was corrected."""
    if "ending" in columns:
        return f"memory {memory_id} is wrong, and no search finds it"
    return f"memory {memory_id}, which waited for review, is rejected" if columns else ""


def _stored(
    connection: "Connection",
    said: Proposal,
    row: "MemoryRow",
    begins: datetime | None,
    *,
    vectors: "VectorSource",
    rules: "Rules",
    now: datetime,
) -> int:
    names = [one for one in entities.named_by(connection, row.id) if _names(said.content, one)]
    proposal = Proposal(
        partition=said.partition,
        content=said.content,
        kind=said.kind,
        origin=said.origin,
        speaker=said.speaker,
        infer=False,
        entities=tuple(map(NamedEntity, names)),
    )
    new = NewMemory(
        partition=said.partition,
        kind=said.kind,
        content=said.content,
        tokens=token_stream(said.content, speaker=said.speaker, event_time=row.event_time),
        origin=said.origin,
        importance=row.importance,
        event_time=row.event_time,
        recorded_at=now,
        speaker=said.speaker,
        tags=said.tags,
        metadata=dict(said.metadata),
        channel=said.channel,
        claim=None if said.claim is None else Claim(valid_from=begins, valid_until=said.claim.valid_until),
        detail=said.detail,
    )
    [added] = store(connection, [proposal], [new], vectors=vectors, identity=None, now=now, rules=rules).added
    if added.id is None:
        raise InvalidInputError(f"corrected: nothing was stored, {added.reason}; nothing was changed")
    return added.id


def _begins(row: "MemoryRow", claim: "ClaimRow", now: datetime) -> datetime | None:
    """From when on a corrected claim holds; None: it always did, until it was over."""
    begun = claim.valid_from
    if begun is None:
        return None
    held = row.review_state is ReviewState.ACTIVE and row.ending in (None, Ending.WRONG)
    expired = row.expires_at is not None and row.expires_at <= now
    is_over = claim.valid_until is not None and claim.valid_until <= now
    if began_when_said(row, begun) and not is_over and (not held or expired):
        return max(begun, now)
    # what was recorded as begun stays so when the clock steps back
    return begun if begun > row.recorded_at else min(begun, now)


def _same(connection: "Connection", said: Proposal, sight: Sight) -> list[Neighbour]:
    """The memories of the same slot, or as without one, that have the text, whatever became of them.

    None of a kind of which each stands for its own moment, such as a turn.
    """
    if said.kind not in KEYED:
        return []
    slot = None if said.slot is None else slot_key(said.slot)
    same = neighbours.with_text(connection, said.partition, said.kind, said.content, sight)
    return without_plans_off(connection, [one for one in same if one.slot_key == slot], sight)


def _stored_already(
    connection: "Connection", said: Proposal, same: "Sequence[Neighbour]", row: "MemoryRow", now: datetime
) -> tuple[Neighbour | None, frozenset[int]]:
    """The memory that says the corrected text already, and what is to take its place on a later day.

    None where what is corrected is among these: then what says so until that day is no help.
    """
    into = stored_already(said, same, now)
    later = frozenset[int]() if into is None else to_follow(connection, into)
    return (None, frozenset()) if row.id in later else (into, later)


def _as_said(said: Proposal, into: Neighbour) -> Neighbour:
    return replace(into, valid_until=until(said, into))


def _beside(
    connection: "Connection", new: Neighbour, stay: "AbstractSet[int]", sight: Sight, *, said_before: bool
) -> list[tuple[int, datetime]]:
    """The other values of the slot that hold at a moment at which the corrected one does, and until when they may.

    Those of `stay` are left as they are.
    """
    if new.slot_key is None or not new.stands:
        return []
    since = new.begins(sight.now)
    begins = sight.now if since is None else since
    if said_before:
        begins = max(sight.now, begins)
    number = partitions.ensure(connection, new.row.partition)
    return [
        (one.row.id, from_micros(begins))
        for one in neighbours.in_slot(connection, number, new.slot_key, sight)
        if one.row.id not in {new.row.id, *stay} and one.holds_within(begins, new.valid_until, sight.now)
    ]


def _until_a_plan(connection: "Connection", row: "MemoryRow", sight: Sight) -> tuple[Neighbour, tuple[Neighbour, ...]]:
    """What is corrected, and what is to take its place on a later day; refused where something has it by now."""
    own = neighbours.by_ids(connection, [row.id], sight)[row.id]
    if own.superseded_by is not None and (own.over or own.valid_until is None):
        raise InvalidInputError(f"id: {row.id} is superseded by memory {own.superseded_by}; correct that one")
    return own, following(connection, own, sight)


def _right(
    connection: "Connection", row: "MemoryRow", content: str, until_plan: Neighbour | None, now: datetime
) -> Proposal:
    """What is right, as it would be said now; where it is to hold until a plan begins, with the end behind that."""
    before = said_again(connection, row, now.tzinfo)
    claim = None if before.claim is None else replace(before.claim, confidence=1.0)
    if claim is not None and until_plan is not None:
        ends = without_plans(connection, until_plan)
        claim = replace(claim, valid_until=None if ends is None else from_micros(ends))
    return replace(before, content=content, origin=Origin.USER, expires_at=None, idempotency_key=None, claim=claim)


def _followed(memory_id: int, until_plan: Neighbour | None, now: datetime) -> list[RowChange]:
    """The change by which what was to follow another claim is to follow this one."""
    if until_plan is None:
        return []
    end = {"valid_until": until_plan.valid_until, "superseded_by": until_plan.superseded_by}
    return [RowChange("claim", (memory_id,), memory_id, {**end, "closed_at": to_micros(now)})]


def _followed_by(own: Neighbour, now: datetime) -> str:
    """In words what is to follow."""
    day = "" if own.valid_until is None else day_told(own.valid_until, now.tzinfo)
    return f"memory {own.superseded_by} is to take its place on {day}"


def _names(content: str, name: str) -> bool:
    """Whether a text names something: as a whole word, or, in scripts without spaces, anywhere."""
    wanted = same_text(name)
    before, after = (r"(?<!\w)" if wanted[0] < _UNSPACED else "", r"(?!\w)" if wanted[-1] < _UNSPACED else "")
    return re.search(f"{before}{re.escape(wanted)}{after}", same_text(content)) is not None


def _closed(begun: datetime | None, new_id: int, now: datetime) -> dict[str, int]:
    """The columns of a claim that ends where it began; one that always held, until it was over, keeps its end."""
    end = {} if begun is None else {"valid_until": to_micros(begun), "closed_at": to_micros(now)}
    return {**end, "superseded_by": new_id}
