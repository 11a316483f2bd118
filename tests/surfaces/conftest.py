"""A memory that is fed answers and keeps the questions, in the place where the command line opens the real one."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from memcore.kinds import Embed, Kind, Outcome
from memcore.memory import Memory
from memcore.surfaces.cli import main, session


@dataclass(frozen=True)
class FakeHit:
    id: int
    content: str
    score: float = 0.75
    kind: Kind = Kind.TURN
    user_id: str | None = "ana"
    session_id: str | None = None
    speaker: str | None = "Ana"
    event_time: datetime = datetime(2026, 5, 3, tzinfo=UTC)
    importance: float = 5.0
    metadata: dict[str, Any] = field(default_factory=dict)
    source_ref: str | None = None
    signals: dict[str, float] = field(default_factory=lambda: {"vector": 0.62, "lexical": 0.9, "date": 0.0})

    def to_dict(self):
        return {**self.__dict__}


class FakeResult(list):
    conflicts: tuple[Any, ...] = ()
    told = "good"

    @property
    def confidence(self):
        return self.told if self else "none"

    @property
    def sureness(self):
        return SimpleNamespace(probability=0.9 if self else 0.0)

    trace = SimpleNamespace(
        to_dict=lambda: {
            "revision": 7,
            "steps": [
                {"name": "anchor", "enabled": True, "milliseconds": 0.25, "candidates_after": 0, "facts": {"dates": 1}},
                {"name": "topics", "enabled": False, "milliseconds": 0.0, "candidates_after": 0, "facts": None},
            ],
        }
    )

    def explain(self, hit):
        numbers = {"relevance": 0.62, "date": 0.2, "graph": 0.003, "moon": 0.7}
        terms = [SimpleNamespace(name=name, contribution=value) for name, value in numbers.items()]
        tree = {
            "score": hit.score,
            "terms": [{"name": "relevance", "value": 0.62}],
            "reasons": ["it fits", "May, as asked"],
        }
        return SimpleNamespace(to_dict=lambda: tree, terms=terms, matched="words and meaning")


class FakePage(list):
    next_cursor: int | None = None


class FakeMemory:
    """Answers from `hits`, `page` and `error`; every call is kept in `calls` as (method, arguments)."""

    def __init__(self):
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.opened: list[tuple[str, str]] = []
        self.creating = False
        self.hits = FakeResult()
        self.page = FakePage()
        self.error: Exception | None = None
        self.problems: list[str] = []
        self.closed = 0

    def _called(self, method, **arguments):
        self.calls.append((method, arguments))
        if self.error is not None:
            raise self.error

    def finds(self, memory_id, content, **fields):
        """Let searches and lists give this memory from now on."""
        hit = FakeHit(memory_id, content, **fields)
        self.hits.append(hit)
        self.page.append(hit)
        return hit

    def named(self, method):
        return [arguments for name, arguments in self.calls if name == method]

    def add(self, content, **fields):
        self._called("add", content=content, **fields)
        return [
            SimpleNamespace(to_dict=dict, id=1, kind=fields["kind"] or Kind.EVENT, outcome=Outcome.ACCEPT, reason="")
        ]

    def add_many(self, items, *, embed):
        self._called("add_many", items=items, embed=embed)
        first = sum(len(call["items"]) for call in self.named("add_many")[:-1]) + 1
        assert embed is Embed.LATER
        return [
            SimpleNamespace(id=first + position, outcome=Outcome.ACCEPT, reason="") for position in range(len(items))
        ]

    def maintain(self, jobs, *, progress=None):
        self._called("maintain", jobs=jobs)
        progress(2, 3)
        report = {"job": jobs[0], "done": 2, "failed": 0, "remaining": 1, "error": None, "run": None}
        return [SimpleNamespace(**report, to_dict=lambda: report)]

    def search(self, query, **options):
        self._called("search", query=query, **options)
        return self.hits

    def context(self, query, **options):
        self._called("context", query=query, **options)
        return "\n".join(hit.content for hit in self.hits)

    def why_not(self, memory_id, query, **options):
        self._called("why_not", id=memory_id, query=query, **options)
        return SimpleNamespace(to_dict=lambda: {"stage": "rank", "place": 12})

    def get(self, memory_id, *, user_id=None):
        self._called("get", id=memory_id, user_id=user_id)
        return FakeHit(memory_id, "Ana moved to Lisbon.")

    def get_all(self, **options):
        self._called("get_all", **options)
        return self.page

    def update(self, memory_id, *, user_id=None, **changes):
        self._called("update", id=memory_id, user_id=user_id, **changes)
        return FakeHit(memory_id, changes.get("content", "as it was"))

    def delete(self, memory_id, *, user_id=None):
        self._called("delete", id=memory_id, user_id=user_id)
        return SimpleNamespace(to_dict=lambda: {"id": memory_id, "removed": {"memory": 1}})

    def stats(self):
        self._called("stats")
        return SimpleNamespace(to_dict=lambda: {"agent_id": "default", "memories": 3, "by_kind": {"turn": 3}})

    def doctor(self):
        self._called("doctor")
        checks = [{"name": "sqlite", "ok": True, "detail": "SQLite 3.53.0"}]
        checks += [{"name": "checksums", "ok": False, "detail": problem} for problem in self.problems]
        return SimpleNamespace(ok=not self.problems, to_dict=lambda: {"ok": not self.problems, "checks": checks})

    def backup(self, path):
        self._called("backup", path=path)
        path.write_bytes(b"1234")

    def close(self):
        self.closed += 1


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def memory(monkeypatch):
    fake = FakeMemory()

    def open_fake(database, *, agent_id, create):
        fake.opened.append((database, agent_id))
        fake.creating = create
        return fake

    monkeypatch.setattr(session, "open_memory", open_fake)
    return fake


@pytest.fixture
def run(capsys, monkeypatch):
    """Run `memcore` with these arguments: the exit code, standard output, standard error."""
    for name in ("MEMCORE_DATABASE", "MEMCORE_AGENT_ID", "MEMCORE_USER_ID"):
        monkeypatch.delenv(name, raising=False)

    def ran(*arguments):
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return ran


@pytest.fixture
def on(run, monkeypatch, tmp_path):
    """Run a command on a real memory (by words alone) with `--json` on one database, and give back its document."""
    monkeypatch.setattr("memcore.memory.Memory", partial(Memory, embedder="none"))

    def document(*arguments):
        ran = run("--db", str(tmp_path / "agent.db"), *arguments, "--json")
        assert ran.code == 0, ran.err
        return json.loads(ran.out)

    return document
