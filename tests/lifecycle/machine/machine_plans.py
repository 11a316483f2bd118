"""The plain model, its plans: what is taken out before it began gives back the time that it was to take."""

from machine_erased import Erased
from machine_log import Refused, extend
from machine_rows import folded, rank

__all__ = ["Plans"]

_END = ("valid_until", "closed_at", "superseded_by")


class Plans(Erased):
    """Rows, operations, the calls that add a text, and what becomes of the rest when a plan is called off."""

    def __init__(self, days=None):
        super().__init__(days)
        self._regained = {}

    def taken_out(self, row_id, **columns):
        """The changes by which a row goes out, and what it was to follow gets its time back."""
        changes = [self.sets(row_id, **columns)]
        back = [self.sets(one, **end) for one, end, _ in self._called_off({row_id})]
        changes += [change for change in back if change[1]]
        return [*changes, *(self.contradictions(changes) if back else [])]

    def replaces(self, action, owner, changes, *, source=None):
        """Records what takes the place of others: a plan that never comes to hold by that gives its time back too."""
        operation = self.record(action, owner, changes, source=source)
        told = {} if operation is None else {one for one, columns in changes if "superseded_by" in columns}
        void = {one for one in told if self._is_plan(self.rows[one]) and _is_void(self.rows[one])}
        back = [self.sets(one, **end) for one, end, _ in self._called_off(void)] if void else []
        for row_id, columns in [*back, *self.contradictions(back)]:
            if self._change((row_id, columns)):
                cells = [name if isinstance(name, tuple) else (row_id, name) for name in columns]
                for cell in [one for one in cells if self.on.get(one, [])[-1:] != [operation["id"]]]:
                    self.on.setdefault(cell, []).append(operation["id"])
                extend(operation["changes"], row_id, columns)

    def refuse_void(self, changes):
        """Refuses to let a claim end by what was to follow it and was called off since."""
        become = {}
        for row_id, columns in changes:
            new = {} if columns == "born" else {name: after for name, (_, after) in columns.items()}
            become[row_id] = become.get(row_id, self.rows.get(row_id, {})) | new
        there = self.rows | become
        for row in [one for one in there.values() if one.get("superseded_by") in self.rows]:
            heir, begins = there[row["superseded_by"]], there[row["superseded_by"]]["valid_from"]
            told = any(
                name == "superseded_by" for one, new in changes if one == row["id"] and new != "born" for name in new
            )
            corrected = self.denied(self.rows[row["id"]]) and self.rows[row["id"]]["ended_at"] is None
            if not (told or heir["id"] in become) or corrected:
                continue
            if begins is not None and begins > max(self.now, heir["recorded_at"]):
                void = heir["superseded_by"] is not None and heir["valid_until"] <= begins
                if void or heir["ended_at"] is not None:
                    raise Refused("UndoRefusedError")

    def erased(self, gone):
        """Forgets rows for good; what those that had not begun were to follow gets its time back, by no operation."""
        called_off, told = self._called_off(set(gone)), self.sources_of(gone)
        followed = self.unplanned(gone)
        for row_id, _, plans in called_off:
            self._forget_plans(row_id, plans)
        for one in gone:
            self.forget(one)
        changes = [self.sets(row_id, **end) for row_id, end, _ in called_off]
        for change in [*changes, *self.contradictions(changes)]:
            self._change(change)
        self.note_heirs(followed)
        self.forget_sources(told)

    def move_event(self, row_id, event):
        """What begins with its event, which lies ahead, begins when that is by now; what it is to follow ends then."""
        row = self._there(row_id)
        begins, until = row["valid_from"], row["valid_until"]
        if event <= self.now or (until is not None and until <= event):
            raise Refused("InvalidInputError")
        if event == row["event_time"]:
            return
        if _is_void(row):
            raise Refused("InvalidInputError")
        between = sorted((begins, event))
        called_off = [one for one in self.rows.values() if one["superseded_by"] == row_id and _is_void(one)]
        called_off = [one for one in called_off if one["ended_at"] is None and not self.denied(one)]
        for one in [*self._slot_mates(row), *(called_off if row.get("slot") else [])]:
            passed = one["valid_from"] is not None and between[0] <= one["valid_from"] <= between[1]
            if passed and one is not row and self._is_plan(one):
                raise Refused("InvalidInputError")
        changes = [self.sets(row_id, event_time=event), self.sets(row_id, valid_from=event)]
        for one in self.rows.values():
            if one["superseded_by"] == row_id and one["valid_until"] == begins:
                ends = min(event, self.without_plans(one) or event)
                ends = ends if one["valid_from"] is None else max(ends, one["valid_from"])
                changes.append(self.sets(one["id"], valid_until=ends))
        self.record("update", row["owner"], [*changes, *self.contradictions(changes)])

    def _called_off(self, gone):
        """(id, its end from now on, the plans that are to do with it no more) of each row that gets its time back."""
        plans = [self.rows[one] for one in sorted(gone) if self._is_plan(self.rows[one])]
        followed, again, self._regained = [], [], {}
        looked_at = {one["id"] for one in plans}
        while plans:
            nearer = self._followers(plans, gone)
            followed += nearer
            for row, plan in nearer:
                self._regained[row["id"]] = row | self._end_without(row, plan, gone)[0]
            known = [row["id"] for row, _ in followed] + [row["id"] for row, _ in again]
            fresh = self._called_off_again(known, gone)
            for row, backs in fresh:
                self._regained[row["id"]] = row | self._end_again(row, backs, gone)
            again += fresh
            become = [self._regained[row["id"]] for row, _ in [*fresh, *nearer]]
            plans = [one for one in become if _is_void(one) and self._is_plan(one) and one["id"] not in looked_at]
            looked_at |= {one["id"] for one in plans}
        found = []
        for row, plan in followed:
            end, over = self._end_without(row, plan, gone)
            self._regained[row["id"]] = row | end
            if any(row[name] != end[name] for name in ("valid_until", "superseded_by")):
                found.append((row["id"], end, over))
        for row, backs in again:
            end = self._end_again(row, backs, gone)
            self._regained[row["id"]] = row | end
            if any(row[name] != end[name] for name in ("valid_until", "superseded_by")):
                found.append((row["id"], end, []))
        return found

    def _followers(self, plans, gone):
        """(row, the plan that was to follow it) of plans that go; a plan that was corrected goes with them."""
        followed = []
        while plans:
            plan = plans.pop(0)
            for row in [one for one in self.rows.values() if one["superseded_by"] == plan["id"]]:
                if row["id"] in gone or (row["valid_until"] is not None and row["valid_until"] <= self.now):
                    continue
                if self.denied(row) and row["ended_at"] is None and self._is_plan(row):
                    gone.add(row["id"])  # what it was to follow comes back instead
                    plans.append(row)
                else:
                    followed.append((row, plan))
        return sorted(followed, key=lambda pair: -pair[0]["id"])

    def _called_off_again(self, known, gone):
        """(row, what has its place again) of what stands where a plan comes back that had its place; the last first."""
        found = {}
        for back in list(self._regained.values()):
            if _is_void(back) or not self._is_plan(back):
                continue
            beside = {one for pair in self.pairs if back["id"] in pair for one in pair}
            for one in self.rows.values():
                if one["id"] in (*known, *gone, *beside) or one is self.rows[back["id"]] or _is_void(one):
                    continue
                if back["id"] in self._heirs_before(one) and self.fills(one):
                    found.setdefault(one["id"], []).append(back["id"])
                mate = back.get("slot") is not None and self._beside_it(one, back) and self.fills(one)
                if mate and self._is_plan(one) and self._is_later(back, one):
                    strong = rank(back["origin"]) >= rank(one["origin"])
                    if self._covers(back, one) and strong and not self._led_to(back, one):
                        found.setdefault(one["id"], [])
        return [(self.rows[one], found[one]) for one in sorted(found, reverse=True)]

    def _heirs_before(self, row):
        steps = self._not_taken_back(row)
        return {step[end]["superseded_by"] for step in steps for end in ("old", "new")} - {None}

    def _end_again(self, row, backs, gone):
        """Until when a row holds of which something has the place again, or which is called off again."""
        there = [one for one in map(self._as_it_will_be, backs) if not _is_void(one)]
        bounds = [(_begin(one), one["id"]) for one in there if self._follows(one["id"], row, gone)]
        bounds.append(self._next_plan(row, [], gone))
        first = min((one for one in bounds if one is not None), default=None)
        moment = None if first is None else max(first[0], _begin(row))
        if moment is None or (row["valid_until"] is not None and moment >= row["valid_until"]):
            return {name: row[name] for name in _END}
        return {"valid_until": moment, "closed_at": self.now, "superseded_by": first[1]}

    def _covers(self, one, row):
        """Whether a row holds when another begins, or would if nothing else had taken its place since."""
        until = one["valid_until"] if one["superseded_by"] is None else self.without_plans(one)
        return _begin(one) <= row["valid_from"] and (until is None or until > row["valid_from"])

    def _is_later(self, one, row):
        """Whether a row was set after another; what corrects one has its place."""
        return self._order(one) > self._order(row)

    def _order(self, row):
        old = [one for one in self.rows.values() if one["superseded_by"] == row["id"] and self.denied(one)]
        old = [one for one in old if one["ended_at"] is None or one["ending"] == "wrong"]
        return min([row["id"], *map(self._order, old)])

    def _led_to(self, one, row):
        """Whether a row was to be followed by another, at once or through others, which it did not call off."""
        seen, coming = {one["id"]}, [one]
        for there in coming:
            heirs = {heir for heir, _, _ in self._ends_before(there)} - seen
            seen |= heirs
            coming += [self.rows[heir] for heir in heirs if heir in self.rows]
        return row["id"] in seen - {one["id"]}

    def _is_plan(self, row):
        return row.get("valid_from") is not None and self._planned(row)

    def _end_without(self, row, plan, gone):
        """Until when a row holds without a plan: as before it, but never beyond the next plan that stands."""
        bounds, over = [self._bound(plan, row, gone)], [plan["id"]]
        ends = self._ends_before(row)
        closed_at = row["closed_at"]
        for at, (heir, before, closed) in enumerate(ends):
            if at and heir != over[-1]:
                continue
            lifted, closed_at = closed is not None and closed_at == closed + 1, before["closed_at"]
            end = dict.fromkeys(_END) if lifted else dict(before)
            if lifted:
                break
            other = end["superseded_by"]
            if other is None:
                break
            if self._follows(other, row, gone):
                if self._is_plan(self._as_it_will_be(other)):
                    own = self.without_plans(row)
                    until = self._as_it_will_be(other)["valid_from"]
                    until = until if own is None else min(until, own)
                    end["valid_until"] = max(until, _begin(row))
                break
            over.append(other)
            bounds.append(self._bound(self._as_it_will_be(other), row, gone))
        else:
            end = dict.fromkeys(_END)
        bounds.append(self._next_plan(row, over, gone))
        first = min((one for one in bounds if one is not None), default=None)
        if first is None or (end["valid_until"] is not None and end["valid_until"] <= first[0]):
            return end, over
        moment = first[0] if row["valid_from"] is None else max(first[0], row["valid_from"])
        closed_at = row["closed_at"] if moment == row["valid_until"] else self.now
        return {"valid_until": moment, "closed_at": closed_at, "superseded_by": first[1]}, []

    def _next_plan(self, row, over, gone):
        """When the next plan of the slot of a row begins, and which it is; none that stands beside it."""
        if row.get("slot") is None:
            return None
        beside = {one for pair in self.pairs if {row["id"], *over} & set(pair) for one in pair}
        mates = [self._as_it_will_be(one["id"]) for one in self.rows.values() if self._beside_it(one, row)]
        covers = [
            (max(_begin(one), 0), one["id"])
            for one in mates
            if self._is_plan(row) and self._is_later(one, row) and self.fills(one) and self._covers(one, row)
            and one["id"] not in beside and rank(one["origin"]) >= rank(row["origin"])
            and self._follows(one["id"], row, gone) and not self._led_to(self.rows[one["id"]], row)
        ]  # fmt: skip
        if covers:
            return row["valid_from"], max(covers)[1]
        later = [
            (one["valid_from"], one["id"])
            for one in mates
            if self.fills(one) and self._is_plan(one) and one["valid_from"] > _begin(row) and one["id"] not in beside
            and (self._is_later(one, row) or self._led_to(row, one))
            and rank(one["origin"]) >= rank(row["origin"]) and folded(one["text"]) != folded(row["text"])
            and self._follows(one["id"], row, gone)
        ]  # fmt: skip
        return min(later, default=None)

    def _as_it_will_be(self, row_id):
        """A row with the end that it gets back."""
        return self._regained.get(row_id, self.rows.get(row_id))

    def without_plans(self, row):
        """Until when a row would hold if nothing were planned."""
        end = {name: row[name] for name in _END}
        for heir, before, closed in self._ends_before(row):
            if heir == end["superseded_by"]:
                lifted = closed is not None and end["closed_at"] == closed + 1
                end = dict.fromkeys(_END) if lifted else before
        return end["valid_until"] if end["superseded_by"] is None else None

    def _ends_before(self, row):
        """(heir, the end before it came, when) of each time that a row came to be superseded, the last one first."""
        return [
            (step["new"]["superseded_by"], step["old"], step["new"]["closed_at"])
            for step in reversed(self._not_taken_back(row))
            if step["new"]["superseded_by"] not in (None, step["old"]["superseded_by"])
        ]

    def _not_taken_back(self, row):
        """The changes of a claim, without those that were undone exactly, and without what undid them."""
        steps, left_out = self._steps(row), set()
        for step in steps:
            undo = self.operations[step["number"]]["undone_by"]
            for other in [one for one in steps if one["number"] == undo]:
                if (other["old"], other["new"]) == (step["new"], step["old"]):
                    left_out |= {step["number"], undo}
        return [step for step in steps if step["number"] not in left_out]

    def _bound(self, plan, row, gone):
        """From when on something else has the place of a plan, and what; None where nothing stands there."""
        while plan is not None and plan["superseded_by"] is not None:
            heir = self._as_it_will_be(plan["superseded_by"])
            if heir is None or not (heir["id"] in gone or _is_void(heir)):
                break
            plan = heir
        if plan is None or plan["superseded_by"] is None or not self._follows(plan["superseded_by"], row, gone):
            return None
        heir = self._as_it_will_be(plan["superseded_by"])
        met = any(set(pair) == {heir["id"], row["id"]} for pair in self.pairs)
        if met or (heir["valid_until"] is not None and heir["valid_until"] <= _begin(row)):
            return None
        begins = self.now if heir["valid_from"] is None else heir["valid_from"]
        begins = begins if begins > heir["recorded_at"] else min(begins, self.now)
        return min(plan["valid_until"], begins), heir["id"]

    def _follows(self, row_id, row, gone):
        """Whether a row is there to follow another, which does not itself follow it."""
        other = self._as_it_will_be(row_id)
        if other is None or row_id in gone or self.denied(other) or _is_void(other):
            return False
        if other["ended_at"] is not None or other["review"] != "active":
            return False
        while other is not None and other["id"] != row["id"]:
            other = self._as_it_will_be(other["superseded_by"])
        return other is None

    def _forget_plans(self, row_id, plans):
        """Takes out of every operation what plans did to a row."""
        for number, operation in list(self.operations.items()):
            left = [change for change in operation["changes"] if not self._is_about(change, row_id, plans)]
            if len(left) == len(operation["changes"]):
                continue
            for name in _END:
                cell = (row_id, name)
                self.on[cell] = [one for one in self.on.get(cell, []) if one != number]
            operation["changes"], operation["lost"] = left, True
            if not left:
                del self.operations[number]

    @staticmethod
    def _is_about(change, row_id, plans):
        named = () if change[1] == "born" or change[0] != row_id else change[1].get("superseded_by", ())
        return any(one in plans for one in named)


def _begin(row):
    """From when on a row holds, before everything where it always did."""
    return -(10**18) if row["valid_from"] is None else row["valid_from"]


def _is_void(row):
    """Whether something else has the place of a row before it begins."""
    spans = row["superseded_by"] is not None and None not in (row["valid_from"], row["valid_until"])
    return spans and row["valid_until"] <= row["valid_from"]
