"""Chinese on the command line in a locale that has ASCII only, and bytes that are no text in any locale."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import memcore

pytestmark = pytest.mark.skipif(os.name == "nt", reason="arguments are no bytes there")

PACKAGE = Path(memcore.__file__).parents[1].resolve()
ASCII_ONLY = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(PACKAGE)}
NOT_UTF8 = b"caf\xe9"


@pytest.fixture
def command(tmp_path):
    """Run `memcore` in a process of its own, in a locale: the exit code, standard output, standard error, as bytes."""

    def ran(*arguments, said=b"", **environment):
        done = subprocess.run(
            [sys.executable, "-m", "memcore", *arguments],
            input=said,
            capture_output=True,
            env=os.environ | ASCII_ONLY | environment,
            cwd=tmp_path,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return ran


def test_chinese_arguments_paths_and_standard_input_work_where_the_locale_has_ascii_only(command, tmp_path):
    names = ("--db", "库.db", "--user", "安娜")
    said = (
        "--session",
        "周一",
        "--speaker",
        "安娜",
        "--entity",
        "里斯本",
        "--tag",
        "家",
        "--metadata",
        '{"城市": "里斯本"}',
    )
    assert command(*names, "add", "我搬到了里斯本。😀", *said, "--embed", "later")[0] == 0
    code, _, err = command(*names, "add", "-", "--embed", "later", said="我喜欢喝茶。".encode())
    assert (code, err) == (0, b"")
    _, out, _ = command(*names, "list", "--filters", '{"城市": "里斯本"}', "--json")
    (moved,) = json.loads(out)["memories"]
    assert (moved["content"], moved["user_id"], moved["speaker"]) == ("我搬到了里斯本。😀", "安娜", "安娜")
    assert (moved["session_id"], moved["tags"], moved["metadata"]) == ("周一", ["家"], {"城市": "里斯本"})
    _, out, _ = command("--db", "库.db", "list", "--json", MEMCORE_USER_ID="安娜")
    assert "我喜欢喝茶。" in [memory["content"] for memory in json.loads(out)["memories"]]
    assert command("--db", "库.db", "backup", "副本.db")[0] == 0
    assert {"库.db", "副本.db"} <= {path.name for path in tmp_path.iterdir()}


def test_json_is_ascii_where_the_output_has_ascii_only(command):
    command("--db", "a.db", "add", "😀 里斯本", "--shared", "--embed", "later")
    _, out, _ = command("--db", "a.db", "list", "--json")
    assert out.isascii()
    assert json.loads(out)["memories"][0]["content"] == "😀 里斯本"


@pytest.mark.parametrize("utf8_mode", ["0", "1"])
@pytest.mark.parametrize(
    "arguments",
    [("search", NOT_UTF8), ("search", "x", "--user", NOT_UTF8), ("list", "--filters", NOT_UTF8), ("search", "-")],
    ids=["question", "user", "filters", "standard input"],
)
def test_bytes_that_are_not_utf8_are_a_usage_error(command, arguments, utf8_mode):
    code, out, err = command(*arguments, said=NOT_UTF8, PYTHONUTF8=utf8_mode)
    assert (code, out) == (2, b"")
    assert b"not UTF-8" in err


@pytest.mark.parametrize("utf8_mode", ["0", "1"])
def test_a_path_may_have_any_bytes(command, tmp_path, utf8_mode):
    path = os.fsencode(tmp_path) + b"/" + NOT_UTF8
    code, _, err = command("add", "Tea.", "--shared", "--db", path, "--embed", "later", PYTHONUTF8=utf8_mode)
    assert (code, err) == (0, b"")
    assert command("backup", path + b".copy", "--db", path, PYTHONUTF8=utf8_mode)[0] == 0
    assert command("get", "1", "--db", path + b".copy", PYTHONUTF8=utf8_mode)[0] == 0
