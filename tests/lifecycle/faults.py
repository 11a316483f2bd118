"""Memories with a planted fault each: what a scenario is there to notice."""

from memcore import Memory, UndoRefusedError
from memcore.records import AddResult

__all__ = [
    "DeletesSoftly",
    "ForgetsFeedback",
    "ForgetsOrigin",
    "HearsEverything",
    "IgnoresExpiry",
    "IgnoresKnownAt",
    "IgnoresLayers",
    "IgnoresRetention",
    "IgnoresTime",
    "IgnoresValidity",
    "KeepsNothing",
    "LastOneWins",
    "LosesTheRest",
    "MergesLookalikes",
    "MixesUsers",
    "NeverDecides",
    "NeverFreezes",
    "NeverPins",
    "NeverPurges",
    "NeverRefuses",
    "NeverRetires",
    "NeverSupersedes",
    "NeverTakesBack",
    "PurgesAll",
    "PurgesWithoutStones",
    "StoresVerbatim",
    "TakesBackHalf",
    "TasksDoAnything",
    "WorksWithoutEnd",
    "WorksWithoutSnapshot",
]


class _Facts:
    """The facts of a memory, of which a fault replaces some calls."""

    def __init__(self, real):
        self._real = real

    def __getattr__(self, name):
        return getattr(self._real, name)


class NeverSupersedes(Memory):
    """Setting a slot adds a value and leaves the old one."""

    @property
    def facts(self):
        outer, faulty = self, _Facts(super().facts)

        def set_slot(slot, content, **given):
            return outer.add(content, kind="fact", slot=slot, infer=False, **given)[0]

        faulty.set = set_slot
        return faulty


class LastOneWins(Memory):
    """A second value of a slot silently replaces the first."""

    def add(self, content, **given):
        if given.get("slot") is not None:
            slot = given.pop("slot")
            given.pop("kind")
            given.pop("origin", None)
            return AddResult((self.facts.set(slot, content, **given),))
        return super().add(content, **given)


class StoresVerbatim(Memory):
    """Whatever is said becomes a row."""

    def add(self, content, **given):
        return super().add(content, **(given | {"infer": False}))


class MergesLookalikes(Memory):
    """A text that differs in its digits or a negation only is taken for one that is there."""

    def add(self, content, **given):
        kept = [character for character in content if not character.isdigit() and character != "不"]
        shape = "".join(kept).replace(" not", "")
        for record in self.get_all(user_id=given.get("user_id")):
            there = [character for character in record.content if not character.isdigit() and character != "不"]
            if "".join(there).replace(" not", "") == shape:
                return super().add(record.content, **given)
        return super().add(content, **given)


class IgnoresTime(Memory):
    """A search of the past answers of the present."""

    def search(self, query, **given):
        given.pop("as_of", None)
        return super().search(query, **given)


class IgnoresKnownAt(Memory):
    """What was learned later counts as known before."""

    def search(self, query, **given):
        given.pop("known_at", None)
        return super().search(query, **given)


class IgnoresExpiry(Memory):
    """Nothing expires."""

    def add(self, content, **given):
        given.pop("expires_at", None)
        return super().add(content, **given)


class IgnoresValidity(Memory):
    """A fact holds for ever, whatever was said of its end."""

    def add(self, content, **given):
        given.pop("valid_until", None)
        return super().add(content, **given)


class NeverFreezes(Memory):
    """The sweep does nothing."""

    def maintain(self, jobs=None, **given):
        return [] if jobs == ["sweep"] else super().maintain(jobs, **given)


class NeverPins(Memory):
    """A pin holds nothing."""

    def pin(self, id, **given):  # noqa: A002
        return self.get(id, **given)


class NeverRetires(Memory):
    """Retiring changes nothing."""

    def retire(self, id, **given):  # noqa: A002
        given.pop("reason", None)
        return self.get(id, **given)


class NeverTakesBack(Memory):
    """An undo does nothing."""

    def undo(self, *_selector, **_given):
        return []


