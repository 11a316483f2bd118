"""Merging what was just stored into an earlier memory that says nearly the same, once its vector is known.

The text is stored by then, in a row of its own, and stays there: the merge ends that row, and undoing it brings the
text back as it was said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.kinds import Outcome
from memcore.records import Added
from memcore.storage import neighbours
from memcore.storage import vectors as stored_vectors
from memcore.storage.neighbours import Sight
from memcore.writing.apply import Applying
from memcore.writing.case import Near, Neighbours
from memcore.writing.decide import decide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from memcore.scope import Partition
    from memcore.storage.database import Database
    from memcore.writing.proposal import Proposal
    from memcore.writing.rules import Rules
    from memcore.writing.vectors import VectorSource

__all__ = ["merge_near"]

Close = dict[int, list[tuple[int, float]]]
"""By the id of a new memory: earlier ones and their cosines."""


def merge_near(
    database: Database, stored: Mapping[int, Proposal], *, vectors: VectorSource, rules: Rules, now: datetime
) -> dict[int, Added]:
    """What became of those of the new memories `stored` that were merged, by the id of their own row."""
    with database.read() as connection:
        space = vectors.stored_space(connection)
        if space is None or not rules.params.enable_near_merge:
            return {}
        ids, matrix = stored_vectors.read(connection, space, list(stored))
    close = _close(stored, ids.tolist(), matrix, rules)
    if not close:
        return {}
    merged: dict[int, Added] = {}
    with database.write() as connection:
        for new, earlier in sorted(close.items()):
            into = _merge(Applying(connection, now, rules.retention_days), new, stored[new], earlier, rules)
            if into is not None:
                merged[new] = into
    return merged


def _close(stored: Mapping[int, Proposal], ids: Sequence[int], matrix: NDArray[np.float32], rules: Rules) -> Close:
    """The earlier memories whose cosine reaches the threshold."""
    rows: dict[Partition, list[int]] = {}
    for row, one in enumerate(ids):
        rows.setdefault(stored[one].partition, []).append(row)
    close: Close = {}
    least = rules.params.decide_near_cosine
    for partition, of_partition in rows.items():
        if rules.nearest is None:
            break
        found = rules.nearest(partition, matrix[of_partition], rules.params.decide_near_candidates)
        for row, nearest in zip(of_partition, found, strict=True):
            earlier = [(other, cosine) for other, cosine in nearest if other < ids[row] and cosine >= least]
            if earlier:
                close[ids[row]] = earlier
    return close


def _merge(
    applying: Applying, new: int, proposal: Proposal, earlier: Sequence[tuple[int, float]], rules: Rules
) -> Added | None:
    """What became of one new memory; None where it stays by itself."""
    connection, now = applying.connection, applying.now
    wanted = [new, *(other for other, _ in earlier)]
    found = neighbours.by_ids(connection, wanted, Sight.at(now, rules.retention_days))
    if new not in found or not found[new].shown:
        return None
    mentioned = neighbours.mentioned(connection, wanted)
    nearest = tuple(
        Near(found[other], cosine, same_entities=mentioned[other] == mentioned[new])
        for other, cosine in earlier
        if other in found and found[other].shown and found[other].row.intact
    )
    moves = proposal.kind in rules.retention_days
    decision = decide(proposal, Neighbours(nearest=nearest, moves=moves), rules.params, now)
    if decision.outcome is not Outcome.MERGE:
        return None
    into = found[decision.into or 0]
    return Added(into.row.id, proposal.kind, Outcome.MERGE, applying.merge(proposal, into, decision, own_row=new))
