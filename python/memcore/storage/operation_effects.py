"""What an operation means for the memories it names, as far as another operation can stand on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memcore.kinds import OperationAction, ReviewState
from memcore.storage.undo_rows import is_birth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memcore.storage.operation_rows import ChangeRow

__all__ = ["Effects", "brought", "effects", "turned"]


@dataclass(frozen=True, slots=True)
class Effects:
    """Ids of memories, by what the operation did with them.

    `needed`: it found them in the searches and built on that: the text was said again, approved, edited, or kept in a
    conflict. `superseding`: old id → the id that took its place. `placed`: they took the place of another, `replaced`:
    another took theirs, where no claim says so. `disputed`: (one, other), of which the newer was stored in conflict.
    """

    needed: frozenset[int]
    superseding: dict[int, int]
    placed: frozenset[int]
    replaced: frozenset[int]
    disputed: frozenset[tuple[int, int]]


def effects(action: OperationAction, changes: Iterable[ChangeRow]) -> Effects:
    """The effects of the changes of an operation that did `action`."""
    changes = tuple(changes)
    superseding = {one.memory_id: one.after["superseded_by"] for one in changes if _supersedes(one) and one.after}
    births = {one.memory_id for one in changes if is_birth(one)}
    ended = {one.memory_id for one in changes if is_birth(turned(one))}
    placed, replaced = set[int](), set[int]()
    corrected = {one.memory_id for one in changes if one.table == "feedback"}
    if births and corrected:
        placed, replaced = births, corrected
    needed = {one.memory_id for one in changes if _approves(one) or _says_again(one)}
    if action is OperationAction.MERGE:
        into = {one.memory_id for one in changes if one.table == "memory"} - ended
        needed |= into
        if ended:
            placed, replaced = into, ended
    if action is OperationAction.UPDATE:
        needed |= {one.memory_id for one in changes if _differs(one, "content")}
    pairs = [(one.key[0], one.key[1], one.before) for one in changes if one.table == "conflict_pair"]
    if action is OperationAction.RESOLVE:
        lost = superseding.keys() | {one.memory_id for one in changes if _rejects(one)}
        needed |= {one for low, high, _ in pairs for one in (low, high)} - lost
    return Effects(
        needed=frozenset(needed),
        superseding=superseding,
        placed=frozenset(placed),
        replaced=frozenset(replaced),
        disputed=frozenset(
            pair for low, high, before in pairs if before is None for pair in ((low, high), (high, low))
        ),
    )


def brought(changes: Iterable[ChangeRow]) -> set[int]:
    """The memories that came into the searches by some changes."""
    return {one.memory_id for one in changes if is_birth(one) or _approves(one) or _loses_heir(one)}


def turned(change: ChangeRow) -> ChangeRow:
    """A change the other way."""
    return replace(change, before=change.after, after=change.before)


def _differs(change: ChangeRow, column: str) -> bool:
    before, after = change.before or {}, change.after or {}
    return column in before and column in after and before[column] != after[column]


def _loses_heir(change: ChangeRow) -> bool:
    """Whether a claim is superseded by nothing any more; one that another supersedes instead stays where it was."""
    return _supersedes(turned(change)) and (change.after or {}).get("superseded_by") is None


def _approves(change: ChangeRow) -> bool:
    active = (change.after or {}).get("review_state") == ReviewState.ACTIVE.value
    return active and _differs(change, "review_state")


def _says_again(change: ChangeRow) -> bool:
    """Whether a memory is used in an operation: plain use is none, so its text was said, approved or corrected to."""
    return change.table == "memory" and _differs(change, "access_count")


def _rejects(change: ChangeRow) -> bool:
    rejected = (change.after or {}).get("review_state") == ReviewState.REJECTED.value
    return rejected and _differs(change, "review_state")


def _supersedes(change: ChangeRow) -> bool:
    """Whether a claim comes to be superseded, or superseded by another."""
    return (
        change.table == "claim"
        and _differs(change, "superseded_by")
        and (change.after or {})["superseded_by"] is not None
    )
