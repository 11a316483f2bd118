"""The jobs `purge` and `wipe`: what a removal that was interrupted, or got in somebody's way, has left."""

from memcore.maintenance.work import Work
from memcore.records import JobReport
from memcore.storage import receipts
from memcore.writing import forgetting

__all__ = ["purge", "wipe"]


def purge(work: Work) -> JobReport:
    """How many purges that an earlier process began were brought to their end."""
    return JobReport("purge", forgetting.resume(work.database))


def wipe(work: Work) -> JobReport:
    """Of how many removals the last bytes were wiped from the files, however large they are, and how many are left."""
    with work.database.read() as connection:
        waiting = len(receipts.pending(connection))
    if waiting:
        work.database.wipe(whole=True)
    with work.database.read() as connection:
        left = len(receipts.pending(connection))
    return JobReport("wipe", max(0, waiting - left), remaining=left)
