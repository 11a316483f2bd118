"""What a search leaves behind: per step time, counts and facts; per candidate every signal."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["StepRecord", "Trace"]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of one search. A step that is off has no facts."""

    name: str
    enabled: bool
    milliseconds: float = 0.0
    candidates_before: int = 0
    candidates_after: int = 0
    facts: object = None

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Trace:
    """How one search went: what was asked, in which scope, what each step did, and every candidate with its signals."""

    query: str
    now: datetime
    revision: int
    agent_id: str
    user_ids: tuple[str, ...]
    session_id: str | None
    scope_size: int
    params: RetrievalParams
    steps: tuple[StepRecord, ...]
    retrieval: Retrieval = field(repr=False)
    ids: NDArray[np.int64] = field(repr=False)
    """The id of each position of the pool."""
    problems: tuple[str, ...] = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    channel: str | None = None
    include_dormant: bool = False
    hidden: Mapping[str, int] = field(default_factory=dict)
    """How many memories of the scope the search could not see, by the reason; `blocked` counts those of the channel."""

    space_id: int | None = None
    """The embedding space that was searched; None where no vectors were compared."""

    @property
    def blocked(self) -> int:
        """How many memories were hidden because they were heard in a direct talk and the search is made in a group."""
        return self.hidden.get("channel", 0)

    def step(self, name: str) -> StepRecord:
        """The record of one step by its name.

        Raises:
            KeyError: there is no step of that name.
        """
        for record in self.steps:
            if record.name == name:
                return record
        raise KeyError(name)

    def signals(self, position: int) -> dict[str, float]:
        """The signals of one candidate that are not 0."""
        values = self.retrieval.pool.signals.items()
        return {name: value for name, column in values if (value := float(column[position])) != 0.0}

    @property
    def candidates(self) -> tuple[dict[str, Any], ...]:
        """Every candidate that scored above 0, best first: id, score, signals."""
        scores = self.retrieval.scores
        return tuple(
            {"id": int(self.ids[position]), "score": float(scores[position]), "signals": self.signals(position)}
            for position in self.retrieval.order.tolist()
        )

    @property
    def pick_order(self) -> tuple[int, ...]:
        """The ids of the answer in the order in which diversity chose them."""
        return tuple(self.ids[self.retrieval.pick_order].tolist())

    def to_dict(self) -> dict[str, Any]:
        """The trace as plain values, moments as text."""
        return {
            "query": self.query,
            "now": self.now.isoformat(),
            "revision": self.revision,
            "scope": {
                "agent_id": self.agent_id,
                "user_ids": list(self.user_ids),
                "session_id": self.session_id,
                "size": self.scope_size,
            },
            "params": self.params.model_dump(mode="json"),
            "steps": [_plain(record.to_dict()) for record in self.steps],
            "candidates": list(self.candidates),
            "pick_order": list(self.pick_order),
            "problems": list(self.problems),
            "as_of": None if self.as_of is None else self.as_of.isoformat(),
            "known_at": None if self.known_at is None else self.known_at.isoformat(),
            "channel": self.channel,
            "include_dormant": self.include_dormant,
            "hidden": dict(self.hidden),
            "blocked": self.blocked,
        }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value
