"""What comes back: recall over evaluation files, with each step on or off.

    python -m benches.retrieval FILE… [--without STEP]… [--ablation] [--profiles] [--embedder bundled|e5|none]

Each memory is stored as a turn through `Memory.add_many`, each query asked through `Memory.search(limit=20)` with the
shipped defaults. `--distractors FILE` stores the lines of a file once, as shared memories. Prints a table a file:
R@5, R@8, R@10, R@20, nDCG@10, MRR with 95 % bootstrap intervals, each category, the median time of a search whose
vector is there already, and how often all of the evidence stands whole in a context block of so many characters.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benches.evaluation import Question, Store, evaluation_files, fill, read_stores
from benches.metrics import METRICS, interval, scored
from memcore import Memory
from memcore.embedding import checked, open_embedder
from memcore.params import NAMED
from memcore.pipeline.dialogue import last_line, questions
from memcore.pipeline.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcore.searching.result import SearchResult

SWITCHES: dict[str, dict[str, Any]] = {
    "anchor": {"enable_anchor": False},
    "dense": {"enable_dense": False},
    "lexical": {"enable_lexical": False},
    "residual": {"enable_sparse_coding": False},
    "spread": {"enable_spread": False},
    "cooccurrence": {"enable_cooccurrence_boost": False},
    "diversify": {"enable_dpp": False},
    "date": {"weight_date": 0.0},
    "speaker": {"weight_speaker": 0.0},
    "session": {"weight_session": 0.0},
    "question": {"weight_question": 0.0},
    "expansion": {"enable_expansion": False},
    "answer": {"weight_answer": 0.0},
    "length": {"weight_length": 0.0},
    "window": {"weight_window": 0.0},
    "dialogue": {"dialogue_last_line": 0.0, "dialogue_dense_weight": 0.4},
    "parts": {"fusion_parts": 0.0},
}
ADDED: dict[str, dict[str, Any]] = {"topics": {"enable_nmf": True}}
"""What is off as shipped: the ablation switches it on alone."""
TODAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""When all of it happens, so that another day prints the same; what has no date of its own is of this one."""
LIMIT = 20
BUDGETS = (600, 1200, 1500, 2400)
"""Characters of the context block."""


@dataclass(slots=True)
class Asked:
    """One question's ranking and how long it took, in milliseconds."""

    question: Question
    ranking: list[str]
    milliseconds: float
    answerable: tuple[bool, ...] = ()
    """Whether all of the evidence stands whole in the block of each budget."""

    @property
    def scores(self) -> tuple[float, ...]:
        return scored(self.ranking, self.question.evidence)


