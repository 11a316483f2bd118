"""The plain model, its calls: what becomes of a text, and what people and the sweep do to memories."""

import math

from machine_log import Log, Refused
from machine_rows import CLAIMS, HOUR, folded, half_life, rank

__all__ = ["SMALL_TALK", "Model"]

SMALL_TALK = ("Thanks!", "谢谢！")
_BARS = {"fact": 0.7, "knowledge": 0.5}
_UNTRUSTED = ("tool", "web", "job")


class Model(Log):
    """What the store is compared with."""

    def __init__(self):
        super().__init__()
        self.labels = 0

    # writing

    def add(self, owner, text, **given):
        """What becomes of a text: (id, outcome, id of what it supersedes)."""
        new = {
            "owner": owner,
            "text": text,
            "kind": "event",
            "origin": "user",
            "confidence": 1.0,
            "slot": None,
            "category": "event",
            "valid_from": None,
            "valid_until": None,
            "event_time": None,
            "expires_at": None,
            "source": None,
            "infer": True,
            "supersedes": None,
            "must": False,
            "fills": False,
        } | given
        if not new["infer"] or new["kind"] == "turn":
            return self._accepted(new)
        explicit = new["fills"] or new["must"]
        if new["text"] in SMALL_TALK and new["slot"] is None and not explicit:
            return None, "drop", None
        return self._decided(new, explicit)

    def _decided(self, new, explicit):
        same = [one for one in self._own(new) if folded(one["text"]) == folded(new["text"]) and self._says_so(new, one)]
        there = [one for one in same if self.beside(one)]
        waiting = [one for one in same if one["review"] == "pending" and one["ended_at"] is None]
        named = self._named(new)
        replaces = [one for one in named if self._evidence(one, explicit) <= self._evidence(new, explicit)]
        others = [] if new["slot"] is None else [one for one in self._own(new) if one not in replaces]
        others = [one for one in others if one["slot"] and folded(one["slot"]) == folded(new["slot"])]
        others = [one for one in others if self.beside(one)]
        if new["valid_until"] is not None and new["valid_until"] <= self.now:
            others = []
        weaker = [one for one in others if self._outweighs(new, one)]
        if there:
            return self._merge(new, there[0], replaces + (weaker if new["fills"] else []))
        bar = _BARS.get(new["kind"], 0.0)
        stronger = [one for one in [*named, *others] if self._evidence(one, explicit) > self._evidence(new, explicit)]
        untrusted = new["origin"] in _UNTRUSTED and others and not explicit and not replaces
        if (new["confidence"] < bar and not explicit) or stronger or untrusted:
            if waiting:
                return waiting[0]["id"], "defer", None
            against = [*named, *others] if new["confidence"] < bar and not explicit else [*stronger, *others]
            return self._deferred(new, against)
        return self._accepted(new, replaces + weaker, [one for one in others if one not in weaker])

    def _own(self, new):
        return [one for one in self.rows.values() if one["owner"] == new["owner"] and one["kind"] == new["kind"]]

    def _says_so(self, new, one):
        moments = all(new[name] is None or new[name] == one[name] for name in ("valid_from", "valid_until"))
        slots = new["slot"] is None or (one["slot"] is not None and folded(new["slot"]) == folded(one["slot"]))
        day = 24 * HOUR
        days = (
            new["event_time"] is None or (new["event_time"] + 9 * HOUR) // day == (one["event_time"] + 9 * HOUR) // day
        )
        return slots and (moments if new["kind"] in CLAIMS else new["kind"] != "event" or days)

    def _named(self, new):
        """The memory that is to be superseded by name."""
        old = self.rows.get(new["supersedes"])
        problem = old is None or old["owner"] != new["owner"]
        if new["must"] and problem:
            raise Refused("NotFoundError")
        problem = problem or old["superseded_by"] is not None or old["kind"] != new["kind"] or not self.beside(old)
        if new["must"] and problem:
            raise Refused("InvalidInputError")
        return [] if problem else [old]

    def _evidence(self, one, explicit):
        return (rank(one["origin"]),) if explicit else (rank(one["origin"]), one["confidence"])

    def _outweighs(self, new, one):
        if new["fills"]:
            return rank(new["origin"]) >= rank(one["origin"])
        return self._evidence(new, explicit=False) > self._evidence(one, explicit=False)

    def _row(self, new, **columns):
        happened = self.now if new["event_time"] is None else new["event_time"]
        until, begins = new["valid_until"], new["valid_from"]
        if begins is None and not (until is not None and until <= happened):
            begins = happened
        given = {name: new[name] for name in ("owner", "text", "kind", "origin", "confidence", "slot", "category")}
        claims = new["kind"] in CLAIMS
        return self.insert(
            **given,
            event_time=happened,
            recorded_at=self.now,
            valid_from=begins if claims else None,
            valid_until=until,
            closed_at=None if until is None else self.now,
            expires_at=new["expires_at"],
            source=new["source"],
            **columns,
        )

    def _accepted(self, new, ends=(), beside=()):
        row = self._row(new)
        changes = [(row["id"], "born"), *(self._ends(one, row) for one in dict.fromkeys(one["id"] for one in ends))]
        changes += [self.disputes(one["id"], row["id"]) for one in beside]
        action = "supersede" if ends else "conflict" if beside else "add"
        if ends or beside or new["source"]:
            self.record(action, new["owner"], changes, source=new["source"])
        return row["id"], "accept", ends[0]["id"] if ends else None

    def _deferred(self, new, against):
        row = self._row(new, review="pending")
        pairs = [self.disputes(one, row["id"]) for one in dict.fromkeys(one["id"] for one in against)]
        action = "conflict" if pairs else "add"
        self.record(action, new["owner"], [(row["id"], "born"), *pairs], source=new["source"])
        return row["id"], "defer", None

    def _merge(self, new, into, ends):
        changes, ends = [], [one for one in ends if one is not into]
        strong = rank(new["origin"]) >= rank(into["origin"]) and new["confidence"] >= _BARS.get(new["kind"], 0.0)
        if strong:
            columns = self.used(into)
            if rank(new["origin"]) > rank(into["origin"]):
                columns["origin"] = new["origin"]
            if into["expires_at"] is not None and (new["expires_at"] is None or new["expires_at"] > into["expires_at"]):
                columns["expires_at"] = new["expires_at"]
            if new["kind"] in CLAIMS:
                columns["confidence"] = max(new["confidence"], into["confidence"])
            changes.append(self.sets(into["id"], **columns))
        changes += [self._ends(one, into, begins=self.now) for one in dict.fromkeys(one["id"] for one in ends)]
        self.record("merge", new["owner"], changes, source=new["source"])
        return into["id"], "merge", ends[0]["id"] if ends else None

    def _ends(self, old_id, new, begins=None):
        """A claim is superseded: valid until the new one is, but never before it began."""
        old, begins = self.rows[old_id], new["valid_from"] if begins is None else begins
        begins = self.now if begins is None else begins
        ends = begins if old["valid_from"] is None else max(begins, old["valid_from"])
        return self.sets(old_id, valid_until=ends, closed_at=self.now, superseded_by=new["id"])

    def set_slot(self, owner, slot, text, **given):
        """`facts.set`: the category of the fact that fills the slot is kept."""
        now = self.in_slot(slot, owner)
        if given.get("category") is None:
            given["category"] = "event" if now is None else self.rows[now]["category"]
        return self.add(owner, text, kind="fact", slot=slot, fills=True, **given)

    def supersede(self, row_id, text, **given):
        row = self._there(row_id)
        if row["kind"] not in CLAIMS:
            raise Refused("InvalidInputError")
        kept = {name: row[name] for name in ("kind", "slot", "category")}
        return self.add(row["owner"], text, supersedes=row_id, must=True, **kept, **given)

    # by hand

    def _there(self, row_id):
        if row_id not in self.rows:
            raise Refused("NotFoundError")
        return self.rows[row_id]

    def mark_used(self, ids):
        rows = [self._there(one) for one in dict.fromkeys(ids)]
        for row in sorted(rows, key=lambda row: row["id"]):
            slept = row["dormant"]
            changed = self.sets(row["id"], **self.used(row))
            self._change(changed)
            if slept and not row["dormant"]:
                trio = {
                    name: changed[1][name]
                    for name in ("strength", "strength_at", "dormant", "version")
                    if name in changed[1]
                }
                self.record("revive", row["owner"], [(row["id"], trio)])
        return len(rows)

    def pin(self, row_id, *, pinned):
        row = self._there(row_id)
        if pinned and row["origin"] in _UNTRUSTED:
            raise Refused("InvalidInputError")
        columns = {"pinned": pinned}
        if pinned and row["dormant"] and self.retention(row | {"pinned": True}) >= 0.15:
            columns["dormant"] = False
        self.record("pin" if pinned else "unpin", row["owner"], [self.sets(row_id, **columns)])

    def retire(self, row_id):
        row = self._there(row_id)
        if row["ending"] is None:
            self.record("retire", row["owner"], [self.sets(row_id, ended_at=self.now, ending="retired")])

    def wrong(self, row_id):
        row = self._there(row_id)
        self.record("wrong", row["owner"], [self._label(row), self._is_wrong(row)])

    def _label(self, row):
        """A label is a row of its own: later ones stand on none before."""
        self.labels += 1
        row[f"label {self.labels}"] = False
        return row["id"], {f"label {self.labels}": (False, True)}

    def _is_wrong(self, row):
        ended_at = self.now if row["ended_at"] is None else row["ended_at"]
        return self.sets(row["id"], ended_at=ended_at, ending="wrong")

    def correct(self, row_id, text, *, wrong=False):
        row = self._there(row_id)
        if folded(text) == folded(row["text"]) or row["superseded_by"] is not None:
            raise Refused("InvalidInputError")
        ends = begins = row["valid_from"]
        if begins is not None and begins <= row["recorded_at"]:
            begins = min(begins, self.now)
        kept = {name: row[name] for name in ("owner", "kind", "slot", "category", "event_time", "valid_until")}
        claims = row["kind"] in CLAIMS
        fixed = {"origin": "user", "confidence": 1.0, "expires_at": None, "source": None}
        new = self._row(kept | fixed | {"text": text, "valid_from": begins if claims else None})
        changes = [self._label(row)]
        if claims:
            end = {} if ends is None else {"valid_until": ends, "closed_at": self.now}
            changes.append(self.sets(row_id, superseded_by=new["id"], **end))
        if wrong or ends is None:
            changes.append(self._is_wrong(row))
        action = "supersede" if claims else "wrong"
        self.record(action, row["owner"], [*changes, (new["id"], "born")])
        return new["id"], "accept", row_id

    def _waiting(self, row_id):
        row = self._there(row_id)
        if row["review"] != "pending" or row["ended_at"] is not None:
            raise Refused("InvalidInputError")
        return row

    def approve(self, row_id):
        row = self._waiting(row_id)
        against = self.partners(row_id)
        changes = [self.sets(row_id, review="active"), *(self.disputes(one, row_id, resolved=True) for one in against)]
        replaced = {one for one in against if self.beside(self.rows[one])}
        if row["slot"] is not None:
            same = [one for one in self._own(row) if one["slot"] and folded(one["slot"]) == folded(row["slot"])]
            replaced |= {one["id"] for one in same if self.beside(one)}
        after = self.rows.get(row["superseded_by"])
        while after is not None:
            if after["id"] in replaced:
                raise Refused("InvalidInputError")
            after = self.rows.get(after["superseded_by"])
        if row["kind"] in CLAIMS:
            changes += [self._ends(one, row) for one in sorted(replaced)]
        self.record("review", row["owner"], changes)

    def reject(self, row_id):
        row = self._waiting(row_id)
        changes = [self.disputes(one, row_id, resolved=True) for one in self.partners(row_id)]
        self.record("review", row["owner"], [*changes, self.sets(row_id, review="rejected")])

    def resolve(self, keep_id, drop_id, *, both):
        keep, drop = self._there(keep_id), self._there(drop_id)
        if drop_id not in self.partners(keep_id):
            raise Refused("InvalidInputError")
        changes = [self.disputes(keep_id, drop_id, resolved=True)]
        changes += [self.sets(one["id"], review="active") for one in ([keep, drop] if both else [keep])]
        if not both:
            waits = drop["review"] == "pending"
            changes.append(self.sets(drop_id, review="rejected") if waits else self._ends(drop_id, keep))
        self.record("resolve", keep["owner"], changes)

    def delete(self, row_id):
        self._there(row_id)
        self.forget(row_id)

    def purge(self, owner):
        for row_id in [one for one, row in self.rows.items() if row["owner"] == owner]:
            self.forget(row_id)

    # by itself

    def sweep(self, owners):
        """Facts that have faded fall asleep: each an operation of one run, by user (in the order given), then due."""
        run = f"sweep-{self.last_operation + 1}"
        for owner in owners:
            due = [
                (self._due(row), row["id"]) for row in self.rows.values() if row["owner"] == owner and self._fades(row)
            ]
            for moment, row_id in sorted(due):
                if moment <= self.now:
                    self.record("freeze", owner, [self.sets(row_id, dormant=True)], run=run)
        return run

    def _fades(self, row):
        return row["kind"] == "fact" and not row["dormant"] and self.stands(row) and not self.over(row)

    def _due(self, row):
        hours = half_life(row) * math.log2(max(row["strength"], 0.1) / 0.1)
        return row["strength_at"] + round(hours * HOUR)
