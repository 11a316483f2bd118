"""Matrix products on one thread while a small model runs.

OpenBLAS splits even the products of one short sentence over all cores, and its idle threads spin. On a machine that has
other work this makes a sentence of 2 ms cost 100 ms and more, and the result is the same to the last bit. The limit is
process-wide, so it is set when the first embedding starts and lifted when the last one ends.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from memcore.embedding.forking import in_each_child

__all__ = ["one_blas_thread"]


class _Limit:
    """How many embeddings run now, and what lifts the limit when none does."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running = 0
        self.limiter: Any = None


_limit = _Limit()


def _renew_after_fork() -> None:
    """The threads that were embedding do not exist in the child; one thread stays its limit if they were."""
    global _limit  # noqa: PLW0603  # the counter of a process belongs to that process
    _limit = _Limit()


in_each_child(_renew_after_fork)


@cache
def _controller() -> Any:
    """What limits the BLAS libraries of this process, or None where threadpoolctl is not installed."""
    try:
        threadpoolctl = import_module("threadpoolctl")
    except ImportError:  # the answer is the same, only slower on a busy machine
        return None
    return threadpoolctl.ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A block in which numpy's matrix products use one thread; blocks of several threads may overlap."""
    controller = _controller()
    if controller is None:
        yield
        return
    limit = _limit
    with limit.lock:
        if limit.running == 0:
            limit.limiter = controller.limit(limits=1, user_api="blas")
        limit.running += 1
    try:
        yield
    finally:
        with limit.lock:
            limit.running -= 1
            if limit.running == 0:
                limit.limiter.restore_original_limits()
