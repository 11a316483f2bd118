"""What each command asks of the memory, and what it prints for people and for programs."""

import io
import json
from datetime import UTC, datetime

import numpy as np
import pytest

import memcore
from memcore.errors import InvalidInputError
from memcore.kinds import Kind
from memcore.params import RetrievalParams
from memcore.pipeline import forms, rank
from memcore.pipeline.retrieval import Pool
from memcore.surfaces.cli.reasons import PHRASES

WHY = "moon 0.70, words and meaning 0.62, time asked about 0.20"


def test_add_passes_every_field_on(run, memory):
    ran = run(
        "add", "Bo likes tea.", "--user", "bo", "--kind", "fact", "--speaker", "Bo", "--origin", "tool",
        "--session", "s", "--entity", "Bo", "--entity", "tea", "--tag", "taste", "--importance", "7",
        "--event-time", "2026-05-03T08:00:00Z",
        "--metadata", '{"room": 4}', "--source-ref", "mail", "--idempotency-key", "k", "--embed", "later", "--json",
    )  # fmt: skip
    assert ran.code == 0
    sent = memory.named("add")[0]
    assert (sent["kind"], sent["origin"], sent["embed"]) == ("fact", "tool", "later")
    assert (sent["entities"], sent["tags"], sent["importance"]) == (["Bo", "tea"], ["taste"], 7.0)
    assert sent["event_time"] == datetime(2026, 5, 3, 8, tzinfo=UTC)
    assert (sent["metadata"], sent["source_ref"], sent["idempotency_key"]) == ({"room": 4}, "mail", "k")
    assert (sent["session_id"], sent["speaker"]) == ("s", "Bo")
    assert list(json.loads(ran.out)) == ["added"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--metadata", "{"),
        ("--metadata", "[1]"),
        ("--event-time", "May"),
        ("--event-time", "2026-05-03"),
        ("--kind", "x"),
    ],
)
def test_an_option_that_cannot_be_read_is_a_usage_error_that_shows_the_value(run, memory, option, value):
    ran = run("add", "text", "--user", "ana", option, value)
    assert ran.code == 2
    assert value in ran.err
    assert memory.calls == []


def test_a_dash_reads_standard_input(run, memory, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("first line\nsecond line\n"))
    assert run("add", "-", "--user", "ana").code == 0
    assert memory.named("add")[0]["content"] == "first line\nsecond line"


def test_search_prints_score_date_speaker_text_and_the_reasons_in_words(run, memory):
    memory.finds(4, "Ana moved to Lisbon.")
    ran = run("search", "Where does Ana live?", "--user", "ana")
    assert ran.code == 0
    assert ran.err == ""
    line = ran.out.splitlines()[1]
    for part in (
        "0.750",
        "4",
        "2026-05-03",
        "Ana",
        "Ana moved to Lisbon.",
        "moon 0.70, words and meaning 0.62, time asked about 0.20",
    ):
        assert part in line


def test_search_shows_what_each_step_did_and_how_long_it_took(run, memory):
    memory.finds(4, "Ana moved to Lisbon.")
    lines = run("search", "Where?", "--trace").out.splitlines()
    assert lines[-2].split() == ["anchor", "0.250", "0", "dates", "1"]
    assert lines[-1].split() == ["topics", "off", "0"]


def test_search_for_programs_is_one_json_document_with_the_fields_of_a_hit(run, memory):
    memory.finds(4, "安娜搬到了里斯本。")
    document = json.loads(run("search", "Where?", "--json", "--trace").out)
    assert list(document) == ["query", "hits", "conflicts", "confidence", "probability", "trace"]
    hit = document["hits"][0]
    assert (hit["id"], hit["content"], hit["kind"]) == (4, "安娜搬到了里斯本。", "turn")
    assert hit["event_time"] == "2026-05-03T00:00:00+00:00"


def test_search_passes_its_limits_on(run, memory):
    run("search", "x", "--limit", "3", "--kind", "fact", "--session", "s", "--filters", '{"importance": {"gte": 6}}')
    sent = memory.named("search")[0]
    assert (sent["limit"], sent["kinds"], sent["session_id"]) == (3, [Kind.FACT], "s")
    assert sent["filters"] == {"importance": {"gte": 6}}