class TakesBackHalf(Memory):
    """Of what a source brought only the last is taken back."""

    def undo(self, operation_id=None, *, source_ref=None, **given):
        if source_ref is None:
            return super().undo(operation_id, **given)
        brought = [one for record in self.get_all(user_id="ana") for one in self.history(record.id)]
        return super().undo(max(one.id for one in brought if one.source_ref == source_ref))


class NeverRefuses(Memory):
    """An undo that cannot be is taken as made."""

    def undo(self, *selector, **given):
        try:
            return super().undo(*selector, **given)
        except UndoRefusedError:
            return []


class HearsEverything(Memory):
    """What was said in private is heard in the group."""

    def search(self, query, **given):
        given.pop("channel", None)
        return super().search(query, **given)


class MixesUsers(Memory):
    """A search sees everybody's memories."""

    def search(self, query, **given):
        return super().search(query, **(given | {"user_id": ["ana", "bob"]}))


class DeletesSoftly(Memory):
    """What is deleted is only hidden."""

    def delete(self, id, **given):  # noqa: A002
        return self.retire(id, **given)


class LosesTheRest(Memory):
    """A deletion takes the neighbours with it."""

    def delete(self, id, **given):  # noqa: A002
        for neighbour in (self.get(id).prev_id, self.get(id).next_id):
            if neighbour is not None:
                super().delete(neighbour)
        return super().delete(id, **given)


class NeverPurges(Memory):
    """A purge only counts."""

    def purge_user(self, user_id, *, confirm=None, tombstones=False):
        del confirm
        return super().purge_user(user_id, tombstones=tombstones)


class PurgesAll(Memory):
    """A purge takes the other users too."""

    def purge_user(self, user_id, *, confirm=None, tombstones=False):
        report = super().purge_user(user_id, confirm=confirm, tombstones=tombstones)
        if confirm == user_id:
            super().purge_user("bob", confirm="bob")
        return report


class PurgesWithoutStones(Memory):
    """A purge leaves nothing that keeps an old import out."""

    def purge_user(self, user_id, *, confirm=None, tombstones=False):
        del tombstones
        return super().purge_user(user_id, confirm=confirm)


class ForgetsFeedback(Memory):
    """Nobody listens to what is said of a memory."""

    def feedback(self, id, **given):  # noqa: A002
        del id, given


class ForgetsOrigin(Memory):
    """Whoever says something counts as the user."""

    def add(self, content, **given):
        return super().add(content, **(given | {"origin": "user"}))


class IgnoresLayers(Memory):
    """A layer that is off is on."""

    def __init__(self, *given, settings=None, **named):
        del settings
        super().__init__(*given, **named)


class IgnoresRetention(IgnoresLayers):
    """Everything is kept for ever."""


class KeepsNothing(Memory):
    """A repetition is thrown away with what it repeats."""

    def add(self, content, **given):
        added = super().add(content, **given)
        if added[0].outcome == "merge":
            self.retire(added[0].id)
        return added


class TasksDoAnything(Memory):
    """A task that is done may be started again: the move is taken as made."""

    @property
    def tasks(self):
        faulty, real = _Facts(super().tasks), super().tasks

        def start(task_id, **given):
            return real.get(task_id) if real.get(task_id).state == "done" else real.start(task_id, **given)

        faulty.start = start
        return faulty


class WorksWithoutSnapshot(Memory):
    """Working memory shows what came after the snapshot."""

    @property
    def working(self):
        real = super().working
        faulty = _Facts(real)
        faulty.items = lambda name, **given: real.items(name, **(given | {"before": None}))
        return faulty


class WorksWithoutEnd(Memory):
    """What is in working memory never expires."""

    @property
    def working(self):
        real = super().working
        faulty = _Facts(real)
        faulty.put = lambda name, content, **given: real.put(name, content, **(given | {"ttl": None}))
        return faulty


class NeverDecides(Memory):
    """What a person decides about is taken as decided, and stays as it was."""

    @property
    def review(self):
        outer, faulty = self, _Facts(super().review)
        faulty.approve = lambda id, **_given: outer.get(id)  # noqa: A006
        return faulty
