"""A value that no database could take is a usage error that names its option, before a database is opened."""

import io

import pytest

LONG = "x" * 513
REFUSED = {
    ("search", "x", "--limit", "0"): ("--limit", "give an integer from 1 to 1000"),
    ("search", "x", "--limit", "1001"): ("--limit", "give an integer from 1 to 1000"),
    ("search", "x", "--limit", "many"): ("--limit", "not a whole number"),
    ("search", "x", "--kind", "entity"): ("--kind", "never hits"),
    ("search", "x", "--filters", "{"): ("--filters", "is not JSON"),
    ("search", "x", "--filters", '{"importance": {"above": 3}}'): ("--filters", "not an operator"),
    ("search", "x", "--user", LONG): ("--user", "at most 512"),
    ("search", "x", "--session", LONG): ("--session", "at most 512"),
    ("search", "x", "--agent", LONG): ("--agent", "at most 512"),
    ("--agent", LONG, "search", "x"): ("--agent", "at most 512"),
    ("--user", LONG, "search", "x"): ("--user", "at most 512"),
    ("search", "x", "--now", "May"): ("--now", "not a moment"),
    ("search", "x", "--now", "2026-05-03"): ("--now", "has no time zone"),
    ("search", "x", "--now", "9500-05-03T00:00:00Z"): ("--now", "years 1000 to 8999"),
    ("search", " "): ("QUERY", "not blank"),
    ("search", "x" * 100_001): ("QUERY", "at most 100000"),
    ("context", "x", "--limit", "0"): ("--limit", "from 1 to 1000"),
    ("context", "x", "--max-chars", "0"): ("--max-chars", "at least 1"),
    ("explain", "4", "x", "--limit", "0"): ("--limit", "from 1 to 1000"),
    ("explain", "0", "x"): ("ID", "ids run from 1"),
    ("why-not", "4", "x", "--limit", "0"): ("--limit", "from 1 to 1000"),
    ("why-not", "4", ""): ("QUERY", "not blank"),
    ("get", "0"): ("ID", "ids run from 1"),
    ("get", "four"): ("ID", "not a whole number"),
    ("delete", str(2**63)): ("ID", "ids run from 1"),
    ("list", "--limit", "0"): ("--limit", "from 1 to 10000"),
    ("list", "--cursor", "0"): ("--cursor", "ids run from 1"),
    ("list", "--filters", "[]"): ("--filters", "not a JSON object"),
    ("update", "4", "--importance", "11"): ("--importance", "from 0 to 10"),
    ("update", "4", "--content", ""): ("--content", "not blank"),
    ("add", "", "--user", "ana"): ("TEXT", "not blank"),
    ("add", "x", "--user", "ana", "--importance", "nan"): ("--importance", "from 0 to 10"),
    ("add", "x", "--user", "ana", "--importance", "high"): ("--importance", "not a number"),
    ("add", "x", "--user", "ana", "--speaker", " "): ("--speaker", "not blank"),
    ("add", "x", "--user", "ana", "--entity", ""): ("--entity", "not blank"),
    ("add", "x", "--user", "ana", "--tag", ""): ("--tag", "not blank"),
    ("add", "x", "--user", "ana", "--source-ref", ""): ("--source-ref", "not blank"),
    ("add", "x", "--user", "ana", "--idempotency-key", ""): ("--idempotency-key", "not blank"),
    ("add", "x", "--user", "ana", "--event-time", "0900-01-01T00:00:00Z"): ("--event-time", "years 1000 to 8999"),
    ("add", "x", "--user", "ana", "--metadata", '{"a": NaN}'): ("--metadata", "NaN is no number"),
    ("add", "x", "--user", "ana", "--metadata", '{"a": 9223372036854775808}'): ("--metadata", "beyond 64 bits"),
    ("add", "x", "--user", "ana", "--slot", "tea"): ("--slot", "kinds with it: fact"),
    ("add", "x", "--user", "ana", "--kind", "fact", "--slot", " "): ("--slot", "not blank"),
    ("add", "x", "--user", "ana", "--kind", "fact", "--category", "mood"): ("--category", "identity, date"),
    ("add", "x", "--user", "ana", "--kind", "fact", "--confidence", "1.5"): ("--confidence", "from 0 to 1"),
    ("add", "x", "--user", "ana", "--confidence", "1"): ("--confidence", "kinds with it: fact"),
    ("add", "x", "--user", "ana", "--kind", "fact", "--supersedes", "0"): ("--supersedes", "ids run from 1"),
    ("add", "x", "--user", "ana", "--channel", "pigeon"): ("--channel", "direct, group"),
    ("add", "x", "--user", "ana", "--expires-at", "2026-05-03"): ("--expires-at", "has no time zone"),
    ("add", "x", "--user", "ana", "--kind", "chunk"): ("--details", "kind chunk needs them"),
    ("add", "x", "--user", "ana", "--kind", "chunk", "--details", "{}"): ("--details", "without 'path'"),
    ("add", "x", "--user", "ana", "--kind", "entity", "--session", "s"): ("--session", "no conversation"),
    ("add", "x", "--user", "ana", "--kind", "entity", "--entity", "y"): ("--entity", "the entity itself"),
    (
        "fact",
        "set",
        "tea",
        "x",
        "--shared",
        "--valid-from",
        "2026-05-03T00:00:00Z",
        "--valid-until",
        "2026-05-02T00:00:00Z",
    ): ("--valid-until", "a moment after valid_from"),
    ("fact", "set", " ", "x", "--shared"): ("SLOT", "not blank"),
    ("fact", "get", ""): ("SLOT", "not blank"),
    ("fact", "list", "--category", "mood"): ("--category", "identity, date"),
    ("search", "x", "--as-of", "2026-05-03"): ("--as-of", "has no time zone"),
    ("search", "x", "--known-at", "May"): ("--known-at", "not a moment"),
    ("context", "x", "--channel", "pigeon"): ("--channel", "direct, group"),
    ("list", "--as-of", "May"): ("--as-of", "not a moment"),
    ("review", "list", "--limit", "0"): ("--limit", "from 1 to 10000"),
    ("review", "reject", "4", "--reason", " "): ("--reason", "not blank"),
    ("review", "resolve", "4", "0"): ("DROP", "ids run from 1"),
    ("undo", "0"): ("OPERATION", "ids run from 1"),
    ("undo", "--source-ref", "x", "--since", "May"): ("--since", "not a moment"),
    ("feedback", "4", "--corrected", ""): ("--corrected", "not blank"),
    ("supersede", "4", ""): ("TEXT", "not blank"),
    ("purge", LONG): ("USER", "at most 512"),
    ("verify", " "): ("TEXT_OR_ID", "not blank"),
    ("verify", "0"): ("TEXT_OR_ID", "ids run from 1"),
    ("task", "add", "", "--user", "ana"): ("TITLE", "not blank"),
    ("task", "add", LONG, "--user", "ana"): ("TITLE", "at most 512"),
    ("task", "add", "x", "--user", "ana", "--due", "tomorrow"): ("--due", "not a moment"),
    ("task", "add", "x", "--user", "ana", "--due", "2026-05-03"): ("--due", "has no time zone"),
    ("task", "list", "--state", "opne"): ("--state", 'did you mean "open"?'),
    ("task", "list", "--limit", "0"): ("--limit", "from 1 to 10000"),
    ("task", "show", "0"): ("ID", "ids run from 1"),
    ("task", "start", "four"): ("ID", "not a whole number"),
    ("task", "finish", "4", "--note", " "): ("--note", "not blank"),
    ("task", "note", "4", ""): ("TEXT", "not blank"),
    ("add", "x", "--user", "ana", "--kind", "foo"): ("--kind", "'foo' is not accepted; give one of turn, event"),
    ("add", "x", "--user", "ana", "--origin", "assitant"): ("--origin", 'did you mean "assistant"?'),
    ("search", "x", "--kind", "foo"): ("--kind", "'foo' is not accepted; give one of turn, event"),
    ("add", "x", "--user", "ana", "--valid-from", "2026-05-03T00:00:00Z"): (
        "--valid-from",
        "2026-05-03T00:00:00+00:00 is not accepted; a memory of kind event has none",
    ),
    ("maintain", "embd"): ("JOB", 'did you mean "embed"?'),
    ("maintain", "embed", "dream"): ("JOB", "give one of embed"),
}


