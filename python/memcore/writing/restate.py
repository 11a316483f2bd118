"""A text that is said again: what is written to its memory of what else was given, and in words what is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memcore.errors import shown
from memcore.kinds import Channel
from memcore.names import name_key
from memcore.storage.detail_rows import FactDetail
from memcore.storage.encoding import json_text, to_micros
from memcore.writing.days import day_told, happened, same_day
from memcore.writing.importance import importance_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from memcore.storage.neighbours import Neighbour
    from memcore.storage.operations import RowChange
    from memcore.writing.proposal import Proposal

__all__ = ["end_told", "left_out", "lifts_behind", "lifts_end", "moments_told", "renewed", "restated", "until"]


_MOST_KEYS = 5


def lifts_end(proposal: Proposal, into: Neighbour) -> bool:
    """Whether a claim that is said again, without an end this time, has none from now on.

    It keeps its end where something else is to take its place then.
    """
    over = proposal.claim is not None and proposal.claim.valid_until is None and into.valid_until is not None
    return over and into.superseded_by is None


def lifts_behind(proposal: Proposal, into: Neighbour) -> bool:
    """Whether a claim that is said again without an end has none any more behind that of what is to take its place."""
    given = proposal.claim is None or proposal.claim.valid_until is not None
    return not given and into.superseded_by is not None and into.behind is not None


def until(proposal: Proposal, into: Neighbour) -> int | None:
    """Until when a claim that is said again holds, microseconds; None: no end is known."""
    return None if lifts_end(proposal, into) else into.valid_until


def end_told(proposal: Proposal, into: Neighbour, zone: tzinfo | None) -> str:
    """In words what becomes of the end of a claim that is said again without one; empty where it has none."""
    if into.valid_until is None or proposal.claim is None or proposal.claim.valid_until is not None:
        return ""
    day = day_told(into.valid_until, zone)
    if lifts_end(proposal, into):
        return f"its end on {day} is taken away"
    behind = into.behind if lifts_behind(proposal, into) else None
    later = "" if behind is None else f", and its end on {day_told(behind, zone)} is taken away"
    return f"memory {into.superseded_by} is to take its place on {day}{later}"


def moments_told(proposal: Proposal, into: Neighbour, now: datetime, *, moves: bool = False) -> str:
    """In words which moments of a memory become others because it is said again; empty where none does.

    `moves`: what happened later becomes its event time.
    """
    row, expires, happens, zone = into.row, proposal.expires_at, happened(proposal, now), now.tzinfo
    told = [end_told(proposal, into, zone)]
    if row.expires_at is not None and not (proposal.fills_slot and "expires_at" in proposal.given):
        day = day_told(to_micros(row.expires_at), zone)
        if expires is None:
            told.append(f"it was to expire on {day}, and does not any more")
        elif expires > row.expires_at:
            told.append(f"it expires on {day_told(to_micros(expires), zone)} instead of {day}")
    if moves and happens > row.event_time and not same_day(happens, row.event_time):
        told.append(f"its event_time is moved to {day_told(to_micros(happens), zone)}")
    return "; ".join(filter(None, told))


def renewed(proposal: Proposal, into: Neighbour) -> dict[str, Any]:
    """The columns of expiry and metadata of a fact that is set again, where they were given; none by `add`.

    A key of the metadata that is there already gets the new value.
    """
    columns: dict[str, Any] = {}
    if not proposal.fills_slot:
        return columns
    if "expires_at" in proposal.given and proposal.expires_at is not None:
        columns["expires_at"] = to_micros(proposal.expires_at)
    if "metadata" in proposal.given:
        columns["metadata"] = json_text("metadata", {**into.row.metadata, **proposal.metadata})
    return columns


def restated(proposal: Proposal, into: Neighbour, used: Sequence[RowChange]) -> list[RowChange]:
    """The changes that use makes of a fact that is set again, with its importance and category, where they were given.

    What the fact has earned by use is kept on top of its importance.
    """
    changes = []
    for one in used:
        values = dict(one.values or {})
        if "importance" in proposal.given and "base_importance" in values:
            values["importance"] = importance_of(proposal)
            earned = values["base_importance"] - into.row.importance
            values["base_importance"] = min(10.0, max(0.0, values["importance"] + earned))
        if "category" in proposal.given and one.table == "fact_detail" and isinstance(proposal.detail, FactDetail):
            values["category"] = proposal.detail.category.value
        changes.append(replace(one, values=values))
    return changes


def left_out(proposal: Proposal, into: Neighbour, *, moves: bool = False) -> str:
    """In words what was given with a text that is said again and stays as it was first said; empty where nothing was.

    `moves`: what happened later becomes its event time. `facts.set` writes more of what is given than `add`.
    """
    row, given, moment = into.row, proposal.given, proposal.event_time
    first_said = {
        "event_time": moment is not None and moment != row.event_time and not (moves and moment > row.event_time),
        "speaker": proposal.speaker is not None
        and (row.speaker is None or name_key(proposal.speaker) != name_key(row.speaker)),
        "session_id": proposal.session_id != row.session_id,
        "channel": proposal.channel is not None
        and proposal.channel != row.channel
        and (row.channel, proposal.channel) != (Channel.DIRECT, Channel.GROUP),
        "confidence": proposal.claim is not None
        and into.confidence is not None
        and proposal.claim.confidence < into.confidence,
        "idempotency_key": row.idempotency_key not in (None, proposal.idempotency_key),
        "embedding": True,
    }
    if not proposal.fills_slot:
        first_said |= _not_set(proposal, into)
    names = [name for name, differs in first_said.items() if name in given and differs]
    if "metadata" in names:
        names[names.index("metadata")] = f"metadata of {', '.join(_other_keys(proposal, into))}"
    return f"it keeps its own {', '.join(names)}" if names else ""


def _not_set(proposal: Proposal, into: Neighbour) -> dict[str, bool]:
    """What `facts.set` writes and `add` does not: whether it differs."""
    row, detail, expires = into.row, proposal.detail, proposal.expires_at
    return {
        "importance": proposal.importance != row.importance,
        "category": isinstance(detail, FactDetail) and detail.category != into.category,
        "expires_at": expires is not None and (row.expires_at is None or expires < row.expires_at),
        "metadata": bool(_other_keys(proposal, into)),
    }


def _other_keys(proposal: Proposal, into: Neighbour) -> list[str]:
    """The keys of metadata that are there with another value, as reasons tell them."""
    there = into.row.metadata
    keys = [shown(key) for key, value in proposal.metadata.items() if there.get(key, value) != value]
    return keys if len(keys) <= _MOST_KEYS else [*keys[:_MOST_KEYS], f"{len(keys) - _MOST_KEYS} more"]
