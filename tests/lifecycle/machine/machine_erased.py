"""The plain model, what a delete leaves of others: their operations, without the plans that went and their sources."""

from machine_ground import OF_ROW
from machine_rows import CLAIMS
from machine_writing import Writing

__all__ = ["Erased"]

_END = ("valid_until", "closed_at", "superseded_by")


class Erased(Writing):
    """Rows, operations, the calls that add a text, and operations without what goes for good."""

    # sources

    def sources_of(self, gone):
        """(owner, source) of what goes, and of the operations that it was changed by."""
        owners = {self.rows[one]["owner"] for one in gone}
        told = {self.rows[one]["source"] for one in gone}
        for one in gone:
            told |= {operation["source"] for operation in self.history(one)}
        return {(owner, source) for owner in owners for source in told if source is not None}

    def forget_sources(self, told):
        """Takes a source out of the operations once nothing that it brought, or said again, is there."""
        for owner, source in told:
            own = [one for one in self.operations.values() if (one["owner"], one["source"]) == (owner, source)]
            brought = any(self._brought(change) for one in own for change in one["changes"])
            carried = any((row["owner"], row["source"]) == (owner, source) for row in self.rows.values())
            for one in own if not (brought or carried) else ():
                one["source"] = None

    @staticmethod
    def _brought(change):
        _, columns = change
        return columns == "born" or (not OF_ROW.isdisjoint(columns) and columns.get("ending", (0, None))[1] is None)

    # plans

    def unplanned(self, gone):
        """Others' operations have the end that a claim had without a plan which goes, and which it never came to.

        What is given: (id, its end without, the operations by which others took the place of what goes).
        """
        begin = {one: self.rows[one].get("valid_from") for one in gone}
        begin = {one: at for one, at in begin.items() if at is not None and at > self.rows[one]["recorded_at"]}
        heirs, followed, changed = {}, [], set()
        for number, operation in self.operations.items():
            for row_id, columns in operation["changes"]:
                heir = None if columns == "born" else columns.get("superseded_by", (None, None))[1]
                if row_id in gone and heir is not None:
                    heirs[heir] = number
        for row in [one for one in self.rows.values() if one["kind"] in CLAIMS and one["id"] not in gone]:
            steps = self._steps(row)
            plans = self._never_begun(steps, row, begin)
            without = {}
            written = [step for step in steps if self._is_rewritten(step, plans, without)]
            changed |= {step["number"] for step in written}
            for step in written:
                self._move(step, steps, heirs, gone)
            if plans:
                self._lie_anew(row["id"])
            if row["superseded_by"] in without:
                followed.append((row["id"], without[row["superseded_by"]], heirs))
        self._forget_conflicts(gone, changed)
        return followed

    def _steps(self, row):
        """The changes of a claim, oldest first, each with its whole end from before and after."""
        steps, end = [], {name: row[name] for name in _END}
        for number in sorted(self.operations, reverse=True):
            for change in reversed(self.operations[number]["changes"]):
                if change[0] == row["id"] and change[1] != "born":
                    new = {name: change[1][name][1] if name in change[1] else end[name] for name in _END}
                    end = {name: change[1][name][0] if name in change[1] else new[name] for name in _END}
                    steps.insert(0, {"number": number, "change": change, "old": end, "new": new})
        return steps

    def _never_begun(self, steps, row, begin):
        until = {}
        for step in steps:
            before = step["old"]["superseded_by"]
            if before in begin and before != step["new"]["superseded_by"]:
                at = self.operations[step["number"]]["at"]
                until[before] = max(until.get(before, at), at)
        if row["superseded_by"] in begin:
            until[row["superseded_by"]] = self.now
        return {one for one, moment in until.items() if begin[one] > moment}

    def _is_rewritten(self, step, plans, without):
        """Puts the end without the plans in the place of the one by them; whether the change named one."""
        row_id, columns = step["change"]
        before, after = step["old"]["superseded_by"], step["new"]["superseded_by"]
        closed = [step[one]["closed_at"] for one in ("old", "new")]
        lifts = before == after and None not in closed and closed[1] == closed[0] + 1
        old, new = without.get(before, step["old"]), step["new"]
        if after in plans:
            new = without[after] = dict.fromkeys(_END) if lifts else without.get(after, old)
        step["old"], step["new"] = old, new
        if plans.isdisjoint((before, after)) or set(_END).isdisjoint(columns):
            return False
        left = {name: change for name, change in columns.items() if name not in _END}
        left |= {name: (old[name], new[name]) for name in _END if old[name] != new[name]}
        operation = self.operations[step["number"]]
        at = next(at for at, one in enumerate(operation["changes"]) if one is step["change"])
        step["change"] = (row_id, left)
        operation["changes"][at : at + 1] = [step["change"]] if left else []
        operation["lost"] |= not left
        return True

    def _move(self, step, steps, heirs, gone):
        """A claim ends by what was to follow a plan since that was planned, and not since the plan was called off."""
        since, operation = heirs.get(step["new"]["superseded_by"], step["number"]), self.operations[step["number"]]
        off = any(one in gone and self._takes_out(columns) for one, columns in operation["changes"])
        if not off or operation["undoes"] or operation["undone_by"] or since >= step["number"]:
            return
        if any(one["old"] != one["new"] for one in steps if since <= one["number"] < step["number"]):
            return
        operation["changes"] = [one for one in operation["changes"] if one is not step["change"]]
        operation["lost"] = True
        changed = {name: (step["old"][name], step["new"][name]) for name in _END}
        changed = {name: change for name, change in changed.items() if change[0] != change[1]}
        self.operations[since]["changes"].append((step["change"][0], changed))

    @staticmethod
    def _takes_out(columns):
        told = {} if columns == "born" else columns
        ending, review = (told.get(name, (None, None))[1] for name in ("ending", "review"))
        return ending is not None or review == "rejected"

    def _lie_anew(self, row_id):
        """Which operations lie on the end of a claim, after they were rewritten."""
        roots = [one for one in self.operations.values() if one["undoes"] is None]
        for name in _END:
            cell = (row_id, name)
            lying = sorted(one["id"] for one in roots if one["undone_by"] is None and self._sets(one, cell))
            self.on[cell] = lying
            for one in roots:
                if one["undone_by"] is not None:
                    one["top"][cell] = [number for number in lying if number < one["id"]][-1:]

    def _sets(self, root, cell):
        changes = self.operations.get(root.get("again"), root)["changes"]
        return any(one == cell[0] and columns != "born" and cell[1] in columns for one, columns in changes)

    def _forget_conflicts(self, gone, numbers):
        """The conflicts that came of calling a plan off stay, by no operation."""
        for number in numbers:
            operation = self.operations[number]
            if not any(one in gone and self._is_of_row(columns) for one, columns in operation["changes"]):
                continue
            for change in [one for one in operation["changes"] if one[1] != "born"]:
                for pair in [name for name in change[1] if isinstance(name, tuple)]:
                    if None in change[1][pair]:
                        operation["changes"].remove(change)
                        operation["lost"] = True
                        self.on[pair] = [one for one in self.on.get(pair, []) if one != number]

    @staticmethod
    def _is_of_row(columns):
        return columns == "born" or not {*OF_ROW, "review", "text", "event_time"}.isdisjoint(columns)

    def note_heirs(self, followed):
        """A claim that ends by what was to follow a plan does so by the operation that put that in its place."""
        for row_id, without, heirs in followed:
            row = self.rows[row_id]
            number = heirs.get(row["superseded_by"])
            changed = {name: (without[name], row[name]) for name in _END if without[name] != row[name]}
            if row["superseded_by"] is None or not changed:
                continue
            if number in self.operations:
                self.operations[number]["changes"].append((row_id, changed))
                self._lie_anew(row_id)
            elif number is None and "superseded_by" in changed:
                self.record("supersede", row["owner"], [(row_id, changed)])
