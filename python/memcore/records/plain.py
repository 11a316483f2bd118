"""What all records share: they are written as JSON, and memories are named by checked ids."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from numbers import Integral
from typing import Any

from memcore.errors import InvalidInputError
from memcore.kinds import EdgeType

__all__ = ["LARGEST_ID", "Plain", "checked_id"]

LARGEST_ID = 2**63 - 1


def checked_id(field_name: str, value: object, *, of: str = "memory") -> int:
    """`value` as the id of a memory (or of what `of` says): a whole number from 1 to 2^63 − 1.

    Raises:
        InvalidInputError: it is no integer (also a bool, a float or a string of digits), or is out of that range.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidInputError(f"{field_name}: {value!r} is not accepted; give the integer id of a {of}")
    number = int(value)
    if not 1 <= number <= LARGEST_ID:
        raise InvalidInputError(f"{field_name}: {number} is not accepted; ids run from 1 to 2^63 - 1")
    return number


def _plain(value: object) -> Any:
    """`value` in the types that `json.dumps` takes: moments as ISO 8601, edge types by their label."""
    if isinstance(value, EdgeType):
        return value.label
    if isinstance(value, datetime | StrEnum):
        return value.isoformat() if isinstance(value, datetime) else value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


class Plain:
    """A record that can be written as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The record as a dict of strings, numbers, lists and dicts, ready for `json.dumps`."""
        plain: dict[str, Any] = _plain(self)
        return plain
