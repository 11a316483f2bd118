"""How values lie in the tables: moments, JSON, lists of ids, checksums."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memcore.errors import InvalidInputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["from_micros", "id_list", "json_text", "memory_crc", "space_key", "to_micros", "vector_crc"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST, _LAST = ((end.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND for end in (datetime.min, datetime.max))  # noqa: DTZ901 - set beside it


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 (UTC), exact.

    Raises:
        InvalidInputError: the moment has no time zone, or one that fails.
    """
    try:
        offset = moment.utcoffset()
    except Exception:  # noqa: BLE001 - a time zone is code of the caller's
        offset = None
    if offset is None:
        raise InvalidInputError(f"moment: {shown(moment)} has no time zone; give one, for example tzinfo=datetime.UTC")
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The moment, in UTC; what a hand wrote beyond the years 1 to 9999 is the first or the last moment of them."""
    return _EPOCH + timedelta(microseconds=min(max(micros, _FIRST), _LAST))


def json_text(field: str, value: Any) -> str:
    """`value` as JSON.

    Raises:
        InvalidInputError: it holds something that JSON has no form for (NaN, infinity, an object of another type).
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"{field}: {error}; give strings, finite numbers, booleans, None, lists and dicts"
        ) from None


def id_list(ids: Iterable[int]) -> str:
    """Ids as a JSON array: one parameter for `IN (SELECT value FROM json_each(?))`, however many there are."""
    return f"[{','.join(map(str, map(int, ids)))}]"


def memory_crc(memory_id: int, content: str) -> int:
    """CRC-32 over id and text: a flipped bit in either is noticed."""
    return zlib.crc32(content.encode(), zlib.crc32(memory_id.to_bytes(8, "little")))


def vector_crc(memory_id: int, space: bytes, sq8: bytes, f32: bytes, content: str) -> int:
    """CRC-32 over id, space (`space_key`), both forms of the vector, and the text that it was made of."""
    crc = zlib.crc32(space, zlib.crc32(memory_id.to_bytes(8, "little")))
    return zlib.crc32(content.encode(), zlib.crc32(f32, zlib.crc32(sq8, crc)))


def space_key(model: str, dimension: int) -> bytes:
    """What of a space goes into a vector's checksum."""
    return f"{model}\0{dimension}\0".encode()
