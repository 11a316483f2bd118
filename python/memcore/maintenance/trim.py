"""The job `trim`: what nobody looks at any more is removed.

That is the revision log before what a reader in another process may still have to catch up with, and the items of
working memory that have ended.
"""

from memcore.maintenance.work import Work
from memcore.records import JobReport
from memcore.storage import revisions, working

__all__ = ["KEPT", "MOST_ITEMS", "run"]

KEPT = 50_000
"""Changes that stay; whoever is further behind loads its partitions anew, which costs about as much by then."""
MOST_ITEMS = 10_000
"""Items of working memory that one transaction removes."""


def run(work: Work) -> JobReport:
    """How many changes of the log and items of working memory were removed."""
    with work.database.write() as connection:
        removed = revisions.trim(connection, KEPT)
    while True:
        with work.database.write() as connection:
            ended = working.remove_ended(connection, work.agent_id, work.now, MOST_ITEMS)
        removed += ended
        if ended < MOST_ITEMS:
            return JobReport("trim", removed)
