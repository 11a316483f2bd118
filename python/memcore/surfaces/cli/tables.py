"""Tables and outlines for people: on a terminal fitted to its width and coloured, in a pipe one line a row."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memcore.surfaces.cli.output import emit, json_value, visible

__all__ = ["emit_outline", "emit_table"]

_PIPE_WIDTH = 100_000  # wide enough that no row is folded where a program or `grep` reads


def emit_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table: one heading a column, one line a row; numbers stand right, None is left blank."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    cells = [[_cell(value) for value in row] for row in rows]
    for position, column in enumerate(columns):
        numeric = bool(cells) and all(_is_number(row[position]) for row in cells)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    console = _console()
    with console.capture() as captured:
        console.print(table)
    lines = captured.get().splitlines()
    emit("\n".join(lines if console.is_terminal else [line.rstrip() for line in lines]))


def _console() -> Console:
    terminal = sys.stdout.isatty()
    width = None if terminal else _PIPE_WIDTH
    return Console(file=sys.stdout, force_terminal=terminal, width=width, highlight=False, markup=False, emoji=False)


def _cell(value: object) -> Text:
    if value is None:
        return Text("")
    if isinstance(value, float):
        return Text(f"{value:.3f}")
    return Text(visible(str(json_value(value))))


def _is_number(cell: Text) -> bool:
    return cell.plain == "" or cell.plain.replace(".", "", 1).lstrip("-").isdigit()


def emit_outline(document: Mapping[str, Any]) -> None:
    """Write a report as an indented outline, `name: value` a line, nested reports below their name."""
    emit("\n".join(_outline(json_value(document), 0)))


def _outline(document: Mapping[str, Any], depth: int) -> Iterable[str]:
    indent = "  " * depth
    for name, value in document.items():
        label = f"{indent}{visible(name)}:"
        if isinstance(value, dict) and value:
            yield label
            yield from _outline(value, depth + 1)
        elif isinstance(value, list) and any(_needs_a_line(item) for item in value):
            yield label
            for item in value:
                yield from _item(item, depth + 1)
        else:
            yield f"{label} {_scalar(value)}".rstrip()


def _needs_a_line(item: object) -> bool:
    return isinstance(item, dict | list) or (isinstance(item, str) and "," in item)


def _item(item: object, depth: int) -> Iterable[str]:
    indent = "  " * depth
    if not isinstance(item, dict):
        yield f"{indent}- {_scalar(item)}"
        return
    for position, line in enumerate(_outline(item, depth + 1)):
        yield f"{indent}- {line[len(indent) + 2 :]}" if position == 0 else line


def _scalar(value: object) -> str:
    if value is None or value in ({}, []):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(_scalar(item) for item in value)
    return visible(str(value))
