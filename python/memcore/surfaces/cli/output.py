"""What leaves the command line: data on standard output, everything else on standard error.

Stored text is data. Before it reaches a terminal its control characters are replaced by escapes that can be read, so
that a memory cannot move the cursor, retitle the window or reverse the direction of a line.
"""

import codecs
import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from enum import Enum
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import typer

__all__ = ["discard_output", "emit", "emit_json", "json_value", "say", "unwritten", "visible"]

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")  # needed to write Persian, Indic scripts and composed emoji


def visible(text: str, *, lines: bool = False) -> str:
    r"""`text` with each control, format or surrogate character as an escape (`\x1b`); `lines` keeps `\n` and `\t`."""
    kept = "\n\t" if lines else ""
    return "".join(
        character if character in kept or not _is_hidden(character) else _escape(character) for character in text
    )


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN_CATEGORIES and character not in _JOINERS


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def json_value(value: object) -> Any:
    """`value` as what JSON can hold: reports by their `to_dict`, moments in ISO 8601, names as text.

    Raises:
        TypeError: JSON has no form for it.
    """
    if value is None or isinstance(value, str | bool):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Real):  # numpy's numbers too; JSON has none that is not finite
        return int(value) if isinstance(value, Integral) else float(value) if isfinite(value) else None
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [json_value(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def emit(text: str) -> None:
    """Write `text` and a line end to standard output; where nobody reads it any more, the command ends quietly.

    Raises:
        typer.Exit: nobody reads any more, or it cannot be written.
    """
    try:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        raise typer.Exit(0) from None
    except OSError as error:
        raise typer.Exit(unwritten(error)) from error


def unwritten(error: OSError) -> int:
    """Say that standard output did not take everything, and give up on it: the exit code."""
    discard_output()
    say(f"memcore: standard output cannot be written ({error.strerror or error})")
    return 1


def discard_output() -> None:
    """Point standard output at the null device, so that closing it at the end of the process raises nothing."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def emit_json(document: Mapping[str, Any]) -> None:
    r"""Write one JSON document; what a terminal could act on, or the output's encoding has not, is `\uXXXX` in it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    every = codecs.lookup(encoding).name != "utf-8"
    text = json.dumps(json_value(document), ensure_ascii=every, indent=2)
    emit("".join(_json_escape(character) if _acts(character) else character for character in text))


def _acts(character: str) -> bool:
    return character != "\n" and _is_hidden(character)


def _json_escape(character: str) -> str:
    return json.dumps(character, ensure_ascii=True)[1:-1] if ord(character) != 0x7F else "\\u007f"


def say(message: str) -> None:
    """One line for the person at the terminal, on standard error; where that cannot be written, nobody is told."""
    with suppress(OSError):
        sys.stderr.write(f"{visible(message)}\n")
        sys.stderr.flush()
