"""The stored memories that a new text is compared with: those with its words, in its slot, or named by it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.kinds import ReviewState
from memcore.storage.encoding import id_list, same_statement, text_key, to_micros
from memcore.storage.memory_rows import COLUMNS, memory_row
from memcore.storage.plain import plain_rows
from memcore.values import value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.kinds import Kind
    from memcore.scope import Partition
    from memcore.storage.rows import MemoryRow

__all__ = [
    "Neighbour",
    "Sight",
    "by_ids",
    "in_slot",
    "kept_condition",
    "known_keys",
    "mentioned",
    "over_condition",
    "with_text",
]

_ROW = ", ".join(f"m.{name.strip()}" for name in COLUMNS.split(","))
_WIDTH = len(COLUMNS.split(","))
_UNPURGED = (
    "NOT EXISTS (SELECT 1 FROM purge_mark AS g JOIN partition AS p ON p.id = g.partition_id"
    " WHERE p.agent_id = {m}.agent_id AND p.user_id IS {m}.user_id AND {m}.id <= g.last_id)"
)


def kept_condition(memory: str) -> str:
    """That a row `memory` is neither ended, expired, past its days of retention nor being purged, at a `Sight`."""
    return (
        "{m}.ended_at IS NULL AND ({m}.expires_at IS NULL OR {m}.expires_at > :now) AND {m}.event_time >="
        " coalesce((SELECT value FROM json_each(:kept_since) WHERE key = {m}.kind), {m}.event_time)"
        f" AND {_UNPURGED}"
    ).format(m=memory)


def over_condition(claim: str) -> str:
    """1 where what a row `claim` says holds no more at a `Sight`; what ended where it began never held."""
    return f"coalesce({claim}.valid_until <= max(:now, {claim}.closed_at, coalesce({claim}.valid_from, :now)), 0)"


_KEPT, _OVER = kept_condition("m"), over_condition("c")
_CALLED_WRONG = "EXISTS (SELECT 1 FROM feedback AS b WHERE b.memory_id = m.id AND b.wrong = 1)"
_SELECT = (
    f"SELECT {_ROW}, c.confidence, c.valid_from, c.valid_until, c.superseded_by, f.slot_key, l.pattern, s.started_at,"
    f" s.ended_at, ({_KEPT}), {_OVER}, {_CALLED_WRONG}, f.category, c.closed_at FROM memory AS m"
    " LEFT JOIN claim AS c ON c.memory_id = m.id LEFT JOIN fact_detail AS f ON f.memory_id = m.id"
    " LEFT JOIN lesson_detail AS l ON l.memory_id = m.id LEFT JOIN summary_detail AS s ON s.memory_id = m.id"
)
_KNOWN = " UNION ALL ".join(
    f"SELECT {which}, k.value FROM json_each(?) AS k WHERE EXISTS (SELECT 1 FROM memory"
    f" WHERE agent_id = ? AND user_id IS ? AND {column} = k.value)"
    for which, column in enumerate(("text_key", "identity_key"))
)
_DAY_MICROS = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored memory as decisions see it. Moments of claims and details are microseconds; what a kind has not is None.

    0 or 1: `kept`, it is neither ended, expired, past its days of retention nor being purged; `over`, what it claims
    holds no more; `called_wrong`, somebody said so of it, or corrected it.
    `behind` is the end of its own behind that of what is to take its place, where that was asked for.
    """

    row: MemoryRow
    confidence: float | None = None
    valid_from: int | None = None
    valid_until: int | None = None
    superseded_by: int | None = None
    slot_key: str | None = None
    pattern: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    kept: int = 1
    over: int = 0
    called_wrong: int = 0
    category: str | None = None
    closed_at: int | None = None
    behind: int | None = None

    @property
    def stands(self) -> bool:
        """Whether a search may find it, now or once it begins, unless it is a fact that sleeps."""
        return self.lasts and self.row.review_state is ReviewState.ACTIVE

    @property
    def lasts(self) -> bool:
        """Whether it stands, or would once it is approved."""
        return bool(self.kept) and not self.over and not self.never

    @property
    def never(self) -> bool:
        """Whether it expires before what it claims begins, so that it never holds."""
        expires, begins = self.row.expires_at, self.valid_from
        ahead = begins is not None and begins > to_micros(self.row.recorded_at)
        return ahead and expires is not None and to_micros(expires) <= (begins or 0)

    @property
    def waits(self) -> bool:
        """Whether it waits for review, and approving it makes it found from some moment."""
        return bool(self.kept) and self.row.review_state is ReviewState.PENDING

    @property
    def denied(self) -> bool:
        """Whether a person said that it is not so."""
        return bool(self.called_wrong) or self.row.review_state is ReviewState.REJECTED or self.row.ending == "wrong"

    @property
    def shown(self) -> bool:
        """Whether it stands, and nothing is to take its place."""
        return self.stands and self.superseded_by is None

    @property
    def leaves(self) -> bool:
        """Whether it stands until a later day, from which on something else takes its place."""
        return self.stands and self.superseded_by is not None and self.valid_until is not None

    def is_planned(self, now: int) -> bool:
        """Whether what it claims does not hold yet; what had begun when it was stored has begun."""
        return self.valid_from is not None and self.valid_from > max(now, to_micros(self.row.recorded_at))

    @property
    def void(self) -> bool:
        """Whether something else has the place of what it claims from its beginning on, so that it never holds."""
        ends = None if self.superseded_by is None else self.valid_until
        return ends is not None and self.valid_from is not None and ends <= self.valid_from

    def begins(self, now: int) -> int | None:
        """From when on what it claims holds (None: always); had it begun when it was stored, it has by now."""
        if self.valid_from is None or self.valid_from > to_micros(self.row.recorded_at):
            return self.valid_from
        return min(self.valid_from, now)

    def holds_within(self, begins: int, ends: int | None, now: int) -> bool:
        """Whether what it claims holds at some moment from `begins` until `ends` (None: open), microseconds."""
        is_over = self.valid_until is not None and self.valid_until <= begins
        since = self.begins(now)
        comes_after = ends is not None and since is not None and since >= ends
        return not (is_over or comes_after)


