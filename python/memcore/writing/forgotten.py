"""Texts that a user had removed for good, and that an older transcript brings again."""

from typing import TYPE_CHECKING

from memcore.kinds import Kind
from memcore.storage import tombstones
from memcore.storage.encoding import to_micros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from memcore.writing.proposal import Proposal

__all__ = ["FORGOTTEN", "forgotten"]

FORGOTTEN = "it was removed for good, and this is older than the removal"


def forgotten(connection: "Connection", proposals: "Sequence[Proposal]") -> set[int]:
    """The indexes of proposals whose text the user had removed after it was said.

    Only a purge with tombstones makes any. A proposal without `event_time` is said now, and new.
    """
    salt = tombstones.salt_of(connection)
    if salt is None:
        return set()
    dated = {
        index: to_micros(proposal.event_time)
        for index, proposal in enumerate(proposals)
        if proposal.event_time is not None and proposal.kind is not Kind.ENTITY
    }
    texts = [(proposals[index].partition, proposals[index].content) for index in dated]
    removed = tombstones.moments(connection, salt, texts)
    return {
        index
        for (index, said), moment in zip(dated.items(), removed, strict=True)
        if moment is not None and said < moment
    }
