"""A real memory and the plain model side by side: each move is made on both, and then they are compared."""

from datetime import timedelta

from machine_hand import Model
from machine_log import Refused, told_of
from machine_rows import CLAIMS, HOUR, START, at

from memcore import MemcoreError, Memory, Settings

__all__ = ["SLOTS", "TEXTS", "USERS", "WORDS", "Difference", "Pair"]

USERS = ("ana", "bob", None)
SLOTS = ("home city", "mood", "diet")
WORDS = ("lisbon", "walnuts", "cello", "harbour")
TEXTS = (
    "Marin keeps a cello in Lisbon.",
    "marin keeps a CELLO  in Lisbon.",
    "Marin keeps a cello, not in Lisbon.",
    "Marin sleeps near the harbour.",
    "Marin sleeps near the ｈａｒｂｏｕｒ.",
    "Marin eats walnuts daily.",
    "Marin eats no walnuts.",
    "Marin sold the cello.",
    "Lisbon has a harbour.",
    "Walnuts grow beside the harbour.",
    "Marin repairs clocks.",
    "马林 修理 钟表。",
    "马林 修理  钟表。",
    "Marin plays cello for walnuts.",
    "Bakeries close early.",
    "bakeries close early.",
    "Marin paints doors.",
    "Marin paints doors today.",
    "马林 昨天 修理 钟表。",
    "Marin rents rooms in Lisbon.",
)
_ALONE = {
    "enable_spread": False,
    "enable_cooccurrence_boost": False,
    "enable_nmf": False,
    "enable_sparse_coding": False,
    "enable_dpp": False,
}
_FIELDS = {
    "content": "text",
    "user_id": "owner",
    "kind": "kind",
    "origin": "origin",
    "review_state": "review",
    "pinned": "pinned",
    "ending": "ending",
    "access_count": "access",
    "superseded_by": "superseded_by",
    "source_ref": "source",
}
_OF_OPERATION = ("id", "action", "source", "run", "undoes", "undone_by")
_MOMENTS = {
    "event_time": "event_time",
    "recorded_at": "recorded_at",
    "ended_at": "ended_at",
    "expires_at": "expires_at",
    "last_used_at": "last_used",
    "valid_from": "valid_from",
    "valid_until": "valid_until",
}


class Difference(AssertionError):  # noqa: N818
    """The store and the model say different things."""


def micros(moment):
    return None if moment is None else (moment - START) // timedelta(microseconds=1)


