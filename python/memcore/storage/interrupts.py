"""Ctrl-C may come between any two steps: what must not be left half done."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["raise_interrupt_behind", "surely"]


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


def raise_interrupt_behind(error: AssertionError) -> None:
    """Raises the interrupt that an assertion covers, where there is one.

    SQLAlchemy checks itself at the end of a commit or a rollback, also when that was interrupted; its assertions, one
    after the other, say then that it is not finished.
    """
    behind: BaseException | None = error
    while isinstance(behind, AssertionError):
        behind = behind.__context__
    if isinstance(behind, KeyboardInterrupt):
        raise behind from None
