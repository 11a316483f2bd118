"""How values lie in the tables: moments, JSON, lists of ids, checksums."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
import zlib
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memcore.errors import InvalidInputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "FIRST_MICROS",
    "LAST_MICROS",
    "from_micros",
    "id_list",
    "json_text",
    "memory_crc",
    "moment_or_none",
    "normalized",
    "read_json",
    "same_statement",
    "same_text",
    "space_key",
    "text_key",
    "to_micros",
    "vector_crc",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_RAISED = re.compile(  # what the Unicode data file decomposes as <super>, <sub> or <fraction>
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u02b0-\u02b8\u02e0-\u02e4\u10fc\u1d2c-\u1d2e\u1d30-\u1d3a\u1d3c-\u1d4d\u1d4f-\u1d6a"
    "\u1d78\u1d9b-\u1dbf\u2070\u2071\u2074-\u208e\u2090-\u209c\u2120\u2122\u2150-\u215f\u2189\u2c7c\u2c7d\u2d6f\u3192-\u319f\ua69c\ua69d\ua770"
    "\ua7f1-\ua7f4\ua7f8\ua7f9\uab5c-\uab5f\uab69\U00010781-\U00010785\U00010787-\U000107b0\U000107b2-\U000107ba\U0001e030-\U0001e06d"
    "\U0001f16a-\U0001f16c]"
)
_DEEPEST_READ = 64  # levels of JSON that are read back; memcore writes at most 16
FIRST_MICROS, LAST_MICROS = ((end.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND for end in (datetime.min, datetime.max))  # noqa: DTZ901 - set beside it


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


@lru_cache(maxsize=4_096)
def from_micros(micros: int) -> datetime:
    """The moment, in UTC; what a hand wrote beyond the years 1 to 9999 is the first or the last moment of them."""
    return _EPOCH + timedelta(microseconds=min(max(micros, FIRST_MICROS), LAST_MICROS))


def moment_or_none(micros: int | None) -> datetime | None:
    """The moment, where the column holds one."""
    return None if micros is None else from_micros(micros)


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


def read_json(text: str, kind: type) -> Any:
    """The list of strings or the dict that a column holds; None where a hand wrote what memcore never does."""
    if text in ("[]", "{}"):
        return kind()
    try:
        value = json.loads(text, parse_constant=_refused_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, kind) or not _depth_is_sane(value):
        return None
    plain = not isinstance(value, list) or all(isinstance(item, str) for item in value)
    return value if plain else None


def _refused_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number of JSON")


def _depth_is_sane(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST_READ):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return True
    return False


def id_list(ids: Iterable[int]) -> str:
    """Ids as a JSON array: one parameter for `IN (SELECT value FROM json_each(?))`, however many there are."""
    return f"[{','.join(map(str, map(int, ids)))}]"


def memory_crc(memory_id: int, content: str) -> int:
    """CRC-32 over id and text: a flipped bit in either is noticed."""
    return zlib.crc32(content.encode(), zlib.crc32(memory_id.to_bytes(8, "little")))


def vector_crc(memory_id: int, space: bytes, sq8: bytes | bytearray, f32: bytes | bytearray, content: str) -> int:
    """CRC-32 over id, space (`space_key`), both forms of the vector, and the text that it was made of."""
    crc = zlib.crc32(space, zlib.crc32(memory_id.to_bytes(8, "little")))
    return zlib.crc32(content.encode(), zlib.crc32(f32, zlib.crc32(sq8, crc)))


def space_key(model: str, dimension: int) -> bytes:
    """What of a space goes into a vector's checksum."""
    return f"{model}\0{dimension}\0".encode()


def normalized(content: str) -> str:
    """The text in NFKC, but superscripts, subscripts and fractions stay: 10⁵ is not 105, and 1½ is not 11⁄2.

    >>> normalized("Ａna has ５ m²")
    'Ana has 5 m²'
    """
    if content.isascii():
        return content
    plain = unicodedata.normalize("NFKC", content)
    if plain == content or _RAISED.search(content) is None:
        return plain
    pieces, start = [], 0
    for raised in _RAISED.finditer(content):
        pieces += [unicodedata.normalize("NFKC", content[start : raised.start()]), raised[0]]
        start = raised.end()
    return "".join([*pieces, unicodedata.normalize("NFKC", content[start:])])


def same_text(content: str) -> str:
    """What two texts have in common that say the same: `normalized`, case folded, white space as single spaces."""
    return " ".join(normalized(normalized(content).casefold()).split())


def same_statement(content: str) -> str:
    """`same_text` without the full stops and exclamation marks at its end; a question stays one.

    >>> same_statement("Ana  eats no nuts!") == same_statement("Ana eats no nuts")
    True
    """
    folded = same_text(content)
    return folded.rstrip(" .!。…") or folded


def text_key(content: str) -> int:
    """64 bits of the BLAKE2b hash of `same_statement`, signed: finds the rows that may hold the same text."""
    digest = hashlib.blake2b(same_statement(content).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
