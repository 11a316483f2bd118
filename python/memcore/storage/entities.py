"""Entities: named things with aliases, who mentions them, and which are written of together."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError
from memcore.kinds import Kind, Origin
from memcore.scope import Partition
from memcore.storage import memories, partitions
from memcore.storage.entity_names import name_key
from memcore.storage.named_only import mark_of
from memcore.storage.owners import checked_partition, owners_of
from memcore.storage.plain import among, plain_insert, plain_rows
from memcore.storage.rows import EntityRow, NewMemory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["LARGEST_GROUP", "count_together", "mention", "named_by", "of_partition", "resolve"]

LARGEST_GROUP = 10
_IMPORTANCE = 5.0
_FIND = (
    "SELECT 0, name_key, memory_id FROM entity WHERE partition_id = ? AND name_key {among}"
    " UNION ALL SELECT 1, alias_key, memory_id FROM entity_alias WHERE partition_id = ? AND alias_key {among}"
)


def resolve(
    conn: Connection, partition: Partition, names: Sequence[tuple[str, Sequence[str]]], recorded_at: datetime
) -> list[int]:
    """The entity of each (name, aliases), aligned with `names`; an unknown one becomes a memory of kind `entity`.

    It is looked for by name, then by the aliases, first among the user's own and then among the shared entities. New
    aliases are noted in `partition`: what one user calls a shared entity the others do not learn. A new one goes with
    the last memory that names it, unless it is declared (`named_only.keep`).

    Raises:
        InvalidInputError: a name or an alias is blank.
    """
    found_own, shared = partitions.find_both(conn, partition)
    own = partitions.ensure(conn, partition) if found_own is None else found_own
    keyed = [(name_key(name), name, {name_key(alias): alias for alias in aliases}) for name, aliases in names]
    keys = sorted({key for first, _, aliases in keyed for key in (first, *aliases)})
    known = _known(conn, [own] if shared in (None, own) else [own, shared], keys)
    resolved: list[int] = []
    for first, name, aliases in keyed:
        spoken = {first: name, **aliases}
        found = next((known[key] for key in spoken if key in known), None)
        if found is None:
            found = known[first] = _new_entity(conn, partition, own, name, recorded_at)
        _note_aliases(conn, own, found, {key: alias for key, alias in spoken.items() if key not in known})
        known.update(dict.fromkeys(spoken.keys() - known.keys(), found))
        resolved.append(found)
    return resolved


def _known(conn: Connection, numbers: Sequence[int], keys: Sequence[str]) -> dict[str, int]:
    """Which keys name which entity; names before aliases, a user's own before the shared."""
    condition, parameters = among(keys)
    known: dict[str, int] = {}
    for number in numbers:
        rows = plain_rows(conn, _FIND.format(among=condition), (number, *parameters) * 2)
        for _, key, memory_id in sorted(rows):
            known.setdefault(key, memory_id)
    return known


def _new_entity(conn: Connection, partition: Partition, number: int, name: str, recorded_at: datetime) -> int:
    entity = NewMemory(
        partition=partition,
        kind=Kind.ENTITY,
        content=name.strip(),
        tokens=None,
        origin=Origin.USER,
        importance=_IMPORTANCE,
        event_time=recorded_at,
        recorded_at=recorded_at,
        identity_key=mark_of(name),
    )
    [memory_id] = memories.insert(conn, [entity])
    conn.exec_driver_sql(
        "INSERT INTO entity (memory_id, partition_id, name_key) VALUES (?, ?, ?)", (memory_id, number, name_key(name))
    )
    return memory_id


def _note_aliases(conn: Connection, number: int, memory_id: int, aliases: dict[str, str]) -> None:
    for key, alias in aliases.items():
        conn.exec_driver_sql(
            "INSERT INTO entity_alias (partition_id, alias_key, memory_id, alias) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (number, key, memory_id, alias.strip()),
        )


def mention(
    conn: Connection, pairs: Sequence[tuple[int, int]], owners: Mapping[int, Partition] = MappingProxyType({})
) -> int:
    """Note that memories speak of entities, as (memory, entity); how many were new.

    `owners`: the partitions of those that the open transaction stored.

    Raises:
        NotFoundError: a memory or an entity is not there, or they belong to two agents.
        InvalidInputError: the entity is another user's, or a user's while the memory is shared.
    """
    owners = {**owners, **owners_of(conn, (one for pair in pairs for one in pair if one not in owners))}
    checked = set[tuple[Partition, int]]()
    for memory_id, entity_id in pairs:
        owner = owners[memory_id]
        if (owner, entity_id) in checked:
            continue
        if checked_partition((memory_id, entity_id), owner, owners[entity_id]) != owner:
            raise InvalidInputError(
                f"entity: memory {memory_id} is shared and {entity_id} is a user's; use a shared entity"
            )
        checked.add((owner, entity_id))
    query = "INSERT INTO mention (memory_id, entity_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
    return plain_insert(conn, query, dict.fromkeys(pairs))


def named_by(conn: Connection, memory_id: int) -> list[str]:
    """The names of the entities that a memory speaks of, ascending by id."""
    query = (
        "SELECT e.content FROM mention AS m JOIN memory AS e ON e.id = m.entity_id WHERE m.memory_id = ? ORDER BY e.id"
    )
    return list(conn.exec_driver_sql(query, (memory_id,)).scalars())


def count_together(conn: Connection, partition: Partition, groups: Sequence[Sequence[int]]) -> None:
    """Add 1 to the count of each pair of entities of each group; of a group the first 10 different ones count."""
    number = partitions.ensure(conn, partition)
    counts: Counter[tuple[int, int]] = Counter()
    for group in groups:
        counts.update(combinations(sorted(list(dict.fromkeys(group))[:LARGEST_GROUP]), 2))
    if counts:
        conn.exec_driver_sql(
            "INSERT INTO cooccurrence (partition_id, entity_a_id, entity_b_id, count) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET count = count + excluded.count",
            [(number, a, b, count) for (a, b), count in sorted(counts.items())],
        )


def of_partition(conn: Connection, partition_id: int) -> list[EntityRow]:
    """The entities that a partition knows, ascending by id: its own, and shared ones that it has aliases for.

    A row that was put in the place of one by hand, and is another user's or none, is left out.
    """
    rows = conn.exec_driver_sql(
        "SELECT m.id, m.content, m.review_state = 'active' AND m.ended_at IS NULL FROM partition AS p CROSS JOIN ("
        "SELECT memory_id FROM entity WHERE partition_id = ?1"
        " UNION SELECT memory_id FROM entity_alias WHERE partition_id = ?1"
        ") AS e JOIN memory AS m ON m.id = e.memory_id WHERE p.id = ?1 AND m.kind = 'entity'"
        " AND m.agent_id = p.agent_id AND (m.user_id IS NULL OR m.user_id IS p.user_id) ORDER BY 1",
        (partition_id,),
    ).fetchall()
    aliases: dict[int, list[str]] = {}
    for memory_id, alias in conn.exec_driver_sql(
        "SELECT memory_id, alias FROM entity_alias WHERE partition_id = ? ORDER BY alias_key", (partition_id,)
    ):
        aliases.setdefault(memory_id, []).append(alias)
    return [EntityRow(memory_id, name, tuple(aliases.get(memory_id, ())), bool(live)) for memory_id, name, live in rows]
