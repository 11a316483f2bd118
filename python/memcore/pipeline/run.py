"""The eight steps in their order, and the one loop that runs them, times them and writes the trace."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from memcore.pipeline import anchor, cooccurrence, diversify, rank, recall, residual, spread, topics
from memcore.pipeline.trace import StepRecord

if TYPE_CHECKING:
    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["STEPS", "Step", "run"]


class StepFunction(Protocol):
    """A step: a retrieval in, a changed copy and the facts of what happened out."""

    def __call__(self, retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, object]:
        """Run the step."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """One row of the table. `switch` names the parameter that turns it off; None: it always runs."""

    name: str
    run: StepFunction
    switch: str | None


STEPS: tuple[Step, ...] = (
    Step("anchor", anchor.run, "enable_anchor"),
    Step("recall", recall.run, None),
    Step("topics", topics.run, "enable_nmf"),
    Step("residual", residual.run, "enable_sparse_coding"),
    Step("spread", spread.run, "enable_spread"),
    Step("cooccurrence", cooccurrence.run, "enable_cooccurrence_boost"),
    Step("rank", rank.run, None),
    Step("diversify", diversify.run, None),
)


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, tuple[StepRecord, ...]]:
    """The finished retrieval, and what each step took, saw and found."""
    records: list[StepRecord] = []
    for step in STEPS:
        if step.switch is not None and not getattr(params, step.switch):
            records.append(StepRecord(step.name, enabled=False))
            continue
        before = len(retrieval.pool)
        started = perf_counter()
        retrieval, facts = step.run(retrieval, reader, params)
        milliseconds = (perf_counter() - started) * 1_000.0
        records.append(
            StepRecord(
                step.name,
                enabled=True,
                milliseconds=milliseconds,
                candidates_before=before,
                candidates_after=len(retrieval.pool),
                facts=facts,
            )
        )
    return retrieval, tuple(records)
