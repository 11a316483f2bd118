"""The plain model, its writing: what becomes of a text beside what is there."""

from machine_log import Log, Refused
from machine_rows import CLAIMS, HOUR, folded, rank

__all__ = ["SMALL_TALK", "UNTRUSTED", "Writing"]

SMALL_TALK = ("Thanks!", "谢谢！")
_BARS = {"fact": 0.7, "knowledge": 0.5}
_OF_THE_DAY = ("today", "昨天")
UNTRUSTED = ("tool", "web", "job")


def _day(t):
    """The day of a moment in UTC."""
    return (t + 9 * HOUR) // (24 * HOUR)


class Writing(Log):
    """Rows, operations, and the calls that add a text."""

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
            "stated": {},
        } | given
        event, until = new["event_time"], new["valid_until"]
        if new["kind"] in CLAIMS and new["valid_from"] is None and event is not None and event > self.now:
            if until is not None and until <= event:
                raise Refused("InvalidInputError")
            new["valid_from"] = event
            new["begins_with_event"] = True
        if not new["infer"] or new["kind"] == "turn":
            return self._accepted(new, self._replaced(new, self._named(new), explicit=False))
        explicit = new["fills"] or new["must"]
        if new["text"] in SMALL_TALK and new["slot"] is None and not explicit:
            return None, "drop", None
        return self._decided(new, explicit)

    def _decided(self, new, explicit):
        same = [one for one in self._alike(new) if self._says_so(new, one)]
        there = self._stored_already(new, same)
        waiting = [one for one in same if self.waits(one) and (new["valid_until"] is not None or self.lasts(one))]
        named = self._named(new)
        replaces = self._replaced(new, named, explicit)
        others = [one for one in self._slot_mates(new) if one not in replaces and self._overlaps(new, one)]
        if (new["valid_until"] is not None and new["valid_until"] <= self.now) or self._unseen(new):
            others = []
        weaker = [one for one in others if self._outweighs(new, one)]
        leaving = [one for one in waiting if new["origin"] == "user" and one["slot"] is None and new["slot"] is None]
        if new["origin"] == "user" and new["slot"] is not None:
            leaving = [one for one in waiting if one["slot"] and folded(one["slot"]) == folded(new["slot"])]
        if self._unseen(new):
            leaving = []
        itself = bool(named and there) and named[0] is there[0]
        if there and (itself or not (self.leaves(there[0]) and replaces)):
            replaces = [] if itself else replaces
            ends = [one for one in weaker if self._meets(one, there[0])] if new["fills"] else []
            return self._merge(new, there[0], replaces + ends, leaving)
        if new["origin"] != "user" and any(self.denied(one) and self._denies(one, new) for one in self._alike(new)):
            return None, "drop", None
        bar = _BARS.get(new["kind"], 0.0)
        stronger = [one for one in [*named, *others] if self._evidence(one, explicit) > self._evidence(new, explicit)]
        untrusted = new["origin"] in UNTRUSTED and others and not explicit and not replaces
        if (new["confidence"] < bar and not explicit) or stronger or untrusted:
            blocked = [] if replaces else named
            if waiting:
                return waiting[0]["id"], "defer", None
            against = [*named, *others] if new["confidence"] < bar and not explicit else [*stronger, *blocked, *others]
            return self._deferred(new, against)
        return self._accepted(new, replaces + weaker, [one for one in others if one not in weaker], leaving)

    def _alike(self, new):
        """What has the same words."""
        return [one for one in self._own(new) if folded(one["text"]) == folded(new["text"])]

    def _stored_already(self, new, same):
        """Of what says the same what is found, or will be as long as the new one; last what is to be replaced later."""
        there = [one for one in same if new["valid_from"] is not None or not self._planned(one)]
        shown = [one for one in there if self.beside(one) or self.plan_is_off(one)]
        return shown + [one for one in there if self.leaves(one)]

    def _meets(self, one, into):
        """Whether another value is there together with one that is said again, of which a plan is left as it is."""
        alone = self.leaves(into) and not self._meet(one, self.now, into["valid_until"])
        return not alone and not (self.leaves(into) and one["id"] in self.heirs(into))

    def _lifts(self, new, into):
        """Whether what is said again without an end has none from now on."""
        own = into["valid_until"] is not None and (into["superseded_by"] is None or self.plan_is_off(into))
        return new["kind"] in CLAIMS and new["valid_until"] is None and own

    def behind(self, one):
        """The end that a row has behind that of what is to take its place."""
        return self.without_plans(one) if self.leaves(one) else None

    def _met(self, new, into, ends):
        """What contradicts a value now that it holds beyond its end."""
        if self._unseen(new) or not self._lifts(new, into):
            return []
        begins = self.now if into["valid_from"] is None else max(self.now, self.since(into))
        others = [one for one in self._slot_mates(new) if one not in ends and not self.agree(one, into)]
        others = [one for one in others if not self._meet(one, begins, into["valid_until"])]
        pairs = {one for pair in self.pairs if into["id"] in pair for one in pair}
        return [one["id"] for one in others if self._meet(one, begins, None) and one["id"] not in pairs]

    def _slot_mates(self, new):
        """What stands in the slot of a fact."""
        own = [one for one in self._own(new) if new["slot"] is not None and one["slot"] is not None]
        return [one for one in own if folded(one["slot"]) == folded(new["slot"]) and self.fills(one)]

    def _denies(self, one, new):
        """Whether what a person said against a row goes for a new text: without a slot it goes for any."""
        return (one["slot"] is None or self._in_its_slot(new, one)) and self._says_it_then(new, one)

    def _own(self, new):
        return [one for one in self.rows.values() if one["owner"] == new["owner"] and one["kind"] == new["kind"]]

    def _says_so(self, new, one):
        return self._in_its_slot(new, one) and self._says_it_then(new, one)

    def _in_its_slot(self, new, one):
        return new["slot"] is None or (one["slot"] is not None and folded(new["slot"]) == folded(one["slot"]))

    def _says_it_then(self, new, one):
        """Whether the same words are said of the same time: "today" is another day tomorrow."""
        then = _day(self.now if new["event_time"] is None else new["event_time"])
        if new["slot"] is None and any(word in new["text"] for word in _OF_THE_DAY) and then != _day(one["event_time"]):
            return False
        if new["kind"] in CLAIMS:
            ends = (None, one["valid_until"], self.behind(one))
            begins = self._holds_then(new, one) or new["valid_from"] in (None, one["valid_from"])
            return begins and new["valid_until"] in ends
        undated = new["event_time"] is None or new["event_time"] == new.get("recorded_at") or not new.get("dated", True)
        return new["kind"] != "event" or undated or then == _day(one["event_time"])

    @staticmethod
    def _holds_then(new, one):
        """Whether a row holds at an event ahead that a text begins with."""
        event, begins, until = new["event_time"], one["valid_from"], one["valid_until"]
        there = (begins is None or begins <= event) and (until is None or event < until) if event is not None else False
        return there and new.get("begins_with_event", False)

    def _named(self, new):
        """The memory that is to be superseded by name."""
        old = self.rows.get(new["supersedes"])
        problem = old is None or old["owner"] != new["owner"]
        if new["must"] and problem:
            raise Refused("NotFoundError")
        problem = problem or old["kind"] != new["kind"] or not self.fills(old) or self._comes_too_late(new, old)
        problem = problem or self._unseen(new)
        if new["must"] and problem:
            raise Refused("InvalidInputError")
        return [] if problem else [old, *(one for one in self.following(old) if self._overlaps(new, one))]

    def _comes_too_late(self, new, old):
        """Whether a new text holds only once something else has the place of what it names."""
        begins = self.now if new["valid_from"] is None else new["valid_from"]
        return old["superseded_by"] is not None and (old["valid_until"] is None or begins >= old["valid_until"])

    def _replaced(self, new, named, explicit):
        """What it names, with what was to follow that, where its evidence is enough for all of them."""
        enough = all(self._evidence(one, explicit) <= self._evidence(new, explicit) for one in named)
        return named if enough else []

    def _unseen(self, new):
        """Whether no search would find a text: it takes the place of nothing."""
        begins = self.now if new["valid_from"] is None else max(self.now, new["valid_from"])
        expired = new["expires_at"] is not None and new["expires_at"] <= begins
        happened = self.now if new["event_time"] is None else new["event_time"]
        late = self.days is not None and new["kind"] in CLAIMS and begins - happened > self.days * 24 * HOUR
        late = late and begins > self.now
        return expired or late or (new["event_time"] is not None and self.forgotten(new["kind"], new["event_time"]))

    def _evidence(self, one, explicit):
        return (rank(one["origin"]),) if explicit else (rank(one["origin"]), one["confidence"])

    def _planned(self, one):
        return one["valid_from"] is not None and one["valid_from"] > max(self.now, one["recorded_at"])

    def _overlaps(self, new, one):
        begins = self.since(new) if "recorded_at" in new else new["valid_from"]
        return self._meet(one, self.now if begins is None else begins, new["valid_until"])

    def _meet(self, one, begins, ends):
        """Whether a claim holds at some moment of a stretch of time."""
        over, since = one["valid_until"] is not None and one["valid_until"] <= begins, self.since(one)
        return not over and (ends is None or since is None or since < ends)

    def _outweighs(self, new, one):
        if new["fills"]:
            return rank(new["origin"]) >= rank(one["origin"])
        mine, its = self._evidence(new, explicit=False), self._evidence(one, explicit=False)
        same = folded(new["text"]) == folded(one["text"])
        ends, its_end = new["valid_until"], one["valid_until"]
        as_long = ends is None or (its_end is not None and its_end <= ends)
        return mine > its or (mine == its and same and as_long and self._planned(one))

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

    def _accepted(self, new, ends=(), beside=(), leaving=()):
        row = self._row(new, pinned=new["origin"] not in UNTRUSTED and any(one["pinned"] for one in ends))
        changes = [(row["id"], "born"), *(self._ends(one, row) for one in dict.fromkeys(one["id"] for one in ends))]
        beside = [one for one in beside if not self.agree(one, row)]
        changes += [self.disputes(one["id"], row["id"]) for one in beside]
        changes += [self._retired(one) for one in leaving]
        action = "supersede" if ends else "conflict" if beside else "merge" if leaving else "add"
        if ends or beside or leaving or new["source"]:
            self.replaces(action, new["owner"], changes, source=new["source"])
        return row["id"], "accept", ends[0]["id"] if ends else None

    def _deferred(self, new, against):
        row = self._row(new, review="pending")
        against = dict.fromkeys(one["id"] for one in against if not self.agree(one, row))
        pairs = [self.disputes(one, row["id"]) for one in against]
        action = "conflict" if pairs else "add"
        self.record(action, new["owner"], [(row["id"], "born"), *pairs], source=new["source"])
        return row["id"], "defer", None

    def _merge(self, new, into, ends, leaving):
        changes, ends = [self._retired(one) for one in leaving], [one for one in ends if one is not into]
        strong = rank(new["origin"]) >= rank(into["origin"]) and new["confidence"] >= _BARS.get(new["kind"], 0.0)
        if strong:
            changes += [self.disputes(one, into["id"]) for one in self._met(new, into, ends)]
            changes.append(self._said_again(new, into))
        begins = self.now if into["valid_from"] is None else max(self.now, into["valid_from"])
        changes += [self._ends(one, into, begins=begins) for one in dict.fromkeys(one["id"] for one in ends)]
        origin = new["origin"] if strong and rank(new["origin"]) > rank(into["origin"]) else into["origin"]
        if origin not in UNTRUSTED and any(one["pinned"] for one in ends):
            changes.append(self.sets(into["id"], **({"pinned": True} if strong else self.pinned(into))))
        self.replaces("merge", new["owner"], changes, source=new["source"])
        return into["id"], "merge", ends[0]["id"] if ends else None

    def _one_of_two(self, older, younger, back):
        """What becomes of two rows with the same words, of which an undo brought one back."""
        said, kept = (
            younger | {"valid_from": self._given_begin(younger)},
            [one for one in (older, younger) if self.beside(one)],
        )
        if len(kept) == 2:
            return self._merged_by_return(said, older) if self._repeats(said, older) else []
        if not kept:
            return [self._retired(younger)] if self._says_so(said, older) else []
        [shown], [waits] = kept, [one for one in (older, younger) if one not in kept]
        if back is waits:
            said = waits | {"valid_from": self._given_begin(waits)}
            return [self._retired(waits)] if self._repeats(said, shown) else []
        slots = [None if one["slot"] is None else folded(one["slot"]) for one in (shown, waits)]
        settled = slots[0] == slots[1] and self._says_so(shown | {"valid_from": self._given_begin(shown)}, waits)
        return [self._retired(waits)] if shown["origin"] == "user" and settled else []

    def _repeats(self, said, one):
        return self._says_so(said, one) and (said["valid_from"] is not None or not self._planned(one))

    def _merged_by_return(self, said, into):
        changes, strong = [self._retired(said)], rank(said["origin"]) >= rank(into["origin"])
        if strong:
            changes.append(self._said_again(said, into))
        if said["pinned"] and not into["pinned"]:
            changes.append(self.sets(into["id"], **({"pinned": True} if strong else self.pinned(into))))
        return changes

    def _retired(self, one):
        return self.sets(one["id"], ended_at=self.now, ending="retired")

    def _said_again(self, new, into):
        """What a row becomes that a text repeats."""
        columns = self.used(into)
        if rank(new["origin"]) > rank(into["origin"]):
            columns["origin"] = new["origin"]
        if into["expires_at"] is not None and (new["expires_at"] is None or new["expires_at"] > into["expires_at"]):
            columns["expires_at"] = new["expires_at"]
        if new["kind"] in CLAIMS:
            columns["confidence"] = max(new["confidence"], into["confidence"])
        happened = self.now if new["event_time"] is None else new["event_time"]
        if self.days is not None and new["kind"] in CLAIMS:
            columns["event_time"] = max(happened, into["event_time"])
        if self._lifts(new, into):
            columns |= {"valid_until": None, "closed_at": None, "superseded_by": None}
        elif new["kind"] in CLAIMS and new["valid_until"] is None and self.behind(into) is not None:
            columns["closed_at"] = into["closed_at"] + 1  # tells an open end behind the plan from another
        return self.sets(into["id"], **(columns | new.get("stated", {})))

    def _ends(self, old_id, new, begins=None):
        """A claim is superseded: valid until the new one is, but never before it began."""
        old, begins = self.rows[old_id], new["valid_from"] if begins is None else begins
        begins = self.now if begins is None else begins
        if new["valid_from"] is None or new["valid_from"] <= new["recorded_at"]:
            begins = min(begins, self.now)
        ends = begins if old["valid_from"] is None else max(begins, old["valid_from"])
        ends = ends if old["valid_until"] is None else min(ends, old["valid_until"])
        return self.sets(old_id, valid_until=ends, closed_at=self.now, superseded_by=new["id"])

    def set_slot(self, owner, slot, text, **given):
        """`facts.set`: the category of the fact that fills the slot is kept; the same text gets what is given."""
        stated = {name: given[name] for name in ("category", "expires_at") if given.get(name) is not None}
        now = self.in_slot(slot, owner)
        if given.get("category") is None:
            given["category"] = "event" if now is None else self.rows[now]["category"]
        return self.add(owner, text, kind="fact", slot=slot, fills=True, stated=stated, **given)

    def supersede(self, row_id, text, **given):
        row = self._there(row_id)
        if row["kind"] not in CLAIMS:
            raise Refused("InvalidInputError")
        kept = {name: row[name] for name in ("kind", "slot", "category")}
        return self.add(row["owner"], text, supersedes=row_id, must=True, **kept, **given)

    def _there(self, row_id):
        if row_id not in self.rows:
            raise Refused("NotFoundError")
        return self.rows[row_id]
