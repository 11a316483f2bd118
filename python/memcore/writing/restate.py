"""`facts.set` with a text that fills its slot already: what is written to the fact of what else was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.kinds import Channel
from memcore.names import name_key
from memcore.storage.detail_rows import FactDetail
from memcore.storage.encoding import json_text, to_micros
from memcore.storage.operations import RowChange
from memcore.writing.importance import importance_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcore.storage.neighbours import Neighbour
    from memcore.writing.proposal import Proposal

__all__ = ["left_out", "restated"]


def restated(proposal: Proposal, into: Neighbour, used: Sequence[RowChange]) -> tuple[dict[str, Any], list[RowChange]]:
    """Columns of a fact that is set again: expiry, importance and metadata; and the change of its category.

    Only what was given. A key of the metadata that is there already gets the new value. `used`: the changes that use
    makes of the fact; what it has earned by use is kept on top of the importance.
    """
    row, given = into.row, proposal.given
    columns: dict[str, Any] = {}
    if "expires_at" in given and proposal.expires_at is not None:
        columns["expires_at"] = to_micros(proposal.expires_at)
    if "metadata" in given:
        columns["metadata"] = json_text("metadata", {**row.metadata, **proposal.metadata})
    if "importance" in given:
        raised = (one.values or {} for one in used)
        base = next((one["base_importance"] for one in raised if "base_importance" in one), row.base_importance)
        columns["importance"] = importance_of(proposal)
        columns["base_importance"] = min(10.0, max(0.0, columns["importance"] + base - row.importance))
    if "category" not in given or not isinstance(proposal.detail, FactDetail):
        return columns, []
    category = {"category": proposal.detail.category.value}
    return columns, [RowChange("fact_detail", (row.id,), row.id, category)]


def left_out(proposal: Proposal, into: Neighbour) -> str:
    """In words what was given with a fact that is set again and stays as it was first said; empty where nothing was."""
    row, given = into.row, proposal.given
    first_said = {
        "event_time": proposal.event_time is not None and to_micros(proposal.event_time) != to_micros(row.event_time),
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
    names = [name for name, differs in first_said.items() if name in given and differs]
    return f"it keeps its own {', '.join(names)}" if names else ""
