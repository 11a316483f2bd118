"""A model that is loaded at most once a process, by whichever thread needs it first."""

import logging
import threading
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from memcore.embedding.forking import in_each_child
from memcore.errors import ProviderError

__all__ = ["LoadedOnce"]

_Model = TypeVar("_Model")
_logger = logging.getLogger("memcore.embedding")
_instances: "weakref.WeakSet[LoadedOnce[object]]" = weakref.WeakSet()


class LoadedOnce(Generic[_Model]):
    """The model that `load()` makes. Threads that ask while it is being made wait for that one."""

    def __init__(self, name: str, load: Callable[[], _Model]) -> None:
        self._name = name
        self._load = load
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._warming = False
        _instances.add(self)  # type: ignore[arg-type]  # only the lock is touched through the set

    @property
    def ready(self) -> bool:
        """Whether the model is in memory already."""
        return self._model is not None

    def get(self) -> _Model:
        """The model, loaded now if it is not there yet.

        Raises:
            ProviderError: it cannot be loaded. The next call tries again.
        """
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self._load()
        return self._model

    def warm(self) -> None:
        """Start loading in a background thread, unless it is loaded or loading; returns at once."""
        if self._model is not None or self._warming:
            return
        self._warming = True
        threading.Thread(target=self._load_quietly, name=f"memcore-load-{self._name}", daemon=True).start()

    def _load_quietly(self) -> None:
        try:
            self.get()
        except ProviderError as error:  # whoever needs the model gets the same error from `get`
            _logger.warning("%s did not load in the background: %s", self._name, error)
        finally:
            self._warming = False

    def _renew_after_fork(self) -> None:
        """The thread that held the lock does not exist in the child, so the child gets a lock of its own."""
        self._lock = threading.Lock()
        self._warming = False


def _renew_all() -> None:
    for instance in list(_instances):
        instance._renew_after_fork()  # noqa: SLF001  # the class's own registry


in_each_child(_renew_all)
