"""The first transaction of a write: rows, entities, links and given vectors, all or nothing."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memcore.kinds import Kind, Layer, Outcome
from memcore.records import Added
from memcore.storage import entities, memories, named_only
from memcore.storage.entity_names import name_key
from memcore.storage.neighbours import Sight
from memcore.writing.apply import Applying, note_added
from memcore.writing.beside import Beside
from memcore.writing.days import with_beginning
from memcore.writing.decide import decide, may_be_near
from memcore.writing.evidence import UNTRUSTED
from memcore.writing.forgotten import FORGOTTEN, forgotten
from memcore.writing.importance import ORDINARY
from memcore.writing.link import Declared, declare, link, named_in
from memcore.writing.retried import of_call, retried
from memcore.writing.vectors import GivenVector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Connection

    from memcore.embedding import SpaceIdentity
    from memcore.scope import Partition
    from memcore.storage.memories import Keyed
    from memcore.storage.rows import NewMemory
    from memcore.writing.case import Decision, Neighbours
    from memcore.writing.proposal import Proposal
    from memcore.writing.rules import Rules
    from memcore.writing.vectors import VectorSource

__all__ = ["Written", "store"]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of each proposal, the texts that still have no vector, and what may be near an earlier memory."""

    added: list[Added]
    unembedded: dict[int, str] = field(default_factory=dict)
    perhaps_near: "dict[int, Proposal]" = field(default_factory=dict)


def store(
    connection: "Connection",
    proposals: "Sequence[Proposal]",
    rows: "Sequence[NewMemory | None]",
    *,
    vectors: "VectorSource",
    identity: "SpaceIdentity | None",
    now: datetime,
    rules: "Rules",
) -> Written:
    """Decides on the proposals in the open transaction, one after the other, and stores what is to be stored.

    `rows` are their memories, in the same order; None where nothing is left of the text. `identity` is the space of the
    given embeddings; None leaves them out.
    """
    first_of, known = _first_of(connection, proposals)
    asked, proposals = proposals, [with_beginning(one, now) for one in proposals]
    if identity is not None:
        vectors.fit(connection, identity, _given(proposals))
    fresh = [index for index, first in enumerate(first_of) if first == index]
    gone = forgotten(connection, proposals)
    beside = Beside(connection, Sight.at(now, rules.retention_days), rules, now)
    course = _Course(proposals, rows, gone, beside, rules, now)
    course.beside.prepare([proposals[index] for index in fresh], [rows[index] for index in fresh])
    for index in fresh:
        course.take(index)
    course.flush()
    newest = max(course.ids.values(), default=0)
    declared: Declared = {}
    if Layer.ENTITIES in rules.layers:
        named = sorted([*course.ids, *course.merged, *course.entities])
        declared = declare(connection, [proposals[index] for index in named], now)
    for index in course.entities:
        course.ids[index] = _describe(connection, proposals[index], declared, now)
        course.added[index] = Added(course.ids[index], Kind.ENTITY, Outcome.ACCEPT)
    stored = [(proposals[index], one) for index, one in sorted(course.ids.items())]
    link(connection, stored, declared, together=Layer.ASSOCIATION in rules.layers)
    _mention(connection, [(proposals[index], one) for index, one in course.merged.items()], declared)
    given: dict[int, Proposal] = {}
    if identity is not None:
        given = {one: said for said, one in stored if said.embedding is not None}
    if given and identity is not None:
        came = [said.embedding for said in given.values() if said.embedding is not None]
        vectors.store_given(connection, identity, list(given), came, [said.content for said in given.values()])
    texts: dict[int, str] = {}
    for one, name in declared.values():
        if one > newest:
            texts.setdefault(one, name)
    texts.update({one: said.content for said, one in stored if identity is None or one not in given})
    return Written(
        added=[
            retried(connection, asked[index], known[-first])
            if first < 0
            else course.added[index]
            if first == index
            else of_call(course.added[first], asked[first], asked[index])
            for index, first in enumerate(first_of)
        ],
        unembedded=texts,
        perhaps_near={course.ids[index]: proposals[index] for index in course.perhaps_near},
    )


def _given(proposals: "Iterable[Proposal]") -> "Iterator[GivenVector]":
    for proposal in proposals:
        if proposal.embedding is not None:
            yield GivenVector(f"{proposal.at}embedding", proposal.embedding)


