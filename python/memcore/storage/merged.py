"""What goes with a memory that is deleted: the rows that are out of the searches because it says what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import id_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

__all__ = ["merged_into"]

_SAME_TEXT = "twin.text_key = own.text_key AND twin.kind = own.kind AND twin.agent_id = own.agent_id"
_LEFT_IN = "o.undone_by IS NULL AND gone.changed_table = 'memory' AND json_extract(gone.after, '$.ending') = 'retired'"
_STAYS = (
    "json_extract({one}.after, '$.ending') IS NULL"
    " AND coalesce(json_extract({one}.after, '$.review_state'), '') <> 'rejected'"
)
_NAMED = f"""
    SELECT gone.memory_id FROM held CROSS JOIN memory AS own ON own.id = held.id
    CROSS JOIN operation_change AS kept ON kept.memory_id = held.id AND kept.changed_table = 'memory'
    CROSS JOIN operation AS o ON o.id = kept.operation_id
    CROSS JOIN operation_change AS gone ON gone.operation_id = o.id
    CROSS JOIN memory AS twin ON twin.id = gone.memory_id AND twin.ending = 'retired'
    WHERE {_LEFT_IN} AND {_STAYS.format(one="kept")} AND (o.action <> 'undo' OR {_SAME_TEXT})
"""
"""An undo also retires what it takes back, which says something else than what comes back in its place."""
_UNNAMED = f"""
    SELECT gone.memory_id FROM held CROSS JOIN memory AS own ON own.id = held.id
    CROSS JOIN memory AS twin ON {_SAME_TEXT} AND twin.user_id IS own.user_id AND twin.ending = 'retired'
    CROSS JOIN operation_change AS gone ON gone.memory_id = twin.id
    CROSS JOIN operation AS o ON o.id = gone.operation_id AND o.action = 'merge'
    LEFT JOIN fact_detail AS slot ON slot.memory_id = twin.id LEFT JOIN fact_detail AS fills ON fills.memory_id = own.id
    WHERE {_LEFT_IN} AND coalesce(slot.slot_key = fills.slot_key, slot.slot_key IS NULL) AND NOT EXISTS (
        SELECT 1 FROM operation_change AS kept
        WHERE kept.operation_id = o.id AND kept.changed_table = 'memory' AND {_STAYS.format(one="kept")}
    )
"""
"""A merge that strengthened nothing does not name the memory that holds the text: it says the same, word for word."""
_SUPERSEDED = f"""
    SELECT twin.id FROM held CROSS JOIN memory AS own ON own.id = held.id
    CROSS JOIN claim AS c ON c.superseded_by = held.id
    CROSS JOIN memory AS twin ON twin.id = c.memory_id WHERE {_SAME_TEXT}
"""
_MERGED = f"""
    WITH RECURSIVE held (id) AS (
        SELECT value FROM json_each(?) UNION {_NAMED} UNION {_UNNAMED} UNION {_SUPERSEDED}
    )
    SELECT id FROM held ORDER BY id
"""


def merged_into(conn: Connection, ids: Sequence[int]) -> list[int]:
    """These memories and the rows that are out of the searches for them, or for such a row; ascending.

    Whatever the action was that retired a row because another says the same, as long as it stands: a merge, an
    approval, what waited and need not any more, an undo that brought the same text back. What one superseded goes with
    it where both say the same. What was retired by hand, or superseded by another text, is not among them.
    """
    return list(conn.exec_driver_sql(_MERGED, (id_list(ids),)).scalars())
