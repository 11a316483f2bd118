"""`memcore tune …`: recorded, run again, looked for, put in use, rolled back; for people and for programs."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from memcore.learning import tuning
from memcore.learning.cases import Case
from memcore.surfaces.cli.tuning_told import bar, curve, in_few_words

TEXTS = [
    "Ana moved to Lisbon in May.",
    "Ana's sister repairs old radios in Porto.",
    "The ferry to the island leaves at nine.",
    "Ana is allergic to peanuts.",
    "The library is beside the harbour, and the ferry too.",
    "The office in Lisbon has a terrace.",
]
ASKED = ["Where is Lisbon?", "Who repairs radios?", "When does the ferry leave?", "peanuts?", "library?", "terrace?"]


@pytest.fixture
def asked(on):
    """Runs commands on a database some of whose searches were recorded."""
    for text in TEXTS:
        on("add", text, "--user", "ana")
    assert on("tune", "record")["recording"]["on"]
    for query in ASKED:
        on("context", query, "--user", "ana", "--no-mark-used")
    return on


@pytest.fixture
def told(run, asked, tmp_path):  # noqa: ARG001 - the database is there once it was asked
    """Runs a command for people on that database."""
    return lambda *arguments: run("--db", str(tmp_path / "agent.db"), *arguments)


def test_recording_is_begun_and_ended_and_its_state_is_told(told, asked):
    assert asked("tune", "status") == {"on": True, "sample": 1.0, "most": 10_000, "stored": 6}
    assert told("tune", "record", "--sample", "0.5", "--most", "4").out == (
        "searches are recorded: share 0.5, at most 4 traces, 4 so far\n"
    )
    assert told("tune", "record", "--off").out == "searches are not recorded; 4 traces are kept\n"
    assert told("tune", "status").out.splitlines()[0] == "on: no"


def test_traces_are_listed_with_their_words_and_numbers(told, asked):
    page = asked("tune", "traces", "--limit", "2")
    assert [trace["query"] for trace in page["traces"]] == ["terrace?", "library?"]
    assert page["traces"][0]["memories"][0]["entered"]
    listed = told("tune", "traces", "--limit", "2", "--cursor", str(page["next_cursor"]))
    assert "peanuts?" in listed.out
    assert "ana" in listed.out
    assert "there is more: --cursor" in listed.err
    assert asked("tune", "traces", "--user", "bo")["traces"] == []
    assert asked("tune", "forget") == {"forgotten": 6}
    assert "memcore tune record" in told("tune", "traces").err


def test_a_replay_tells_how_many_match_and_why_others_do_not(told, asked, tmp_path):
    assert asked("tune", "replay")["replay"]["matched"] == len(ASKED)
    assert asked("tune", "replay", "--newest", "2")["replay"]["rounds"] == 2
    few = asked("tune", "search", "--newest", "5", "--trials", "2")["search"]
    assert few["tuned"]["rounds"] + few["held_out"]["rounds"] == 5
    asked("add", "Ana eats no satay because of the peanuts.", "--user", "ana")
    document = asked("tune", "replay")["replay"]
    assert document["matched"] + sum(document["mismatched"].values()) == document["rounds"] == len(ASKED)
    assert set(document["mismatched"]) == {"memory new", "scope changed"}
    page = tmp_path / "replay.html"
    shown = told("tune", "replay", "--html", str(page))
    assert shown.code == 0
    assert re.search(r"^memory new +\d", shown.out, flags=re.MULTILINE)
    assert "of the answers of then are in the answers now" in shown.out
    assert whole(page)


def test_a_replay_with_other_parameters_is_compared(told, asked, tmp_path):
    file = tmp_path / "try.json"
    file.write_text('{"weight_expansion": 0.0, "weight_graph": 0.0}', "utf-8")
    document = asked("tune", "replay", "--params", str(file), "--k", "3")["replay"]
    assert document["changes"] == {"weight_expansion": 0.0, "weight_graph": 0.0}
    assert document["comparison"]["rounds"] == len(ASKED)
    asked("tune", "save", "mine", "--params", str(file))
    page = tmp_path / "replay.html"
    shown = told("tune", "replay", "--profile", "mine", "--html", str(page))
    assert "tried: weight_graph 0.0, weight_expansion 0.0" in shown.out
    assert re.search(r"nDCG@8 [-+]0\.\d{3} \[", shown.out)
    assert "weight_graph = 0.0" in whole(page)
    assert told("tune", "replay", "--profile", "mine", "--params", str(file)).code == 2


def test_what_nothing_explains_ends_with_code_1(told, asked, tmp_path, opened_raw):
    with opened_raw(tmp_path / "agent.db") as connection:
        connection.exec_driver_sql("UPDATE trace_memory SET score = score + 1 WHERE trace_id = 2")
    shown = told("tune", "replay")
    assert (shown.code, "unexplained" in shown.out) == (1, True)
    assert asked("tune", "profiles")


@pytest.fixture
def opened_raw():
    from memcore.storage.database import Database

    return lambda path: Database(path).write()


def test_a_search_says_what_it_found_and_is_the_same_again(told, asked, tmp_path):
    first = asked("tune", "search", "--trials", "12", "--seed", "2")
    again = asked("tune", "search", "--trials", "12", "--seed", "2")
    assert again["search"] == {**first["search"], "known": len(first["search"]["trials"])}
    assert first["saved"] is None
    page = tmp_path / "search.html"
    shown = told("tune", "search", "--trials", "6", "--name", "weight_graph", "--html", str(page), "--save", "best")
    assert "sets tried" in shown.out
    assert "rounds that had no say" in shown.out
    assert first["search"]["verdict"] in whole(page) or "verdict" in whole(page)
    assert ("saved as best" in shown.out) == any(one["name"] == "best" for one in asked("tune", "profiles")["profiles"])


def test_a_search_that_finds_nothing_better_says_that_nothing_is_saved(told, asked):
    ran = told("tune", "search", "--trials", "1", "--save", "best")
    assert (ran.code, "nothing is saved as best" in ran.err, "saved as" in ran.out) == (0, True, False)
    assert "best" not in {one["name"] for one in asked("tune", "profiles")["profiles"]}


def test_a_name_of_several_words_is_told_as_a_shell_takes_it(told, monkeypatch):
    real = tuning.search

    def improved(*given, **named):
        return replace(real(*given, **named), changes={"weight_graph": 0.5})

    monkeypatch.setattr("memcore.calls.tuning.search", improved)
    ran = told("tune", "search", "--trials", "1", "--save", "of June")
    assert "saved as of June; memcore tune activate 'of June' puts it in use" in ran.out


def test_a_search_that_is_interrupted_says_that_it_goes_on(told, monkeypatch):
    real, tried = Case.quality, []

    def interrupted(self, *given):
        tried.append(1)
        if len(tried) > 10:
            raise KeyboardInterrupt
        return real(self, *given)

    with monkeypatch.context() as broken:
        broken.setattr(Case, "quality", interrupted)
        ran = told("tune", "search", "--trials", "6")
    assert (ran.code, ran.out) == (130, "")
    assert "cut off; begun again, it goes on from the sets that were tried" in ran.err
    assert "(3 known from before)" in told("tune", "search", "--trials", "6").out


def test_too_few_searches_are_one_line_with_code_1(run, on, tmp_path):
    on("add", TEXTS[0], "--user", "ana")
    ran = run("--db", str(tmp_path / "agent.db"), "tune", "search")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
    assert "at least 4" in ran.err


def test_a_profile_is_saved_listed_activated_compared_and_rolled_back(told, asked, tmp_path):
    file = tmp_path / "retrieval_params.json"
    file.write_text('{"weight_graph": 0.5}', "utf-8")
    assert told("tune", "save", "mine").out == "saved as mine: weight_graph 0.5\n"
    file.write_text('{"weight_graph": 0.25}', "utf-8")
    shown = told("tune", "activate", "mine")
    assert re.search(r"is kept as the profile file of \d{4}-", shown.out)
    assert f"mine is in use, by {file}: weight_graph 0.5" in shown.out
    assert re.search(r"^\* +mine ", told("tune", "profiles").out, flags=re.MULTILINE)
    assert asked("params", "show")["params"]["weight_graph"] == 0.5
    compared = told("tune", "compare", "defaults", "mine")
    assert re.search(r"^weight_graph +0\.9 +0\.5$", compared.out, flags=re.MULTILINE)
    assert "nDCG@8" in compared.out
    assert asked("tune", "compare", "mine", "mine")["compared"]["differing"] == {}
    assert asked("tune", "rollback")["activation"]["rolled_back"]
    assert json.loads(file.read_text("utf-8")) == {"weight_graph": 0.25}
    nothing = told("tune", "rollback")
    assert (nothing.code, nothing.out) == (1, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("record", "--sample", "0"),
        ("record", "--sample", "much"),
        ("record", "--most", "0"),
        ("replay", "--k", "0"),
        ("replay", "--params", "not there.json"),
        ("search", "--trials", "none"),
        ("search", "--seed", "-1"),
        ("search", "--name", "weight_of_the_moon"),
        ("activate", ""),
        ("replay", "--html", "no/such/folder.html"),
        ("search", "--html", "."),
        ("search", "--save", "trove"),
    ],
    ids=" ".join,
)
def test_what_no_database_could_take_is_a_usage_error(told, arguments):
    ran = told("tune", *arguments)
    assert (ran.code, ran.out) == (2, "")


def test_a_database_in_memory_is_refused_by_what_writes(run):
    for command in (("record",), ("search",), ("activate", "x"), ("rollback",), ("save", "x"), ("forget",)):
        assert run("--db", ":memory:", "tune", *command).code == 2


def whole(page):
    """The text of a page, once it is well-formed and loads nothing."""
    text = page.read_text("utf-8")
    body = text.removeprefix("<!doctype html>").replace('<meta charset="utf-8">', "").replace(" class=n>", ">")
    ET.fromstring(body)  # noqa: S314 - the page was just made by the code under test
    assert "<svg" in text
    assert not re.search(r"(src|href)=|url\(|@import|<script", text)
    return text


def test_bars_and_curves_stay_in_their_bounds():
    assert (bar(0), bar(1, 3), bar(2, 3), bar(-1)) == ("", "███", "███", "")
    assert curve([1.0]) == "▁"
    assert len(curve([float(one) for one in range(500)])) <= 60
    many = {f"p{number}": number for number in range(9)}
    assert in_few_words(many).endswith("p5 5 and 3 more")
    assert in_few_words({}) == "the defaults"