@value
class Sight:
    """What counts as shown: at which moment, and since when memories of a kind are kept."""

    now: int
    kept_since: str

    @classmethod
    def at(cls, now: datetime, retention_days: Mapping[Kind, int]) -> Sight:
        """The sight of a moment, under a store's days of retention."""
        moment = to_micros(now)
        pairs = (f'"{kind.value}":{moment - days * _DAY_MICROS}' for kind, days in retention_days.items())
        return cls(moment, f"{{{','.join(pairs)}}}")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the conditions that this module gives."""
        return {"now": self.now, "kept_since": self.kept_since}

    def keeps(self, kind: str, happened: int) -> bool:
        """Whether something of a kind that happened then (microseconds) is within its days of retention."""
        since: int | None = json.loads(self.kept_since).get(str(kind))
        return since is None or happened >= since


def _found(conn: Connection, where: str, sight: Sight, parameters: Mapping[str, Any]) -> list[Neighbour]:
    values: Any = {**sight.parameters, **parameters}
    rows: Any = plain_rows(conn, f"{_SELECT} WHERE {where} ORDER BY m.id", values)
    return [Neighbour(memory_row(row), *row[_WIDTH:]) for row in rows]


def known_keys(
    conn: Connection, partition: Partition, text_keys: Iterable[int], identity_keys: Iterable[int]
) -> tuple[set[int], set[int]]:
    """Which of these hashes of texts, and which of these identity keys, some memory of a partition has."""
    found: tuple[set[int], set[int]] = (set(), set())
    whose = (partition.agent_id, partition.user_id)
    rows = plain_rows(conn, _KNOWN, (id_list(text_keys), *whose, id_list(identity_keys), *whose))
    for which, key in rows:
        found[which].add(key)
    return found


def with_text(conn: Connection, partition: Partition, kind: Kind, content: str, sight: Sight) -> list[Neighbour]:
    """The memories of a kind and partition that say the same text, ascending by id.

    Whatever became of them, but for those that only were over, retired, expired or superseded, and denied by nobody:
    however many they are, an index leaves them out.
    """
    where = "m.agent_id = :agent_id AND m.user_id IS :user_id AND m.text_key = :text_key AND m.compared_until > :now"
    where = f"{where} AND m.kind = :kind AND {_UNPURGED.format(m='m')}"
    found = _found(
        conn,
        where,
        sight,
        {
            "agent_id": partition.agent_id,
            "user_id": partition.user_id,
            "text_key": text_key(content),
            "kind": kind.value,
        },
    )
    words = same_statement(content)
    return [one for one in found if one.row.intact and same_statement(one.row.content) == words]


def in_slot(conn: Connection, partition_id: int, slot_key: str, sight: Sight) -> list[Neighbour]:
    """The facts of a partition that stand in a slot (asleep or not), ascending by id.

    One that holds until a later day, from which on another takes its place, is among them. An index leaves out what
    is past, however much that is.
    """
    where = "f.partition_id = :partition_id AND f.slot_key = :slot_key AND f.shown_until > :now"
    where = f"{where} AND {_KEPT} AND NOT {_OVER}"
    found = _found(conn, where, sight, {"partition_id": partition_id, "slot_key": slot_key})
    return [one for one in found if one.stands and one.row.intact]


def by_ids(conn: Connection, ids: Sequence[int], sight: Sight) -> dict[int, Neighbour]:
    """The memories with these ids, shown or not."""
    found = _found(conn, "m.id IN (SELECT value FROM json_each(:ids))", sight, {"ids": id_list(ids)})
    return {one.row.id: one for one in found}


def mentioned(conn: Connection, ids: Sequence[int]) -> dict[int, frozenset[int]]:
    """The entities that each of these memories mentions."""
    rows = plain_rows(
        conn,
        "SELECT memory_id, entity_id FROM mention WHERE memory_id IN (SELECT value FROM json_each(?))",
        (id_list(ids),),
    )
    found: dict[int, set[int]] = {one: set() for one in ids}
    for memory_id, entity_id in rows:
        found[memory_id].add(entity_id)
    return {one: frozenset(entities) for one, entities in found.items()}
