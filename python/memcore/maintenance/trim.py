"""The job `trim`: the revision log keeps what a reader in another process may still have to catch up with."""

from memcore.maintenance.work import Work
from memcore.records import JobReport
from memcore.storage import revisions

__all__ = ["KEPT", "run"]

KEPT = 50_000
"""Changes that stay; whoever is further behind loads its partitions anew, which costs about as much by then."""


def run(work: Work) -> JobReport:
    """How many changes were forgotten."""
    with work.database.write() as connection:
        return JobReport("trim", revisions.trim(connection, KEPT))
