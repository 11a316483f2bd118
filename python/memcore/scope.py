"""Whose memories a call may touch: one agent, and the users that were named plus the shared memories."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from memcore.errors import InvalidInputError, shown

__all__ = ["Partition", "Scope", "checked_name", "read_scope"]

_LONGEST_NAME = 512
_SURROGATE = re.compile("[\ud800-\udfff]")


class Partition(NamedTuple):
    """The memories of one user of one agent; `user_id` None is what all users of the agent share."""

    agent_id: str
    user_id: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """What one read may see: the agent's shared memories first, then each named user's, in the order of their names."""

    agent_id: str
    user_ids: tuple[str, ...] = ()
    session_id: str | None = None

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partitions of the scope, shared first, without repeats."""
        return (Partition(self.agent_id, None), *(Partition(self.agent_id, user) for user in self.user_ids))


def checked_name(field: str, value: object) -> str:
    """`value` as an identifier of an agent, user or session; any text is accepted, also the empty string.

    Raises:
        InvalidInputError: it is not a string, is longer than 512 characters, or holds a NUL or a lone surrogate.
    """
    if not isinstance(value, str):
        raise InvalidInputError(f"{field}: {shown(value)} is not accepted; give a string")
    if len(value) > _LONGEST_NAME:
        raise InvalidInputError(f"{field}: {len(value)} characters are not accepted; give at most {_LONGEST_NAME}")
    if "\0" in value or not (value.isascii() or _SURROGATE.search(value) is None):
        raise InvalidInputError(f"{field}: {shown(value)} is not accepted; leave out NUL and lone surrogates")
    return value


def read_scope(agent_id: str, user_id: object = None, session_id: object = None) -> Scope:
    """The scope of a read: `user_id` is None (shared memories only), one name, or several.

    Raises:
        InvalidInputError: a name is not one.
    """
    names: tuple[object, ...]
    if user_id is None:
        names = ()
    elif isinstance(user_id, list | tuple | set | frozenset):
        names = tuple(user_id)
    else:
        names = (user_id,)
    users = tuple(sorted({checked_name("user_id", name) for name in names}))
    session = None if session_id is None else checked_name("session_id", session_id)
    return Scope(agent_id, users, session)
