"""What recording searches, replaying them and tuning give back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, overload

from memcore.records.plain import Plain

__all__ = ["Recording", "SearchTrace", "TracePage", "TracedMemory"]


@dataclass(frozen=True, slots=True)
class Recording(Plain):
    """Whether searches are recorded, and what became of those of this process.

    `on`: the store says so, or this process was told to (`Settings.record_traces`). `sample` is the share that is
    recorded, `most` how many traces the agent keeps; `stored` is how many it has. Of this process: `recorded` are in
    the store, `waiting` are not yet, `skipped` were not to be stored (nothing of the user is known, or something was
    removed between the search and the writing), `lost` could not be.
    """

    on: bool
    sample: float
    most: int
    stored: int
    recorded: int = 0
    waiting: int = 0
    skipped: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class TracedMemory(Plain):
    """A memory in a trace; it is named by its id, its text is nowhere in the trace.

    `place` is its place in the pool, from 0, and `score` its score; None where only the block brought it in. `pick` and
    `answer` are its places in the order of diversity and in the answer. `entered`: it stood in a prompt as one of the
    answer. `fill_up`: it stood there beside the answer, as a neighbour or the other side of a conflict.
    """

    id: int
    place: int | None
    score: float | None
    pick: int | None = None
    answer: int | None = None
    entered: bool = False
    fill_up: bool = False
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchTrace(Plain):
    """A search as it was recorded: all that it takes to run it again, and what it found. `recorded_at` is UTC.

    `now` is the present of the search, `asked_at` the moment that the days of its query counted from. `memories` are
    the first of its `pool_size` candidates, best first, and those of the answer whatever their place, then what only
    the block brought in; of `removed` ones the memory was deleted since. `took` has the milliseconds of each step.
    `space_id` is the embedding space that was searched, None where there was none. `options` are the layers and the
    days of retention that held. `zone_kept`: the days of the query are counted in the same time zone again; not so in
    one that has daylight saving and no name.
    """

    id: int
    query: str
    user_ids: tuple[str, ...]
    session_id: str | None
    recorded_at: datetime
    now: datetime
    asked_at: datetime
    limit: int
    kinds: tuple[str, ...] | None
    filters: Mapping[str, Any] | None
    as_of: datetime | None
    known_at: datetime | None
    channel: str | None
    include_dormant: bool
    params: Mapping[str, Any]
    options: Mapping[str, Any]
    revision: int
    space_id: int | None
    scope_size: int
    pool_size: int
    removed: int
    took: Mapping[str, float]
    memories: tuple[TracedMemory, ...]
    given_vector: tuple[float, ...] | None = None
    zone_kept: bool = True

    @property
    def pool(self) -> tuple[TracedMemory, ...]:
        """The candidates that were recorded, best first."""
        return tuple(one for one in self.memories if one.place is not None)

    @property
    def answer_ids(self) -> tuple[int, ...]:
        """The ids of the answer, best first."""
        return _in_order((one.answer, one.id) for one in self.memories)

    @property
    def pick_order(self) -> tuple[int, ...]:
        """The ids of the answer in the order in which diversity chose them."""
        return _in_order((one.pick, one.id) for one in self.memories)

    @property
    def entered_ids(self) -> tuple[int, ...]:
        """What stood in a prompt and was no fill-up: the weak label of the search."""
        return tuple(one.id for one in self.memories if one.entered)

    @property
    def fill_up_ids(self) -> tuple[int, ...]:
        """What stood in a prompt beside the answer."""
        return tuple(one.id for one in self.memories if one.fill_up)


def _in_order(placed: Iterator[tuple[int | None, int]]) -> tuple[int, ...]:
    return tuple(number for _, number in sorted((place, number) for place, number in placed if place is not None))


@dataclass(frozen=True, slots=True)
class TracePage(Plain, Sequence[SearchTrace]):
    """Some traces, newest first; `next_cursor` fetches older ones, and is None at the end."""

    items: tuple[SearchTrace, ...] = ()
    next_cursor: int | None = None

    @overload
    def __getitem__(self, index: int) -> SearchTrace: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SearchTrace, ...]: ...
    def __getitem__(self, index: int | slice) -> SearchTrace | tuple[SearchTrace, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[SearchTrace]:
        return iter(self.items)
