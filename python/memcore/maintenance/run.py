"""The table of jobs, and the loop that runs them."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from memcore.errors import InvalidInputError, shown
from memcore.maintenance import embed, keep, removals, sweep, trim
from memcore.maintenance.work import Work
from memcore.records import JobReport
from memcore.writing.fields import nearest

__all__ = ["JOBS", "checked_jobs", "maintain"]

JOBS: Mapping[str, Callable[[Work], JobReport]] = MappingProxyType(
    {
        "embed": embed.run,
        "sweep": sweep.run,
        "purge": removals.purge,
        "wipe": removals.wipe,
        "trim": trim.run,
        "snapshot": keep.run,
    }
)
"""Every job by its name, in the order in which they run."""


def maintain(work: Work, jobs: object = None) -> list[JobReport]:
    """A report for each job that was run, in the order of `JOBS`; `jobs` None runs them all.

    Raises:
        InvalidInputError: a name is none of a job; nothing was run.
    """
    wanted = checked_jobs(jobs)
    return [job(work) for name, job in JOBS.items() if name in wanted]


def checked_jobs(jobs: object) -> set[str]:
    """The names of the jobs that are wanted; None stands for all.

    Raises:
        InvalidInputError: it is no list of names, or a name is none of a job; the nearest one is named.
    """
    if jobs is None:
        return set(JOBS)
    if isinstance(jobs, str | bytes) or not isinstance(jobs, Iterable):
        raise InvalidInputError(f"jobs: {shown(jobs)} is not accepted; give a list of names, such as ['embed']")
    names = list(jobs)
    for index, name in enumerate(names):
        if not isinstance(name, str) or name not in JOBS:
            hint = nearest(name, JOBS)
            raise InvalidInputError(
                f"jobs[{index}]: {shown(name)} is not accepted; give one of {', '.join(JOBS)}{hint}"
            )
    return set(names)
