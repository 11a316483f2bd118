"""docs/lifecycles.md is true: its code, its commands, its tables and its diagram show what is so."""

import doctest
import re
import shlex
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from memcore.curves import FREEZE, HALF_LIFE_HOURS, LIVES, PIN_HALF_LIFE_HOURS, REVIVE, Curve
from memcore.embedding import HashingEmbedder
from memcore.kinds import Category, TaskState
from memcore.memory import Memory
from memcore.storage.details import CLAIMED
from memcore.surfaces.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "lifecycles.md"
TEXT = PAGE.read_text(encoding="utf-8")
MORNING = datetime(2026, 6, 1, 9, tzinfo=UTC)


def test_the_code_gives_what_the_page_shows():
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 10
    assert results.failed == 0


def consoles():
    return re.findall(r"^```console\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("console", consoles())
def test_the_commands_print_what_the_page_says(console, tmp_path, monkeypatch, capsys):
    minutes = 0
    clock = lambda: MORNING + timedelta(minutes=minutes)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("memcore.memory.Memory", partial(Memory, embedder=HashingEmbedder(64), clock=clock))
    for name in ("MEMCORE_DATABASE", "MEMCORE_AGENT_ID", "MEMCORE_USER_ID"):
        monkeypatch.delenv(name, raising=False)
    for step in console.removeprefix("$ ").split("\n$ "):
        command, _, shown = step.partition("\n")
        assert command.startswith("memcore ")
        assert main(shlex.split(command)[1:]) == 0
        printed = capsys.readouterr()
        assert (printed.out + printed.err).strip() == shown.strip()
        minutes += 1


def test_there_are_commands_to_try():
    assert consoles()


def rows(heading):
    """The cells of the table whose first column is called so, a list a line."""
    table = re.search(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, flags=re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def test_the_table_of_kinds_says_how_each_lives():
    expected = []
    for kind, life in LIVES.items():
        ends = [
            word
            for word, happens in (
                ("superseded", kind in CLAIMED),
                ("dormant", life.curve is Curve.HALF_LIFE),
            )
            if happens
        ]
        expected.append(
            [
                kind.value,
                life.curve.value.replace("_", "-"),
                life.clock.value.replace("_", " "),
                ", ".join(ends) or "–",
                "–" if life.ttl_days is None else str(life.ttl_days),
                "yes" if life.injected else "no",
            ]
        )
    assert sorted(rows("kind")) == sorted(expected)


def test_the_half_lives_and_thresholds_are_those_that_facts_live_by():
    told = {Category(name): float(count) * {"d": 24, "h": 1}[unit] for name, (count, unit) in halves().items()}
    assert told == HALF_LIFE_HOURS
    assert f"Below a retention of {FREEZE} the job" in TEXT
    assert f"It takes a retention of {REVIVE} to wake" in TEXT
    assert PIN_HALF_LIFE_HOURS == 100 * 365 * 24
    assert "pinned in a hundred years" in TEXT


def halves():
    return {name: time.split() for name, time in rows("category")}


@pytest.mark.parametrize("part", ["contradiction", "correction", "moment", "freeze", "undo", "forget"])
def test_each_part_of_a_life_has_a_section_with_something_to_try(part):
    section = re.search(rf"^## [^\n]*\b{part}\b.*?(?=^## |\Z)", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert re.search(r"^(>>> |\$ memcore )", section[0], flags=re.MULTILINE)


def test_the_diagram_has_the_steps_of_the_states():
    drawn = set(re.findall(r"^    (\w+) --> (\w+)$", TEXT, flags=re.MULTILINE))
    assert drawn == {(state.value, after.value) for state in TaskState for after in state.following}


def test_its_links_and_pictures_are_there():
    for link in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (PAGE.parent / link).exists(), link
