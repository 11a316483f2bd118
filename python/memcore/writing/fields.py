"""One check for each field of a memory: the value as it is stored, or an error that says what would do."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from memcore.compute import sq8
from memcore.embedding.port import LARGEST_DIMENSION
from memcore.errors import InvalidInputError, shown
from memcore.kinds import Kind
from memcore.scope import checked_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "choice",
    "clock_moment",
    "flag",
    "importance",
    "in_order",
    "json_object",
    "kinds",
    "moment",
    "name",
    "nearest",
    "number",
    "only_known",
    "refuse",
    "refuse_shown",
    "tags",
    "text",
    "vector",
    "yes_or_no",
]

DEEPEST_METADATA = 16
LEAST_LENGTH = float(np.float32(1e-35))
"""Of the largest component of a vector: below it, a 127th of it is no normal float32."""
FIRST_YEAR, LAST_YEAR = 1000, 9000
_LONGEST_WORD = 100
_LARGEST_SECONDS = 221_845_392_000  # the first moment of the year 9000

Choice = TypeVar("Choice", bound=Enum)


def refuse(field: str, value: object, remedy: str) -> NoReturn:
    """Raises the InvalidInputError that names `field`, shows the start of `value`, and says what would do."""
    refuse_shown(field, shown(value), remedy)


def refuse_shown(field: str, described: str, remedy: str) -> NoReturn:
    """Like `refuse`, for a value that is better described in words."""
    raise InvalidInputError(f"{field}: {described} is not accepted; {remedy}")


def nearest(word: object, known: Iterable[str]) -> str:
    """A hint such as ` (did you mean "event"?)`, or nothing where no known name is close."""
    if not isinstance(word, str) or len(word) > _LONGEST_WORD:
        return ""
    close = get_close_matches(word.lower(), list(known), n=1, cutoff=0.5)
    return f' (did you mean "{close[0]}"?)' if close else ""


def only_known(call: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Lets the keywords of a call pass that it has.

    Raises:
        TypeError: it has no keyword of that name; the nearest one is named.
    """
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise TypeError(f"{call}() got an unexpected keyword argument {shown(unknown[0])}{nearest(unknown[0], known)}")


def text(field: str, value: object) -> str:
    """`value` unchanged, a string with something in it that every layer can store.

    Raises:
        InvalidInputError: it is no string, is empty or blank, or holds a NUL or a lone surrogate.
    """
    if not isinstance(value, str):
        refuse(field, value, "give a string")
    if not value.strip():
        refuse(field, value, "give a text that is not blank")
    _storable(field, value)
    return value