@dataclass(slots=True)
class _Course:
    """How a write is going. Rows that nothing was decided against wait and are stored together, in their order.

    `gone` are the indexes of texts that were removed for good, `ids` the new rows, `merged` those that hold a text
    already.
    """

    proposals: "Sequence[Proposal]"
    rows: "Sequence[NewMemory | None]"
    gone: AbstractSet[int]
    beside: Beside
    rules: "Rules"
    now: datetime
    ids: dict[int, int] = field(default_factory=dict)
    merged: dict[int, int] = field(default_factory=dict)
    entities: list[int] = field(default_factory=list)
    perhaps_near: list[int] = field(default_factory=list)
    added: dict[int, Added] = field(default_factory=dict)
    _waiting: dict[int, str] = field(default_factory=dict)

    def take(self, index: int) -> None:
        """Decides on one proposal, and does what was decided."""
        proposal = self.proposals[index]
        if proposal.kind.layer not in self.rules.layers:
            reason = f"the layer {proposal.kind.layer.value} is switched off"
            self.added[index] = Added(None, proposal.kind, Outcome.DROP, reason)
            return
        if index in self.gone:
            self.added[index] = Added(None, proposal.kind, Outcome.DROP, FORGOTTEN)
            return
        if proposal.kind is Kind.ENTITY:
            self.entities.append(index)
            return
        row = self.rows[index]
        rows = self.beside.needs_rows(proposal, row)
        if rows:
            self.flush()
        found = self.beside.of(proposal, rows=rows)
        decision = decide(proposal, found, self.rules.params, self.now)
        if decision.outcome is Outcome.DROP or row is None:
            self.added[index] = Added(None, proposal.kind, Outcome.DROP, decision.reason)
        elif decision.into is not None:
            self._join(index, decision, found)
        elif decision.outcome is Outcome.DEFER or decision.supersedes or decision.conflicts or decision.leaving:
            self.flush()
            self._stored(index, *self._applying().store(proposal, row, decision), decision)
            self.beside.note(proposal, row)
        else:
            self._waiting[index] = decision.reason
            if self.beside.note(proposal, row) and may_be_near(proposal) and self.rules.nearest is not None:
                self.perhaps_near.append(index)

    def flush(self) -> None:
        """Stores the rows that wait."""
        if not self._waiting:
            return
        rows = [row for index in self._waiting if (row := self.rows[index]) is not None]
        new = memories.insert(self.beside.connection, rows)
        for (index, reason), one in zip(self._waiting.items(), new, strict=True):
            self.ids[index] = one
            self.added[index] = Added(one, self.proposals[index].kind, Outcome.ACCEPT, reason)
        # written down now, so that what is decided on top of these rows is a later operation
        brought = [(said, self.ids[at]) for at in self._waiting if (said := self.proposals[at]).source_ref is not None]
        note_added(self.beside.connection, brought, self.now)
        self._waiting.clear()

    def _join(self, index: int, decision: "Decision", found: "Neighbours") -> None:
        proposal, reason = self.proposals[index], decision.reason
        if decision.outcome is Outcome.MERGE:
            into = next(one for one in found.same_text if one.row.id == decision.into)
            reason = self._applying().merge(proposal, into, decision)
            if decision.strengthens:
                self.merged[index] = into.row.id
        ended = next(iter(decision.supersedes), None)
        self.added[index] = Added(decision.into, proposal.kind, decision.outcome, reason, ended)

    def _stored(self, index: int, one: int, reason: str, decision: "Decision") -> None:
        self.ids[index] = one
        ended = next(iter(decision.supersedes), None)
        self.added[index] = Added(one, self.proposals[index].kind, decision.outcome, reason, ended)

    def _applying(self) -> Applying:
        return Applying(self.beside.connection, self.now, self.rules.retention_days)


def _mention(connection: "Connection", merged: "Sequence[tuple[Proposal, int]]", declared: Declared) -> None:
    """Joins memories that were said again to the entities named with them this time; new ones count as together."""
    for proposal, one in merged if declared else ():
        named = [declared[proposal.partition, name_key(entity.name)][0] for entity in named_in(proposal)]
        if entities.mention(connection, [(one, entity) for entity in dict.fromkeys(named)]):
            entities.count_together(connection, proposal.partition, [named])


def _first_of(connection: "Connection", proposals: "Sequence[Proposal]") -> tuple[list[int], dict[int, "Keyed"]]:
    """For each proposal the index of the one that stores its text, or −id where a row has its key; these rows."""
    keys: dict[Partition, set[str]] = {}
    for proposal in proposals:
        if proposal.idempotency_key is not None:
            keys.setdefault(proposal.partition, set()).add(proposal.idempotency_key)
    first: dict[tuple[Partition, str], int] = {}
    rows: dict[int, Keyed] = {}
    for partition, of_partition in keys.items():
        known = memories.by_idempotency(connection, partition, sorted(of_partition))
        first |= {(partition, key): -one.id for key, one in known.items()}
        rows |= {one.id: one for one in known.values()}
    return [
        index
        if proposal.idempotency_key is None
        else first.setdefault((proposal.partition, proposal.idempotency_key), index)
        for index, proposal in enumerate(proposals)
    ], rows


def _describe(connection: "Connection", proposal: "Proposal", declared: Declared, now: datetime) -> int:
    """The id of the entity that `proposal` is; what the proposal says of it beside its names is written to its row."""
    memory_id, _ = declared[proposal.partition, name_key(proposal.content)]
    named_only.keep(connection, memory_id)
    said: dict[str, Any] = {
        "tags": proposal.tags or None,
        "metadata": dict(proposal.metadata) or None,
        "importance": proposal.importance,
        "event_time": proposal.event_time,
        "source_ref": proposal.source_ref,
    }
    if proposal.importance is not None and proposal.origin in UNTRUSTED:
        said["importance"] = min(proposal.importance, ORDINARY)
    columns = {column: value for column, value in said.items() if value is not None}
    if columns:
        memories.update(connection, memory_id, updated_at=now, **columns)
    return memory_id
