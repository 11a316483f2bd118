"""The plain model, its operations: what was done, which later one stands on it, and what an undo makes of it.

A change is (id, {column: (before, after)}), of a pair (newer id, {(older id, newer id): (before, after)}), and a birth
(id, "born"). Where an operation holds, its number lies on each of the columns that it changed: only what lies on top
can be taken off, and is put back only where it lay.
"""

import copy

from machine_ground import but_its_end
from machine_known import Known
from machine_rows import one_slot

__all__ = ["Log", "Refused", "extend", "told_of"]

_TRIO = ("strength", "strength_at", "dormant")
_COUNTS = ("access", "base")
_TELLING = (
    "text",
    "expires_at",
    "ended_at",
    "review",
    "superseded_by",
    "valid_from",
    "valid_until",
    "closed_at",
    "event_time",
)
_ASIDE = ("last_used", "pinned")
_LOOSE = (*_TRIO, *_COUNTS, *_ASIDE)
_REVIVE = 0.15


def told_of(change):
    """The ids that a change is about: both sides of a pair."""
    row_id, columns = change
    return {row_id, *(one for name in columns if isinstance(name, tuple) for one in name)}


class Refused(Exception):  # noqa: N818
    """The call is not accepted; its first argument is the name of the error."""


_CAME = {"ended_at", "review", "text", "superseded_by"}


