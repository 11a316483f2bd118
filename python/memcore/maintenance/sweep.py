"""The job `sweep`: facts whose retention has fallen below the threshold become dormant.

It reads only what is due, by an index, in batches that are each kept when they are done; a run that is stopped goes on
where it was. Each fact is an operation of its own, and all of a run are taken back by `undo(job_run=…)`.
"""

from typing import TYPE_CHECKING

from memcore.records import JobReport
from memcore.storage import dormancy

if TYPE_CHECKING:
    from memcore.maintenance.work import Work

__all__ = ["BATCH", "run"]

BATCH = 1_000


def run(work: "Work") -> JobReport:
    """How many facts became dormant at the moment of the work, and under which run.

    Raises:
        StorageError: the database failed; what was frozen before is kept.
    """
    with work.database.read() as connection:
        partitions = dormancy.partitions_due(connection, work.agent_id, work.now)
        total = sum(dormancy.count_due(connection, one, work.now) for one in partitions)
    job_run, seen, frozen = None, 0, 0
    for partition in partitions:
        found = BATCH
        while found == BATCH:
            with work.database.write() as connection:
                job_run = job_run or dormancy.next_run(connection, "sweep")
                found, became = dormancy.freeze(connection, partition, now=work.now, limit=BATCH, job_run=job_run)
            seen, frozen = seen + found, frozen + became
            if work.progress is not None and found:
                work.progress(seen, max(total, seen))
    return JobReport("sweep", frozen, run=job_run if frozen else None)
