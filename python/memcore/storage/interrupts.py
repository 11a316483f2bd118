"""Ctrl-C may come between any two steps: what must not be left half done."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["surely"]


def surely(act: Callable[[], None]) -> None:
    """Does `act` to its end whatever interrupts come, and raises the last of them after it; `act` may be repeated."""
    interrupt: KeyboardInterrupt | None = None
    while True:
        try:
            act()
            break
        except KeyboardInterrupt as error:
            interrupt = error
    try:
        if interrupt is not None:
            raise interrupt
    finally:
        interrupt = None  # or its traceback would keep this frame, and all that it was called from, alive
