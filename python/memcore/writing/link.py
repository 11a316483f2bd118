"""Joining what is written: mention edges, entities named together, memories written together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations, groupby, islice
from typing import TYPE_CHECKING

from memcore.kinds import Kind
from memcore.storage import edges, entities
from memcore.storage.entity_names import name_key
from memcore.writing.names import NamedEntity, speaker_entity
from memcore.writing.use import ASSOCIATION, MOST_PAIRS

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.scope import Partition
    from memcore.writing.proposal import Proposal

__all__ = ["Declared", "declare", "link", "named_in"]

Stored = tuple["Proposal", int]
Declared = dict[tuple["Partition", str], tuple[int, str]]
"""By partition and name key: the id of an entity, and the name it was called by."""


@dataclass(slots=True)
class _Names:
    """The names of one partition, each once, with all aliases it was given, in the order of first mention."""

    names: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, dict[str, None]] = field(default_factory=dict)

    def note(self, entity: NamedEntity) -> None:
        key = name_key(entity.name)
        self.names.setdefault(key, entity.name)
        self.aliases.setdefault(key, {}).update(dict.fromkeys(entity.aliases))

    def listed(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(name, tuple(self.aliases[key])) for key, name in self.names.items()]


def named_in(proposal: "Proposal") -> tuple[NamedEntity, ...]:
    """The entities that a memory mentions: the declared ones, then its speaker."""
    speaker = speaker_entity(proposal.speaker)
    return proposal.entities if speaker is None else (*proposal.entities, speaker)


def declare(connection: "Connection", proposals: "Iterable[Proposal]", now: datetime) -> Declared:
    """The entities that `proposals` name; unknown ones become memories of kind entity.

    A user's name is looked for among the shared ones too, so what is shared and what is somebody's take turns in the
    order of `proposals`: stored together they name the same entities as stored one by one.
    """
    declared: Declared = {}
    for _, in_turn in groupby(proposals, key=lambda proposal: proposal.partition.user_id is None):
        of_partition: dict[Partition, _Names] = {}
        heard: set[tuple[Partition, str | None]] = set()
        for proposal in in_turn:
            heard_of = (proposal.partition, proposal.speaker)
            if proposal.entities or heard_of not in heard:
                heard.add(heard_of)
                for entity in named_in(proposal):
                    of_partition.setdefault(proposal.partition, _Names()).note(entity)
        for partition, names in of_partition.items():
            resolved = entities.resolve(connection, partition, names.listed(), now)
            for (key, name), one in zip(names.names.items(), resolved, strict=True):
                declared.setdefault((partition, key), (one, name))
    return declared


def link(connection: "Connection", stored: "Sequence[Stored]", declared: Declared, *, together: bool = True) -> None:
    """Writes the mentions, counts and edges that come from writing these memories, batch by batch.

    Nothing is mentioned where nothing was declared, and no edge is written unless `together`. Every pair of the first
    ten entities of a batch counts as named together. Memories of one batch that are neither turns nor entities get an
    associative edge, the first ten pairs: turns are joined by their order already.
    """
    mentions = list(dict.fromkeys(_mentions(stored, declared))) if declared else []
    alone = len({proposal.batch for proposal, _ in stored}) == len(stored)
    if mentions:
        owners = {one: said.partition for said, one in stored if said.kind is not Kind.ENTITY}
        entities.mention(connection, mentions, owners)
        if not alone or len(mentions) > len({memory_id for memory_id, _ in mentions}):
            _count_together(connection, _batches(stored), _grouped(mentions))
    pairs: list[tuple[int, int]] = []
    if together and not alone:
        pairs = [pair for batch in _batches(stored) if len(batch) > 1 for pair in _together(batch)]
    if pairs:
        edges.reinforce(connection, pairs, new=ASSOCIATION)


def _mentions(stored: "Sequence[Stored]", declared: Declared) -> Iterator[tuple[int, int]]:
    """Each memory that is no entity with each entity that it mentions."""
    of_speaker: dict[tuple[Partition, str | None], tuple[int, ...]] = {}
    for proposal, memory_id in stored:
        if proposal.kind is Kind.ENTITY:
            continue
        partition = proposal.partition
        said_by = (partition, proposal.speaker)
        named = None if proposal.entities else of_speaker.get(said_by)
        if named is None:
            named = tuple(declared[partition, name_key(entity.name)][0] for entity in named_in(proposal))
            if not proposal.entities:
                of_speaker[said_by] = named
        for entity_id in named:
            yield memory_id, entity_id


def _grouped(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    grouped: dict[int, list[int]] = {}
    for first, second in pairs:
        grouped.setdefault(first, []).append(second)
    return grouped


def _batches(stored: "Sequence[Stored]") -> "list[list[Stored]]":
    grouped: dict[tuple[Partition, int], list[Stored]] = {}
    for one in stored:
        grouped.setdefault((one[0].partition, one[0].batch), []).append(one)
    return list(grouped.values())


def _count_together(
    connection: "Connection", batches: "Sequence[Sequence[Stored]]", mentioned: dict[int, list[int]]
) -> None:
    groups: dict[Partition, list[list[int]]] = {}
    for batch in batches:
        if len(batch) == 1 and len(mentioned.get(batch[0][1], ())) < 2:
            continue
        together = dict.fromkeys(entity for _, memory_id in batch for entity in mentioned.get(memory_id, ()))
        if len(together) > 1:
            groups.setdefault(batch[0][0].partition, []).append(list(together))
    for partition, of_partition in groups.items():
        entities.count_together(connection, partition, of_partition)


def _together(batch: "Sequence[Stored]") -> Iterator[tuple[int, int]]:
    ids = [memory_id for proposal, memory_id in batch if proposal.kind not in (Kind.TURN, Kind.ENTITY)]
    yield from islice(combinations(ids, 2), MOST_PAIRS)
