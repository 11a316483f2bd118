"""The tables and the plot of docs/benchmarks.md."""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benches import results, tables
from benches.plots import growth_plot
from benches.results import Goal, Measured, Row

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
RUN = {
    "bench": "search",
    "date": "2026-12-01",
    "processor": "a processor",
    "cores": 2,
    "simd": "avx2",
    "system": "Linux x86_64",
    "python": "3.11.7",
    "memcore": "0.1.0",
    "load": 0.1,
    "peers": {"peer": "1.0"},
}
SMALL, LARGE = (
    Row(
        "search",
        f"whole search(), {size:,} in scope",
        "ms",
        (
            Measured("memcore", time, within=2 * time),
            Measured("peer", 3 * time, "recall 1.000; a | b"),
            Measured("blind", time, "recall 0.255", counts=False),
        ),
        (Goal.at_most("median at most 1.5 ms", time, 1.5),),
        size=size,
    )
    for size, time in ((10_000, 1.0), (100_000, 4.0))
)
KERNEL = Row("kernels", "SQ8", "ms", (Measured("memcore", 1.0), Measured("peer", 2.5)), (Goal("2x"),), threads=2)


def test_a_summary_has_ours_the_best_peer_the_ratio_and_the_verdict():
    lines = tables.tables([RUN], [SMALL, LARGE, KERNEL]).splitlines()
    assert (
        "| whole search(), 10,000 in scope | 1.000 ms | peer, 3.000 | 3.00× | median at most 1.5 ms: **met** (1) |"
        in lines
    )
    assert (
        "| whole search(), 100,000 in scope | 4.000 ms | peer, 12.000 | 3.00× | median at most 1.5 ms: **missed** (4) |"
        in lines
    )
    assert "| SQ8, 2 threads | 1.000 ms | peer, 2.500 | 2.50× | 2x |" in lines
    assert lines.index("### Kernels") < lines.index("### Whole searches, and storing")


def test_a_table_has_every_contender_and_a_bar_in_a_note_opens_no_column():
    lines = tables.tables([RUN], [SMALL]).splitlines()
    assert "| peer | 3.000 | 3.00× | recall 1.000; a \\| b |" in lines
    assert "| blind | 1.000 | 1.00× | recall 0.255; does not count |" in lines
    assert "| memcore | 1.000 |  | 95 % within 2.000 |" in lines


def test_the_machine_and_the_versions_are_told_once():
    text = tables.tables([RUN, dict(RUN)], [SMALL])
    assert text.count("a processor, 2 cores, SIMD level avx2") == 1
    assert "; peer 1.0" in text


def test_the_page_is_written_between_its_marks_again_and_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(results.FILE, "")
    file, page = tmp_path / "results.jsonl", tmp_path / "page.md"
    results.begin("search", {}, file)
    for row in (SMALL, LARGE):
        results.emit(row)
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["tables", str(file), "--page", str(page)])
    assert tables.main() == 0
    once = page.read_text(encoding="utf-8")
    assert tables.main() == 0
    assert page.read_text(encoding="utf-8") == once
    assert once.startswith(PAGE.read_text(encoding="utf-8").partition(tables.BEGIN)[0])
    assert (tmp_path / tables.PLOT).exists()
    assert "2 rows written" in capsys.readouterr().out


@pytest.mark.parametrize("page", ["", tables.BEGIN, tables.END + tables.BEGIN, 2 * (tables.BEGIN + tables.END)])
def test_a_page_without_its_marks_is_refused(page):
    with pytest.raises(ValueError, match="each once"):
        tables.written(page, "text")


def run_of(folder, name, *rows):
    file = folder / name
    file.write_text("".join(json.dumps({"row": asdict(row)}) + "\n" for row in rows), encoding="utf-8")
    return file


def compare(monkeypatch, *files):
    monkeypatch.setattr(sys, "argv", ["tables", "--compare", *map(str, files)])
    return tables.main()


def test_two_runs_are_compared_by_their_verdicts_and_not_by_their_figures(tmp_path, monkeypatch, capsys):
    one = run_of(tmp_path, "one", SMALL, LARGE)
    slower = replace(SMALL, goals=(Goal.at_most("median at most 1.5 ms", 1.4, 1.5),))
    assert compare(monkeypatch, one, run_of(tmp_path, "alike", slower, LARGE)) == 0
    assert capsys.readouterr().out == "2 goals, the same verdicts\n"
    slow = replace(SMALL, goals=(Goal.at_most("median at most 1.5 ms", 1.6, 1.5),))
    assert compare(monkeypatch, one, run_of(tmp_path, "other", slow)) == 1
    assert capsys.readouterr().out.splitlines() == [
        "search: whole search(), 10,000 in scope: median at most 1.5 ms: met (1), then missed (1.6)",
        "search: whole search(), 100,000 in scope: median at most 1.5 ms: missed (4), then absent",
    ]


def test_one_thread_and_two_are_other_goals(tmp_path, monkeypatch, capsys):
    goal = (Goal.at_least("2x peer", 3, 2),)
    both = [replace(KERNEL, threads=threads, goals=goal) for threads in (1, 2)]
    assert compare(monkeypatch, run_of(tmp_path, "one", *both), run_of(tmp_path, "other", both[1])) == 1
    assert capsys.readouterr().out == "kernels: SQ8, 1 thread: 2x peer: met (3), then absent\n"


@pytest.mark.parametrize("given", [[], ["a", "--compare", "b", "c"]])
def test_files_or_two_runs_are_wanted(monkeypatch, capsys, given):
    monkeypatch.setattr(sys, "argv", ["tables", *given])
    with pytest.raises(SystemExit):
        tables.main()
    assert "--compare and two of them" in capsys.readouterr().err


def test_growth_is_of_searches_by_size_and_says_whose_recall_is_low_at_some_size():
    kernel = Row("kernels", "SQ8", "ms", (Measured("memcore", 1.0),), size=10_000)
    lines = tables.growth([SMALL, LARGE, kernel])
    assert lines["memcore"] == [(10_000.0, 1.0), (100_000.0, 4.0)]
    assert sorted(lines) == ["blind (recall low)", "memcore", "peer"]


def test_the_plot_is_svg_with_every_point_inside_and_names_apart():
    lines = {"memcore": [(10_000, 1.0), (100_000, 4.0)], "a & b": [(10_000, 1.0), (100_000, 4.1)]}
    root = ET.fromstring(growth_plot(lines, "title", "below", "beside"))  # noqa: S314 - our own
    wide, tall = map(float, root.get("viewBox").split()[2:])
    circles = [part for part in root if part.tag.endswith("circle")]
    assert len(circles) == 4
    assert all(0 < float(one.get("cx")) < wide and 0 < float(one.get("cy")) < tall for one in circles)
    assert float(circles[1].get("cy")) < float(circles[0].get("cy"))
    names = [part for part in root if part.tag.endswith("text") and part.get("fill")]
    assert [name.text for name in names] == ["memcore", "a & b"]
    assert abs(float(names[0].get("y")) - float(names[1].get("y"))) >= 13


@pytest.mark.parametrize("lines", [{}, {"memcore": []}, {"memcore": [(0, 1)]}])
def test_a_plot_of_nothing_is_refused(lines):
    with pytest.raises(ValueError, match="above 0"):
        growth_plot(lines, "", "", "")
