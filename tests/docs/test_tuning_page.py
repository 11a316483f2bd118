"""docs/tuning.md is true: its commands and its code run in its order, and its tables are those of the code."""

import doctest
import re
import runpy
import shlex
import shutil
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from memcore.kinds import Mismatch
from memcore.memory import Memory
from memcore.surfaces.cli import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tuning.md"
TEXT = PAGE.read_text(encoding="utf-8")
MORNING = datetime(2026, 12, 1, 9, tzinfo=UTC)
BLOCKS = re.findall(r"^```(console|python)\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


def lines_of(printed):
    """What is printed, line by line, but for how wide the columns are."""
    return [" ".join(line.split()) for line in printed.strip().splitlines()]


def test_the_commands_and_the_code_do_what_the_page_says_in_its_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.setattr("memcore.memory.Memory", partial(Memory, clock=lambda: MORNING))  # the block brings its own
    for name in ("MEMCORE_DATABASE", "MEMCORE_AGENT_ID", "MEMCORE_USER_ID", "MEMCORE_RECORD_TRACES"):
        monkeypatch.delenv(name, raising=False)
    for language, block in BLOCKS:
        if language == "python":
            example = doctest.DocTestParser().get_doctest(block, {}, "tuning.md", str(PAGE), 0)
            assert doctest.DocTestRunner().run(example).failed == 0
            capsys.readouterr()
            continue
        for step in block.removeprefix("$ ").split("\n$ "):
            command, _, shown = step.partition("\n")
            assert main(shlex.split(command)[1:]) == 0
            printed = capsys.readouterr()
            out = (printed.out + printed.err).replace(f"{tmp_path}/", "")
            assert lines_of(out) == lines_of(shown), command


def test_there_are_the_five_commands():
    commands = re.findall(r"^\$ memcore tune (\w+)", TEXT, flags=re.MULTILINE)
    assert [name for name in commands if name != "profiles"] == ["record", "replay", "search", "activate", "rollback"]


def test_its_table_of_parameters_is_made_from_the_model():
    with_tables = runpy.run_path(str(ROOT / "docs" / "tables.py"))["with_tables"]
    assert with_tables(TEXT) == TEXT, "run: make tables"


def test_its_reasons_are_those_that_there_are():
    table = re.search(r"^\| reason \|.*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, flags=re.MULTILINE)[1]
    assert {line.split("|")[1].strip() for line in table.splitlines()} == {reason.value for reason in Mismatch}
