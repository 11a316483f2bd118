"""Rows of the speed benchmarks: ours and peers on one work, ratios, goals; printed, and kept as lines of JSON.

A file of results has a line `{"run": …}` for each process (machine, date, versions), and `{"row": …}` for each row.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import memcore
from memcore._core import simd_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["FILE", "Goal", "Measured", "Row", "begin", "emit", "keep", "number", "read", "remarks"]

FILE = "MEMCORE_BENCH_JSON"
"""The variable that names the file, so that the processes which a bench starts write to it too."""
OURS = "memcore"


@dataclass(frozen=True, slots=True)
class Measured:
    """A contender. One that does not count is no peer to be ahead of; 95 % of the runs took at most `within`."""

    name: str
    value: float
    note: str = ""
    counts: bool = True
    within: float | None = None

    @property
    def is_ours(self) -> bool:
        """Ours in another form is called "memcore, …"."""
        return self.name.split(",")[0] == OURS


@dataclass(frozen=True, slots=True)
class Goal:
    """What was to be reached; `met` is None where the row could not judge it, and `reached` then says why."""

    text: str
    met: bool | None = None
    reached: str = ""

    @property
    def verdict(self) -> str:
        return "not judged" if self.met is None else "met" if self.met else "missed"

    def __str__(self) -> str:
        return f"{self.text}: {self.verdict} ({self.reached})" if self.reached else self.text

    @classmethod
    def at_most(cls, text: str, reached: float, bound: float) -> Goal:
        return cls(text, bool(reached <= bound), f"{reached:,.4g}")

    @classmethod
    def at_least(cls, text: str, reached: float, bound: float) -> Goal:
        return cls(text, bool(reached >= bound), f"{reached:,.4g}")

    @classmethod
    def times(cls, bound: float, peers: Sequence[str], values: Mapping[str, float], of: str = "") -> Goal:
        """Ours at least so many times faster than the fastest of some contenders, which `of` names."""
        text = f"{bound:g}x {of or peers[0]}"
        ran = [values[name] for name in peers if name in values]
        if not ran:
            return cls(text, None, f"no {' or '.join(peers)} ran")
        return cls.at_least(text, min(ran) / values[OURS], bound)

    @classmethod
    def so(cls, text: str, met: bool) -> Goal:
        return cls(text, bool(met), "so" if met else "not so")


@dataclass(frozen=True, slots=True)
class Row:
    """One work, medians in `unit`. `more`: more of it is better. `size`: how many memories, for the plot."""

    bench: str
    work: str
    unit: str
    measured: tuple[Measured, ...]
    goals: tuple[Goal, ...] = ()
    size: int | None = None
    threads: int | None = None
    more: bool = False

    @property
    def ours(self) -> Measured | None:
        return next((one for one in self.measured if one.name == OURS), None)

    def ratio(self, one: Measured) -> float | None:
        """How many times better ours is; below 1 where it is worse. None without both."""
        if self.ours is None:
            return None
        left, right = (self.ours.value, one.value) if self.more else (one.value, self.ours.value)
        return left / right if right > 0 else None

    @property
    def best_peer(self) -> Measured | None:
        """The best of those that count."""
        peers = [one for one in self.measured if one.counts and not one.is_ours]
        if not peers:
            return None
        return max(peers, key=lambda one: one.value if self.more else -one.value)

    def lines(self) -> list[str]:
        """As it is printed."""
        printed = [f"{self.work} [{self.unit}]"]
        for one in self.measured:
            ratio = self.ratio(one)
            times = "" if ratio is None or one.name == OURS else f"{ratio:.2f}x"
            printed.append(f"  {one.name:<28} {number(one.value):>12} {times:>9}  {remarks(one)}".rstrip())
        best = self.best_peer
        if best is not None and (ratio := self.ratio(best)) is not None:
            printed.append(f"  beside the best peer that counts, {best.name}: {ratio:.2f}x")
        return printed + [f"  goal {goal}" for goal in self.goals]


def number(value: float) -> str:
    return f"{value:,.3f}" if value < 100 else f"{value:,.0f}"


def remarks(one: Measured) -> str:
    """What is said of a contender beside its figure."""
    within = "" if one.within is None else f"95 % within {number(one.within)}"
    does_not = "" if one.counts else "does not count"
    return "; ".join(part for part in (within, one.note, does_not) if part)


def processor() -> str:
    """The model, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def begin(bench: str, peers: Mapping[str, str], file: Path | None = None) -> None:
    """Says what runs where, and from now on rows go to `file` too, here and in the processes started from here."""
    if file is not None:
        os.environ[FILE] = str(file.absolute())
    run = {
        "bench": bench,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "simd": simd_level(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "memcore": memcore.__version__,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "peers": dict(peers),
    }
    shown = {name: value for name, value in run.items() if name != "peers"}
    print(", ".join(f"{name} {value}" for name, value in shown.items()), flush=True)
    append({"run": run})


def emit(row: Row) -> None:
    """Prints a row, and keeps it."""
    print("\n" + "\n".join(row.lines()), flush=True)
    keep(row)


def keep(row: Row) -> None:
    append({"row": asdict(row)})


def append(line: dict[str, Any]) -> None:
    if name := os.environ.get(FILE):
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def read(files: Iterable[Path]) -> tuple[list[dict[str, Any]], list[Row]]:
    """The runs and the rows of files; of rows of the same work the last one."""
    runs: list[dict[str, Any]] = []
    rows: dict[tuple[str, str, int | None], Row] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            held = json.loads(line)
            if "run" in held:
                runs.append(held["run"])
                continue
            of = held["row"]
            of["measured"] = tuple(Measured(**one) for one in of["measured"])
            of["goals"] = tuple(Goal(**one) for one in of["goals"])
            row = Row(**of)
            rows[row.bench, row.work, row.threads] = row
    return runs, list(rows.values())