def _storable(field: str, value: str) -> None:
    if "\0" in value:
        refuse(field, value, "leave out the NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        refuse(field, value, "leave out lone surrogates; decode the text with errors='replace'")


def name(field: str, value: object) -> str:
    """`value` without outer white space, as the name of a speaker, entity, tag, source or key.

    Raises:
        InvalidInputError: it is blank, or not accepted by `scope.checked_name`.
    """
    stripped = checked_name(field, value).strip()
    if not stripped:
        refuse(field, value, "give a name that is not blank")
    return stripped


def choice(field: str, value: object, known: type[Choice]) -> Choice:
    """The member of the closed set `known` that `value` names.

    Raises:
        InvalidInputError: there is none of that name; the nearest one is named.
    """
    members = _members(known)
    found: Choice | None = members.get(value) if isinstance(value, str) else None
    if found is None:
        refuse(field, value, f"give one of {', '.join(members)}{nearest(value, members)}")
    return found


@cache
def _members(known: type[Choice]) -> dict[str, Choice]:
    return {str(member.value): member for member in known}


def kinds(field: str, value: object) -> tuple[Kind, ...]:
    """The kinds that `value` names: one name, or several, at least one.

    Raises:
        InvalidInputError: it is neither, or a name is none of a kind.
    """
    names = [value] if isinstance(value, str) else _sequence(field, value, 'give a list such as ["turn", "fact"]')
    if not names:
        refuse(field, value, "leave it out for all kinds")
    return tuple(dict.fromkeys(choice(f"{field}[{index}]", name, Kind) for index, name in enumerate(names)))


def flag(field: str, value: object) -> bool:
    """`value`, which is True or False and nothing that counts as one of them.

    Raises:
        InvalidInputError: it is no bool.
    """
    if not isinstance(value, bool):
        refuse(field, value, "give True or False")
    return value


def number(field: str, value: object, largest: int) -> float:
    """`value` as a number from 0 to `largest`.

    Raises:
        InvalidInputError: it is no number (also a bool, NaN, a numeric string), or out of that range.
    """
    remedy = f"give a number from 0 to {largest}"
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        refuse(field, value, remedy)
    if not 0 <= value <= largest:
        refuse(field, value, remedy)
    return float(value)


def importance(field: str, value: object) -> float:
    """`value` as an importance, a number from 0 to 10; see `number`."""
    return number(field, value, 10)


def yes_or_no(field: str, value: object) -> bool:
    """`value`, which is True or False.

    Raises:
        InvalidInputError: it is neither.
    """
    if not isinstance(value, bool):
        refuse(field, value, "give True or False")
    return value


def moment(field: str, value: object, *, seconds: bool = False) -> datetime:
    """`value` in its own time zone: an aware datetime, ISO 8601 with an offset, or (`seconds`) seconds since 1970.

    The zone is kept because its days are meant: by "yesterday" in a search, and by the date words of a memory.

    Raises:
        InvalidInputError: it has no time zone, is no moment, or lies outside the years 1000 to 8999.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            refuse(field, value, 'give ISO 8601 with an offset, such as "2026-05-08T14:00:00+00:00"')
    if seconds and isinstance(value, int | float) and not isinstance(value, bool):
        return _from_seconds(field, value)
    if not isinstance(value, datetime):
        refuse(field, value, "give a timezone-aware datetime")
    try:
        offset = value.utcoffset()
    except Exception:  # noqa: BLE001 - a time zone is code of the caller's
        refuse_shown(field, f"a moment whose time zone (a {type(value.tzinfo).__name__}) fails", "give a sound tzinfo")
    if offset is None:
        refuse_shown(field, value.isoformat(), "give a time zone, such as value.replace(tzinfo=timezone.utc)")
    if not FIRST_YEAR <= value.year < LAST_YEAR:
        refuse_shown(field, value.isoformat(), f"give a moment in the years {FIRST_YEAR} to {LAST_YEAR - 1}")
    return value


def clock_moment(value: object) -> datetime:
    """What a clock answered, in its own time zone.

    Raises:
        InvalidInputError: it is no aware datetime of the years 1000 to 8999.
    """
    if not isinstance(value, datetime):
        refuse("clock", value, "return an aware datetime, such as datetime.now(timezone.utc)")
    return moment("clock", value)


def _from_seconds(field: str, value: float) -> datetime:
    if not -_LARGEST_SECONDS < value < _LARGEST_SECONDS:
        refuse(field, value, "give seconds since 1970, not milliseconds")
    return moment(field, datetime.fromtimestamp(value, tz=UTC))


def _sequence(field: str, value: object, remedy: str) -> Sequence[object]:
    if isinstance(value, set | frozenset):
        return in_order(value)
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        refuse(field, value, remedy)
    return value


def in_order(items: Iterable[object]) -> list[object]:
    """The items of a set in an order that does not depend on the process: strings by themselves, the rest as shown."""
    return sorted(items, key=lambda one: one if isinstance(one, str) else shown(one))


def tags(field: str, value: object) -> tuple[str, ...]:
    """The tags in the order given, without repeats.

    Raises:
        InvalidInputError: `value` is no list of strings, or one of them is blank.
    """
    items = _sequence(field, value, 'give a list of strings, such as ["work"]')
    return tuple(dict.fromkeys(name(f"{field}[{index}]", item) for index, item in enumerate(items)))


def json_object(field: str, value: object) -> dict[str, Any]:
    """A copy of `value` made of what JSON can hold: string keys, finite numbers, at most 16 levels.

    Raises:
        InvalidInputError: something in it is not of that kind; the message gives the path to it.
    """
    if not isinstance(value, Mapping):
        refuse(field, value, "give a dict with string keys")
    copied: dict[str, Any] = _json_value(field, value, DEEPEST_METADATA)
    return copied


def _json_value(path: str, value: object, levels: int) -> Any:
    if isinstance(value, Mapping | list | tuple) and levels == 0:
        refuse_shown(path, f"a deeper {type(value).__name__}", f"nest at most {DEEPEST_METADATA} levels")
    if isinstance(value, Mapping):
        return {_json_key(path, key): _json_value(f"{path}.{key:.80}", item, levels - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(f"{path}[{index}]", item, levels - 1) for index, item in enumerate(value)]
    return _json_scalar(path, value)


def _json_scalar(path: str, value: object) -> str | float | bool | None:
    if isinstance(value, str):
        _storable(path, value)
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        refuse(path, value, "give a finite number")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        refuse_shown(path, "an integer beyond 64 bits", "give it as a string")
    if value is None or isinstance(value, bool | int | float):
        return value
    refuse(path, value, "give what JSON can hold: strings, numbers, booleans, None, lists and dicts")


def _json_key(path: str, key: object) -> str:
    if not isinstance(key, str):
        refuse(path, key, "give dict keys that are strings")
    _storable(path, key)
    return str(key)


def vector(field: str, value: object) -> "NDArray[np.float32]":
    """`value` as a copied row of float32, shape (d,).

    Raises:
        InvalidInputError: it is not one-dimensional, is empty or longer than 65,536, holds a NaN, an infinity or what
            float32 cannot hold, or is all zeros and so has no direction.
    """
    remedy = "give a one-dimensional array of finite numbers that are not all zero"
    row: NDArray[np.float32]
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiu":
            refuse_shown(field, f"an array of {array.dtype}", remedy)
        if array.dtype == np.float32:
            row = array.astype(np.float32, copy=True)
        else:
            with np.errstate(over="ignore", under="ignore"):
                row = array.astype(np.float32, copy=True)
    except (ValueError, TypeError):
        refuse_shown(field, f"a {type(value).__name__}", remedy)
    if row.ndim != 1 or not 0 < row.size <= LARGEST_DIMENSION:
        refuse_shown(field, f"an array of shape {row.shape}", remedy)
    if not LEAST_LENGTH <= sq8.largest(row) < math.inf:
        refuse_shown(field, "an array that is all zero, or not finite, as float32", remedy)
    return row
