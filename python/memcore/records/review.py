"""What a person decides about: memories that wait, and pairs that contradict each other."""

from dataclasses import dataclass
from datetime import datetime

from memcore.records.memories import MemoryRecord
from memcore.records.plain import Plain

__all__ = ["Conflict"]


@dataclass(frozen=True, slots=True)
class Conflict(Plain):
    """Two memories that say different things of one slot, the older one first, and since when that is known.

    One of them may wait for review: then only the other is found by searches.
    """

    older: MemoryRecord
    newer: MemoryRecord
    recorded_at: datetime
