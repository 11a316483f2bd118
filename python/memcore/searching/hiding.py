"""What hides a memory from a search, in plain words: its review, its end, its layer, its time, its channel."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from memcore.kinds import Kind, ReviewState
from memcore.searching.leaving import how_ended, how_rejected
from memcore.searching.result import WhyNot
from memcore.storage.current import Validity, validity_of
from memcore.storage.encoding import from_micros

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.searching.request import SearchRequest
    from memcore.settings import Settings
    from memcore.storage.as_known import Standing
    from memcore.storage.rows import MemoryRow

__all__ = ["hidden_at_the_time", "never_shown"]


def never_shown(connection: Connection, row: MemoryRow, settings: Settings, now: datetime) -> WhyNot | None:
    """Why no search shows a memory as it is now; None where a search may."""
    if row.kind is Kind.ENTITY:
        return WhyNot(row.id, "entity", "it is an entity: it carries energy to the memories that mention it")
    if not row.intact:
        return WhyNot(row.id, "damaged", "its text or another of its columns is damaged; restore it from a backup")
    if row.ended_at is not None:
        return WhyNot(row.id, "ended", how_ended(connection, row))
    if row.review_state is ReviewState.REJECTED:
        return WhyNot(row.id, "review", how_rejected(connection, row))
    layer = Kind(row.kind).layer
    if layer not in settings.layers:
        return WhyNot(row.id, "layer", f"the layer {layer} is off")
    return _waiting(row, settings, now) if row.review_state is ReviewState.PENDING else None


def _waiting(row: MemoryRow, settings: Settings, now: datetime) -> WhyNot:
    """Why a memory that waits for review is not shown: nobody has let it in, and by now nobody may be able to."""
    if row.expires_at is not None and row.expires_at <= now:
        return WhyNot(row.id, "expired", f"it expired on {row.expires_at.date()}, while it waited for review")
    days = settings.retention_days.get(Kind(row.kind))
    if days is not None and row.event_time < now.astimezone(UTC) - timedelta(days=days):
        return WhyNot(
            row.id, "retention", f"a memory of kind {row.kind} is kept for {days} days, and it waited for review longer"
        )
    return WhyNot(row.id, "review", "it is pending: nobody has approved it yet")


def hidden_at_the_time(
    connection: Connection,
    row: MemoryRow,
    reason: str,
    request: SearchRequest,
    settings: Settings,
    *,
    then: Standing | None,
) -> WhyNot:
    """What a reason for which the search hid a memory means for it.

    `then`: how it stood at the moment of knowing, where it stands otherwise today.
    """
    found = _Case(connection, row, request, settings, then)
    if reason == "no longer" and (newer := found.superseded_by()) is not None:
        return WhyNot(row.id, "superseded", f"memory {newer} has superseded it")
    return WhyNot(row.id, reason, _DETAILS[reason](found))


@dataclass(frozen=True, slots=True)
class _Case:
    """A memory, and the search that it was hidden from."""

    connection: Connection
    row: MemoryRow
    request: SearchRequest
    settings: Settings
    then: Standing | None

    def validity(self) -> Validity | None:
        if self.then is None:
            return validity_of(self.connection, self.row.id)
        moments = (self.then.valid_from, self.then.valid_until)
        valid_from, valid_until = (None if one is None else from_micros(one) for one in moments)
        return Validity(valid_from, valid_until, self.then.superseded_by)

    def superseded_by(self) -> int | None:
        found = self.validity()
        return None if found is None else found.superseded_by

    def not_yet(self) -> str:
        found = self.validity()
        if found is not None and found.valid_from is not None:
            return f"it holds from {found.valid_from.date()} on"
        happened = self.row.event_time if self.then is None else from_micros(self.then.event_time)
        return f"it happened on {happened.date()}, after the moment that was asked about"

    def no_longer(self) -> str:
        found = self.validity()
        until = None if found is None else found.valid_until
        return "it held for a time that is over" if until is None else f"it held until {until.date()}"

    def expired(self) -> str:
        return "it expired" if self.row.expires_at is None else f"it expired on {self.row.expires_at.date()}"

    def retention(self) -> str:
        return (
            f"a memory of kind {self.row.kind} is kept for {self.settings.retention_days.get(Kind(self.row.kind))} days"
        )


_DETAILS: dict[str, Callable[[_Case], str]] = {
    "kind": lambda case: f"a search finds a {case.row.kind} only where `kinds` names it",
    "channel": lambda _case: "it was heard in a direct talk, and the search is made in a group",
    "expired": _Case.expired,
    "retention": _Case.retention,
    "not yet": _Case.not_yet,
    "no longer": _Case.no_longer,
    "dormant": lambda _case: "it has faded and is dormant; `include_dormant` finds it",
    "recorded later": lambda case: f"it was recorded on {case.row.recorded_at.date()}, after `known_at`",
    "let in later": lambda _case: "it waited for review, or was out of the searches, at `known_at`",
}
