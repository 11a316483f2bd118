"""Long-term memory for AI agents, embedded in a Python process, with its arithmetic in Rust.

>>> from memcore import Memory
>>> with Memory(":memory:", embedder="none") as memory:
...     _ = memory.add("Ana moved to Lisbon in May 2026.", user_id="ana")
...     print(memory.search("Where is Lisbon?", user_id="ana")[0].content)
Ana moved to Lisbon in May 2026.

Importing this package loads neither numpy nor SQLAlchemy; each public name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memcore._core import __version__
    from memcore.compute import (
        Bm25Index,
        CognitiveGraphEngine,
        IntentEngine,
        dpp_greedy,
        fista,
        nmf,
        nnls_project,
        rank_score,
        sq8,
        tokenize,
    )
    from memcore.embedding import OpenAIEmbedder
    from memcore.errors import (
        CorruptDatabaseError,
        DatabaseMovedError,
        DimensionError,
        EmbeddingSpaceError,
        EngineError,
        ForkedError,
        InvalidInputError,
        MemcoreError,
        NewerDatabaseError,
        NotFoundError,
        ParamsError,
        ProviderError,
        StorageBusyError,
        StorageError,
        StorageFullError,
        UndoRefusedError,
    )
    from memcore.kinds import EdgeType, Kind, Origin, TaskState
    from memcore.memory import Memory
    from memcore.params import RetrievalParams
    from memcore.records import Added, AddResult, MemoryRecord, Operation, Page, TaskEvent, TaskRecord, WorkingItem
    from memcore.searching.result import Hit, SearchResult
    from memcore.settings import Settings

_HOMES = {
    "memcore._core": ("__version__",),
    "memcore.compute": (
        "Bm25Index",
        "CognitiveGraphEngine",
        "IntentEngine",
        "dpp_greedy",
        "fista",
        "nmf",
        "nnls_project",
        "rank_score",
        "sq8",
        "tokenize",
    ),
    "memcore.embedding": ("OpenAIEmbedder",),
    "memcore.errors": (
        "CorruptDatabaseError",
        "DatabaseMovedError",
        "DimensionError",
        "EmbeddingSpaceError",
        "EngineError",
        "ForkedError",
        "InvalidInputError",
        "MemcoreError",
        "NewerDatabaseError",
        "NotFoundError",
        "ParamsError",
        "ProviderError",
        "StorageError",
        "StorageBusyError",
        "StorageFullError",
        "UndoRefusedError",
    ),
    "memcore.kinds": ("EdgeType", "Kind", "Origin", "TaskState"),
    "memcore.memory": ("Memory",),
    "memcore.params": ("RetrievalParams",),
    "memcore.records": (
        "AddResult",
        "Added",
        "MemoryRecord",
        "Operation",
        "Page",
        "TaskEvent",
        "TaskRecord",
        "WorkingItem",
    ),
    "memcore.searching.result": ("Hit", "SearchResult"),
    "memcore.settings": ("Settings",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [  # noqa: PLE0604 - the names are listed once, by their homes
    *_HOME_OF
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'memcore' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOME_OF)
