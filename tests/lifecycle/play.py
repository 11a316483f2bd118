"""A memory on a file with a clock that the story sets, and what a story asks of it."""

from datetime import UTC, datetime, timedelta

from memcore import Memory

__all__ = ["START", "Play"]

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Play:
    """One story: its memory, its words, its clock. `memory_type` may be one with a planted fault."""

    def __init__(self, path, words, memory_type=Memory):
        self.path, self.words, self.memory_type = path, words, memory_type
        self.now = START
        self.memory = self._open()

    def _open(self, **given):
        return self.memory_type(self.path, embedder="none", durability="relaxed", clock=lambda: self.now, **given)

    def reopen(self, **given):
        """The same file, opened anew, perhaps with other settings."""
        self.memory.close()
        self.memory = self._open(**given)

    def later(self, **duration):
        """Lets time pass, and returns the moment from before."""
        before, self.now = self.now, self.now + timedelta(**duration)
        return before

    def at(self, day):
        """The moment some days from now."""
        return self.now + timedelta(days=day)

    def fact(self, content, **given):
        """Stores a fact of Ana's in the slot of the story."""
        given = {"user_id": "ana", "kind": "fact", "slot": self.words.slot} | given
        [added] = self.memory.add(content, **given)
        return added

    def found(self, query, **given):
        """What a search of Ana's brings, as texts."""
        return [hit.content for hit in self.memory.search(query, **({"user_id": "ana"} | given))]

    def rows(self, **given):
        """How many memories of Ana's are current."""
        return len(self.memory.get_all(**({"user_id": "ana"} | given)))

    def close(self):
        self.memory.close()
