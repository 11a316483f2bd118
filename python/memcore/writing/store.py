"""The first transaction of a write: rows, entities, links and given vectors, all or nothing."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memcore.kinds import Kind
from memcore.storage import memories
from memcore.storage.entity_names import name_key
from memcore.writing.link import Declared, declare, link
from memcore.writing.vectors import GivenVector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from memcore.embedding import SpaceIdentity
    from memcore.scope import Partition
    from memcore.storage.rows import NewMemory
    from memcore.writing.proposal import Proposal
    from memcore.writing.vectors import VectorSource

__all__ = ["RETRIED", "Written", "store"]

RETRIED = "already stored under this idempotency key"


@dataclass(frozen=True, slots=True)
class Written:
    """The id that holds each proposal's text, which of them were retries, and the texts that still have no vector."""

    ids: list[int]
    retried: list[bool]
    unembedded: dict[int, str] = field(default_factory=dict)


def store(
    connection: "Connection",
    proposals: "Sequence[Proposal]",
    rows: "Sequence[NewMemory]",
    *,
    vectors: "VectorSource",
    identity: "SpaceIdentity | None",
    now: datetime,
) -> Written:
    """Stores the proposals in the open transaction; `rows` are their memories, in the same order.

    `identity` is the space of the given embeddings; None leaves them out.
    """
    first_of = _first_of(connection, proposals)
    fresh = [index for index, first in enumerate(first_of) if first == index]
    ids: dict[int, int] = {}
    plain = [index for index in fresh if proposals[index].kind is not Kind.ENTITY]
    if plain:
        ids.update(zip(plain, memories.insert(connection, [rows[index] for index in plain]), strict=True))
    newest = max(ids.values(), default=0)
    declared = declare(connection, [proposals[index] for index in fresh], now)
    for index in fresh:
        if proposals[index].kind is Kind.ENTITY:
            ids[index] = _describe(connection, proposals[index], declared, now)
    stored = [(proposals[index], ids[index]) for index in fresh]
    link(connection, stored, declared)
    given = {
        one: GivenVector(f"{said.at}embedding", said.content, said.embedding)
        for said, one in stored
        if said.embedding is not None
    }
    if given and identity is not None:
        vectors.store_given(connection, identity, given)
    texts: dict[int, str] = {}
    for one, name in declared.values():
        if one > newest:
            texts.setdefault(one, name)
    texts.update({one: said.content for said, one in stored if identity is None or one not in given})
    return Written(
        ids=[-first if first < 0 else ids[first] for first in first_of],
        retried=[first != index for index, first in enumerate(first_of)],
        unembedded=texts,
    )


def _first_of(connection: "Connection", proposals: "Sequence[Proposal]") -> list[int]:
    """For each proposal the index of the one that stores its text, or −id where a row has its key already."""
    keys: dict[Partition, set[str]] = {}
    for proposal in proposals:
        if proposal.idempotency_key is not None:
            keys.setdefault(proposal.partition, set()).add(proposal.idempotency_key)
    first: dict[tuple[Partition, str], int] = {}
    for partition, of_partition in keys.items():
        known = memories.by_idempotency(connection, partition, sorted(of_partition))
        first |= {(partition, key): -memory_id for key, memory_id in known.items()}
    return [
        index
        if proposal.idempotency_key is None
        else first.setdefault((proposal.partition, proposal.idempotency_key), index)
        for index, proposal in enumerate(proposals)
    ]


def _describe(connection: "Connection", proposal: "Proposal", declared: Declared, now: datetime) -> int:
    """The id of the entity that `proposal` is; what the proposal says of it beside its names is written to its row."""
    memory_id, _ = declared[proposal.partition, name_key(proposal.content)]
    said: dict[str, Any] = {
        "tags": proposal.tags or None,
        "metadata": dict(proposal.metadata) or None,
        "importance": proposal.importance,
        "event_time": proposal.event_time,
        "source_ref": proposal.source_ref,
    }
    columns = {column: value for column, value in said.items() if value is not None}
    if columns:
        memories.update(connection, memory_id, updated_at=now, **columns)
    return memory_id
