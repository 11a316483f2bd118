"""The command of `python -m benches.peers`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benches.evaluation import evaluation_files
from benches.peers.comparing import asked_of, print_margin
from benches.peers.port import Vectors
from benches.peers.registry import PEERS
from benches.retrieval import Bench, distractors_of, print_table, reported
from memcore.embedding import BundledEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.peers.registry import Entry


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.peers", description="memcore beside other retrievers")
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        default=evaluation_files(),
        help="evaluation files, by default those of MEMCORE_EVALUATION",
    )
    parser.add_argument("--only", action="append", default=[], choices=[entry.name for entry in PEERS], metavar="NAME")
    parser.add_argument("--stores", type=int, help="ask of the first so many stores of a file only")
    found = parser.parse_args()
    if not found.files:
        parser.error("give evaluation files, or their folder in MEMCORE_EVALUATION")
    return found


def main() -> int:
    given = arguments()
    vectors = Vectors(BundledEmbedder())
    chosen = [entry for entry in PEERS if not given.only or entry.name in given.only]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in given.files:
            compare(path, chosen, vectors, folder, given.stores)
    return 0


def compare(path: Path, chosen: Sequence[Entry], vectors: Vectors, folder: Path, count: int | None) -> None:
    """One file: memcore, then each peer."""
    distractors = distractors_of(path)
    bench = Bench(path, "bundled", distractors, folder)
    bench.stores = bench.stores[:count]
    ours = bench.ask({})
    print(f"{path.name}: {len(bench.names)} memories, {len(bench.stores)} stores asked", flush=True)
    print_table("memcore", reported(ours))
    lines = [] if distractors is None else distractors.read_text(encoding="utf-8").splitlines()
    shared = [line for line in lines if line.strip()]
    vectors.learn([*shared, *(text for store in bench.stores for text in store.texts)])
    vectors.learn(question.text for store in bench.stores for question in store.questions)
    for entry in chosen:
        try:
            theirs = asked_of(entry, bench.stores, shared, vectors, folder / f"{path.stem}-{entry.name}")
        except ImportError as error:
            print(f"  {entry.name:<20} is not installed ({error}): pip install {entry.package}", flush=True)
            continue
        except Exception as error:  # noqa: BLE001 - whatever stops a peer is said in its row, and the next one's turn
            print(f"  {entry.name:<20} stopped: {type(error).__name__}: {error}", flush=True)
            continue
        print_margin(entry.name, ours, theirs)
    bench.memory.close()


if __name__ == "__main__":
    sys.exit(main())
