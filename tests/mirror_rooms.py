"""A mirror with room for nothing, for the checks that are to hold also while partitions come and go."""

from contextlib import contextmanager

import pytest

from memcore import Memory
from memcore.mirror.agent import AgentMirror

ROOMS = ("room for all", "room for nothing")


class Crowded(Memory):
    """Before each search another is asked, which needs no partition of this one: what may leave has left."""

    def _crowd_out(self):
        super().search("anything", user_id="nobody who ever wrote")

    def search(self, *given, **named):
        self._crowd_out()
        return super().search(*given, **named)

    def context(self, *given, **named):
        self._crowd_out()
        return super().context(*given, **named)

    def why_not(self, *given, **named):
        self._crowd_out()
        return super().why_not(*given, **named)


class Room:
    """The kind of `Memory` to open, and the numbers of the partitions that left its mirrors, in their order."""

    def __init__(self, memory):
        self.memory, self.left = memory, []

    @property
    def is_small(self):
        return self.memory is Crowded

    def holds(self):
        """Whether there were evictions where there is room for nothing, and none where there is room for all."""
        return bool(self.left) is self.is_small


@contextmanager
def room(name):
    """With room for nothing, `memory_limit` is a byte, here and in the processes that are started."""
    found = Room(Crowded if name == ROOMS[1] else Memory)
    evict = AgentMirror._evict

    def counted(mirror, needed):
        before = set(mirror._blocks)
        evict(mirror, needed)
        found.left += before - set(mirror._blocks)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AgentMirror, "_evict", counted)
        if found.is_small:
            patch.setenv("MEMCORE_MEMORY_LIMIT", "1")
        yield found
