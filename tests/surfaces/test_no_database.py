"""A database that is not there: what reads or changes one says so and makes none; what adds makes one."""

import json

import pytest

from memcore.errors import StorageError
from memcore.surfaces.cli import session

ON_A_DATABASE = [
    ("search", "x"),
    ("context", "x"),
    ("get", "4"),
    ("list",),
    ("explain", "4", "x"),
    ("why-not", "4", "x"),
    ("stats",),
    ("doctor",),
    ("backup", "copy.db"),
    ("maintain", "embed"),
    ("params", "show"),
    ("update", "4", "--importance", "3"),
    ("delete", "4"),
    ("fact", "get", "tea"),
    ("fact", "list"),
    ("review", "list"),
    ("review", "approve", "4"),
    ("review", "reject", "4"),
    ("review", "conflicts"),
    ("review", "resolve", "4", "5"),
    ("pin", "4"),
    ("unpin", "4"),
    ("retire", "4"),
    ("supersede", "4", "x"),
    ("feedback", "4", "--wrong"),
    ("history", "4"),
    ("undo", "4"),
    ("purge", "ana"),
    ("verify", "x"),
    ("task", "list"),
    ("task", "show", "4"),
    ("task", "start", "4"),
    ("task", "note", "4", "x"),
    ("tune", "record"),
    ("tune", "status"),
    ("tune", "traces"),
    ("tune", "forget"),
    ("tune", "replay"),
    ("tune", "search"),
    ("tune", "profiles"),
    ("tune", "save", "x"),
    ("tune", "activate", "x"),
    ("tune", "rollback"),
    ("tune", "compare", "x", "y"),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("arguments", ON_A_DATABASE, ids=" ".join)
def test_a_command_that_adds_nothing_makes_no_database_and_says_what_does(run, place, arguments):
    ran = run("--db", "mistyped.db", *arguments)
    assert (ran.code, ran.out) == (1, "")
    for part in ("mistyped.db", "memcore add", "memcore import", "--db"):
        assert part in ran.err
    assert len(ran.err.splitlines()) == 1
    assert list(place.iterdir()) == []


def test_the_database_that_is_looked_for_without_a_name_is_not_made_either(run, place):
    ran = run("stats")
    assert ran.code == 1
    assert "memcore.db" in ran.err
    assert list(place.iterdir()) == []


def test_a_link_to_nowhere_is_no_database(place):
    (place / "link.db").symlink_to(place / "gone.db")
    with pytest.raises(StorageError, match="no such file"):
        session.existing("link.db")


def test_only_what_adds_opens_a_database_in_order_to_make_it(run, memory, place):
    (place / "chat.jsonl").write_text('{"content": "Hi."}\n', encoding="utf-8")
    for arguments in (("add", "x", "--shared"), ("import", "chat.jsonl", "--shared"), ("demo", "--json")):
        memory.creating = False
        run(*arguments)
        assert memory.creating, arguments
    for arguments in (("search", "x"), ("update", "4", "--importance", "3"), ("backup", "copy.db")):
        assert run(*arguments).code == 0
        assert not memory.creating, arguments


def test_add_makes_the_database_and_a_search_finds_what_was_added(run, place):
    assert run("--db", "new.db", "add", "Tea at four.", "--shared", "--embed", "later").code == 0
    assert (place / "new.db").exists()
    assert json.loads(run("--db", "new.db", "list", "--json").out)["memories"][0]["content"] == "Tea at four."


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "x", "--shared"),
        ("import", "chat.jsonl", "--shared"),
        ("update", "4", "--importance", "3"),
        ("delete", "4"),
        ("maintain", "embed"),
        ("fact", "set", "tea", "x", "--shared"),
        ("review", "approve", "4"),
        ("review", "reject", "4"),
        ("review", "resolve", "4", "5"),
        ("pin", "4"),
        ("unpin", "4"),
        ("retire", "4"),
        ("supersede", "4", "x"),
        ("feedback", "4", "--wrong"),
        ("undo", "4"),
        ("purge", "ana"),
        ("task", "start", "4"),
        ("task", "note", "4", "x"),
        ("tune", "record"),
        ("tune", "forget"),
        ("tune", "search"),
        ("tune", "save", "x"),
        ("tune", "activate", "x"),
        ("tune", "rollback"),
    ],
    ids=" ".join,
)
def test_what_writes_is_not_written_to_a_database_that_ends_with_the_command(run, memory, place, arguments):
    (place / "chat.jsonl").write_text('{"content": "Hi."}\n', encoding="utf-8")
    ran = run("--db", ":memory:", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("a database in memory ends with the command; name a file with --db FILE\n")
    assert memory.opened == []


def test_what_reads_a_database_in_memory_finds_nothing(run):
    assert run("--db", ":memory:", "list") == (0, "", "nothing stored\n")
