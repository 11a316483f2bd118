"""What is decided once, when a `Memory` is opened: its limits, from code or from `MEMCORE_*` in the environment."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Self, TypeVar

from memcore.errors import InvalidInputError, shown
from memcore.kinds import Kind, Layer

__all__ = [
    "AGENT_VARIABLE",
    "DATABASE_VARIABLE",
    "LAYERS_VARIABLE",
    "LOCK_TIMEOUT",
    "LOCK_TIMEOUT_VARIABLE",
    "MEMORY_LIMIT_VARIABLE",
    "RECORD_TRACES_VARIABLE",
    "RETENTION_DAYS_VARIABLE",
    "SNAPSHOT_AFTER_VARIABLE",
    "SNAPSHOT_VARIABLE",
    "USER_VARIABLE",
    "Settings",
    "parse_size",
]

MEMORY_LIMIT_VARIABLE = "MEMCORE_MEMORY_LIMIT"
LOCK_TIMEOUT_VARIABLE = "MEMCORE_LOCK_TIMEOUT"
LAYERS_VARIABLE = "MEMCORE_LAYERS"
RETENTION_DAYS_VARIABLE = "MEMCORE_RETENTION_DAYS"
RECORD_TRACES_VARIABLE = "MEMCORE_RECORD_TRACES"
SNAPSHOT_VARIABLE = "MEMCORE_SNAPSHOT"
SNAPSHOT_AFTER_VARIABLE = "MEMCORE_SNAPSHOT_AFTER"
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
_COUNT = re.compile(r"\d{1,18}", re.ASCII)
_MOST_DAYS = 365_000
_KIND_DAYS = re.compile(r"([a-z]+)=(\d{1,6})", re.ASCII)
_Named = TypeVar("_Named", bound=StrEnum)
LOCK_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one `Memory`.

    `memory_limit` is the most bytes that the mirror (vectors, postings, graphs of the partitions in use) may keep in
    memory; the least recently used partition makes room. `lock_timeout` is the most seconds that a write waits while
    others write, in this process or another, before it raises StorageBusyError; 0 does not wait.

    `layers` are those that are on (`MEMCORE_LAYERS`: their names with commas; `-facts` switches one off): what belongs
    to another is neither written nor read, but by its id: whoever holds one still reads and changes the memory with
    `get`, `history`, `pin`, `retire`, `update`, `mark_used` and `undo`.

    `retention_days` gives kinds the days after their event time from which they are found no more
    (`MEMCORE_RETENTION_DAYS`: `turn=30,event=365`); a kind that is not named is kept for ever.
    What is said again happened when it was said last.

    `record_traces`: this process records its searches for `memory.tuning`, whatever the store says
    (`MEMCORE_RECORD_TRACES`: `1` or `0`); without it, it does where `memory.tuning.record` says so.

    `snapshot`: what the engines hold is kept in `<database>.engine`, so that the next process need not make it anew
    (`MEMCORE_SNAPSHOT`: `1` or `0`); without it nothing is written there, nor read. It is written when the store is
    closed, and while it is open after `snapshot_after` changes (`MEMCORE_SNAPSHOT_AFTER`), in a moment without search.
    """

    memory_limit: int = 2**30
    lock_timeout: float = LOCK_TIMEOUT
    layers: frozenset[Layer] = frozenset(Layer)
    retention_days: Mapping[Kind, int] = field(default_factory=lambda: MappingProxyType({}))
    record_traces: bool = False
    snapshot: bool = True
    snapshot_after: int = 10_000

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
        recorded: object = self.record_traces
        if not isinstance(recorded, bool):
            raise InvalidInputError(f"record_traces: {shown(recorded)} is not accepted; give True or False")
        kept: object = self.snapshot
        if not isinstance(kept, bool):
            raise InvalidInputError(f"snapshot: {shown(kept)} is not accepted; give True or False")
        many: object = self.snapshot_after
        if isinstance(many, bool) or not isinstance(many, int) or not 1 <= many <= _LARGEST:
            raise InvalidInputError(
                f"snapshot_after: {shown(many)} is not accepted; give changes, an integer from 1 to 2^63 − 1"
            )
        object.__setattr__(self, "layers", _layers(self.layers))
        object.__setattr__(self, "retention_days", MappingProxyType(_days(self.retention_days)))

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
            layers=_named_layers(found.get(LAYERS_VARIABLE, "")),
            retention_days=_named_days(found.get(RETENTION_DAYS_VARIABLE, "")),
            record_traces=_switched(RECORD_TRACES_VARIABLE, found.get(RECORD_TRACES_VARIABLE, ""), usual.record_traces),
            snapshot=_switched(SNAPSHOT_VARIABLE, found.get(SNAPSHOT_VARIABLE, ""), usual.snapshot),
            snapshot_after=_counted(
                SNAPSHOT_AFTER_VARIABLE, found.get(SNAPSHOT_AFTER_VARIABLE, ""), usual.snapshot_after
            ),
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


