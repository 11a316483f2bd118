"""A stored memory as a proposal: what it would be if it were said now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.kinds import Channel, Kind, Origin
from memcore.storage.detail_reading import claim_of, detail_of
from memcore.storage.detail_rows import Claim
from memcore.writing.days import in_zone
from memcore.writing.proposal import Proposal

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from sqlalchemy import Connection

    from memcore.storage.rows import MemoryRow

__all__ = ["began_when_said", "said_again"]


def said_again(connection: Connection, row: MemoryRow, zone: tzinfo | None) -> Proposal:
    """The proposal that a stored memory would be; its claim has the beginning that was given, or none.

    Its event time is told in `zone`. Its key of idempotency goes with it, its entities, vector and source do not.
    """
    claim = claim_of(connection, row.id)
    if claim is not None:
        begun = None if began_when_said(row, claim.valid_from) else claim.valid_from
        said = Claim(confidence=claim.confidence, valid_from=begun, valid_until=claim.valid_until)
    return Proposal(
        partition=row.partition,
        content=row.content,
        kind=Kind(row.kind),
        origin=Origin(row.origin),
        speaker=row.speaker,
        tags=row.tags,
        event_time=in_zone(row.event_time, zone),
        dated=row.event_time != row.recorded_at,
        metadata=row.metadata,
        idempotency_key=row.idempotency_key,
        channel=None if row.channel is None else Channel(row.channel),
        expires_at=row.expires_at,
        claim=None if claim is None else said,
        detail=detail_of(connection, row.id, Kind(row.kind)),
    )


def began_when_said(row: MemoryRow, begun: datetime | None) -> bool:
    """Whether nobody gave a beginning of what a memory claims, so that it began with the event that it is of.

    Where it was said again since, under days of retention, its event time is a later one. An event that lay ahead is a
    beginning that was given.
    """
    return begun == row.event_time <= row.recorded_at or begun == row.recorded_at < row.event_time
