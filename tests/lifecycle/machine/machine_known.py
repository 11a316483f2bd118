"""The plain model, what was known at an earlier moment: rows and pairs with every later operation turned back."""

from machine_ground import Ground

__all__ = ["Known"]

_END = {"valid_until": None, "closed_at": None, "superseded_by": None}


class Known(Ground):
    """Rows, and how they were at a moment. What was done by no operation is as it is today."""

    def known(self, row, known_at):
        """Whether a row was recorded at a moment and let in, and is not gone by time since."""
        then = self.then(row, known_at)
        there = row["recorded_at"] <= known_at and (then["review"], then["ended_at"]) == ("active", None)
        return there and not self.expired(row) and not self.forgotten(row["kind"], row["event_time"])

    def then(self, row, known_at):
        """A row as it was at a moment."""
        if known_at is None:
            return row
        then, told = dict(row), set()
        for operation, columns in self._since(known_at, row["id"]):
            if columns == "born":
                then |= {"ended_at": operation["at"], "ending": "retired"}
                continue
            before = {name: old for name, (old, _) in columns.items() if not isinstance(name, tuple)}
            then, told = then | before, told | before.keys()
        later = "closed_at" not in told and then["closed_at"] is not None and then["closed_at"] > known_at
        heir = self.rows.get(then["superseded_by"])
        return then | _END if later and (heir is None or heir["recorded_at"] > known_at) else then

    def pairs_then(self, known_at):
        """The pairs in conflict at a moment that nobody had decided."""
        then = dict(self.pairs)
        for _, columns in self._since(known_at):
            if columns != "born":
                then |= {name: old for name, (old, _) in columns.items() if isinstance(name, tuple)}
        return [
            pair
            for pair, known in then.items()
            if known is not None and known[0] <= known_at and (known[1] is None or known[1] > known_at)
        ]

    def _since(self, known_at, row_id=None):
        """The changes of the operations that were recorded later, newest first."""
        for number in sorted(self.operations, reverse=True):
            operation = self.operations[number]
            for one, columns in reversed(operation["changes"]) if operation["at"] > known_at else ():
                if row_id in (None, one):
                    yield operation, columns