def _layers(given: object) -> frozenset[Layer]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InvalidInputError(f"layers: {shown(given)} is not accepted; give a set of {', '.join(Layer)}")
    return frozenset(_member("layers", Layer, one) for one in given)


def _days(given: object) -> dict[Kind, int]:
    if not isinstance(given, Mapping):
        raise InvalidInputError(f'retention_days: {shown(given)} is not accepted; give a dict such as {{"turn": 30}}')
    days: dict[Kind, int] = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_DAYS:
            raise InvalidInputError(f"retention_days: {shown(value)} is not accepted; give days from 1 to {_MOST_DAYS}")
        days[_member("retention_days", Kind, name)] = value
    return days


def _member(field_name: str, members: type[_Named], value: object) -> _Named:
    if isinstance(value, str) and value in set(members):
        return members(value)
    raise InvalidInputError(f"{field_name}: {shown(value)} is not accepted; give one of {', '.join(members)}")


def _named_layers(text: str) -> frozenset[Layer]:
    """The layers of `turns,facts`, or all but those of `-facts`; of an empty text all.

    Raises:
        InvalidInputError: it names no layer, or mixes both forms.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    off = [name for name in names if name.startswith("-")]
    if off and len(off) < len(names):
        raise InvalidInputError(
            f"{LAYERS_VARIABLE}: {shown(text)} is not accepted; give layers that are on, or only -layers"
        )
    named = {_member(LAYERS_VARIABLE, Layer, name.removeprefix("-")) for name in names}
    return frozenset(Layer) - named if off or not names else frozenset(named)


def _switched(variable: str, text: str, usual: bool) -> bool:
    """Whether a variable says yes; an empty one says what is usual.

    Raises:
        InvalidInputError: it is neither 0 nor 1.
    """
    if text.strip() not in ("", "0", "1"):
        raise InvalidInputError(f"{variable}: {shown(text)} is not accepted; give 1 or 0")
    return text.strip() == "1" if text.strip() else usual


def _counted(variable: str, text: str, usual: int) -> int:
    """The number that a variable names, at least 1; an empty one names what is usual.

    Raises:
        InvalidInputError: it names none.
    """
    named = text.strip()
    if not named:
        return usual
    count = int(named) if _COUNT.fullmatch(named) else 0
    if count < 1:
        raise InvalidInputError(f"{variable}: {shown(text)} is not accepted; give a number from 1 on, such as {usual}")
    return count


def _named_days(text: str) -> dict[Kind, int]:
    """The days of `turn=30,event=365`.

    Raises:
        InvalidInputError: it is not of that form.
    """
    days: dict[Kind, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = _KIND_DAYS.fullmatch(part)
        if found is None:
            raise InvalidInputError(
                f"{RETENTION_DAYS_VARIABLE}: {shown(text)} is not accepted; give such as turn=30,event=365"
            )
        days[_member(RETENTION_DAYS_VARIABLE, Kind, found[1])] = int(found[2])
    return days