class Log(Known):
    """Rows, and the operations that changed them."""

    def __init__(self, days=None):
        super().__init__(days)
        self.last_operation = 0
        self.on = {}

    def record(self, action, owner, changes, *, source=None, run=None, undoes=None):
        """Does what the changes say and keeps them; the operation, or None where they change nothing."""
        kept = [change for change in changes if self._change(change)]
        if not kept:
            return None
        beside = self.holding()
        self.last_operation += 1
        operation = {
            "id": self.last_operation,
            "action": action,
            "owner": owner,
            "changes": kept,
            "at": self.now,
            "source": source,
            "run": run,
            "undoes": undoes,
            "undone_by": None,
            "lost": False,
            "beside": beside,
        }
        self.operations[self.last_operation] = operation
        if undoes is None:
            operation["top"] = {}
            for cell in _cells(kept):
                self.on.setdefault(cell, []).append(self.last_operation)
        return operation

    def sets(self, row_id, **columns):
        """The change of a row to these columns."""
        row = self.rows[row_id]
        if not {"text", "event_time"}.isdisjoint(columns):  # a search finds the words of both
            columns["tokens"] = self.tokens(row | columns)
        before = {name: row[name] for name in columns}
        if any(name in _TRIO for name in columns):
            before |= {name: row[name] for name in (*_TRIO, "version")}
            after = before | columns
            after["version"] = tuple(after[one] for one in _TRIO)
            columns = after
        return row_id, {name: (before[name], value) for name, value in columns.items() if before[name] != value}

    def disputes(self, older, newer, *, resolved=False):
        """The change of a pair that comes to be in conflict, or is decided on."""
        pair = (min(older, newer), max(older, newer))
        before = self.pairs.get(pair)
        return pair[1], {pair: (before, (before[0], self.now) if resolved else (self.now, None))}

    def _change(self, change):
        row_id, columns = change
        if columns == "born":
            return True
        for name, (_, after) in columns.items():
            if not isinstance(name, tuple):
                self.rows[row_id][name] = after
            elif after is None:
                del self.pairs[name]
            else:
                self.pairs[name] = after
        return bool(columns)

    def history(self, row_id):
        """The operations that changed a row, oldest first."""
        return [one for one in self.operations.values() if any(row_id in told_of(change) for change in one["changes"])]

    def forget(self, row_id):
        """Removes a row with its part of every operation."""
        self.remove(row_id)
        self.on = {cell: numbers for cell, numbers in self.on.items() if row_id != _rows_of(cell)[-1]}
        for number, operation in list(self.operations.items()):
            left = [change for change in operation["changes"] if change[0] != row_id]
            operation["lost"] |= len(left) < len(operation["changes"])
            operation["changes"] = left
            if not left:
                del self.operations[number]

    # taking back

    def undo(self, number):
        """Takes back one operation; the operation that this is."""
        operation = self.operations.get(number)
        if operation is None:
            raise Refused("NotFoundError")
        if operation["undone_by"] is not None:
            raise Refused("UndoRefusedError")
        done = self._take_back(operation)
        if done is None:
            raise Refused("UndoRefusedError")
        return [done]

    def undo_all(self, key, value):
        """Takes back what holds of a source or a run, newest first; all or none."""
        numbers = [one["id"] for one in self.operations.values() if one[key] == value]
        if not numbers:
            raise Refused("NotFoundError")
        before, steps = copy.deepcopy(vars(self)), (self.operations[one] for one in reversed(numbers))
        try:
            done = [self._take_back(one) for one in steps if one["undone_by"] is None]
        except Refused:
            vars(self).update(before)
            raise
        return [one for one in done if one is not None]

    def _take_back(self, operation):
        if operation["action"] != "undo":
            return self._back(operation)
        undone = self.operations.get(operation["undoes"])
        if undone is None:
            raise Refused("UndoRefusedError")
        return self._back(self.operations[undone["undoes"]]) if undone["action"] == "undo" else self._forth(operation)

    def _back(self, root):
        """Takes an operation back; what it did last may be to have been done again."""
        last = self.operations.get(root.get("again"), root)
        born = [one[0] for one in root["changes"] if one[1] == "born"]
        ends = [(one, name) for one in born for name in ("ended_at", "ending")]
        own = [cell for cell in _cells(last["changes"]) if cell in self.on and cell not in ends]
        if any(self.on[cell][-1:] != [root["id"]] for cell in own) or self.built_on(root, last):
            raise Refused("UndoRefusedError")
        changes = self._reversed(last["changes"], born)
        self._refuse_circle(changes)
        self.refuse_void(changes)
        changes += self.contradictions(changes)
        done = self.record("undo", root["owner"], changes, undoes=root["id"])
        if done is None:
            return None
        for cell in own:
            self.on[cell].pop()
            root["top"][cell] = self.on[cell][-1:]
        for cell in root["top"]:
            if cell not in own and self.on.get(cell, [])[-1:] == [root["id"]]:
                self.on[cell].pop()  # a conflict with what was deleted since
        done["ended"] = [change[0] for change in done["changes"] if "ended_at" in change[1] and _born(root, change[0])]
        for one in done["ended"]:
            for name in ("ended_at", "ending"):
                self.on.setdefault((one, name), []).append(("undone", root["id"]))
        for cell in _cells(self._join(done)):
            root["top"].setdefault(cell, self.on.get(cell, [])[-1:])
        root["undone_by"] = last["undone_by"] = done["id"]
        return done

    def _forth(self, undo):
        """Does again what an undo took back."""
        root = self.operations[undo["undoes"]]
        self._refuse_lost(root, undo)
        ended = [(one, name) for one in undo["ended"] if one in self.rows for name in ("ended_at", "ending")]
        ends = [(one, name) for one in _ending(undo["changes"]) for name in ("ended_at", "ending")]
        own = [cell for cell in _cells(undo["changes"]) if cell not in (*ended, *ends)]
        gone = [cell for cell in own if any(one not in self.rows for one in _rows_of(cell))]
        if any(columns.get(cell, (None, 0))[1] is None for cell in gone for _, columns in undo["changes"]):
            raise Refused("UndoRefusedError")
        own = [cell for cell in own if cell not in gone]
        for cell in own:
            if self.on.get(cell, [])[-1:] != root["top"].get(cell, []):
                raise Refused("UndoRefusedError")
        if any(self.on[cell][-1] != ("undone", root["id"]) for cell in ended) or self.lacks_ground(root, undo):
            raise Refused("UndoRefusedError")
        changes = self._reversed(undo["changes"], [])
        self._refuse_circle(changes)
        self.refuse_void(changes)
        changes += self.contradictions(changes)
        done = self.record("undo", root["owner"], changes, undoes=undo["id"])
        if done is None:
            return None
        for cell in ended:
            self.on[cell].pop()
        brought = [cell for cell in _cells(done["changes"]) if len(_rows_of(cell)) == 2 and cell not in own]
        self._lie_on(root, [*own, *brought, *(cell for cell in ends if cell in _cells(done["changes"]))])
        for cell in root["top"]:
            if cell in self.on and not all(one in self.rows for one in _rows_of(cell)):
                self.on[cell].append(root["id"])  # a conflict with what was deleted
        before = set(_cells(done["changes"]))
        self._lie_on(root, [cell for cell in _cells(self._join(done)) if cell not in (*own, *before)])
        undo["undone_by"], root["undone_by"], root["again"] = done["id"], None, done["id"]
        return done

    def _lie_on(self, root, cells):
        for cell in cells:
            self.on.setdefault(cell, []).append(root["id"])

    def _join(self, undo):
        """What comes back by an undo and what says the same become one; the changes of that, which are now its own."""
        undone = self.operations.get(undo["undoes"])
        redone = undone is not None and undone["action"] == "undo"
        told = [(row_id, columns) for row_id, columns in undo["changes"] if columns != "born"]
        back = sorted(one for one, columns in told if _comes_back(columns) or ("text" in columns and not redone))
        first = undone and self.operations.get(undone["undoes"])
        if "merge" in [one["action"] for one in (undone, first) if one]:
            return []
        named, joined = {one for of in (undo, undone) if of for one, _ in of["changes"]}, []
        for row_id in [one for one in dict.fromkeys(back) if self.rows[one]["kind"] != "turn"]:
            for other in [one["id"] for one in self._alike(self.rows[row_id])]:
                pair = [self.rows[one] for one in sorted((row_id, other))]
                since = undone is not None and self._came_since(other, undone)
                if other in named or not since or not all(map(self._counts, pair)):
                    continue
                for change in self._one_of_two(*pair, self.rows[row_id]):
                    if self._change(change):
                        extend(undo["changes"], *change)
                        joined.append(change)
        return joined

    def _came_since(self, row_id, operation):
        """Whether a row was stored, let in or out, or got its words after an operation."""
        before = False
        for other in self.operations.values():
            for one, columns in other["changes"]:
                if one == row_id and other["id"] <= operation["id"]:
                    before = True
                elif one == row_id and (columns == "born" or not _CAME.isdisjoint(columns)):
                    return True
        return not before and self.rows[row_id]["recorded_at"] >= operation["at"]

    def _counts(self, row):
        return self.beside(row) or (self.waits(row) and self.lasts(row))

    def contradictions(self, changes):
        """The conflicts of facts that come back, or get other words, with what fills their slots by then."""
        become = {}
        pairs = [name for _, columns in changes for name in columns if isinstance(name, tuple)]
        for row_id, columns in changes:
            new = {name: after for name, (_, after) in columns.items() if name in _TELLING} if columns != "born" else {}
            if new:
                become[row_id] = become.get(row_id, {}) | new
        changed = {row_id: self.rows[row_id] | new for row_id, new in sorted(become.items())}
        stand = {row_id: row for row_id, row in changed.items() if row.get("slot") and self.fills(row)}
        found = []
        for row_id, after in stand.items():
            met = {one for pair in (*self.pairs, *pairs) if row_id in pair for one in pair}
            mates = [one for one in self._slot_mates(after) if one["id"] not in become]
            later = [one for other, one in stand.items() if other > row_id and self._beside_it(one, after)]
            others = [one for one in (*mates, *later) if one["id"] not in met and self._overlaps(after, one)]
            found += [self.disputes(one["id"], row_id) for one in others if not self.agree(one, after)]
        return found

    def _beside_it(self, one, other):
        return one["owner"] == other["owner"] and one_slot(one, other)

    def _refuse_lost(self, root, last):
        if last["lost"] and root["action"] != "add":
            raise Refused("UndoRefusedError")

    def _refuse_circle(self, changes):
        for row_id, columns in changes:
            named = columns.get("superseded_by", (None, None))[1]
            if self.ends_before(changes) or (named is not None and named not in self.rows):
                raise Refused("UndoRefusedError")
            while named is not None:
                if named == row_id:
                    raise Refused("UndoRefusedError")
                named = self.rows[named]["superseded_by"]

    def _reversed(self, changes, born):
        ends = [
            self.sets(one, ended_at=self.now, ending="retired")
            for one in reversed(born)
            if not self.rows[one]["ending"]
        ]
        for row_id, columns in changes:
            heir = None if columns == "born" else columns.get("superseded_by", (None, None))[1]
            if heir is not None and heir not in self.rows and self.rows[row_id]["superseded_by"] is not None:
                raise Refused("UndoRefusedError")  # what took the place of the deleted has it now
        backs = [self._turned(*change) for change in reversed(changes) if change[1] != "born"]
        keep = [one for one, columns in backs if one not in born or columns.get("ended_at", (0, 0))[0] is not None]
        return ends + [one if one[0] in keep else (one[0], but_its_end(one[1])) for one in backs]

    def _turned(self, row_id, columns):
        """A change the other way; what use changes too only as far as use left it, counts without their share.

        What is out of the searches already is as wanted where the change is to take it out.
        """
        row, turned, ends = self.rows[row_id], {}, _ending([(row_id, columns)])
        for name, (before, after) in columns.items():
            if isinstance(name, tuple):
                if name in self.pairs or after is None:
                    turned[name] = (after, before)
            elif name in _COUNTS:
                turned[name] = (row[name], row[name] - (after - before))
            elif name in ("ended_at", "ending") and before is not None and row[name] is not None and row_id in ends:
                continue
            elif name not in (*_TRIO, "version") and (name not in _ASIDE or row[name] == after):
                turned[name] = (row[name], before)
        if "version" in columns and row["version"] == columns["version"][1]:
            turned |= {name: (row[name], columns[name][0]) for name in (*_TRIO, "version") if name in columns}
            if turned.get("dormant") == (True, False):
                turned |= self._awake(row, {name: after for name, (_, after) in turned.items()})
        if turned.get("ended_at", (0, None))[1] is not None and row["ended_at"] is None:
            turned["ended_at"] = (None, self.now)
        return row_id, {name: change for name, change in turned.items() if change[0] != change[1]}

    def _awake(self, row, columns):
        """A fact that wakes is as strong as waking needs."""
        become = row | columns
        if self.retention(become) >= _REVIVE:
            return {}
        new = {"strength": _REVIVE, "strength_at": max(self.now, become["strength_at"])}
        new["version"] = (*new.values(), become["dormant"])
        return {name: (row[name], value) for name, value in new.items()}


