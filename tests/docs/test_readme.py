"""The README is true: its code runs, its commands exist, its tables are made from the code, its links are good."""

import re
import runpy
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from memcore.surfaces.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_the_start_is_about_twenty_lines_and_finds_what_it_says(tmp_path, monkeypatch, capsys):
    (start,) = blocks("python")
    assert len(start.splitlines()) <= 24
    monkeypatch.chdir(tmp_path)
    exec(compile(start, "README.md", "exec"), {})  # noqa: S102 - the code under test is this repository's own page
    out = capsys.readouterr().out
    assert "Ana moved to Lisbon" in out.splitlines()[0]
    assert "花生" in out


def test_the_table_of_parameters_is_the_one_of_the_model():
    with_tables = runpy.run_path(str(ROOT / "docs" / "tables.py"))["with_tables"]
    assert "| `teleport_alpha` |" in README
    assert with_tables(README) == README, "run: make tables"


def test_the_figures_have_their_place():
    assert README.count("<!-- figures -->") == README.count("<!-- /figures -->") == 1


def memcore_lines():
    return [line for block in blocks("sh") for line in block.splitlines() if line.startswith("memcore ")]


@pytest.mark.parametrize("line", memcore_lines())
def test_each_command_shown_is_one_that_memcore_takes(line):
    words = shlex.split(line)[1:]
    command = get_command(app)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    command.make_context("memcore", words, resilient_parsing=True)
    options = {word for parameter in command.params for word in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("target", ["demo", "check"])
def test_the_two_commands_that_set_everything_up_are_targets_of_the_makefile(target):
    assert f"make {target}\n" in blocks("sh")
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md", "docs/decisions/README.md"])
def test_the_links_lead_to_files_that_are_there(page):
    path = ROOT / page
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (path.parent / link).exists(), link
