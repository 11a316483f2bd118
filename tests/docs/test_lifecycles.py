"""docs/lifecycles.md is true: its code, its commands and its diagram show what is so."""

import doctest
import re
import shlex
from functools import partial
from pathlib import Path

import pytest

from memcore.kinds import TaskState
from memcore.memory import Memory
from memcore.surfaces.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "lifecycles.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_code_gives_what_the_page_shows():
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 10
    assert results.failed == 0


def consoles():
    return re.findall(r"^```console\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("console", consoles())
def test_the_commands_print_what_the_page_says(console, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("memcore.memory.Memory", partial(Memory, embedder="none"))
    for name in ("MEMCORE_DATABASE", "MEMCORE_AGENT_ID", "MEMCORE_USER_ID"):
        monkeypatch.delenv(name, raising=False)
    for step in console.removeprefix("$ ").split("\n$ "):
        command, _, shown = step.partition("\n")
        assert command.startswith("memcore ")
        assert main(shlex.split(command)[1:]) == 0
        printed = capsys.readouterr()
        assert (printed.out + printed.err).strip() == shown.strip()


def test_there_are_commands_to_try():
    assert consoles()


def test_the_diagram_has_the_steps_of_the_states():
    drawn = set(re.findall(r"^    (\w+) --> (\w+)$", TEXT, flags=re.MULTILINE))
    assert drawn == {(state.value, after.value) for state in TaskState for after in state.following}


def test_its_links_and_pictures_are_there():
    for link in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (PAGE.parent / link).exists(), link
