"""What there is (`stats`), and what is well and what is not (`doctor`)."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memcore._core import __version__
from memcore.embedding.local import LocalEmbedder
from memcore.errors import ProviderError
from memcore.storage import integrity, revisions, tasks, vectors, working
from memcore.storage.counting import edge_counts, kind_counts, user_count, vector_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from memcore.embedding import Embedder
    from memcore.mirror.agent import AgentMirror
    from memcore.params import ParamsFile
    from memcore.storage.database import Database
    from memcore.writing.vectors import VectorSource

__all__ = ["Check", "Doctor", "Stats", "doctor", "stats"]

FIRST_SOUND_SQLITE = (3, 51, 3)
SHOWN = 20
"""Rows that a check names."""


@dataclass(frozen=True, slots=True)
class Stats:
    """How much an agent has stored.

    `memories` by kind; `tasks` by state; `working_items` that have not ended. `edges` by type, a mention and a step of
    a session's sequence each once, beside what was related and what was used together (`associative`). `mirror_bytes`
    is what the loaded partitions take in memory.
    """

    agent_id: str
    memories: Mapping[str, int]
    users: int
    tasks: Mapping[str, int]
    working_items: int
    edges: Mapping[str, int]
    vectors: int
    pending_vectors: int
    revision: int
    mirror_bytes: int
    loaded_partitions: int

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: whether it is well, and what was found."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Doctor:
    """Every check. `ok` when all of them are well."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing needs attention."""
        return all(check.ok for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """The checks as plain values."""
        return {"ok": self.ok, "checks": [asdict(check) for check in self.checks]}


def stats(database: Database, agent_id: str, source: VectorSource, mirror: AgentMirror, now: datetime) -> Stats:
    """The numbers of one agent at a moment.

    Raises:
        StorageError: the store cannot be read.
    """
    database.check_usable()
    with mirror.lock, database.read() as connection:
        space = source.stored_space(connection)
        counts = kind_counts(connection, agent_id)
        return Stats(
            agent_id=agent_id,
            memories=counts,
            users=user_count(connection, agent_id),
            tasks=tasks.state_counts(connection, agent_id),
            working_items=working.count(connection, agent_id, now),
            edges=edge_counts(connection, agent_id),
            vectors=0 if space is None else vector_count(connection, agent_id, space.id),
            pending_vectors=0 if source.embedder is None else vectors.count_pending(connection, agent_id, space),
            revision=revisions.latest(connection),
            mirror_bytes=mirror.memory_bytes,
            loaded_partitions=mirror.loaded,
        )


def doctor(database: Database, agent_id: str, source: VectorSource, params: ParamsFile) -> Doctor:
    """All checks; the whole file is read.

    Raises:
        StorageError: the store cannot be read at all.
    """
    return Doctor(
        (
            Check("memcore", ok=True, detail=f"{__version__} on Python {sys.version.split()[0]}"),
            _sqlite(database),
            *_file(database),
            _embedder(database, agent_id, source),
            _parameters(params),
        )
    )


def _parameters(params: ParamsFile) -> Check:
    params.current()
    if params.problem is not None:
        return Check("parameters", ok=False, detail=params.problem)
    if params.path is None or not params.path.exists():
        return Check("parameters", ok=True, detail="the defaults are in use; there is no parameter file")
    return Check("parameters", ok=True, detail=f"{params.path} is in use")


def _sqlite(database: Database) -> Check:
    found = database.sqlite_version
    sound = tuple(int(part) for part in found.split(".")) >= FIRST_SOUND_SQLITE
    detail = f"SQLite {found}"
    if not sound:
        detail += (
            "; versions before 3.51.3 can corrupt a database when two processes write while a WAL file is reset; "
            "install the package pysqlite3, or a newer Python"
        )
    return Check("sqlite", sound, detail)


def _file(database: Database) -> tuple[Check, ...]:
    with database.read() as connection:
        report = integrity.check(connection)
    memories = report.damaged_memories
    vectors_alone = sorted(set(report.damaged_vectors) - set(memories))  # a vector's checksum covers the text as well
    moved = database.why_moved()
    errors = (*report.file_errors, *([] if moved is None else [moved]))
    words = "; ".join(errors) or f"{database.path}: sound"
    damaged = [*_listed("damaged memories", memories), *_listed("damaged vectors of the memories", vectors_alone)]
    rows = "; ".join(damaged) or "every checksum matches"
    if report.unverified_memories:
        rows += f"; {report.unverified_memories} edited by hand and without one"
    return (
        Check("file", not errors, words),
        Check("checksums", not damaged, rows),
    )


def _listed(what: str, ids: Sequence[int]) -> list[str]:
    """A phrase that names the first of these rows and counts the others; none where there are none."""
    if not ids:
        return []
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return [f"{what}: {', '.join(str(one) for one in ids[:SHOWN])}{more}"]


def _embedder(database: Database, agent_id: str, source: VectorSource) -> Check:
    embedder = source.embedder
    if embedder is None:
        return Check("embedder", ok=True, detail="none: search by words and graph alone, or with given vectors")
    try:
        detail = f"{embedder.name}, dimension {embedder.dimension}{_loading(embedder.wrapped)}"
    except ProviderError as error:
        return Check("embedder", ok=False, detail=f"{embedder.name}: {error}")
    with database.read() as connection:
        pending = vectors.count_pending(connection, agent_id, source.stored_space(connection))
    if pending:
        return Check("embedder", ok=False, detail=f"{detail}; {pending} memories wait for a vector: maintain embed")
    return Check("embedder", ok=True, detail=detail)


def _loading(embedder: Embedder) -> str:
    """Whether the model of an embedder is in memory, where it is one that is loaded here; else nothing."""
    if not isinstance(embedder, LocalEmbedder):
        return ""
    if embedder.loaded:
        return "; loaded"
    return f"; loads at the first text, which takes {embedder.loading_time}, once a process"
