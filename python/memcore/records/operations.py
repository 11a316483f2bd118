"""What was done to memories, with the values from before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memcore.kinds import OperationAction
from memcore.records.plain import Plain

__all__ = ["Operation", "RowChanged"]


@dataclass(frozen=True, slots=True)
class RowChanged(Plain):
    """One row that an operation changed, in which table, and the columns that it changed from before and after.

    `before` None: there was no such row; `after` None: there is none any more. What only serves the search (tokens,
    checksums) is left out; moments are UTC.
    """

    table: str
    memory_id: int
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Operation(Plain):
    """A change of one or more memories that can be undone by its `id`.

    `undoes` names the operation that this one took back, `undone_by` the one that took this one back. `source_ref`
    names the source that it came from, `job_run` the run of the job that did it.
    """

    id: int
    action: OperationAction
    recorded_at: datetime
    reason: str
    memory_ids: tuple[int, ...]
    changes: tuple[RowChanged, ...]
    source_ref: str | None = None
    job_run: str | None = None
    undoes: int | None = None
    undone_by: int | None = None
