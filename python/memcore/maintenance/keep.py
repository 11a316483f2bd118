"""The job `snapshot`: what the engines of this process hold is kept for the next one."""

from memcore.maintenance.work import Work
from memcore.mirror.keeping import keep
from memcore.records import JobReport

__all__ = ["run"]


def run(work: Work) -> JobReport:
    """How many partitions were written into the engine snapshot: those of which it had nothing, or something old."""
    return JobReport("snapshot", 0 if work.mirror is None else keep(work.database, work.mirror))
