"""The plain model, its rows: a dictionary for each memory, and what of them is shown to whom at which moment.

Written from what the documents promise, not from how the store does it. Moments are whole microseconds, `t` below.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta

__all__ = [
    "CLAIMS",
    "HOUR",
    "START",
    "Rows",
    "at",
    "folded",
    "half_life",
    "one_slot",
    "rank",
    "words",
]

HOUR = 3_600_000_000
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
CLAIMS = ("fact", "knowledge")
_HALF_LIVES = {"identity": 8760, "preference": 2160, "event": 504, "state": 12}
_PINNED = 876_000
_RANKS = {"user": 3, "assistant": 2, "import": 2, "job": 2, "tool": 1, "web": 1}


def at(t):
    """A moment of the model as the facade takes it."""
    return None if t is None else START + timedelta(microseconds=t)


def folded(text):
    """What two spellings of a text, or of a slot, have in common."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words(text):
    return re.findall(r"\w+", folded(text))


def rank(origin):
    return _RANKS[origin]


def one_slot(one, other):
    """Whether two fill the same slot, or neither fills one."""
    slots = [None if row["slot"] is None else folded(row["slot"]) for row in (one, other)]
    return slots[0] == slots[1]


def half_life(row):
    return _PINNED if row["pinned"] else _HALF_LIVES[row["category"]]


