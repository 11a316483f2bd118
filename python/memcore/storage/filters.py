"""Filters as conditions on the table `memory`: a small language of AND, OR, NOT and ten comparisons.

A field is a column, or else a key of the metadata (`metadata.key` where a column has the same name). Every condition is
true or false and never unknown, so that NOT is the complement: `ne` and `nin` also hold where the field is absent.
Fields, keys and values reach the database as parameters only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Text, and_, exists, false, func, not_, or_, select, true, type_coerce

from memcore.errors import InvalidInputError, shown
from memcore.storage.columns import table_of
from memcore.storage.encoding import to_micros
from memcore.storage.tables import MemoryEntry

__all__ = ["DEEPEST", "MOMENTS", "condition", "named"]

_Condition: TypeAlias = "ColumnElement[bool]"
_MEMORY: Any = table_of(MemoryEntry)
_TEXTS = (
    "kind",
    "origin",
    "speaker",
    "session_id",
    "user_id",
    "agent_id",
    "source_ref",
    "idempotency_key",
    "content",
    "review_state",
    "channel",
    "ending",
)
_NUMBERS = ("id", "importance", "base_importance", "access_count", "position", "pinned")
MOMENTS = ("event_time", "recorded_at", "updated_at", "last_used_at", "expires_at", "ended_at")
_METADATA = "metadata."
_NAMES = ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains", "icontains")
DEEPEST, _LONGEST, _MOST = 20, 10_000, 200
_LARGEST = 2**63


def condition(filters: object) -> ColumnElement[bool]:
    """The condition that the filters stand for; an empty mapping is true of every memory.

    `{"speaker": "Ana", "importance": {"gte": 5}}` means both; `{"OR": [{…}, {…}]}`, `{"AND": […]}`, `{"NOT": {…}}`
    nest; a plain value means `eq`, a list means `in`.
    Operators: eq, ne, in, nin, gt, gte, lt, lte, contains, icontains. `contains` on tags, and on a list in the
    metadata, asks for an element; on text for a part of it.

    Raises:
        InvalidInputError: an unknown operator, a value that the field cannot have, or too much of either.
    """
    if _size(filters, [_MOST]) < 0:
        raise InvalidInputError(f"filters: more than {_MOST} conditions are not accepted; give fewer, or use `in`")
    return _all_of(filters, 0)


def named(filters: object) -> frozenset[str]:
    """The fields that filters name, at whatever depth; for filters that `condition` has accepted."""
    if isinstance(filters, list | tuple):
        return frozenset().union(*map(named, filters))
    if not isinstance(filters, Mapping):
        return frozenset()
    nested = (named(filters[key]) for key in ("AND", "OR", "NOT") if key in filters)
    return frozenset(filters).union(*nested)


def _size(filters: object, left: list[int], depth: int = 0) -> int:
    """How many conditions may still come, of those that were `left`; below 0, counting stops.

    A list of plain values, as for `in`, is one, and so is a part that holds nothing.
    """
    parts: list[object] = []
    if depth <= 2 * DEEPEST:  # what is deeper is refused for that
        if isinstance(filters, Mapping):
            parts = list(filters.values())
        elif isinstance(filters, list | tuple) and any(isinstance(part, Mapping) for part in filters):
            parts = list(filters)
    if not parts:
        left[0] -= 1
    for part in parts:
        if _size(part, left, depth + 1) < 0:
            break
    return left[0]


def _all_of(filters: object, depth: int) -> _Condition:
    if not isinstance(filters, Mapping):
        raise InvalidInputError(f"filters: {shown(filters)} is not accepted; give a dict of fields, AND, OR, NOT")
    if depth > DEEPEST:
        raise InvalidInputError(f"filters: nested deeper than {DEEPEST} levels; flatten them")
    return and_(true(), *(_one(field, wanted, depth) for field, wanted in filters.items()))


def _one(field: object, wanted: Any, depth: int) -> _Condition:
    if not isinstance(field, str) or not _storable(field):
        raise InvalidInputError(
            f"filters: {shown(field)} is not a field; give the name of a column or of a metadata key"
        )
    if field in ("AND", "OR", "NOT"):
        parts = wanted if isinstance(wanted, list | tuple) else [wanted]
        if len(parts) > _LONGEST // 100:
            raise InvalidInputError(f"filters: {field} of {len(parts)} conditions; give at most {_LONGEST // 100}")
        conditions = [_all_of(part, depth + 1) for part in parts]
        if field == "AND":
            return and_(true(), *conditions)
        return or_(false(), *conditions) if field == "OR" else not_(or_(false(), *conditions))
    if isinstance(wanted, Mapping):
        return and_(true(), *(_compared(field, operator, value) for operator, value in wanted.items()))
    return _compared(field, "in" if isinstance(wanted, list | tuple | set | frozenset) else "eq", wanted)


def _compared(field: str, operator: object, value: Any) -> _Condition:
    if not isinstance(operator, str) or operator not in _NAMES:
        raise InvalidInputError(
            f"filters.{field:.80}: {shown(operator)} is not an operator; give one of {', '.join(_NAMES)}"
        )
    if operator == "ne":
        return not_(_compared(field, "eq", value))
    if operator == "nin":
        return not_(_compared(field, "in", value))
    if operator == "in":
        if not isinstance(value, list | tuple | set | frozenset) or len(value) > _LONGEST:
            raise _refused(field, "in", value, f"a list of at most {_LONGEST} values")
        return _among(field, list(value))
    if field == "tags":
        return _on_tags(str(operator), value)
    if field in _TEXTS or field in _NUMBERS or field in MOMENTS:
        return _on_column(field, str(operator), value)
    return _on_metadata(field.removeprefix(_METADATA), str(operator), value)


def _among(field: str, values: list[Any]) -> _Condition:
    """One IN for all values of a kind that the database can compare by itself, so that ten thousand stay one term."""
    if field in _TEXTS or field in _NUMBERS or field in MOMENTS:
        checked = [_column_value(field, "in", value) for value in values if value is not None]
        present = func.coalesce(_plain(field).in_(checked), false())
        return or_(present, _plain(field).is_(None)) if None in values else present
    if len(values) > _LONGEST // 100:
        raise _refused(field, "in", f"{len(values)} values", f"at most {_LONGEST // 100} for tags and metadata")
    return or_(false(), *(_compared(field, "eq", value) for value in values))


def _on_column(field: str, operator: str, value: Any) -> _Condition:
    column = _plain(field)
    if value is None and operator == "eq":
        return column.is_(None)  # type: ignore[no-any-return]
    if operator in ("contains", "icontains") and field not in _TEXTS:
        raise _refused(field, operator, value, "gt, lt or eq for a number or a moment")
    checked = _column_value(field, operator, value)
    return func.coalesce(_OPERATORS[operator](column, checked), false())


def _plain(field: str) -> Any:
    """The column as the file holds it: also a name that is no kind may be asked for, and is found nowhere."""
    return type_coerce(_MEMORY.c[field], Text) if field in _TEXTS else _MEMORY.c[field]


def _column_value(field: str, operator: str, value: Any) -> str | int | float:
    if field in MOMENTS:
        if not isinstance(value, datetime):
            raise _refused(field, operator, value, "an aware datetime")
        if value.tzinfo is None or value.utcoffset() is None:
            raise _refused(field, operator, value, "a datetime with a time zone")
        return to_micros(value)
    if field in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float) or not _storable(value):
            raise _refused(field, operator, value, "a finite number below 2^63")
        return value
    if not isinstance(value, str) or not _storable(value):
        raise _refused(field, operator, value, "a string without NUL or lone surrogates")
    return str(value)


def _on_tags(operator: str, value: Any) -> _Condition:
    if operator not in ("eq", "contains", "icontains") or not isinstance(value, str) or not _storable(value):
        raise _refused("tags", operator, value, "eq, in, contains or icontains with the name of a tag")
    tag = func.json_each(_MEMORY.c.tags).table_valued("value", name="tag")
    same = _folded(tag.c.value) == value.casefold() if operator == "icontains" else tag.c.value == value
    return exists(select(1).select_from(tag).where(same))


def _on_metadata(key: str, operator: str, value: Any) -> _Condition:
    entry = func.json_each(_MEMORY.c.metadata).table_valued("key", "value", "type", name="entry")
    if value is None and operator == "eq":
        return not_(exists(select(1).select_from(entry).where(entry.c.key == key, entry.c.type != "null")))
    if isinstance(value, datetime | Mapping | list | tuple | set) or not _storable(value) or value is None:
        raise _refused(key, operator, value, "a string, a finite number or a boolean")
    if operator in ("contains", "icontains"):
        met = _contained(entry, operator, value)
    elif isinstance(value, bool):
        if operator != "eq":
            raise _refused(key, operator, value, "eq or ne for a boolean")
        met = entry.c.type == ("true" if value else "false")
    else:
        types = ("text",) if isinstance(value, str) else ("integer", "real")
        met = and_(entry.c.type.in_(types), _OPERATORS[operator](entry.c.value, value))
    return exists(select(1).select_from(entry).where(entry.c.key == key, met))


def _contained(entry: Any, operator: str, value: Any) -> _Condition:
    element = func.json_each(entry.c.value).table_valued("value", "type", name="element")
    if isinstance(value, str):
        same = _folded(element.c.value) == value.casefold() if operator == "icontains" else element.c.value == value
        inside = and_(entry.c.type == "text", _OPERATORS[operator](entry.c.value, value))
        member = and_(element.c.type == "text", same)
    elif isinstance(value, bool):
        inside, member = false(), element.c.type == ("true" if value else "false")
    else:
        inside, member = false(), and_(element.c.type.in_(("integer", "real")), element.c.value == value)
    return or_(inside, and_(entry.c.type == "array", exists(select(1).select_from(element).where(member))))


def _folded(text: Any) -> Any:
    return func.memcore_casefold(text)


def _storable(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, int):
        return -_LARGEST <= value < _LARGEST
    return value is None or (isinstance(value, float) and math.isfinite(value))


def _refused(field: str, operator: str, value: Any, wanted: str) -> InvalidInputError:
    return InvalidInputError(f"filters.{field:.80}: {operator} {shown(value)} is not accepted; give {wanted}")


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda left, right: left == right,
    "gt": lambda left, right: left > right,
    "gte": lambda left, right: left >= right,
    "lt": lambda left, right: left < right,
    "lte": lambda left, right: left <= right,
    "contains": lambda left, right: func.instr(left, right) > 0,
    "icontains": lambda left, right: func.instr(_folded(left), right.casefold()) > 0,
}