class Remembering:
    """An embedder that embeds a query once for all runs, so that the time of a search is not the embedder's."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.name, self.dimension = embedder.name, embedder.dimension
        self._known: dict[str, Any] = {}

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        if not query:
            return self._embedder.embed(texts)
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            self._known |= zip(fresh, self._embedder.embed(fresh, query=True), strict=True)
        return np.array([self._known[text] for text in texts])


class Bench:
    """The stores of one file in one database, ready to be asked."""

    def __init__(self, path: Path, embedder: str, distractors: Path | None, folder: Path) -> None:
        self.stores = list(read_stores(path))
        found = open_embedder(embedder)
        self._embedder = None if found is None else Remembering(checked(found))
        database = folder / f"{path.stem}.db"
        self.memory = Memory(database, embedder=self._embedder or "none", durability="relaxed", clock=lambda: TODAY)
        started = time.perf_counter()
        if distractors is not None:
            lines = [line for line in distractors.read_text(encoding="utf-8").splitlines() if line.strip()]
            self.memory.add_many([{"content": line, "kind": "turn"} for line in lines])
        self.names: dict[int, str] = {}
        for store in self.stores:
            self.names |= fill(self.memory, store)
        self.filling = time.perf_counter() - started

    def ask(self, params: dict[str, Any], *, blocks: bool = False) -> list[Asked]:
        return [self._one(store, question, params, blocks) for store in self.stores for question in store.questions]

    def search(self, text: str, store: Store, *, limit: int, params: dict[str, Any] | None = None) -> SearchResult:
        """The hits of a text in a store."""
        return self.memory.search(text, user_id=store.name, limit=limit, params=params)

    def _one(self, store: Store, question: Question, params: dict[str, Any], blocks: bool) -> Asked:
        if self._embedder is not None:
            last = last_line(question.text)
            parts = questions(question.text) if last is None else (last,)
            self._embedder.embed([question.text, *parts], query=True)
        started = time.perf_counter()
        hits = self.search(question.text, store, limit=LIMIT, params=params)
        took = (time.perf_counter() - started) * 1_000.0
        given = zip(store.names, store.items, strict=True)
        texts = [quoted(item["content"]) for name, item in given if name in question.evidence]
        shown = [hits.context(budget) for budget in BUDGETS] if blocks else []
        whole = tuple(all(text in block for text in texts) for block in shown)
        return Asked(question, [self.names.get(hit.id, "") for hit in hits], took, whole)


def distractors_of(path: Path) -> Path | None:
    """The lines that stand beside small stores, where a file has such."""
    beside = path.with_name("zh-distractors.txt")
    return beside if path.name.startswith("memdaily") and beside.exists() else None


def reported(asked: list[Asked]) -> list[Asked]:
    """Adversarial questions (category 5) are reported apart."""
    return [one for one in asked if not one.question.category.startswith("5")]


def print_table(label: str, asked: list[Asked]) -> None:
    values = np.array([one.scores for one in asked])
    cells = []
    for column, name in enumerate(METRICS):
        low, high = interval(values[:, column])
        cells.append(f"{name} {values[:, column].mean():.3f} [{low:.3f}, {high:.3f}]")
    median = float(np.median([one.milliseconds for one in asked]))
    print(f"  {label:<20} {len(asked):>5}  {'  '.join(cells)}  {median:6.2f} ms", flush=True)


def print_answerable(asked: list[Asked]) -> None:
    """The share of questions whose evidence stands whole in the context block, by its budget."""
    shares = np.array([one.answerable for one in asked]).mean(axis=0).tolist()
    slow = float(np.quantile([one.milliseconds for one in asked], 0.95))
    cells = "  ".join(f"{budget} {share:.3f}" for budget, share in zip(BUDGETS, shares, strict=True))
    print(f"  answerable@characters       {cells}  95th percentile {slow:.1f} ms", flush=True)


def print_categories(asked: list[Asked]) -> None:
    categories = sorted({one.question.category for one in asked})
    if len(categories) > 1:
        for category in categories:
            print_table(category, [one for one in asked if one.question.category == category])


def print_difference(label: str, full: list[Asked], other: list[Asked]) -> None:
    """What switching something off costs, paired by question, and how many result lists it changes."""
    delta = np.array(
        [[a - b for a, b in zip(x.scores, y.scores, strict=True)] for x, y in zip(full, other, strict=True)]
    )
    changed = np.mean([x.ranking != y.ranking for x, y in zip(full, other, strict=True)])
    top = np.mean([x.ranking[:8] != y.ranking[:8] for x, y in zip(full, other, strict=True)])
    cells = []
    for column, name in enumerate(METRICS):
        low, high = interval(delta[:, column])
        cells.append(f"{name} {delta[:, column].mean():+.4f} [{low:+.4f}, {high:+.4f}]")
    print(f"  with {label:<13} gives  {'  '.join(cells)}  lists changed {changed:.1%} (first 8: {top:.1%})", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.retrieval", description=__doc__.split("\n")[0])
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        default=evaluation_files(),
        help="evaluation files, by default those of MEMCORE_EVALUATION",
    )
    parser.add_argument("--without", action="append", default=[], choices=sorted(SWITCHES), metavar="STEP")
    parser.add_argument("--ablation", action="store_true", help="switch every step and signal off alone, or on")
    parser.add_argument("--profiles", action="store_true", help="only the named profiles, a row each, beside `shipped`")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter, as JSON")
    parser.add_argument("--embedder", default="bundled", choices=["bundled", "e5", "none"])
    parser.add_argument("--distractors", type=Path, help="lines to store once, as shared memories")
    found = parser.parse_args()
    if not found.files:
        parser.error("give evaluation files, or their folder in MEMCORE_EVALUATION")
    return found


def main() -> int:
    given = arguments()
    import json

    base: dict[str, Any] = {key: json.loads(value) for key, _, value in (one.partition("=") for one in given.set)}
    for step in given.without:
        base |= SWITCHES[step]
    with tempfile.TemporaryDirectory() as folder:
        for path in given.files:
            bench = Bench(path, given.embedder, given.distractors or distractors_of(path), Path(folder))
            print(
                f"{path.name}: {len(bench.names)} memories stored in {bench.filling:.1f} s, embedder {given.embedder}"
            )
            if given.profiles:
                for name, profile in {"shipped": {}, **NAMED}.items():
                    print_table(name, reported(bench.ask({**profile, **base})))
                bench.memory.close()
                continue
            asked = bench.ask(base, blocks=True)
            full = reported(asked)
            print_table("all but category 5" if len(full) < len(asked) else "all", full)
            if len(full) < len(asked):
                print_table("with category 5", asked)
            print_answerable(full)
            print_categories(asked)
            if given.ablation:
                for name, switch in SWITCHES.items():
                    print_difference(name, full, reported(bench.ask(base | switch)))
                for name, switch in ADDED.items():
                    print_difference(name, reported(bench.ask(base | switch)), full)
            bench.memory.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