class Rows:
    """What is stored: `rows` by id, and the pairs in conflict by (older id, newer id).

    `days`: for how long after its event a claim is kept; None: for ever.
    """

    def __init__(self, days=None):
        self.now = 0
        self.days = days
        self.rows = {}
        self.pairs = {}
        self.last_id = 0

    def insert(self, **columns):
        """A new row; what is not given has its value of the beginning."""
        self.last_id += 1
        row = {
            "id": self.last_id,
            "review": "active",
            "ended_at": None,
            "ending": None,
            "pinned": False,
            "access": 0,
            "base": 3.0,
            "last_used": None,
            "closed_at": None,
            "superseded_by": None,
            "strength": 1.0 if columns["kind"] == "fact" else None,
            "strength_at": self.now,
            "dormant": False,
        } | columns
        row["tokens"] = self.tokens(row)
        row["version"] = (row["strength"], row["strength_at"], row["dormant"])
        self.rows[self.last_id] = row
        return row

    @staticmethod
    def tokens(row):
        """What a search compares its words with: the text and the day of the event."""
        return row["text"], (row["event_time"] + 9 * HOUR) // (24 * HOUR)

    def remove(self, row_id):
        """A row goes for good; the chain of what superseded what is joined around it."""
        gone = self.rows.pop(row_id)
        for row in self.rows.values():
            if row["superseded_by"] == row_id:
                row["superseded_by"] = gone["superseded_by"]
        self.pairs = {pair: value for pair, value in self.pairs.items() if row_id not in pair}

    # what is shown

    def holds(self, row, as_of=None):
        """Whether what a row claims holds; what was recorded as begun or over stays so when the clock steps back."""
        if row["kind"] not in CLAIMS:
            return as_of is None or row["event_time"] <= as_of
        begins, ends = row["valid_from"], row["valid_until"]
        if as_of is not None:
            return (begins is None or begins <= as_of) and (ends is None or ends > as_of)
        begun = begins is None or begins <= max(self.now, row["recorded_at"])
        return begun and not self.over(row)

    def kept(self, row):
        """Whether a row is neither ended, expired nor past its days of retention."""
        return row["ended_at"] is None and not self.expired(row) and not self.forgotten(row["kind"], row["event_time"])

    def forgotten(self, kind, happened):
        """Whether something happened before the days of retention of its kind."""
        return self.days is not None and kind in CLAIMS and happened < self.now - self.days * 24 * HOUR

    def expired(self, row):
        return row["expires_at"] is not None and row["expires_at"] <= self.now

    def stands(self, row):
        """Whether a row is kept and reviewed."""
        return row["review"] == "active" and self.kept(row)

    def waits(self, row):
        """Whether a row is in the queue of what waits for a person."""
        return row["review"] == "pending" and self.kept(row)

    def lasts(self, row):
        """Whether a row is kept, and what it claims is not over."""
        return self.kept(row) and not self.over(row) and not self.never(row)

    def never(self, row):
        """Whether a row expires before it begins."""
        begins, expires = row.get("valid_from"), row["expires_at"]
        return begins is not None and expires is not None and expires <= begins and begins > row["recorded_at"]

    def denied(self, row):
        """Whether a person rejected a row, or called it wrong."""
        labels = any(name.startswith("label") and value for name, value in row.items())
        return labels or row["review"] == "rejected" or row["ending"] == "wrong"

    def current(self, row, as_of=None, known_at=None):
        """Whether a search may find a row, awake or not."""
        if known_at is None:
            return self.stands(row) and self.holds(row, as_of)
        return self.known(row, known_at) and self.holds(self.then(row, known_at), as_of)

    def beside(self, row):
        """Whether a new text is compared with a row: what is shown, now or from some day on, and not superseded."""
        return self.fills(row) and row["superseded_by"] is None

    def leaves(self, row):
        """Whether a row stands until a later day, from which on another takes its place."""
        return self._was_to_leave(row) and any(self.fills(self.rows[one]) for one in self.heirs(row))

    def plan_is_off(self, row):
        """Whether nothing is there any more that was to take the place of a row on a later day."""
        return self._was_to_leave(row) and not self.leaves(row)

    def _was_to_leave(self, row):
        return self.fills(row) and row["superseded_by"] is not None and row["valid_until"] is not None

    def heirs(self, row):
        """What took the place of a row, or is to, at once or through others."""
        found = []
        while row["superseded_by"] is not None:
            found.append(row["superseded_by"])
            row = self.rows[row["superseded_by"]]
        return found

    def ends_before(self, changes):
        """Whether some changes let a claim end before it begins."""
        become = {}
        for row_id, columns in changes:
            new = {} if columns == "born" else {name: after for name, (_, after) in columns.items()}
            become[row_id] = become.get(row_id, self.rows.get(row_id, {})) | new
        spans = [(one.get("valid_from"), one.get("valid_until")) for one in become.values()]
        return any(None not in span and span[1] < span[0] for span in spans)

    def following(self, row):
        """What is there to take the place of a row on a later day, at once or through others."""
        until_then = row["superseded_by"] is not None and row["valid_until"] is not None and not self.over(row)
        return [self.rows[one] for one in sorted(self.heirs(row)) if self.fills(self.rows[one])] if until_then else []

    def fills(self, row):
        """Whether a row stands in its slot, be it until a later day."""
        return self.stands(row) and not self.over(row) and not self.never(row)

    def since(self, row):
        """From when on a claim holds; what had begun when it was stored has, also where the clock stepped back."""
        begins = row["valid_from"]
        return min(begins, self.now) if begins is not None and begins <= row["recorded_at"] else begins

    def queue(self, user):
        """The ids that wait for a person, of a user and shared."""
        return [row["id"] for row in self.rows.values() if row["owner"] in (user, None) and self.waits(row)]

    def over(self, row):
        """Whether what a row claims is over; what ended where it began never held."""
        ends, begins = row["valid_until"], row["valid_from"]
        return ends is not None and ends <= max(self.now, row["closed_at"], self.now if begins is None else begins)

    def shown(self, user, *, asleep=False, as_of=None, known_at=None):
        """The ids that a user sees, with what is shared; `user` None sees what is shared."""
        return [
            row["id"]
            for row in self.rows.values()
            if row["owner"] in (user, None) and self.current(row, as_of, known_at) and (asleep or not row["dormant"])
        ]

    def found(self, word, user, **given):
        """The ids of what a user finds by a word."""
        return {one for one in self.shown(user, **given) if word in words(self.rows[one]["text"])}

    def in_slot(self, slot, user, as_of=None, known_at=None):
        """The id of the fact that fills a slot for a user."""
        there = [
            self.then(row, known_at)
            for row in self.rows.values()
            if row["owner"] in (user, None) and row.get("slot") and folded(row["slot"]) == folded(slot)
            and self.current(row, as_of, known_at)
        ]  # fmt: skip
        best = max(
            there,
            key=lambda row: (
                row["owner"] == user,
                rank(row["origin"]),
                row["confidence"],
                row["recorded_at"],
                row["id"],
            ),
            default=None,
        )
        return None if best is None else best["id"]

    def open_pairs(self, owner):
        """The pairs in open conflict of a user's own memories, the longest known first."""
        return [
            pair
            for pair, known in sorted(self.pairs.items(), key=lambda item: (item[1][0], item[0]))
            if known[1] is None and self.rows[pair[0]]["owner"] == owner and self._disputed(pair)
        ]

    def partners(self, row_id):
        """What is in open conflict with a row."""
        owner = self.rows[row_id]["owner"]
        return sorted({one for pair in self.open_pairs(owner) if row_id in pair for one in pair} - {row_id})

    def _disputed(self, pair):
        """Whether both sides are there, hold together at some moment, and say different things."""
        one, other = (self.rows[row_id] for row_id in pair)
        there = all(row["review"] != "rejected" and self.lasts(row) for row in (one, other))
        return there and not (self._after(one, other) or self._after(other, one)) and not self.agree(one, other)

    def agree(self, one, other):
        """Whether two values of one slot, or two without one, say the same."""
        return folded(one["text"]) == folded(other["text"]) and one_slot(one, other)

    def _after(self, one, other):
        """Whether one holds only when the other is over."""
        planned = one.get("valid_from") is not None and one["valid_from"] > max(self.now, one["recorded_at"])
        return planned and other.get("valid_until") is not None and one["valid_from"] >= other["valid_until"]

    # strength

    def retention(self, row):
        """What is left of a fact's strength."""
        hours = max(0, self.now - row["strength_at"]) / HOUR
        return row["strength"] * 2 ** (-hours / half_life(row))

    def pinned(self, row):
        """The columns that a pin changes: a fact wakes by it where enough is left of it."""
        wakes = row["dormant"] and self.retention(row | {"pinned": True}) >= 0.15
        return {"pinned": True, **({"dormant": False} if wakes else {})}

    def used(self, row):
        """The columns that a use changes."""
        later = self.now if row["last_used"] is None else max(self.now, row["last_used"])
        columns = {"access": row["access"] + 1, "base": min(10.0, row["base"] + 0.1), "last_used": later}
        if row["kind"] == "fact":
            kept = self.retention(row)
            columns |= {"strength": kept + 0.35 * (1 - kept), "strength_at": max(self.now, row["strength_at"])}
            columns["dormant"] = row["dormant"] and columns["strength"] < 0.15
        return columns
