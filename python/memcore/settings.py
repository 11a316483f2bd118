"""What is decided once, when a `Memory` is opened: its limits, from code or from `MEMCORE_*` in the environment."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Self

from memcore.errors import InvalidInputError, shown

__all__ = [
    "AGENT_VARIABLE",
    "DATABASE_VARIABLE",
    "LOCK_TIMEOUT",
    "LOCK_TIMEOUT_VARIABLE",
    "MEMORY_LIMIT_VARIABLE",
    "USER_VARIABLE",
    "Settings",
    "parse_size",
]

MEMORY_LIMIT_VARIABLE = "MEMCORE_MEMORY_LIMIT"
LOCK_TIMEOUT_VARIABLE = "MEMCORE_LOCK_TIMEOUT"
DATABASE_VARIABLE = "MEMCORE_DATABASE"  # this and the next two are defaults of the command line's options
AGENT_VARIABLE = "MEMCORE_AGENT_ID"
USER_VARIABLE = "MEMCORE_USER_ID"

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([A-Za-z]*)", re.ASCII)
_LARGEST = 2**63 - 1
_SECONDS = re.compile(r"\d{1,5}(?:\.\d{1,9})?", re.ASCII)
_LONGEST_WAIT = 86_400
LOCK_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one `Memory`.

    `memory_limit` is the most bytes that the mirror (vectors, postings, graphs of the partitions in use) may keep in
    memory; the least recently used partition makes room. `lock_timeout` is the most seconds that a write waits while
    others write, in this process or another, before it raises StorageBusyError; 0 does not wait.
    """

    memory_limit: int = 2**30
    lock_timeout: float = LOCK_TIMEOUT

    def __post_init__(self) -> None:
        limit: object = self.memory_limit
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _LARGEST:
            raise InvalidInputError(
                f"memory_limit: {shown(limit)} is not accepted; give bytes, an integer from 1 to 2^63 − 1"
            )
        wait: object = self.lock_timeout
        if isinstance(wait, bool) or not isinstance(wait, int | float) or not 0 <= wait <= _LONGEST_WAIT:
            raise InvalidInputError(
                f"lock_timeout: {shown(wait)} is not accepted; give seconds from 0 to {_LONGEST_WAIT}"
            )

    @classmethod
    def given(cls, settings: object) -> Self:
        """The settings that a caller gave; None stands for those of the environment.

        Raises:
            InvalidInputError: they are no `Settings`, or a variable's value is not usable.
        """
        if settings is None:
            return cls.from_environment()
        if not isinstance(settings, cls):
            raise InvalidInputError(f"settings: {shown(settings)} is not accepted; give memcore.Settings(…)")
        return settings

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Self:
        """The settings of the environment (by default this process's); what is absent or empty in it is as usual.

        Raises:
            InvalidInputError: a variable's value is not usable.
        """
        found = os.environ if environment is None else environment
        limit, wait = found.get(MEMORY_LIMIT_VARIABLE, ""), found.get(LOCK_TIMEOUT_VARIABLE, "")
        usual = cls()
        return cls(
            memory_limit=parse_size(limit, field=MEMORY_LIMIT_VARIABLE) if limit else usual.memory_limit,
            lock_timeout=_seconds(wait, field=LOCK_TIMEOUT_VARIABLE) if wait else usual.lock_timeout,
        )


def parse_size(text: str, *, field: str = "size") -> int:
    """Bytes of `text`: a number with B, KB, MB, GB, TB (powers of 1,000), KiB, MiB, GiB, TiB (of 1,024) or no unit.

    Raises:
        InvalidInputError: it is not such a size, or less than one byte or more than 2^63 − 1.
    """
    found = _SIZE.fullmatch(text.strip())
    factor = _UNITS.get(found[2].upper(), 0) if found else 0
    size = int(Decimal(found[1]) * factor) if found else 0
    if not 1 <= size <= _LARGEST:
        raise InvalidInputError(
            f"{field}: {shown(text)} is not accepted; give a size such as 512MB, 2GiB or 1073741824"
        )
    return size


def _seconds(text: str, *, field: str) -> float:
    """The seconds that `text` names, up to a day.

    Raises:
        InvalidInputError: it names none.
    """
    seconds = float(text) if _SECONDS.fullmatch(text.strip()) else -1.0
    if not 0 <= seconds <= _LONGEST_WAIT:
        raise InvalidInputError(
            f"{field}: {shown(text)} is not accepted; give seconds from 0 to {_LONGEST_WAIT}, such as 60"
        )
    return seconds
