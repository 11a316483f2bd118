"""The plain model, its rule of what stands on what: no operation goes from under one that was built on it."""

from machine_rows import Rows

__all__ = ["OF_ROW", "Ground", "but_its_end"]

OF_ROW = {"ended_at", "review", "pinned", "access", "base", "last_used", "origin", "expires_at"}
"""The columns that a row has itself, and not the claim that it makes."""


class Ground(Rows):
    """Operations by number, and who stands beside whom: an operation is done at a moment at which others hold."""

    def __init__(self, days=None):
        super().__init__(days)
        self.operations = {}

    def holding(self):
        """The numbers of the operations that hold."""
        return {one["id"] for one in self.operations.values() if one["undone_by"] is None and one["undoes"] is None}

    def built_on(self, root, last):
        """Whether something since was built on an operation, of which `last` is how it was done last."""
        changes = [*last["changes"], *(one for one in root["changes"] if one[1] == "born")]
        goes = {one for one in _came(changes) if self.rows[one]["ending"] is None}
        puts = set(_heirs(changes).values()) | _corrections(changes)[1] | _merged(root["action"], changes)[1]
        if _came(_reversed(changes)):
            puts |= _came(changes)
        if self._is_replaced_since(root, last):
            return True
        since = [self.operations[one] for one in self.holding() - last["beside"] - {root["id"]}]
        return any(goes & self._ground(one) or self._takes_over(one, puts) for one in since)

    def lacks_ground(self, root, undo):
        """Whether what an operation was built on is gone since it was undone, or other things were built instead."""
        changes = _reversed(undo["changes"])
        goes = {one for one in _came(undo["changes"]) if self.rows[one]["ending"] is None}
        puts = (
            set(_heirs(changes).values())
            | _corrections(changes)[1]
            | _merged(root["action"], changes)[1]
            | (_came(undo["changes"]) if _came(changes) else set())
        )
        if self._is_replaced_since(root, undo):
            return True
        came = [self.operations[one] for one in self.holding() - undo["beside"]]
        if any(goes & self._ground(one) or self._takes_over(one, puts) for one in came):
            return True
        went = [self.operations.get(one) for one in undo["beside"] - self.holding() - {root["id"]}]
        went = [self.operations.get(one["undone_by"]) for one in went if one is not None]
        lost = {
            row_id
            for one in [*(self._last(one) for one in came), *(one for one in went if one is not None)]
            for row_id in _came(_reversed(one["changes"]))
        }
        needs = set(_heirs(changes).values()) | _leaned(root["action"], changes)
        return any(not self._seen(one) for one in lost & needs)

    def _is_replaced_since(self, root, last):
        """Whether something took the place of what an update let begin on another day, or gave it back, since."""
        moved = {one for one, columns in _columns(last["changes"]) if "valid_from" in columns}
        since = [self.operations.get(one) for one in (self.holding() ^ last["beside"]) - {root["id"]}]
        changes = [change for one in since if one is not None for change in _columns(self._last(one)["changes"])]
        return root["action"] == "update" and any(one in moved and "superseded_by" in new for one, new in changes)

    def _last(self, root):
        return self.operations.get(root.get("again"), root)

    def _ground(self, root):
        """What an operation needs to be found: what it says again, approves, keeps, or puts in the place of another."""
        changes = self._last(root)["changes"]
        heirs = {new for old, new in _heirs(changes).items() if self.rows[old]["superseded_by"] == new}
        return heirs | _leaned(root["action"], changes)

    def _takes_over(self, root, puts):
        """Whether an operation takes the place of one of some rows, or contradicts it."""
        changes = self._last(root)["changes"]
        over = {old for old in _heirs(changes) if self.rows[old]["superseded_by"] is not None}
        if puts & (over | _corrections(changes)[0] | _merged(root["action"], changes)[0]):
            return True
        pairs = [pair for pair, (before, _) in _pairs(changes) if before is None]
        sides = [(pair[at], pair[1 - at]) for pair in pairs for at in (0, 1)]
        there = [(one, other) for one, other in sides if one in self.rows and other in self.rows]
        return any(one in puts and self._seen(other) for one, other in there)

    def _seen(self, row_id):
        row = self.rows[row_id]
        return row["ending"] is None and row["review"] == "active" and row["superseded_by"] is None


def but_its_end(columns):
    """Some columns of a change, without when and how a row ended."""
    return {name: change for name, change in columns.items() if name not in ("ended_at", "ending")}


def _columns(changes):
    return [(row_id, columns) for row_id, columns in changes if columns != "born"]


def _pairs(changes):
    return [
        (name, change)
        for _, columns in _columns(changes)
        for name, change in columns.items()
        if isinstance(name, tuple)
    ]


def _reversed(changes):
    """Some changes the other way; what was born goes, what goes by an undo was born."""
    turned = [
        (row_id, {name: (after, before) for name, (before, after) in columns.items()})
        for row_id, columns in _columns(changes)
    ]
    return turned + [(row_id, {"ended_at": (None, 0)}) for row_id, columns in changes if columns == "born"]


def _came(changes):
    """The rows that came into the searches."""
    came = {row_id for row_id, columns in changes if columns == "born"}
    for row_id, columns in _columns(changes):
        ended, heir, review = (columns.get(name, (None, None)) for name in ("ended_at", "superseded_by", "review"))
        if (
            (ended[0] is not None and ended[1] is None)
            or (heir[0] is not None and heir[1] is None)
            or review[1] == "active"
        ):
            came.add(row_id)
    return came


def _born(changes):
    born = {row_id for row_id, columns in changes if columns == "born"}
    return born | {one for one, columns in _columns(changes) if columns.get("ended_at", (None, 0))[1] is None}


def _heirs(changes):
    """Who superseded whom: {old: new}."""
    found = {row_id: columns["superseded_by"][1] for row_id, columns in _columns(changes) if "superseded_by" in columns}
    return {old: new for old, new in found.items() if new is not None}


def _corrections(changes):
    """What was corrected, and by what."""
    labelled = {
        row_id for row_id, columns in _columns(changes) if any(str(name).startswith("label") for name in columns)
    }
    return (labelled, _born(changes)) if labelled and _born(changes) else (set(), set())


def _merged(action, changes):
    """What a merge retired, and what holds its text."""
    ended = {one for one, columns in _columns(changes) if columns.get("ended_at", (0, None))[1] is not None}
    if action != "merge" or not ended:
        return set(), set()
    told = {one for one, columns in changes if columns == "born" or not OF_ROW.isdisjoint(columns)}
    return ended, told - ended


def _leaned(action, changes):
    """What is said again, be it by approving or correcting, what a review approves, a decision keeps or is reworded."""
    leaned = {one for one, columns in _columns(changes) if columns.get("review", (None, None))[1] == "active"}
    leaned |= {one for one, columns in _columns(changes) if "access" in columns}
    if action == "update":
        leaned |= {one for one, columns in _columns(changes) if "text" in columns}
    if action == "resolve":
        lost = {one for one, columns in _columns(changes) if columns.get("review", (None, None))[1] == "rejected"}
        leaned |= {one for pair, _ in _pairs(changes) for one in pair} - lost - _heirs(changes).keys()
    return leaned
