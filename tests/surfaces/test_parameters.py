"""`params show` and `params check`: what a search goes by, and whether a file may be put in place."""

import io
import json

import pytest


@pytest.fixture
def database(tmp_path):
    """The name of a database; only its place is looked at."""
    (tmp_path / "agent.db").touch()
    return str(tmp_path / "agent.db")


def test_without_a_file_the_defaults_are_shown(run, database, tmp_path, monkeypatch):
    document = json.loads(run("params", "show", "--db", database, "--json").out)
    monkeypatch.chdir(tmp_path)
    assert json.loads(run("params", "show", "--json").out) == document
    assert document["file"] is None
    assert document["params"]["teleport_alpha"] == 0.15


def test_the_file_beside_the_database_is_the_one_in_force(run, database, tmp_path):
    path = tmp_path / "retrieval_params.json"
    path.write_text('{"enable_dpp": false, "teleport_alpha": 0.2}', encoding="utf-8")
    document = json.loads(run("--db", database, "params", "show", "--json").out)
    assert document["file"] == str(path)
    assert (document["params"]["enable_dpp"], document["params"]["teleport_alpha"]) == (False, 0.2)


def test_people_see_value_default_and_meaning(run, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"teleport_alpha": 0.2}', encoding="utf-8")
    line = next(line for line in run("params", "show", str(path)).out.splitlines() if "teleport_alpha" in line)
    assert line.split()[:3] == ["teleport_alpha", "0.2", "0.15"]
    assert "energy" in line


def test_a_file_that_may_be_put_in_place_passes(run, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"teleport_alpha": 0.2}', encoding="utf-8")
    assert run("params", "check", str(path)).code == 0
    assert json.loads(run("params", "check", str(path), "--json").out) == {"file": str(path), "valid": True}


@pytest.mark.parametrize(
    ("document", "named"),
    [('{"teleport_alpha": 7}', "teleport_alpha"), ('{"teleport_alfa": 0.2}', "teleport_alpha"), ('{"teleport', "JSON")],
    ids=["out of range", "unknown", "half written"],
)
def test_a_file_that_may_not_is_refused_in_one_line_that_names_what_is_wrong(run, tmp_path, document, named):
    path = tmp_path / "mine.json"
    path.write_text(document, encoding="utf-8")
    ran = run("params", "check", str(path))
    assert (ran.code, ran.out) == (1, "")
    assert named in ran.err
    assert len(ran.err.splitlines()) == 1


def test_the_problems_of_a_file_are_told_to_programs_one_by_one(run, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"teleport_alpha": 7, "teleport_alfa": 0.2}', encoding="utf-8")
    ran = run("params", "check", str(path), "--json")
    said = json.loads(ran.out)
    assert (ran.code, said["file"], said["valid"]) == (1, str(path), False)
    assert [problem.split(" is not ")[0] for problem in said["problems"]] == ["teleport_alpha: 7", "'teleport_alfa'"]
    path.write_text("{", encoding="utf-8")
    [problem] = json.loads(run("params", "check", str(path), "--json").out)["problems"]
    assert "not valid JSON" in problem


def test_a_file_that_is_not_there_is_refused(run, tmp_path):
    ran = run("params", "check", str(tmp_path / "none.json"))
    assert ran.code == 2
    assert "none.json" in ran.err


@pytest.fixture
def standard_input(monkeypatch):
    """Let standard input hold these bytes."""
    return lambda held: monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(held)))


def test_a_dash_shows_what_standard_input_holds(run, standard_input):
    standard_input(b'{"teleport_alpha": 0.2}')
    document = json.loads(run("params", "show", "-", "--json").out)
    assert document["file"] == "-"
    assert document["params"]["teleport_alpha"] == 0.2


def test_a_dash_checks_what_standard_input_holds(run, standard_input):
    standard_input(b'\xef\xbb\xbf{"teleport_alpha": 0.2}')
    assert run("params", "check", "-").out == "-: valid\n"
    standard_input(b'{"teleport_alpha": 7}')
    ran = run("params", "check", "-")
    assert (ran.code, ran.out) == (1, "")
    assert "teleport_alpha" in ran.err