def _comes_back(columns):
    """Whether a row comes into the searches or the queue."""
    ended, heir, review = (columns.get(name, (None, None)) for name in ("ended_at", "superseded_by", "review"))
    came = [old is not None and new is None for old, new in (ended, heir)]
    return any(came) or (review[0] == "rejected" and review[1] != "rejected")


def extend(changes, row_id, columns):
    """A column that was changed already gets another value after; the others are a change of their own."""
    own = [one for number, one in changes if number == row_id and one != "born"]
    rest = {}
    for name, (before, after) in columns.items():
        trio = [one for one in own if name in _TRIO and "version" in one]
        known = [one for one in own if name in one] or trio
        for one in known:
            first = one.pop(name, (before, None))[0]
            one.update({name: (first, after)} if first != after else {})
        if not known:
            rest[name] = (before, after)
    if rest:
        changes.append((row_id, rest))


def _cells(changes):
    """What a later operation must not have changed: columns that use and pins leave alone, and pairs."""
    return [
        name if isinstance(name, tuple) else (row_id, name)
        for row_id, columns in changes
        if columns != "born"
        for name in columns
        if name not in (*_LOOSE, "version")
    ]


def _ending(changes):
    """The memories that are taken out of the searches where the changes are turned."""
    return [one for one, columns in changes if columns != "born" and columns.get("ended_at", (None, 0))[1] is None]


def _rows_of(cell):
    """The memories that a column or a pair is of."""
    return [one for one in cell if isinstance(one, int)]


def _born(operation, row_id):
    return (row_id, "born") in operation["changes"]
