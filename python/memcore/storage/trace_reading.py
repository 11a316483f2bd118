"""What a trace of a search holds as text: its filters and all of its row, written and read."""

from __future__ import annotations

import json
import logging
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.records.learning import SearchTrace, TracedMemory
from memcore.storage.encoding import from_micros, json_text, moment_or_none
from memcore.storage.trace_zones import read_zone

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["COLUMNS", "filters_text", "read_trace"]

COLUMNS = (
    "t.id, s.document, t.recorded_at, t.present, t.asked_at, t.as_of, t.known_at, t.revision, t.space_id,"
    " t.scope_size, t.pool_size, t.removed, t.took, t.session_id, t.filters, t.embedding, t.query"
)
"""Of a trace `t` and its setup `s`."""
_MOMENT = "\0moment"  # no key of a filter begins so: keys are storable names
_log = logging.getLogger("memcore.tuning")


def filters_text(filters: Mapping[str, Any] | None) -> str | None:
    """Filters as they are kept; None stays None.

    Raises:
        InvalidInputError: they hold something that JSON has no form for.
    """
    return None if filters is None else json_text("filters", _written(filters))


def read_trace(row: Sequence[Any], users: Sequence[str], memories: Sequence[Sequence[Any]]) -> SearchTrace | None:
    """The trace of a row of `COLUMNS`, rows of its memories and its users; None, and a warning, where it is unreadable.

    A trace that a hand, or another version, wrote so that it cannot be read must not keep the others from being read.
    """
    try:
        return _trace(row, tuple(users), tuple(map(_memory, memories)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        _log.warning("trace %s cannot be read (%s), and is left out", row[0], type(error).__name__)
        return None


def _memory(row: Sequence[Any]) -> TracedMemory:
    number, place, score, pick, answer, entered, fill_up, signals = row
    return TracedMemory(number, place, score, pick, answer, bool(entered), bool(fill_up), json.loads(signals))


def _trace(row: Sequence[Any], users: tuple[str, ...], memories: tuple[TracedMemory, ...]) -> SearchTrace:
    setup = json.loads(row[1])
    zone, kept = read_zone(setup["zone"])
    vector = None if row[15] is None else tuple(np.frombuffer(row[15], "<f4").tolist())
    return SearchTrace(
        id=row[0],
        query=row[16],
        user_ids=users,
        session_id=row[13],
        recorded_at=from_micros(row[2]),
        now=from_micros(row[3]).astimezone(zone),
        asked_at=from_micros(row[4]).astimezone(zone),
        limit=setup["limit"],
        kinds=None if setup["kinds"] is None else tuple(setup["kinds"]),
        filters=None if row[14] is None else _read(json.loads(row[14])),
        as_of=moment_or_none(row[5]),
        known_at=moment_or_none(row[6]),
        channel=setup["channel"],
        include_dormant=setup["include_dormant"],
        params=setup["params"],
        options={name: setup[name] for name in ("layers", "retention_days")},
        revision=row[7],
        space_id=row[8],
        scope_size=row[9],
        pool_size=row[10],
        removed=row[11],
        took=json.loads(row[12]),
        memories=memories,
        given_vector=vector,
        zone_kept=kept and setup.get("zone_kept", True),
    )


def _written(value: Any) -> Any:
    """A filter as JSON: a moment is an object of its own, a set is a list."""
    if isinstance(value, datetime):
        return {_MOMENT: value.isoformat()}
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_written(item) for item in (sorted(value, key=repr) if isinstance(value, set | frozenset) else value)]
    return value


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        if _MOMENT in value:
            return datetime.fromisoformat(value[_MOMENT])
        return {key: _read(item) for key, item in value.items()}
    return [_read(item) for item in value] if isinstance(value, list) else value
