"""The plain model, its plans: what is taken out before it began gives back the time that it was to take."""

from machine_erased import Erased
from machine_log import Refused

__all__ = ["Plans"]

_END = ("valid_until", "closed_at", "superseded_by")


class Plans(Erased):
    """Rows, operations, the calls that add a text, and what becomes of the rest when a plan is called off."""

    def taken_out(self, row_id, **columns):
        """The changes by which a row goes out, and what it was to follow gets its time back."""
        changes = [self.sets(row_id, **columns)]
        back = [self.sets(one, **end) for one, end, _ in self._called_off({row_id})]
        changes += [change for change in back if change[1]]
        return [*changes, *(self.contradictions(changes) if back else [])]

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
        changes = [self.sets(row_id, event_time=event), self.sets(row_id, valid_from=event)]
        for one in self.rows.values():
            if one["superseded_by"] == row_id and one["valid_until"] == begins:
                ends = min(event, self.without_plans(one) or event)
                ends = ends if one["valid_from"] is None else max(ends, one["valid_from"])
                changes.append(self.sets(one["id"], valid_until=ends))
        self.record("update", row["owner"], [*changes, *self.contradictions(changes)])

    def _called_off(self, gone):
        """(id, its end from now on, the plans that are to do with it no more) of each row that gets its time back."""
        found, plans = [], [self.rows[one] for one in sorted(gone) if self._is_plan(self.rows[one])]
        for plan in plans:
            for row in [one for one in self.rows.values() if one["superseded_by"] == plan["id"]]:
                if row["id"] in gone:
                    continue
                if self._is_plan(row) and self.denied(row):  # corrected: what it was to follow comes back instead
                    gone.add(row["id"])
                    plans.append(row)
                    continue
                end, over = self._end_without(row, plan, gone)
                if end is not None:
                    found.append((row["id"], end, over))
        return found

    def _is_plan(self, row):
        return row.get("valid_from") is not None and self._planned(row)

    def _end_without(self, row, plan, gone):
        """Until when a row holds without a plan: as before it, but never beyond what has the place of the plan."""
        bounds, over = [self._bound(plan, row, gone)], [plan["id"]]
        ends = self._ends_before(row)
        closed_at = row["closed_at"]
        for at, (heir, before, closed) in enumerate(ends):
            if at and heir != over[-1]:
                continue
            lifted, closed_at = closed_at == closed + 1, before["closed_at"]
            end = dict.fromkeys(_END) if lifted else before
            if lifted:
                break
            other = end["superseded_by"]
            if other is None or self._follows(other, row, gone):
                break
            over.append(other)
            bounds.append(self._bound(self.rows.get(other), row, gone))
        else:
            end = dict.fromkeys(_END)
        first = min((one for one in bounds if one is not None), default=None)
        if first is None or (end["valid_until"] is not None and end["valid_until"] <= first[0]):
            return end, over
        moment = first[0] if row["valid_from"] is None else max(first[0], row["valid_from"])
        if moment == row["valid_until"]:
            return None, []
        return {"valid_until": moment, "closed_at": self.now, "superseded_by": first[1]}, []

    def without_plans(self, row):
        """Until when a row would hold if nothing were planned."""
        end = {name: row[name] for name in _END}
        for heir, before, closed in self._ends_before(row):
            if heir == end["superseded_by"]:
                end = dict.fromkeys(_END) if end["closed_at"] == closed + 1 else before
        return end["valid_until"] if end["superseded_by"] is None else None

    def _ends_before(self, row):
        """(heir, the end before it came, when) of each time that a row came to be superseded, the last one first."""
        found = []
        for number in sorted(self.operations, reverse=True):
            for row_id, columns in reversed(self.operations[number]["changes"]):
                named = None if columns == "born" or row_id != row["id"] else columns.get("superseded_by")
                if named is not None and named[1] is not None:
                    end = {name: columns[name][0] if name in columns else row[name] for name in _END}
                    found.append((named[1], end, columns.get("closed_at", (0, -9))[1] or 0))
        return found

    def _bound(self, plan, row, gone):
        """From when on something else has the place of a plan, and what; None where nothing stands there."""
        while plan is not None and plan["superseded_by"] in gone:
            plan = self.rows.get(plan["superseded_by"])
        if plan is None or plan["superseded_by"] is None or not self._follows(plan["superseded_by"], row, gone):
            return None
        return plan["valid_until"], plan["superseded_by"]

    def _follows(self, row_id, row, gone):
        """Whether a row is there to follow another, which does not itself follow it."""
        other = self.rows.get(row_id)
        if other is None or row_id in gone or self.denied(other):
            return False
        if other["ended_at"] is not None or other["review"] != "active":
            return False
        while other is not None and other is not row:
            other = self.rows.get(other["superseded_by"])
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
