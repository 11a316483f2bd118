"""The plain model, its other calls: what people, use and the sweep do to memories."""

import math

from machine_log import Refused
from machine_rows import CLAIMS, HOUR, folded, half_life
from machine_writing import UNTRUSTED, Writing

__all__ = ["Model"]


class Model(Writing):
    """What the store is compared with."""

    def __init__(self):
        super().__init__()
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
            begins = self.now if row["valid_from"] is None else row["valid_from"]
            until = [(one, one["valid_until"]) for one in same if self.fills(one)]
            replaced |= {one["id"] for one, ends in until if self.beside(one) or ends is None or ends > begins}
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