@pytest.mark.parametrize("arguments", REFUSED, ids=lambda arguments: " ".join(arguments)[:50])
def test_a_value_that_cannot_be_good_ends_with_two_and_names_its_option(run, memory, arguments):
    ran = run(*arguments)
    option, remedy = REFUSED[arguments]
    assert (ran.code, ran.out) == (2, "")
    assert f"'{option}'" in ran.err
    assert remedy in ran.err
    assert "Value error" not in ran.err
    assert memory.opened == []


def test_the_field_is_not_said_twice_beside_its_option(run, memory):
    assert "'--limit': 0 is not accepted; give" in run("search", "x", "--limit", "0").err
    assert memory.opened == []


def test_what_standard_input_holds_is_held_to_the_same_rules(run, memory, monkeypatch):
    for arguments in (("search", "-"), ("add", "-", "--user", "ana"), ("update", "4", "--content", "-")):
        monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
        ran = run(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "not blank" in ran.err
    assert memory.opened == []


def test_the_largest_values_that_are_good_pass(run, memory):
    assert run("search", "x", "--limit", "1000").code == 0
    assert run("list", "--limit", "10000", "--cursor", str(2**63 - 1)).code == 0
    assert run("context", "x", "--max-chars", "1").code == 0
    assert memory.named("get_all")[0]["cursor"] == 2**63 - 1


@pytest.mark.parametrize("option", ["--metadata", "--filters"])
def test_json_that_is_nested_too_deeply_is_a_usage_error(run, option):
    command = ("add", "x", "--shared") if option == "--metadata" else ("search", "x")
    ran = run(*command, option, '{"a":' * 50_000 + "1" + "}" * 50_000)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1].endswith("is nested too deeply")
    assert len(ran.err) < 600
