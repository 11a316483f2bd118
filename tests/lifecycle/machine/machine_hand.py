"""The plain model, its other calls: what people, use and the sweep do to memories."""

import math

from machine_ground import OF_ROW
from machine_log import Refused
from machine_plans import Plans
from machine_rows import CLAIMS, HOUR, folded, half_life, one_slot, rank
from machine_writing import UNTRUSTED

__all__ = ["Model"]


def _one_slot(one, other):
    """Whether two fill the same slot, or neither fills one."""
    slots = [None if row["slot"] is None else folded(row["slot"]) for row in (one, other)]
    return slots[0] == slots[1]


def _left(operation):
    """The rows that an operation retires."""
    changes = [(one, columns) for one, columns in operation["changes"] if columns != "born"]
    return {one for one, columns in changes if columns.get("ending", (None, None))[1] == "retired"}


def _staying(operation):
    """The rows of which an operation changes more than the claim, and which it takes out of nothing."""
    out = {
        one
        for one, columns in operation["changes"]
        if columns != "born"
        and (columns.get("ending", (None, None))[1] or columns.get("review", (None, None))[1] == "rejected")
    }
    told = {one for one, columns in operation["changes"] if columns == "born" or not OF_ROW.isdisjoint(columns)}
    return told - out


class Model(Plans):
    """What the store is compared with."""

    def __init__(self, days=None):
        super().__init__(days)
        self.labels = 0

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
        if pinned and row["origin"] in UNTRUSTED:
            raise Refused("InvalidInputError")
        columns = self.pinned(row) if pinned else {"pinned": False}
        self.record("pin" if pinned else "unpin", row["owner"], [self.sets(row_id, **columns)])

    def update(self, row_id, text):
        row = self._there(row_id)
        if text == row["text"]:
            return
        if row["review"] == "rejected" or row["ending"] == "wrong":
            raise Refused("InvalidInputError")
        changed = self.sets(row_id, text=text)
        self.record("update", row["owner"], [changed, *self.contradictions([changed])])

    def retire(self, row_id):
        row = self._there(row_id)
        if row["ending"] is None:
            self.record("retire", row["owner"], self.taken_out(row_id, ended_at=self.now, ending="retired"))

    def wrong(self, row_id):
        row = self._there(row_id)
        ended_at = self.now if row["ended_at"] is None else row["ended_at"]
        out = self.taken_out(row_id, ended_at=ended_at, ending="wrong")
        self.record("wrong", row["owner"], [self._label(row), *out])

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
        self._refuse_replaced(row, text)
        claims, ends, pinned = row["kind"] in CLAIMS, row["valid_from"], row["pinned"]
        said = {name: row[name] for name in ("owner", "kind", "slot", "category", "event_time", "valid_until")}
        said |= {"text": text, "origin": "user", "confidence": 1.0, "expires_at": None, "source": None}
        said["valid_from"] = self._given_begin(row)
        said["dated"] = row["event_time"] != row["recorded_at"]
        plans = self.following(row) if claims else []
        said["valid_until"] = self.without_plans(row) if plans else row["valid_until"]
        changes = [self._label(row)]
        alike = [] if row["kind"] == "turn" else self._alike(said)
        same = [one for one in alike if one_slot(said, one) and self._says_so(said, one)]
        twins = [one for one in self._stored_already(said, same)[:1] if not self._to_follow(row_id, one)]
        if twins:
            right = twins[0]
            changes.append(self._said_again(said, right))
            begins = self.now if right["valid_from"] is None else max(self.now, self.since(right))
        else:
            right = self._row(said | {"valid_from": self._corrected_begin(row) if claims else None})
            changes.append((right["id"], "born"))
            end = {"valid_until": row["valid_until"], "superseded_by": row["superseded_by"], "closed_at": self.now}
            changes += [self.sets(right["id"], **end)] if plans else []
            begins = self.now if right["valid_from"] is None else self.since(right)
        if row["slot"] is not None and self.fills(right):
            others = [one for one in self._slot_mates(said) if one["id"] not in (row_id, right["id"])]
            until = row["valid_until"] if plans and not twins else right["valid_until"]
            until = None if twins and self._lifts(said, right) else until
            others = [one for one in others if one not in plans and self._meet(one, begins, until)]
            others = [one for one in others if not twins or self._meets(one, right)]
            changes += [self._ends(one["id"], right, begins=begins) for one in others]
            pinned = pinned or any(one["pinned"] for one in others)
        if pinned and twins:
            changes.append(self.sets(right["id"], pinned=True))
        elif pinned:
            right["pinned"] = True
        if twins or not self._unseen(said):
            changes += [self._retired(one) for one in same if self.waits(one)]
        if claims:
            end = {} if ends is None else {"valid_until": ends, "closed_at": self.now}
            changes.append(self.sets(row_id, superseded_by=right["id"], **end))
            if row["review"] == "pending":
                changes.append(self.sets(row_id, review="rejected"))
        if wrong or ends is None:
            changes.append(self._is_wrong(row))
        self.replaces("supersede" if claims else "wrong", row["owner"], changes)
        return right["id"], "merge" if twins else "accept", row_id

    def _refuse_replaced(self, row, text):
        """Refuses to correct what something has the place of by now, or what says so already."""
        is_over = row["superseded_by"] is not None and (row["valid_until"] is None or self.over(row))
        if folded(text) == folded(row["text"]) or is_over:
            raise Refused("InvalidInputError")

    def _to_follow(self, row_id, one):
        """Whether a row is to take the place of another on a later day."""
        return self.leaves(one) and row_id in self.heirs(one)

    def _given_begin(self, row):
        """The beginning of a claim that somebody gave."""
        said_again_since = row["valid_from"] == row["recorded_at"] < row["event_time"]
        began_with_it = row["valid_from"] == row["event_time"] <= row["recorded_at"]
        return None if began_with_it or said_again_since else row["valid_from"]

    def _corrected_begin(self, row):
        """From when on what is right holds: what never was current, or is not any more, gives it no beginning."""
        begins, until = row["valid_from"], row["valid_until"]
        current = row["review"] == "active" and row["ending"] in (None, "wrong") and not self.expired(row)
        if begins is None or current or (until is not None and until <= self.now) or self._given_begin(row) is not None:
            return begins if begins is None or begins > row["recorded_at"] else min(begins, self.now)
        return max(begins, self.now)

    def _waiting(self, row_id):
        row = self._there(row_id)
        if row["review"] != "pending" or row["ended_at"] is not None:
            raise Refused("InvalidInputError")
        return row

    def approve(self, row_id):
        row = self._waiting(row_id)
        against = self.partners(row_id)
        changes = [self.disputes(one, row_id, resolved=True) for one in against]
        said = row | {"valid_from": self._given_begin(row)}
        same = self._stored_already(said, [one for one in self._alike(row) if self._says_so(said, one)])
        stays, begins, origin, replaced = row, self._let_in_begin(row), row["origin"], []
        if same and self.lasts(row):
            stays = same[0]
            begins = self.now if stays["valid_from"] is None else max(self.now, self.since(stays))
            changes += [self._retired(row), self._said_again(row, stays)]
            origin = row["origin"] if rank(row["origin"]) > rank(stays["origin"]) else stays["origin"]
            replaced = [row_id]
        else:
            changes += [self._let_in(row), *self._woken(row)]
        if row["kind"] in CLAIMS and self.lasts(row):
            beside = {one["id"]: one for one in self._slot_mates(row)}
            beside |= {one: self.rows[one] for one in against if self.fills(self.rows[one])}
            later = [heir for one in against if self.fills(self.rows[one]) for heir in self.following(self.rows[one])]
            beside |= {one["id"]: one for one in later}
            since = self._from(row, begins)
            ending = sorted(one for one in beside if self._meet(beside[one], since, row["valid_until"]))
            ending = [one for one in ending if one != stays["id"]]
            if stays is not row:
                ending = [one for one in ending if self._meets(beside[one], stays)]
            self._refuse_own_successor(stays, ending)
            changes += [self._ends(one, stays, begins=begins) for one in ending]
            replaced += ending
            if stays is not row:
                decided = [one for one in self.partners(stays["id"]) if one in ending]
                changes += [self.disputes(one, stays["id"], resolved=True) for one in decided]
        changes += self._pin_of(stays, origin, replaced)
        self.replaces("review", row["owner"], changes)

    def _woken(self, row):
        """What a person decides for wakes as by a use."""
        return [self.sets(row["id"], **self.used(row))] if row["dormant"] else []

    def _pin_of(self, row, origin, replaced):
        """What takes the place of something pinned is pinned too, unless nobody said it."""
        pinned = origin not in UNTRUSTED and any(self.rows[one]["pinned"] for one in replaced)
        return [self.sets(row["id"], pinned=True)] if pinned else []

    def _refuse_own_successor(self, row, replaced):
        after = self.rows.get(row["superseded_by"])
        while after is not None:
            if after["id"] in replaced:
                raise Refused("InvalidInputError")
            after = self.rows.get(after["superseded_by"])

    def _let_in_begin(self, row):
        """From when on what waited holds, once a person let it in."""
        if row["valid_from"] is None:
            return self.now
        late = row["review"] == "pending" and self.lasts(row) and self._given_begin(row) is None
        return max(self.now, row["valid_from"]) if late else row["valid_from"]

    def _from(self, row, begins):
        """From when on what is let in meets others: it holds already where it had begun when it was stored."""
        return begins if row["valid_from"] is None else min(begins, max(self.since(row), self.now))

    def _let_in(self, row):
        begins = {} if row["valid_from"] is None else {"valid_from": self._let_in_begin(row)}
        return self.sets(row["id"], review="active", **begins)

    def reject(self, row_id):
        row = self._waiting(row_id)
        changes = [self.disputes(one, row_id, resolved=True) for one in self.partners(row_id)]
        self.record("review", row["owner"], [*changes, *self.taken_out(row_id, review="rejected")])

    def resolve(self, keep_id, drop_id, *, both):
        keep, drop = self._there(keep_id), self._there(drop_id)
        if drop_id not in self.partners(keep_id):
            raise Refused("InvalidInputError")
        changes = [self.disputes(keep_id, drop_id, resolved=True)]
        begins = self._let_in_begin(keep)
        for one in [keep, drop] if both else [keep]:
            changes += self._woken(one)
            if one["review"] == "pending":
                changes.append(self._let_in(one))
                changes += self._meets_others(one, (keep_id, drop_id))
        if not both:
            waits = drop["review"] == "pending"
            self._refuse_own_successor(keep, [] if waits else [drop_id])
            changes.append(self.sets(drop_id, review="rejected") if waits else self._ends(drop_id, keep, begins=begins))
            changes += self._pin_of(keep, keep["origin"], [] if waits else [drop_id])
        self.replaces("resolve", keep["owner"], changes)

    def _meets_others(self, row, decided):
        """The conflicts of a row that is let in with the others of its slot; nothing is disputed a second time."""
        if row["kind"] not in CLAIMS or not self.lasts(row):
            return []
        met = {one for pair in self.pairs if row["id"] in pair for one in pair} | {*decided, row["id"]}
        others = sorted(
            one["id"]
            for one in self._slot_mates(row)
            if self._meet(one, self._from(row, self._let_in_begin(row)), row["valid_until"])
        )
        others = [one for one in others if not self.agree(self.rows[one], row)]
        return [self.disputes(one, row["id"]) for one in others if one not in met]

    def delete(self, row_id):
        self._there(row_id)
        self.erased(self._held(row_id))

    def _held(self, row_id):
        """A row, and those that are out of the searches because it, or one of them, says the same."""
        held, before = {row_id}, set()
        while held != before:
            before = set(held)
            for one in self.operations.values():
                if one["undone_by"] is None:
                    held |= {gone for gone in _left(one) if self._went_for(one, gone, held)}
            for row in self.rows.values():
                heir = row["superseded_by"]
                if heir in held and folded(self.rows[heir]["text"]) == folded(row["text"]):
                    held.add(row["id"])
        return sorted(held)

    def _went_for(self, operation, gone, held):
        """Whether an operation that stands retired a row for what is held."""
        twin = self.rows[gone]
        if twin["ending"] != "retired":
            return False
        kept = _staying(operation)
        if not kept and operation["action"] == "merge":
            kept = {one["id"] for one in self._alike(twin) if twin["slot"] is None or _one_slot(one, twin)}
        if operation["action"] == "undo":
            kept = {one for one in kept if folded(self.rows[one]["text"]) == folded(twin["text"])}
        return bool(held & kept)

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
        there = row["review"] == "active" and row["ended_at"] is None and not self.expired(row)
        return row["kind"] == "fact" and not row["dormant"] and there and not self.over(row)

    def _due(self, row):
        hours = half_life(row) * math.log2(max(row["strength"], 0.1) / 0.1)
        return row["strength_at"] + round(hours * HOUR)
