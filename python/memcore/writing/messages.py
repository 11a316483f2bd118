"""Chat messages as memories: one turn for each, in the order they were said."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from memcore.errors import shown
from memcore.kinds import Kind, Origin
from memcore.writing import fields
from memcore.writing.proposal import AddFields, Proposal, from_call

__all__ = ["from_messages"]

_KEYS = ("role", "content", "name", "timestamp")
_ORIGIN_OF_ROLE = {
    "user": Origin.USER,
    "assistant": Origin.ASSISTANT,
    "tool": Origin.TOOL,
    "function": Origin.TOOL,
    # Instructions to the model are kept, since a silent skip would be a loss, but never count as said by the user.
    "system": Origin.TOOL,
    "developer": Origin.TOOL,
}


def from_messages(messages: Sequence[object], *, agent_id: str, **given: Unpack[AddFields]) -> tuple[Proposal, ...]:
    """One proposal for each `{"role", "content", "name"?, "timestamp"?}`, of kind turn unless `kind` says otherwise.

    The speaker is the name, else the role; the origin follows the role, unless `origin` is given and is not `user`.
    `timestamp` is an aware datetime, an ISO 8601 string with an offset, or seconds since 1970; without one,
    `event_time` counts. The other fields go to every message; an idempotency key gets the message's index appended.
    Other keys of a message are refused, unless they hold None.

    Raises:
        InvalidInputError: a message or a field is not accepted; errors in a message begin with `content[index]`.
    """
    if not messages:
        fields.refuse("content", messages, "give a string, or at least one chat message")
    if given.get("speaker") is not None:
        fields.refuse("speaker", given["speaker"], 'each chat message names its own; use its "name"')
    if given.get("embedding") is not None:
        fields.refuse_shown("embedding", "a vector for a list of messages", "give each message to `add_many`")
    return tuple(_turn(message, index, agent_id, given) for index, message in enumerate(messages))


def _turn(message: object, index: int, agent_id: str, given: AddFields) -> Proposal:
    at = f"content[{index}]"
    if not isinstance(message, Mapping):
        fields.refuse(at, message, 'give a dict such as {"role": "user", "content": "…"}')
    for key, value in message.items():
        if key not in _KEYS and value is not None:
            fields.refuse_shown(at, f"the key {shown(key)}", f"give {', '.join(_KEYS)}{fields.nearest(key, _KEYS)}")
    role = message.get("role")
    if not isinstance(role, str) or role not in _ORIGIN_OF_ROLE:
        hint = fields.nearest(role, _ORIGIN_OF_ROLE)
        fields.refuse(f"{at}.role", role, f'give one of {", ".join(_ORIGIN_OF_ROLE)}{hint}; a person goes into "name"')
    words = fields.text(f"{at}.content", message.get("content"))
    named, said_at = message.get("name"), message.get("timestamp")
    own: AddFields = {**given, "speaker": role if named is None else fields.name(f"{at}.name", named)}
    if said_at is not None:
        own["event_time"] = fields.moment(f"{at}.timestamp", said_at, seconds=True)
    if given.get("kind") is None:
        own["kind"] = Kind.TURN
    origin = given.get("origin")
    if origin is None or (isinstance(origin, str) and origin == Origin.USER):
        own["origin"] = _ORIGIN_OF_ROLE[role]
    if given.get("idempotency_key") is not None:
        own["idempotency_key"] = f"{fields.name('idempotency_key', given['idempotency_key'])}#{index}"
    return replace(from_call(words, agent_id=agent_id, **own), role=role)
