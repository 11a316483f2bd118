"""A text that takes the place of a stored claim: what it inherits from it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memcore.errors import InvalidInputError
from memcore.kinds import Kind
from memcore.storage import neighbours
from memcore.storage.claims import claims_of
from memcore.storage.details import CLAIMED
from memcore.storage.neighbours import Sight
from memcore.writing.proposal import AddFields, Proposal, from_call
from memcore.writing.reach import Reach, found

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["INHERITED", "of"]

INHERITED = frozenset({"kind", "supersedes", "infer"})
"""Fields of `add` that a successor has from the memory whose place it takes, or cannot have."""


def of(connection: "Connection", memory_id: int, content: object, within: Reach, given: AddFields) -> Proposal:
    """The proposal of a text that takes the place of a memory; slot, category, pattern and channel stay unless given.

    Raises:
        NotFoundError: there is no such memory in reach.
        InvalidInputError: it is of a kind that is not superseded, or a field is not accepted.
    """
    [row] = found(connection, within, [memory_id], field="id", to_change=True)
    if row.kind not in CLAIMED:
        kinds = ", ".join(kind.value for kind in CLAIMED)
        raise InvalidInputError(
            f"id: memory {memory_id} is of kind {row.kind}; only {kinds} can be superseded, use update instead"
        )
    old: dict[str, Any] = {"kind": row.kind}
    if row.channel is not None:
        old["channel"] = row.channel
    if row.kind is Kind.FACT:
        claim = claims_of(connection, [memory_id])[memory_id]
        old |= {"slot": claim.slot, "category": claim.category}
    if row.kind is Kind.LESSON:
        sight = Sight.at(row.recorded_at, {})
        old["details"] = {"pattern": neighbours.by_ids(connection, [memory_id], sight)[memory_id].pattern}
    named = {key for key, value in given.items() if value is not None}
    said: Any = old | {key: value for key, value in given.items() if value is not None}
    said["user_id"] = row.partition.user_id
    proposal = from_call(content, agent_id=within.agent_id, **said)
    return replace(proposal, supersedes=memory_id, must_supersede=True, given=proposal.given & named)
