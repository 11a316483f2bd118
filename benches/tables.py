"""Writes the tables of docs/benchmarks.md and its plot from results that the speed benchmarks kept.

    python -m benches.tables FILE… [--page docs/benchmarks.md]
    python -m benches.tables --compare ONE OTHER

Of a row that stands in the files several times, the last is taken. What stands between the two marks of the page is
written anew; the plot goes beside the page. `--compare` writes nothing: it names the goals on which two runs give other
verdicts, and those that only one of them has, and ends with 1 where there are any.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benches.plots import growth_plot
from benches.results import OURS, number, read, remarks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benches.results import Goal, Row

__all__ = ["growth", "tables", "written"]

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PLOT = "benchmarks.svg"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
HEADINGS = {"kernels": "Kernels", "search": "Whole searches, and storing", "start": "Cold starts, memory and disk"}


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f}×"


def run_line(run: Mapping[str, Any]) -> str:
    """The machine and the versions of one process."""
    said = (
        f"`benches.{run['bench']}`, {run['date']}: {run['processor']}, {run['cores']} cores, SIMD level {run['simd']},"
        f" {run['system']}, Python {run['python']}, memcore {run['memcore']}, load {run['load']} at its start"
    )
    peers = ", ".join(f"{name} {version}" for name, version in run["peers"].items())
    return f"- {said}" + (f"; {peers}" if peers else "")


def verdicts(row: Row) -> str:
    shown = (str(goal).replace(f": {goal.verdict} (", f": **{goal.verdict}** (") for goal in row.goals)
    return "; ".join(shown) or "–"


def summary(rows: Sequence[Row]) -> list[str]:
    """A line a row: ours, the best peer that counts, the ratio, the goals."""
    lines = ["| work | ours | best peer that counts | ours is better by | goal |", "|---|---:|---|---:|---|"]
    for row in rows:
        best, ours = row.best_peer, row.ours
        shown = "–" if ours is None else f"{number(ours.value)} {row.unit}"
        peer = "–" if best is None else f"{best.name}, {number(best.value)}"
        ratio = None if best is None else row.ratio(best)
        lines.append(f"| {cell(title(row))} | {shown} | {cell(peer)} | {times(ratio)} | {cell(verdicts(row))} |")
    return lines


def title(row: Row) -> str:
    if row.threads is None or "thread" in row.work:
        return row.work
    return f"{row.work}, {row.threads} thread{'s' * (row.threads > 1)}"


def table(row: Row) -> list[str]:
    """Every contender of a row."""
    lines = [f"**{title(row)}**", "", f"| | {row.unit} | ours is better by | |", "|---|---:|---:|---|"]
    for one in row.measured:
        ratio = "" if one.name == OURS else times(row.ratio(one))
        lines.append(f"| {cell(one.name)} | {number(one.value)} | {ratio} | {cell(remarks(one))} |")
    return [*lines, ""]


def tables(runs: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> str:
    """All that stands between the marks."""
    lines = [*dict.fromkeys(map(run_line, runs)), ""]
    if growth(rows):
        lines += [f"![How the time of a search grows with the memories in scope]({PLOT})", ""]
    for bench, heading in HEADINGS.items():
        of = [row for row in rows if row.bench == bench]
        if of:
            lines += [f"### {heading}", "", *summary(of), ""]
            for row in of:
                lines += table(row)
    return "\n".join(lines).rstrip() + "\n"


def growth(rows: Sequence[Row]) -> dict[str, list[tuple[float, float]]]:
    """The time of a whole search by how many memories are in scope, of ours and of each peer."""
    lines: dict[str, list[tuple[float, float]]] = {}
    low = set()
    for row in rows:
        if row.bench == "search" and row.size is not None:
            for one in row.measured:
                lines.setdefault(one.name, []).append((float(row.size), one.value))
                if not one.counts:
                    low.add(one.name)
    return {f"{name} (recall low)" if name in low else name: line for name, line in lines.items()}


def written(page: str, text: str) -> str:
    """The page with the text between its marks.

    Raises:
        ValueError: the marks are not there, each once and in order.
    """
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end) or BEGIN in rest or END in tail:
        raise ValueError(f"the page must have {BEGIN} and, after it, {END}, each once")
    return f"{head}{BEGIN}\n{text}{END}{tail}"


def judged(rows: Sequence[Row]) -> dict[tuple[str, str, str], Goal]:
    """The goals by row and text."""
    return {(row.bench, title(row), goal.text): goal for row in rows for goal in row.goals}


def compared(one: Sequence[Row], other: Sequence[Row]) -> list[str]:
    """A line for each goal on which two runs give other verdicts, or that one of them does not have."""
    left, right = judged(one), judged(other)
    lines = []
    for key in {**left, **right}:
        before, after = left.get(key), right.get(key)
        if before is None or after is None or before.verdict != after.verdict:
            shown = ["absent" if goal is None else f"{goal.verdict} ({goal.reached})" for goal in (before, after)]
            bench, work, text = key
            lines.append(f"{bench}: {work}: {text}: {shown[0]}, then {shown[1]}")
    return lines


def compare(one: Path, other: Path) -> int:
    """Prints the comparison of two files; 1 where there is a difference."""
    rows = [read([file])[1] for file in (one, other)]
    lines = compared(*rows)
    print("\n".join(lines) if lines else f"{len(judged(rows[0]))} goals, the same verdicts")
    return 1 if lines else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benches.tables", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="what --json wrote")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("ONE", "OTHER"), help="two runs")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    if bool(given.files) is (given.compare is not None):
        parser.error("give files, or --compare and two of them")
    if given.compare is not None:
        return compare(*given.compare)
    runs, rows = read(given.files)
    given.page.write_text(written(given.page.read_text(encoding="utf-8"), tables(runs, rows)), encoding="utf-8")
    if lines := growth(rows):
        plot = growth_plot(lines, "One whole search, vector given", "memories in scope", "milliseconds, median")
        given.page.with_name(PLOT).write_text(plot, encoding="utf-8")
    print(f"{len(rows)} rows written to {given.page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
