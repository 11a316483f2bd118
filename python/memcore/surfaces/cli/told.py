"""How memories, what became of them and what was done to them are told, to people and to programs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.kinds import Ending, OperationAction
from memcore.surfaces.cli.output import emit, emit_json, json_value, say, visible
from memcore.surfaces.cli.tables import emit_table

if TYPE_CHECKING:
    from memcore.records import Added, MemoryRecord, Operation, Page, RowChanged

__all__ = ["day", "emit_added", "emit_operations", "emit_page", "emit_record", "minute"]

_LONGEST_VALUE = 40


def day(moment: datetime | None) -> str | None:
    """The day of a moment; None where there is none."""
    return None if moment is None else moment.date().isoformat()


def minute(moment: datetime | None) -> str | None:
    """A moment to the minute; None where there is none."""
    return None if moment is None else moment.strftime("%Y-%m-%d %H:%MZ")


def emit_added(added: "Sequence[Added]", *, as_json: bool) -> None:
    """Write what became of texts, a line for each; a dash stands for the id of one that was dropped."""
    if as_json:
        emit_json({"added": added})
    else:
        emit("\n".join(_became(one) for one in added))


def _became(added: "Added") -> str:
    one = "-" if added.id is None else added.id
    return f"{one}  {added.kind.value}  {added.outcome.value}  {visible(added.reason)}".rstrip()


def emit_record(record: "MemoryRecord", done: str, *, as_json: bool) -> None:
    """Write that something was done to a memory: the word is the key of the document."""
    if as_json:
        emit_json({done: record})
    else:
        emit(f"memory {record.id} {done}")


def emit_page(page: "Page", columns: Mapping[str, str], *, name: str, empty: str, as_json: bool) -> None:
    """Write a page as a table of `columns` (heading: field of the memory), and how to go on where there is more."""
    if as_json:
        emit_json({name: list(page), "next_cursor": page.next_cursor})
        return
    if page:
        emit_table(list(columns), [[_cell(record, field) for field in columns.values()] for record in page])
    else:
        say(empty)
    if page.next_cursor is not None:
        say(f"there is more: --cursor {page.next_cursor}")


def _cell(record: "MemoryRecord", field: str) -> object:
    value = getattr(record, field)
    if isinstance(value, bool):
        return "yes" if value else None
    return day(value) if isinstance(value, datetime) else value


def emit_operations(operations: "Sequence[Operation]") -> None:
    """Write a table of operations: what each changed, and which undid which."""
    rows = [
        (
            operation.id,
            minute(operation.recorded_at),
            operation.action,
            ", ".join(str(number) for number in operation.memory_ids),
            "; ".join(f"{change.memory_id}: {_changed(change, operation.action)}" for change in operation.changes),
            operation.reason,
            _undoing(operation),
        )
        for operation in operations
    ]
    emit_table(("id", "when", "action", "memories", "what changed", "reason", "undo"), rows)


def _undoing(operation: "Operation") -> str | None:
    parts = [("undoes", operation.undoes), ("undone by", operation.undone_by)]
    return ", ".join(f"{word} {number}" for word, number in parts if number is not None) or None


def _changed(change: "RowChanged", action: OperationAction) -> str:
    """What an operation changed in one row, each column with its value from before and after."""
    before, after = change.before, change.after
    if before is None or after is None:
        return f"{change.table} {'added' if before is None else 'removed'}"
    if action is not OperationAction.UNDO and (before.get("ending"), after.get("ending")) == (Ending.RETIRED, None):
        return "added"  # to undo what a memory came with is to retire it
    return ", ".join(f"{name} {_value(before.get(name))} → {_value(value)}" for name, value in after.items())


def _value(value: object) -> str:
    """A value in few characters."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, datetime):
        return str(minute(value))
    text = str(json_value(value))
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
