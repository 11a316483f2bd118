"""Names of entities: how they are declared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcore.errors import shown
from memcore.storage.entity_names import name_key
from memcore.writing import fields

__all__ = ["ROLES", "NamedEntity", "named_entities", "speaker_entity"]

ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})
"""Speakers that are a part in a conversation and not somebody: they become no entity, or each would join everything."""

MOST_ENTITIES = 1000
"""Entities of one memory at most: what hangs on a memory grows with the square of them."""

_REMEDY = 'give a list of names, or of {"name": "…", "aliases": ["…"]}'


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """A declared name with the other names of the same thing."""

    name: str
    aliases: tuple[str, ...] = ()


def named_entities(field: str, value: object) -> tuple[NamedEntity, ...]:
    """The declared entities in the order given; one that is named twice appears once, with all its aliases.

    Raises:
        InvalidInputError: `value` is no list or has over 1,000 items, or an item is neither a name nor a dict of `name`
            and `aliases`.
    """
    if isinstance(value, set | frozenset):
        value = fields.in_order(value)
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        fields.refuse(field, value, _REMEDY)
    if len(value) > MOST_ENTITIES:
        fields.refuse_shown(field, f"a list of {len(value)}", f"name at most {MOST_ENTITIES} entities in one memory")
    names: dict[str, str] = {}
    aliases: dict[str, dict[str, str]] = {}
    for index, item in enumerate(value):
        entity = _entity(f"{field}[{index}]", item)
        key = name_key(entity.name)
        names.setdefault(key, entity.name)
        of_this = aliases.setdefault(key, {})
        for alias in entity.aliases:
            if name_key(alias) != key:
                of_this.setdefault(name_key(alias), alias)
    return tuple(NamedEntity(name, tuple(aliases[key].values())) for key, name in names.items())


def _entity(field: str, item: object) -> NamedEntity:
    if isinstance(item, NamedEntity):
        return item
    if isinstance(item, str):
        return NamedEntity(fields.name(field, item))
    if not isinstance(item, Mapping) or "name" not in item:
        fields.refuse(field, item, _REMEDY)
    for key in item:
        if key not in ("name", "aliases"):
            fields.refuse_shown(field, f"the key {shown(key)}", f"{_REMEDY}{fields.nearest(key, ('name', 'aliases'))}")
    given = item.get("aliases")
    return NamedEntity(
        fields.name(f"{field}.name", item["name"]),
        () if given is None else fields.tags(f"{field}.aliases", given),
    )


def speaker_entity(speaker: str | None) -> NamedEntity | None:
    """The entity that a speaker is: None for nobody and for a mere role such as `user`."""
    if speaker is None or name_key(speaker) in ROLES:
        return None
    return NamedEntity(speaker)
