"""How far back changes reached: what decides whether something made of old memories still stands."""

from __future__ import annotations

from bisect import bisect_right

__all__ = ["ChangedIds"]

REMEMBERED = 64


class ChangedIds:
    """Counts changes, and knows the lowest id that any change after a count touched."""

    def __init__(self) -> None:
        self.count = 0
        self._counts: list[int] = []
        self._lowest: list[int] = []  # ascending: a lower id that changed later covers every higher one before it

    def note(self, lowest: int) -> None:
        """A change that touched no id under `lowest`."""
        self.count += 1
        while self._lowest and self._lowest[-1] >= lowest:
            self._lowest.pop()
            self._counts.pop()
        self._lowest.append(lowest)
        self._counts.append(self.count)
        if len(self._lowest) > REMEMBERED:  # the two oldest become one, which may only reach back too far
            del self._lowest[1], self._counts[0]

    def reached(self, identity: int, since: int) -> bool:
        """Whether a change after the count `since` touched `identity` or an id below it."""
        at = bisect_right(self._counts, since)
        return at < len(self._lowest) and self._lowest[at] <= identity
