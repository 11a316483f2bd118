"""What belongs to one process, made anew in a child of `fork`: the threads that held it do not exist there."""

import os
from collections.abc import Callable

__all__ = ["in_each_child"]


def in_each_child(renew: Callable[[], None]) -> None:
    """Call `renew` in every child that this process forks, before anything else runs there; nothing without `fork`."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew)