def test_whoever_asks_may_say_when(run, memory):
    asked = ("--now", "2023-05-08T12:00:00+08:00")
    for command in (("search", "x"), ("context", "x"), ("why-not", "4", "x")):
        assert run(*command, *asked).code == 0
    run("explain", "4", "x", *asked)
    run("search", "x")
    moment = datetime.fromisoformat(asked[1])
    assert [call["now"] for call in memory.named("search")] == [moment, moment, None]
    assert memory.named("context")[0]["now"] == memory.named("why_not")[0]["now"] == moment


def test_add_passes_on_what_a_fact_claims_and_that_it_is_to_be_stored_as_it_is(run, memory):
    run(
        "add", "Bo likes tea.", "--user", "bo", "--kind", "fact", "--slot", "drink", "--category", "preference",
        "--confidence", "0.8", "--channel", "direct", "--valid-from", "2026-05-01T00:00:00Z", "--supersedes", "3",
        "--valid-until", "2027-05-01T00:00:00Z", "--expires-at", "2030-01-01T00:00:00Z", "--verbatim",
    )  # fmt: skip
    sent = memory.named("add")[0]
    assert (sent["slot"], sent["category"], sent["confidence"], sent["channel"]) == (
        "drink",
        "preference",
        0.8,
        "direct",
    )
    assert (sent["valid_from"].year, sent["valid_until"].year, sent["expires_at"].year) == (2026, 2027, 2030)
    assert (sent["supersedes"], sent["infer"]) == (3, False)
    run("add", "notes", "--user", "bo", "--kind", "chunk", "--details", '{"path": "notes.md"}')
    sent = memory.named("add")[1]
    assert (sent["details"], sent["infer"]) == ({"path": "notes.md"}, True)


def test_whoever_asks_may_say_from_which_moment_and_place_they_look(run, memory):
    moments = ("--as-of", "2023-05-08T12:00:00Z", "--known-at", "2024-05-08T12:00:00Z")
    for command in (("search", "x"), ("context", "x"), ("why-not", "4", "x")):
        assert run(*command, *moments, "--channel", "group", "--include-dormant").code == 0
    run("explain", "4", "x", *moments, "--channel", "group", "--include-dormant")
    run("list", *moments[:2], "--include-dormant")
    searches = [*memory.named("search"), *memory.named("context"), *memory.named("why_not")]
    assert [(call["as_of"].year, call["known_at"].year) for call in searches] == [(2023, 2024)] * 4
    assert {(call["channel"], call["include_dormant"]) for call in searches} == {("group", True)}
    (listed,) = memory.named("get_all")
    assert (listed["as_of"].year, listed["include_dormant"]) == (2023, True)


@pytest.mark.usefixtures("memory")
def test_a_search_that_finds_nothing_says_so_on_standard_error_and_succeeds(run):
    ran = run("search", "qqq")
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing found\n")
    nothing = {"query": "qqq", "hits": [], "conflicts": [], "confidence": "none", "probability": 0.0}
    assert json.loads(run("search", "qqq", "--json").out) == nothing


def test_context_prints_the_block_and_counts_as_use_unless_told_not_to(run, memory):
    memory.finds(4, "Ana moved.")
    assert run("context", "Where?").out == "Ana moved.\n"
    run("context", "Where?", "--no-mark-used", "--max-chars", "200")
    assert [call["mark_used"] for call in memory.named("context")] == [True, False]
    assert memory.named("context")[1]["max_chars"] == 200


def test_get_shows_one_memory(run, memory):
    ran = run("get", "4", "--user", "ana")
    assert "content: Ana moved to Lisbon.\n" in ran.out
    assert memory.named("get") == [{"id": 4, "user_id": "ana"}]
    assert json.loads(run("get", "4", "--json").out)["memory"]["id"] == 4


def test_list_says_on_standard_error_how_to_go_on(run, memory):
    memory.finds(4, "Ana moved.")
    memory.page.next_cursor = 4
    ran = run("list", "--limit", "1")
    assert "Ana moved." in ran.out
    assert ran.err == "there is more: --cursor 4\n"
    assert json.loads(run("list", "--json").out)["next_cursor"] == 4


