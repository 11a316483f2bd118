"""A checked memory on its way into the store: what is wrong with a call is found before anything is written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from memcore.errors import shown
from memcore.kinds import Channel, Kind, Origin
from memcore.scope import Partition, checked_name
from memcore.storage.detail_rows import Claim, FactDetail
from memcore.storage.entity_names import name_key
from memcore.storage.rows import NOTHING
from memcore.values import value
from memcore.writing import fields
from memcore.writing.kind_fields import kind_fields
from memcore.writing.names import NamedEntity, named_entities

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from memcore.storage.detail_rows import Detail

__all__ = ["AddFields", "Proposal", "from_call", "from_item", "from_items"]


class AddFields(TypedDict, total=False):
    """The keywords of `add` that describe the memory; None is the same as leaving one out."""

    user_id: Any
    session_id: Any
    kind: Any
    speaker: Any
    origin: Any
    entities: Any
    tags: Any
    importance: Any
    event_time: Any
    metadata: Any
    source_ref: Any
    idempotency_key: Any
    embedding: Any
    channel: Any
    confidence: Any
    slot: Any
    category: Any
    valid_from: Any
    valid_until: Any
    expires_at: Any
    supersedes: Any
    details: Any
    infer: Any


@value
class Proposal:
    """A memory that can be stored as it is. `batch` numbers what was said together: one call, or one list of messages.

    `importance` None leaves it to the ordinary rule, `event_time` None means when it arrives. `embedding` is a row of
    float32 whose dimension the write checks against the space. `at` goes before a field's name in an error.

    `claim` is there for the kinds that say something of the world, `detail` for those with details of their own.
    `supersedes` is the id that it names; `must_supersede`: that the id cannot be superseded is an error.
    `fills_slot`: it takes the place of whatever its slot says. `given` names what the caller said of it. `infer`
    False: it is stored as it is. `role`: the part that the speaker of a chat message has in it, such as `assistant`.
    """

    partition: Partition
    content: str
    kind: Kind
    origin: Origin
    importance: float | None = None
    session_id: str | None = None
    speaker: str | None = None
    entities: tuple[NamedEntity, ...] = ()
    tags: tuple[str, ...] = ()
    event_time: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    source_ref: str | None = None
    idempotency_key: str | None = None
    embedding: "NDArray[np.float32] | None" = field(default=None, compare=False)
    channel: Channel | None = None
    expires_at: datetime | None = None
    claim: Claim | None = None
    detail: "Detail | None" = None
    supersedes: int | None = None
    must_supersede: bool = False
    fills_slot: bool = False
    dated: bool = True
    """Whether somebody gave the event time that is there; of a stored memory it may be when it was said."""
    begins_with_event: bool = False
    """Whether the beginning of the claim is the event that it is of, which lies ahead, and was not given as such."""
    given: frozenset[str] = frozenset()
    infer: bool = True
    role: str | None = None
    batch: int = 0
    at: str = field(default="", compare=False)

    @property
    def explicit(self) -> bool:
        """Whether a caller said by name that this takes the place of something."""
        return self.fills_slot or self.must_supersede

    @property
    def slot(self) -> str | None:
        """The exact slot that it fills, as it was given; None for what is no fact or has none."""
        return self.detail.slot if isinstance(self.detail, FactDetail) else None


def from_call(content: object, *, agent_id: str, at: str = "", batch: int = 0, **given: Unpack[AddFields]) -> Proposal:
    """The memory that one call of `add` with a string proposes; without `kind` it is an event.

    `at` goes before each field's name in an error, such as `items[3].`.

    Raises:
        InvalidInputError: a field is not accepted.
    """
    return _proposal(content, {key: value for key, value in given.items() if value is not None}, agent_id, at, batch)


def _proposal(
    content: object,
    said: dict[str, Any],
    agent_id: str,
    at: str,
    batch: int,
    *,
    met: dict[Partition, Partition] | None = None,
) -> Proposal:
    """The memory that a content and the fields of `said` propose, none of which is None.

    `met` are the partitions of a batch so far: all of its memories share one value of each.
    """
    kind = _kind(f"{at}kind", said["kind"]) if "kind" in said else Kind.EVENT
    words = (fields.name if kind is Kind.ENTITY else fields.text)(f"{at}content", content)
    entities = named_entities(f"{at}entities", said["entities"]) if "entities" in said else ()
    if kind is Kind.ENTITY:
        entities = _only_itself(at, words, entities)
        _of_no_conversation(at, said)
    own = kind_fields(kind, said, at)
    given, checks = _shape(frozenset(said))
    checked = {name: check(f"{at}{name}", said[name]) for name, check in checks}
    partition = Partition(agent_id, checked.pop("user_id", None))
    return Proposal(
        partition if met is None else met.setdefault(partition, partition),
        words,
        kind,
        checked.pop("origin", Origin.USER),
        entities=entities,
        claim=own.claim,
        detail=own.detail,
        supersedes=own.supersedes,
        given=given,
        batch=batch,
        at=at,
        **checked,
    )


def from_items(items: object, *, agent_id: str) -> tuple[Proposal, ...]:
    """The memories that the dicts of `add_many` propose, in order.

    Raises:
        InvalidInputError: `items` is no collection of dicts, or one of them is not accepted.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        fields.refuse("items", items, 'give a list of dicts such as {"content": "…"}')
    met: dict[Partition, Partition] = {}
    return tuple(from_item(item, index, agent_id=agent_id, met=met) for index, item in enumerate(items))


