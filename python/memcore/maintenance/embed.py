"""The `embed` job: a vector for everything that has none in the current space, entities too.

Batches of 20 texts, each stored before the next is embedded, so that a run that is stopped loses at most one. When a
batch fails, the embedder is asked for a sentence that it took before. If that fails too, it is down, and the run ends.
If not, the batch is halved until the texts that the embedder cannot take stand alone: they get one more attempt counted
and stay for the next run.
"""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.errors import ProviderError
from memcore.records import JobReport
from memcore.storage import jobs, vectors
from memcore.writing.vectors import kind_of_failure

if TYPE_CHECKING:
    from memcore.maintenance.work import Work
    from memcore.storage.rows import PendingText

__all__ = ["BATCH", "run"]

BATCH = 20

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Course:
    """How a run is going."""

    total: int
    done: int = 0
    failed: int = 0
    down: bool = False
    error: str | None = None


def run(work: "Work") -> JobReport:
    """What was embedded; the texts that are there when the run starts, and no more, so that it ends.

    Raises:
        StorageError: the database failed; what was embedded before is stored.
    """
    embedder = work.vectors.embedder
    if embedder is None:
        return JobReport("embed", done=0)
    try:
        identity = work.vectors.identity(embedder.dimension)
    except ProviderError as error:
        with work.database.read() as connection:
            waiting = vectors.count_pending(connection, work.agent_id, work.vectors.stored_space(connection))
        return JobReport("embed", done=0, remaining=waiting, error=kind_of_failure(error))
    with work.database.write() as connection:
        space = work.vectors.space(connection, identity)
        course = _Course(total=vectors.count_pending(connection, work.agent_id, space))
    after_id = 0
    while course.done + course.failed < course.total and not course.down:
        with work.database.read() as connection:
            batch = vectors.pending(connection, work.agent_id, space, BATCH, after_id)
        if not batch:
            break
        after_id = batch[-1].id
        left = _embed(work, batch, course)
        if left:
            _log.warning("%d stored texts have no vector yet: the embedder failed with %s", len(left), course.error)
            with work.database.write() as connection:
                jobs.fail(connection, left, course.error or "")
        course.failed += len(left)
        course.done += len(batch) - len(left)
        if work.progress is not None:
            work.progress(course.done + course.failed, course.total)
    with work.database.read() as connection:
        remaining = vectors.count_pending(connection, work.agent_id, space)
    return JobReport("embed", course.done, course.failed, remaining, course.error)


def _embed(work: "Work", batch: "list[PendingText]", course: _Course) -> list[int]:
    """Embeds a batch, or, where that fails, each half of it; the ids of the texts that are left."""
    if not course.down:
        failure = work.vectors.embed_once(work.database, {text.id: text.content for text in batch})
        if failure is None:
            return []
        course.error = failure
        course.down = not work.vectors.answers()
        if len(batch) > 1:
            middle = len(batch) // 2
            return _embed(work, batch[:middle], course) + _embed(work, batch[middle:], course)
    return [text.id for text in batch]