def test_explain_shows_the_score_tree_of_a_hit(run, memory):
    memory.finds(4, "Ana moved.")
    ran = run("explain", "4", "Where?")
    assert "explanation:\n  score: 0.75\n  terms:\n    - name: relevance\n      value: 0.62\n" in ran.out
    assert "  reasons:\n    - it fits\n    - May, as asked\n" in ran.out
    assert json.loads(run("explain", "4", "Where?", "--json").out)["explanation"]["score"] == 0.75


@pytest.mark.usefixtures("memory")
def test_explain_of_what_was_not_found_points_to_why_not(run):
    ran = run("explain", "9", "Where?")
    assert ran.code == 1
    assert "why-not" in ran.err


def test_why_not_says_what_kept_a_memory_out(run, memory):
    assert "stage: rank" in run("why-not", "9", "Where?", "--user", "ana").out
    assert (memory.named("why_not")[0]["id"], memory.named("why_not")[0]["user_id"]) == (9, ["ana"])


def test_update_sends_only_what_changes(run, memory):
    assert run("update", "4", "--importance", "8", "--user", "ana").code == 0
    assert memory.named("update") == [{"id": 4, "user_id": "ana", "importance": 8.0}]
    assert run("update", "4").code == 2


@pytest.mark.usefixtures("memory")
def test_delete_reports_what_went(run):
    document = json.loads(run("delete", "4", "--user", "ana", "--json").out)
    assert document == {"deleted": {"id": 4, "removed": {"memory": 1}}}


@pytest.mark.usefixtures("memory")
def test_stats_backup_and_maintain_report(run, tmp_path):
    assert "by_kind:\n  turn: 3\n" in run("stats").out
    assert json.loads(run("backup", str(tmp_path / "copy.db"), "--json").out)["bytes"] == 4
    document = json.loads(run("maintain", "embed", "--json").out)
    report = {"job": "embed", "done": 2, "failed": 0, "remaining": 1, "error": None, "run": None}
    assert document == {"jobs": [report]}
    assert run("maintain", "embed").out.splitlines()[1].split() == ["embed", "2", "0", "1"]


def test_doctor_ends_with_one_where_something_needs_attention(run, memory):
    assert run("doctor").code == 0
    memory.problems.append("12 rows do not match their checksum")
    ran = run("doctor")
    assert ran.code == 1
    assert "12 rows do not match" in ran.out


def test_an_error_of_memcore_is_one_line_on_standard_error_and_code_one(run, memory):
    memory.error = InvalidInputError("embedding: 3 numbers are not accepted;\ngive 512")
    ran = run("search", "x")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "memcore: embedding: 3 numbers are not accepted; give 512\n"


def test_the_version_is_printed_without_a_command(run, memory):
    assert run("--version") == (0, f"memcore {memcore.__version__}\n", "")
    assert memory.opened == []


def test_a_backup_to_standard_output_is_a_usage_error(run, memory):
    ran = run("backup", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "standard output" in ran.err
    assert memory.opened == []


def test_a_command_that_does_not_exist_is_a_usage_error(run):
    assert run("forget-everything").code == 2


def test_every_term_of_a_score_has_a_phrase():
    terms = set(rank.weights(RetrievalParams(), asks_when=False))
    pool, lives = Pool(np.array([0])), forms.Lives(np.ones(1), np.ones(1), np.ones(1))
    with_stability = pool.with_values("stability", np.ones(1))
    for form in forms.FORMS.values():
        terms |= set(form(with_stability, lives, RetrievalParams()).summands)
    of_the_text = {"relevance", "vector", "rrf"}
    assert set(PHRASES) == terms - of_the_text


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("good", ""),
        ("low", "this may not be about what was asked (confidence low)\n"),
        ("none", "this is probably not about what was asked (confidence none)\n"),
    ],
)
def test_search_says_on_standard_error_where_it_is_in_doubt(run, memory, told, said):
    memory.hits.told = told
    memory.finds(4, "安娜搬到了里斯本。")
    ran = run("search", "Where?")
    assert (ran.code, ran.err) == (0, said)