def from_item(item: object, index: int, *, agent_id: str, met: dict[Partition, Partition] | None = None) -> Proposal:
    """The memory that one dict of `add_many` proposes, in a batch of its own; errors begin with `items[index]`.

    `met` are the partitions of the items before it.

    Raises:
        InvalidInputError: it is no dict, has no `content`, has a field that `add` does not know, or one that is not
            accepted.
    """
    at = f"items[{index}]"
    if not isinstance(item, dict | Mapping):
        fields.refuse(at, item, 'give a dict with the fields of `add`, such as {"content": "…"}')
    if not _KNOWN.issuperset(item):
        key = next(key for key in item if key not in _KNOWN)
        known = ("content", *AddFields.__optional_keys__)
        fields.refuse_shown(at, f"the field {shown(key)}", f"give fields of `add`{fields.nearest(key, known)}")
    content = item.get("content")
    if not isinstance(content, str) and isinstance(content, Sequence):
        fields.refuse(f"{at}.content", content, "give a string; a list of chat messages goes to `add`")
    said = {key: value for key, value in item.items() if value is not None and key != "content"}
    return _proposal(content, said, agent_id, f"{at}.", index, met=met)


def _kind(key: str, value: object) -> Kind:
    return fields.choice(key, value, Kind)


def _origin(key: str, value: object) -> Origin:
    return fields.choice(key, value, Origin)


def _channel(key: str, value: object) -> Channel:
    return fields.choice(key, value, Channel)


_KNOWN = AddFields.__optional_keys__ | {"content"}
_CHECKS: "dict[str, Callable[[str, object], Any]]" = {
    "user_id": checked_name,
    "origin": _origin,
    "importance": fields.importance,
    "session_id": checked_name,
    "speaker": fields.name,
    "tags": fields.tags,
    "event_time": fields.moment,
    "metadata": fields.json_object,
    "source_ref": fields.name,
    "idempotency_key": fields.name,
    "embedding": fields.vector,
    "channel": _channel,
    "expires_at": fields.moment,
    "infer": fields.yes_or_no,
}
"""The fields of every kind, in the order in which they are looked at: the first that is not accepted is told."""


@lru_cache(maxsize=1_024)
def _shape(given: frozenset[str]) -> "tuple[frozenset[str], tuple[tuple[str, Callable[[str, object], Any]], ...]]":
    """One set for all who give these fields, and those of the checks that have something to look at, in their order."""
    return given, tuple((name, check) for name, check in _CHECKS.items() if name in given)


def _only_itself(at: str, words: str, entities: tuple[NamedEntity, ...]) -> tuple[NamedEntity, ...]:
    """The entity that a memory of kind `entity` is, with the aliases that `entities` gives it."""
    for entity in entities:
        if name_key(entity.name) != name_key(words):
            fields.refuse(f"{at}entities", entity.name, "for kind entity, give at most the entity itself, with aliases")
    return (NamedEntity(words, entities[0].aliases if entities else ()),)


def _of_no_conversation(at: str, said: Mapping[str, Any]) -> None:
    for key in ("session_id", "speaker", "channel", "expires_at"):
        if key in said:
            fields.refuse(f"{at}{key}", said[key], "leave it out: an entity belongs to no conversation")
