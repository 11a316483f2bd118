"""A bar for whatever takes longer than a second, on standard error, and only where that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["Advance", "working"]

Advance = Callable[[int, int], None]

_PATIENCE = 1.0  # seconds until the bar appears


class _Bar:
    """A bar that may be told of progress before it is shown, and may be finished before it ever was."""

    def __init__(self, description: str, console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task(description, total=None, count="")
        self._lock = Lock()
        self._finished = False

    def show(self) -> None:
        with self._lock:
            if not self._finished:
                self._progress.start()

    def advance(self, done: int, total: int) -> None:
        self._progress.update(self._task, completed=done, total=total, count=f"{done}/{total}")

    def finish(self) -> None:
        with self._lock:
            self._finished = True
            self._progress.stop()


@contextmanager
def working(description: str) -> Iterator[Advance]:
    """A callable that takes (done, total) while the block runs; after a second a bar shows what it was told last."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    bar = _Bar(description, Console(file=sys.stderr, highlight=False))
    timer = Timer(_PATIENCE, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.advance
    finally:
        timer.cancel()
        bar.finish()
