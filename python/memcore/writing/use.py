"""Using memories: what was used is strengthened, and what was used together is joined."""

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from memcore.errors import StorageError, without_values
from memcore.kinds import Kind
from memcore.storage import edges, memories, revisions, strength
from memcore.writing.reach import Reach, checked_ids, found

if TYPE_CHECKING:
    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["ASSOCIATION", "MOST_PAIRS", "joinable", "mark_used", "note_use", "pairs_together"]

log = logging.getLogger("memcore")

ASSOCIATION = 0.35
"""The strength of a new association, and the share of what is missing to 1 that each further use adds."""
MOST_PAIRS = 10


def mark_used(
    database: "Database",
    ids: object,
    *,
    within: Reach,
    now: datetime,
    associate: bool = True,
    gone_is_error: bool = True,
) -> int:
    """How many memories were marked as used at `now`; `ids` without repeats.

    Each gets access_count + 1, base_importance + 0.1 (at most 10) and last_used_at. A fact's strength becomes
    x + 0.35·(1 − x) of what is left of it, and a dormant one wakes; an event's stability grows by half (at most
    3,650 days). With `associate` the first ten pairs of them that may be joined get an associative edge: new at 0.35,
    else x + 0.35·(1 − x). Without `gone_is_error` ids outside the reach are left out: what a search found may have been
    deleted since.

    Raises:
        InvalidInputError: something in `ids` is no id.
        NotFoundError: one is unknown or outside the reach; nothing was marked.
    """
    wanted = checked_ids("ids", ids)
    if not wanted:
        return 0
    with database.write() as connection:
        if gone_is_error:
            rows = found(connection, within, wanted, field="ids")
        else:
            rows = [row for row in memories.fetch(connection, wanted) if within.sees(row.partition)]
        before = revisions.latest(connection)
        strength.use(connection, [row.id for row in rows], now)
        pairs = pairs_together(rows) if associate else []
        if pairs:
            edges.reinforce(connection, pairs, new=ASSOCIATION, now=now)
        revisions.by_use(connection, before)
    return len(rows)


def note_use(
    database: "Database", ids: "Sequence[int]", *, within: Reach, now: datetime, associate: bool = True
) -> bool:
    """Whether the use of what a search found could be noted as by `mark_used`; what is gone since is left out.

    Where the store cannot be written the log says so, and the answer that was found is not lost for the note.
    """
    try:
        mark_used(database, ids, within=within, now=now, associate=associate, gone_is_error=False)
    except StorageError as error:
        log.warning("%d memories were used, which could not be noted: %s", len(ids), without_values(error))
        return False
    return True


def joinable(one: "MemoryRow", other: "MemoryRow") -> bool:
    """Whether an edge may join them: two memories of one user, or one of them shared; both of one agent."""
    first, second = one.partition, other.partition
    if one.id == other.id or first.agent_id != second.agent_id:
        return False
    return first == second or first.user_id is None or second.user_id is None


def pairs_together(rows: "Sequence[MemoryRow]") -> list[tuple[int, int]]:
    """The pairs of ids (smaller first) that use together joins, those named earlier first, at most ten.

    Entities are left out: mention edges and co-occurrence join them.
    """
    plain = [row for row in rows if row.kind is not Kind.ENTITY]
    return list(islice(_pairs(plain), MOST_PAIRS))


def _pairs(rows: "Sequence[MemoryRow]") -> Iterator[tuple[int, int]]:
    for later, other in enumerate(rows):
        for one in rows[:later]:
            if joinable(one, other):
                yield min(one.id, other.id), max(one.id, other.id)
