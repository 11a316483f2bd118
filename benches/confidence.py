"""How far `SearchResult.confidence` can be trusted: questions that a store can answer, and questions of nothing in it.

    python -m benches.confidence FILE… [--embedder bundled|e5|none] [--fit] [--plot FILE.svg]

Asks each store its own questions and the 100 of `questions/off-topic.txt` in its language. Prints, for each file, how
many of each kind are `good` and `none`, and the recall of those that are `good`; then how often what was asked is among
the first eight hits, by the probability that was told. `--fit` fits the coefficients anew on the files under a free
licence (MemoryBank, MADial) and prints them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benches.evaluation import evaluation_files
from benches.plots import reliability_plot
from benches.retrieval import Bench, distractors_of
from memcore.kinds import Confidence
from memcore.params import RetrievalParams
from memcore.pipeline.confidence import Evidence, sureness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OFF_TOPIC = Path(__file__).with_name("questions") / "off-topic.txt"
FREE = ("memorybank", "madial")
STRANGERS = 8
"""Stores of a file that are asked of nothing in them."""
BINS = 10


@dataclass(frozen=True, slots=True)
class Told:
    """One question: what spoke for an answer, and what share of its evidence came back among the first eight."""

    file: str
    kind: str
    found: Evidence
    hits: int
    recall: float

    @property
    def probability(self) -> float:
        return sureness(self.found, RetrievalParams()).probability if self.hits else 0.0

    @property
    def word(self) -> Confidence:
        return sureness(self.found, RetrievalParams()).confidence if self.hits else Confidence.NONE


def off_topic(language: str) -> list[str]:
    """The questions of one language, `zh` or `en`."""
    lines = [line for line in OFF_TOPIC.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [line for line in lines if (line.isascii() or "ö" in line) == (language != "zh")]


def asked(path: Path, embedder: str, folder: Path) -> list[Told]:
    """What each store of a file tells of its own questions, and of those of nothing in it."""
    bench = Bench(path, embedder, distractors_of(path), folder)
    told: list[Told] = []
    language = "zh" if "-zh" in path.stem else "en"
    for place, store in enumerate(bench.stores):
        questions = [(one.text, one.category, one.evidence) for one in store.questions]
        strange: list[tuple[str, str, frozenset[str]]] = [(text, "off", frozenset()) for text in off_topic(language)]
        strange = strange if place < STRANGERS else []
        for text, kind, wanted in (*questions, *strange):
            result = bench.search(text, store, limit=8)
            names = {bench.names.get(hit.id, "") for hit in result}
            share = len(wanted & names) / len(wanted) if wanted else 0.0
            told.append(Told(path.stem, kind, result.sureness.evidence, len(result), share))
    bench.memory.close()
    return told


def report(told: list[Told]) -> None:
    """One row a file and kind of question: how many are `good` and `none`, and the recall of the good."""
    for file in dict.fromkeys(one.file for one in told):
        for label, chosen in (
            ("its own", [x for x in told if x.file == file and x.kind != "off" and not x.kind.startswith("5")]),
            ("category 5", [x for x in told if x.file == file and x.kind.startswith("5")]),
            ("of nothing in it", [x for x in told if x.file == file and x.kind == "off"]),
        ):
            if not chosen:
                continue
            good = [one for one in chosen if one.word is Confidence.GOOD]
            none = sum(one.word is Confidence.NONE for one in chosen) / len(chosen)
            share, recall = len(good) / len(chosen), ""
            if good and label != "of nothing in it":
                recall = f"  R@8 of these {np.mean([one.recall for one in good]):.3f}"
            print(f"  {file:<20} {label:<17} {len(chosen):>5}  none {none:.3f}  good {share:.3f}{recall}", flush=True)


def reliability(told: list[Told]) -> list[tuple[float, float, int]]:
    """By tenths of the probability: its mean, how often something that was asked for came back, of how many."""
    chosen = [one for one in told if not one.kind.startswith("5")]
    probabilities = np.array([one.probability for one in chosen])
    found = np.array([one.recall > 0.0 for one in chosen])
    places = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    return [
        (float(probabilities[places == at].mean()), float(found[places == at].mean()), int((places == at).sum()))
        for at in range(BINS)
        if (places == at).any()
    ]


def fitted(told: list[Told]) -> dict[str, tuple[float, ...]]:
    """The coefficients that fit the files under a free licence best; each file and kind of question weighs the same."""
    free = [one for one in told if one.file.startswith(FREE) and one.hits]
    cases = {
        "coverage and margin": [one for one in free if one.found.coverage is not None and one.found.margin is not None],
        "coverage alone": [one for one in free if one.found.coverage is not None],
        "margin alone": [one for one in free if one.found.margin is not None and one.found.coverage is None]
        + [one for one in free if one.found.margin is not None and one.kind == "off"],
    }
    return {name: _logistic(name, chosen) for name, chosen in cases.items() if chosen}


def _logistic(name: str, chosen: list[Told]) -> tuple[float, ...]:
    coverage = np.array([one.found.coverage or 0.0 for one in chosen]) * (name != "margin alone")
    margin = np.array([one.found.margin or 0.0 for one in chosen]) * (name != "coverage alone")
    known = np.column_stack([np.ones(len(chosen)), coverage, margin])
    answered = np.array([one.recall > 0.0 for one in chosen], float)
    groups = [(one.file, one.kind == "off") for one in chosen]
    weights = np.array([1.0 / groups.count(group) for group in groups])
    return tuple(np.round(_newton(known, answered, weights / weights.sum()), 2).tolist())


def _newton(known: Floats, answered: Floats, weights: Floats) -> Floats:
    """The coefficients of a logistic regression with a little ridge, which keeps them finite where all is separated."""
    ridge = np.diag([0.0, 1e-3, 1e-3])
    found = np.zeros(known.shape[1])
    for _ in range(100):
        expected = 1.0 / (1.0 + np.exp(-np.clip(known @ found, -30.0, 30.0)))
        slope = known.T @ (weights * (expected - answered)) + ridge @ found
        bend = (known * (weights * expected * (1.0 - expected))[:, None]).T @ known + ridge + 1e-9 * np.eye(len(found))
        found = found - np.linalg.solve(bend, slope)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benches.confidence", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, default=evaluation_files())
    parser.add_argument("--embedder", default="bundled", choices=["bundled", "e5", "none"])
    parser.add_argument("--fit", action="store_true", help="fit the coefficients anew and print them")
    parser.add_argument("--plot", type=Path, help="where to draw the reliability, an SVG")
    given = parser.parse_args()
    if not given.files:
        parser.error("give evaluation files, or their folder in MEMCORE_EVALUATION")
    told: list[Told] = []
    with tempfile.TemporaryDirectory() as folder:
        for path in given.files:
            told += asked(path, given.embedder, Path(folder))
    if given.fit:
        for name, coefficients in fitted(told).items():
            print(f"  {name:<20} {coefficients}")
    report(told)
    bins = reliability(told)
    for expected, observed, count in bins:
        print(f"  told {expected:.2f}  observed {observed:.2f}  of {count}")
    if given.plot is not None:
        given.plot.write_text(reliability_plot(bins), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
