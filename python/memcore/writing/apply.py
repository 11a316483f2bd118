"""Carrying out a decision in the open transaction: the row, what it changes in others, and the operation of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from memcore.kinds import Channel, Ending, OperationAction, Outcome, ReviewState
from memcore.storage import memories, operations, partitions
from memcore.storage.claim_ends import without_end_behind
from memcore.storage.conflicts import conflicting, recorded_partners
from memcore.storage.encoding import from_micros, json_text, to_micros
from memcore.storage.neighbours import Sight
from memcore.storage.operations import RowChange, born
from memcore.storage.strength import reschedule, strengthened
from memcore.storage.supersede import superseded
from memcore.writing.analysis import token_stream
from memcore.writing.days import happened
from memcore.writing.decide import joined
from memcore.writing.evidence import UNTRUSTED, rank
from memcore.writing.replacing import record_replacing
from memcore.writing.restate import lifts_behind, lifts_end, renewed, restated
from memcore.writing.standing import waking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.kinds import Kind, Origin
    from memcore.scope import Partition
    from memcore.storage.neighbours import Neighbour
    from memcore.storage.rows import MemoryRow, NewMemory
    from memcore.writing.case import Decision
    from memcore.writing.proposal import Proposal

__all__ = ["Applying", "note_added"]


@dataclass(frozen=True, slots=True)
class Applying:
    """The open transaction of a write, its moment, and for how long memories of some kinds are found."""

    connection: Connection
    now: datetime
    retention_days: Mapping[Kind, int] = field(default_factory=lambda: MappingProxyType({}))

    def store(self, proposal: Proposal, row: NewMemory, decision: Decision) -> tuple[int, str]:
        """The id of the new row of a proposal that is accepted beside others, or waits for review; and why."""
        conn = self.connection
        if decision.outcome is Outcome.DEFER:
            row = replace(row, review_state=ReviewState.PENDING)
        [new] = memories.insert(conn, [row])
        if self.keeps_pin(proposal.origin, decision.supersedes):
            memories.pin_new(conn, new)
            reschedule(conn, [new])
        changes = [born(new, self.now)]
        changes += [superseded(conn, old, new, self.now) for old in decision.supersedes]
        changes += [conflicting(old, new, self.now) for old in decision.conflicts]
        changes += [self.retired(one) for one in decision.leaving]
        action = OperationAction.MERGE if decision.leaving else OperationAction.ADD
        if decision.supersedes or decision.conflicts:
            action = OperationAction.SUPERSEDE if decision.supersedes else OperationAction.CONFLICT
        return new, self._record(proposal, action, changes, decision.reason)

    def merge(self, proposal: Proposal, into: Neighbour, decision: Decision, *, own_row: int | None = None) -> str:
        """Why a memory holds a proposal's text now; `own_row` is the row that it was stored in before."""
        conn, old = self.connection, into.row.id
        changes = self.merging(proposal, into, strengthens=decision.strengthens, own_row=own_row)
        known = recorded_partners(conn, old) if decision.conflicts else set()
        changes += [conflicting(one, old, self.now) for one in decision.conflicts if one not in known]
        begins = self.now if into.valid_from is None else max(self.now, from_micros(into.valid_from))
        changes += [superseded(conn, one, old, self.now, begins=begins) for one in decision.supersedes]
        changes += [self.retired(one) for one in decision.leaving]
        origin = self.raised(proposal, into) if decision.strengthens else into.row.origin
        pinned = self.pin_of(into.row, origin, decision.supersedes)
        changes += pinned
        changes += waking(conn, old, self.now) if pinned and not decision.strengthens else []
        reason = self._record(proposal, OperationAction.MERGE, changes, decision.reason)
        if proposal.fills_slot or pinned:  # another category, or a pin, fades by another half-life
            reschedule(conn, [old])
        return reason

    def merging(
        self, proposal: Proposal, into: Neighbour, *, strengthens: bool = True, own_row: int | None = None
    ) -> list[RowChange]:
        """What a memory becomes that holds a proposal's text already, and how the proposal's own row ends."""
        conn, old = self.connection, into.row.id
        changes: list[RowChange] = []
        columns: dict[str, Any] = {}
        if into.row.idempotency_key is None and proposal.idempotency_key is not None:
            columns["idempotency_key"] = proposal.idempotency_key
        if own_row is not None:
            changes.append(self.retired(own_row, **dict.fromkeys(columns)))
        if strengthens:
            used = strengthened(conn, [old], self.now)
            changes += restated(proposal, into, used) if proposal.fills_slot else used
            columns |= self._renewed(proposal, into) | renewed(proposal, into) | self._moved(proposal, into)
        if columns:
            changes.append(RowChange("memory", (old,), old, columns))
        if strengthens and proposal.claim is not None and into.confidence is not None:
            confidence = max(proposal.claim.confidence, into.confidence)
            no_end: dict[str, Any] = without_end_behind(into) if lifts_behind(proposal, into) else {}
            if lifts_end(proposal, into):
                no_end = dict.fromkeys(("valid_until", "closed_at", "superseded_by"))
            changes.append(RowChange("claim", (old,), old, {"confidence": confidence, **no_end}))
        return changes

    def keeps_pin(self, origin: Origin | str, replaced: Sequence[int]) -> bool:
        """Whether what takes the place of memories is pinned: one of them is, and its origin may be."""
        return origin not in UNTRUSTED and any(one.pinned for one in memories.fetch(self.connection, replaced))

    def pin_of(self, row: MemoryRow, origin: Origin | str, replaced: Sequence[int]) -> list[RowChange]:
        """The change by which a memory, of this origin from now on, gets the pin of what it takes the place of.

        None where it is pinned already, or nothing of that is.
        """
        if row.pinned or not self.keeps_pin(origin, replaced):
            return []
        return [RowChange("memory", (row.id,), row.id, {"pinned": 1})]

    @staticmethod
    def raised(proposal: Proposal, into: Neighbour) -> Origin | str:
        """The origin of a memory that is said again: that of the stronger evidence."""
        return proposal.origin if rank(proposal.origin) > rank(into.row.origin) else into.row.origin

    def retired(self, one: int, **columns: Any) -> RowChange:
        """The change by which another memory holds what one said."""
        ended = {"ended_at": to_micros(self.now), "ending": Ending.RETIRED.value}
        return RowChange("memory", (one,), one, {**ended, **columns})

    def _renewed(self, proposal: Proposal, into: Neighbour) -> dict[str, Any]:
        """The columns of a memory that is said again: what is new is added, and nothing is taken away."""
        row = into.row
        columns: dict[str, Any] = {"updated_at": to_micros(max(self.now, row.updated_at))}
        if row.channel is Channel.DIRECT and proposal.channel is Channel.GROUP:
            columns["channel"] = Channel.GROUP.value
        if (origin := self.raised(proposal, into)) != row.origin:
            columns["origin"] = str(origin)
        if row.expires_at is not None and (proposal.expires_at is None or proposal.expires_at > row.expires_at):
            columns["expires_at"] = None if proposal.expires_at is None else to_micros(proposal.expires_at)
        tags = tuple(dict.fromkeys((*row.tags, *proposal.tags)))
        if tags != row.tags:
            columns["tags"] = json_text("tags", list(tags))
        metadata = {**proposal.metadata, **row.metadata}
        if metadata != row.metadata:
            columns["metadata"] = json_text("metadata", metadata)
        return columns

    def _moved(self, proposal: Proposal, into: Neighbour) -> dict[str, Any]:
        """The columns of when it happened, where it is found for some days from then on and was said again later."""
        row, said = into.row, happened(proposal, self.now)
        if proposal.kind not in self.retention_days or said <= row.event_time:
            return {}
        tokens = token_stream(row.content, speaker=row.speaker, event_time=said)
        return {"event_time": to_micros(said), "tokens": tokens}

    def _record(self, proposal: Proposal, action: OperationAction, changes: Sequence[RowChange], reason: str) -> str:
        partition = partitions.ensure(self.connection, proposal.partition)
        follows = record_replacing(
            self.connection,
            partition,
            action,
            changes,
            sight=Sight.at(self.now, self.retention_days),
            reason=reason,
            source_ref=proposal.source_ref,
        )
        return joined(reason, follows)


def note_added(connection: Connection, stored: Sequence[tuple[Proposal, int]], now: datetime) -> None:
    """Writes down what sources brought, an operation for each source and partition, so that it can be undone."""
    brought: dict[tuple[Partition, str], list[RowChange]] = {}
    for proposal, memory_id in stored:
        if proposal.source_ref is not None:
            brought.setdefault((proposal.partition, proposal.source_ref), []).append(born(memory_id, now))
    for (partition, source_ref), changes in brought.items():
        number = partitions.ensure(connection, partition)
        operations.record(connection, number, OperationAction.ADD, changes, now=now, source_ref=source_ref)