class Pair:
    """`moves` is what was done so far, as text: it tells how a difference came about."""

    def __init__(self, days=None):
        self.model = Model(days)
        self.memory = Memory(
            ":memory:",
            embedder="none",
            durability="relaxed",
            clock=lambda: at(self.model.now),
            settings=None if days is None else Settings(retention_days=dict.fromkeys(CLAIMS, days)),
        )
        self.partitions = []
        self.moves = []

    def close(self):
        self.memory.close()

    def both(self, what, real, plain):
        """Makes a move on both; what both say of it, or None where both refuse it in the same way."""
        self.moves.append(what)
        expected = refused = None
        try:
            expected = plain()
        except Refused as error:
            refused = str(error)
        try:
            said = real()
        except MemcoreError as error:
            self.same(what, type(error).__name__ if refused else f"{type(error).__name__}: {error}", refused)
            return None
        self.same(what, None, refused)
        return said, expected

    def same(self, what, said, expected):
        if said != expected:
            raise Difference(f"{what}: the store says {said}, the model {expected}")

    def added(self, what, real, plain):
        """A move that adds a text."""
        found = self.both(what, real, plain)
        if found is not None:
            said, expected = found
            self.same(what, (said.id, said.outcome.value, said.supersedes), expected)

    def wrote(self, owner):
        """Whether a user has written since the last purge, and in which order the users began to."""
        if owner not in self.partitions and any(row["owner"] == owner for row in self.model.rows.values()):
            self.partitions.append(owner)

    # comparing

    def compare(self):
        """Everything that can be asked, but searches."""
        for user in USERS:
            for asleep in (False, True):
                page = self.memory.get_all(user_id=user, include_dormant=asleep, limit=1_000)
                shown = self.model.shown(user, asleep=asleep)
                self.same(f"get_all({user}, {asleep})", [one.id for one in page], shown)
            for slot in SLOTS:
                fact = self.memory.facts.get(slot.upper(), user_id=user)
                self.same(f"facts.get({slot}, {user})", fact and fact.id, self.model.in_slot(slot, user))
            pairs = [(one.older.id, one.newer.id) for one in self.memory.review.conflicts(user_id=user)]
            self.same(f"conflicts({user})", pairs, self.model.open_pairs(user))
            waiting = [one.id for one in self.memory.review.pending(user_id=user, limit=1_000)]
            self.same(f"pending({user})", waiting, self.model.queue(user))
        for row_id in self.model.rows:
            self.compare_row(row_id)
            self.compare_history(row_id)

    def compare_row(self, row_id):
        row, record = self.model.rows[row_id], self.memory.get(row_id)
        for name, column in _FIELDS.items():
            self.same(f"{name} of {row_id}", getattr(record, name), row[column])
        for name, column in _MOMENTS.items():
            self.same(f"{name} of {row_id}", micros(getattr(record, name)), row[column])
        self.close_to(f"base_importance of {row_id}", record.base_importance, row["base"])
        if row["kind"] == "fact":
            self.close_to(f"strength of {row_id}", record.strength, row["strength"])
            self.same(f"dormant of {row_id}", record.dormant, row["dormant"])

    def close_to(self, what, said, expected):
        if abs(said - expected) > 1e-6:
            raise Difference(f"{what}: the store says {said}, the model {expected}")

    def compare_history(self, row_id):
        said = [
            (one.id, one.action.value, one.source_ref, one.job_run, one.undoes, one.undone_by, set(one.memory_ids))
            for one in self.memory.history(row_id)
        ]
        expected = [
            (*(one[name] for name in _OF_OPERATION), set().union(*map(told_of, one["changes"])))
            for one in self.model.history(row_id)
        ]
        self.same(f"history({row_id})", said, expected)

    def search(self, word, user, *, asleep=False, as_of=None, known_at=None):
        """What a search finds, and which facts are listed."""
        what = f"search({word}, {user}, include_dormant={asleep}, as_of={as_of}, known_at={known_at})"
        given = {"user_id": user, "include_dormant": asleep, "as_of": at(as_of), "known_at": at(known_at)}
        plain = {"asleep": asleep, "as_of": as_of, "known_at": known_at}
        hits = self.memory.search(word, limit=200, params=_ALONE, **given)
        found = self.model.found(word, user, **plain)
        self.same(what, sorted(hit.id for hit in hits), sorted(found))
        if known_at is not None:
            known = [one for one in self.model.pairs_then(known_at) if all(side in self.model.rows for side in one)]
            known = [one for one in known if not self.model.agree(*(self.model.rows[side] for side in one))]
            self.compare_conflicts(what, hits.conflicts, known, found, self.model.shown(user, **plain))
        elif as_of is None:
            known = [pair for owner in {user, None} for pair in self.model.open_pairs(owner)]
            self.compare_conflicts(what, hits.conflicts, known, found, self.model.shown(user, **plain))
        for slot in SLOTS:
            moments = {"as_of": at(as_of), "known_at": at(known_at)}
            fact = self.memory.facts.get(slot, user_id=user, **moments)
            self.same(f"facts.get({slot}) of {what}", fact and fact.id, self.model.in_slot(slot, user, as_of, known_at))
        listed = [one.id for one in self.memory.facts.list(limit=1_000, **given)]
        facts = [one for one in self.model.shown(user, **plain) if self.model.rows[one]["kind"] == "fact"]
        self.same(f"facts.list of {what}", listed, facts)

    def compare_conflicts(self, what, conflicts, known, found, seen):
        """A search shows the open conflicts of what it finds of which it sees both sides, and no others."""
        said = [(one.older.id, one.newer.id) for one in conflicts]
        expected = [pair for pair in known if set(pair) & found and set(pair) <= set(seen)]
        self.same(f"conflicts of {what}", sorted(said), sorted(expected))

    def step(self, hours):
        """The clock goes on, or back."""
        self.moves.append(f"step({hours})")
        self.model.now += hours * HOUR
