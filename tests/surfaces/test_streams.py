"""Standard streams that are closed: a usage error or a failure in one line, and nothing written in their place."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import memcore

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the redirections of a POSIX shell")

PACKAGE = Path(memcore.__file__).parents[1].resolve()


@pytest.fixture
def shell(tmp_path):
    """Run `memcore` from a shell, its redirections last: the exit code, standard output, standard error."""

    def ran(*arguments):
        *words, redirections = arguments
        command = [sys.executable, "-m", "memcore", "--db", "agent.db", "--user", "ana", *words]
        done = subprocess.run(
            ["/bin/sh", "-c", f'"$@" {redirections}', "sh", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(PACKAGE)},
            cwd=tmp_path,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return ran


ADD = ("add", "Ana drinks tea.", "--embed", "later")


@pytest.mark.parametrize(
    "arguments", [("add", "-"), ("search", "-"), ("import", "-"), ("params", "check", "-")], ids=lambda words: words[0]
)
def test_a_closed_standard_input_that_is_to_be_read_is_a_usage_error(shell, tmp_path, arguments):
    code, out, err = shell(*arguments, "<&-")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].endswith("standard input is closed; give a text or a file in the place of -")
    assert not list(tmp_path.iterdir())


def test_a_closed_standard_input_that_nobody_reads_is_no_matter(shell):
    assert shell(*ADD, "<&-") == (0, "1  event  accept\n", "")
    assert shell("list", "<&-")[0] == 0


@pytest.mark.parametrize("arguments", [ADD, ("list",), ("--help",), ("--version",)], ids=lambda words: words[0])
def test_with_a_closed_standard_output_nothing_is_begun_and_one_line_says_so(shell, tmp_path, arguments):
    assert shell(*arguments, ">&-") == (1, "", "memcore: standard output is closed; give it a file, or /dev/null\n")
    assert not list(tmp_path.iterdir())


def test_a_closed_standard_error_is_like_one_that_nobody_reads(shell):
    assert shell(*ADD, "2>&-") == (0, "1  event  accept\n", "")
    assert shell("get", "99", "2>&-") == (1, "", "")
    assert shell("no-command", "2>&-") == (2, "", "")


def test_a_database_never_gets_the_place_of_a_closed_stream(shell):
    for redirections in ("<&- 2>&-", "<&- >&- 2>&-", ">&- 2>&-"):
        shell(*ADD, redirections)
        shell("get", "99", redirections)
    shell(*ADD, "")
    assert shell("stats", "--json", "")[0] == 0
    assert shell("get", "1", "")[0] == 0


@pytest.mark.parametrize("redirections", ["2</dev/null", "1</dev/null 2</dev/null"])
def test_a_failure_that_cannot_be_told_is_still_a_failure(shell, redirections):
    assert shell("get", "99", redirections)[0] == 1
