"""The calls on one store, by the sections in which `Memory` lists them."""

from memcore.calls.facts import FactCalls
from memcore.calls.forgetting import Forgetting
from memcore.calls.living import Living
from memcore.calls.reading import Reading
from memcore.calls.review import ReviewCalls
from memcore.calls.searching import Searching
from memcore.calls.store import OpenStore
from memcore.calls.tasks import TaskCalls
from memcore.calls.tracing import TraceCalls
from memcore.calls.tuning import TuningCalls
from memcore.calls.upkeep import Upkeep
from memcore.calls.working import WorkingCalls
from memcore.calls.writing import Writing

__all__ = ["Sections"]


class Sections:
    """An open store and what can be done with it."""

    def __init__(self, store: OpenStore) -> None:
        self.store = store
        self.writing = Writing(store)
        self.searching = Searching(store)
        self.reading = Reading(store)
        self.upkeep = Upkeep(store)
        self.tasks = TaskCalls(store)
        self.working = WorkingCalls(store)
        self.living = Living(store)
        self.forgetting = Forgetting(store)
        self.facts = FactCalls(store, self.writing)
        self.review = ReviewCalls(store)
        self.traces = TraceCalls(store)
        self.tuning = TuningCalls(store)
