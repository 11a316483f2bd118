"""Which memories a call that names ids may touch: those of its agent and, where one is named, of its user."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from memcore.errors import InvalidInputError, NotFoundError, shortened, shown
from memcore.records import checked_id
from memcore.scope import Partition, read_scope
from memcore.storage import memories

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.storage.rows import MemoryRow

__all__ = ["Reach", "checked_ids", "found", "reach"]


@dataclass(frozen=True, slots=True)
class Reach:
    """The agent of a call and the users it named; `user_ids` None stands for all users of the agent."""

    agent_id: str
    user_ids: tuple[str, ...] | None = None

    def sees(self, partition: Partition) -> bool:
        """Whether a memory of `partition` may be read and used: the agent's, and of a named user or shared."""
        if partition.agent_id != self.agent_id:
            return False
        return self.user_ids is None or partition.user_id is None or partition.user_id in self.user_ids

    def owns(self, partition: Partition) -> bool:
        """Whether a memory of `partition` may be changed: like `sees`, but a named user does not own what is shared."""
        return self.sees(partition) and (self.user_ids is None or partition.user_id is not None)

    def missing(self, field: str, number: int, *, of: str = "memory", listed_by: str = "get_all()") -> NoReturn:
        """Raises the NotFoundError for an id; it reads the same whether the id is unknown or somebody else's."""
        if self.user_ids == ():
            raise NotFoundError(f"{field}: {number} is no shared {of} of this agent; name its user to look at theirs")
        whose = (
            "this agent"
            if self.user_ids is None
            else f"the named user of this agent ({shortened(', '.join(self.user_ids))})"
        )
        raise NotFoundError(f"{field}: {number} is no {of} of {whose}; {listed_by} lists those there are")


def reach(agent_id: str, user_id: object = None) -> Reach:
    """The reach of a call: `user_id` is None (any user of the agent), one name, or several.

    Raises:
        InvalidInputError: a name is not one.
    """
    if user_id is None:
        return Reach(agent_id)
    return Reach(agent_id, read_scope(agent_id, user_id).user_ids)


def checked_ids(field: str, ids: object) -> list[int]:
    """The ids in the order given, without repeats.

    Raises:
        InvalidInputError: `ids` is no collection of ids.
    """
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise InvalidInputError(f"{field}: {shown(ids)} is not accepted; give a list of ids")
    return list(dict.fromkeys(checked_id(f"{field}[{index}]", one) for index, one in enumerate(ids)))


def found(
    connection: "Connection", within: Reach, ids: Sequence[int], *, field: str, to_change: bool = False
) -> "list[MemoryRow]":
    """The rows of `ids` in the order given.

    Raises:
        NotFoundError: one of them is unknown, or outside the reach.
    """
    allowed = within.owns if to_change else within.sees
    rows = {row.id: row for row in memories.fetch(connection, ids) if allowed(row.partition)}
    for one in ids:
        if one not in rows:
            within.missing(field, one)
    return [rows[one] for one in ids]
