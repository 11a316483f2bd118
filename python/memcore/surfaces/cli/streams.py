"""The three standard streams as a command finds them: any of them may be closed, or of another encoding."""

import io
import os
import sys
from pathlib import Path
from typing import TextIO

import typer

from memcore.surfaces.cli.output import say

__all__ = ["prepared", "standard_input"]


def prepared() -> bool:
    """Makes the streams fit for a command's text; False, once that is said, where standard output is closed.

    The numbers of closed streams are taken by the null device, or the next file that is opened, such as the database,
    would get one of them, and with it whatever is written there. Without standard error nothing is said to anybody.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        say("memcore: standard output is closed; give it a file, or /dev/null")
        return False
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="strict")  # whatever the locale says, as for files
    return True


def standard_input() -> TextIO:
    """Standard input, for a command that is told to read it.

    Raises:
        typer.BadParameter: it is closed.
    """
    if sys.stdin is None:
        raise typer.BadParameter("standard input is closed; give a text or a file in the place of -")
    return sys.stdin
