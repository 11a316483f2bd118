"""The commands on a real memory (by words alone, so that no model is loaded): what they print is what is stored."""

import json
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_memory_goes_through_its_whole_life(on, tmp_path):
    (added,) = on("add", "Ana moved to Lisbon in May 2026.", "--user", "ana", "--entity", "Ana")["added"]
    number = str(added["id"])
    assert on("get", number)["memory"]["content"] == "Ana moved to Lisbon in May 2026."
    (hit,) = on("search", "Where is Lisbon?", "--user", "ana")["hits"]
    assert (hit["id"], hit["kind"], hit["user_id"]) == (added["id"], "event", "ana")
    assert "Lisbon" in on("context", "Where is Lisbon?", "--user", "ana")["context"]
    assert on("explain", number, "Where is Lisbon?", "--user", "ana")["explanation"]["id"] == added["id"]
    assert on("why-not", number, "peanuts", "--user", "ana")["why_not"]["detail"]
    assert on("update", number, "--content", "Ana moved to Porto.")["updated"]["content"] == "Ana moved to Porto."
    assert [memory["id"] for memory in on("list", "--user", "ana", "--kind", "event")["memories"]] == [added["id"]]
    assert on("backup", str(tmp_path / "copy.db"))["bytes"] > 0
    assert on("stats")["agent_id"] == "default"
    assert on("doctor")["ok"] is True
    assert on("delete", number, "--user", "ana")["deleted"]["id"] == added["id"]
    assert on("list", "--user", "ana", "--kind", "event")["memories"] == []


def test_the_sample_conversation_is_imported_and_found_in_both_languages(on):
    assert on("import", str(EXAMPLES / "conversation.jsonl"))["imported"] == 83
    (best, *_) = on("search", "Why can't I eat the satay in the canteen?", "--user", "linxia")["hits"]
    assert "satay" in best["content"]
    assert any("花名" in hit["content"] for hit in on("search", "花名", "--user", "linxia")["hits"])


def test_another_user_is_not_found_and_an_id_outside_the_user_does_not_exist(run, on, tmp_path):
    (added,) = on("add", "The code word is heron.", "--user", "ana")["added"]
    assert on("search", "code word", "--user", "bo")["hits"] == []
    assert on("search", "code word")["hits"] == []
    ran = run("--db", str(tmp_path / "agent.db"), "get", str(added["id"]), "--user", "bo")
    assert (ran.code, ran.out) == (1, "")
    assert "heron" not in ran.err


def test_the_demo_answers_from_the_sample(run, on):
    assert on("demo", "--all")["questions"]
    ran = run("demo")
    assert "The block for a prompt" in ran.out
    assert ran.out.splitlines()[0].startswith("83 turns")


def test_an_id_without_a_user_is_any_memory_of_the_agent_and_a_question_without_one_sees_shared_ones(run, on, tmp_path):
    (added,) = on("add", "The code word is heron.", "--user", "ana")["added"]
    number = str(added["id"])
    assert on("get", number)["memory"]["user_id"] == "ana"
    assert run("--db", str(tmp_path / "agent.db"), "why-not", number, "code word").code == 1
    assert on("update", number, "--importance", "7")["updated"]["importance"] == 7.0
    assert on("delete", number)["deleted"]["id"] == added["id"]


def test_an_imported_timestamp_without_an_offset_is_utc(on, tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_text('{"content": "Hi there.", "timestamp": "2026-05-03T18:30:00"}', encoding="utf-8")
    (number,) = on("import", str(path), "--user", "ana")["ids"]
    assert on("get", str(number))["memory"]["event_time"] == "2026-05-03T18:30:00+00:00"


def test_years_in_a_question_count_from_when_it_is_asked(on):
    for year in (2021, 2024):
        on("add", f"I lived in a flat in {year}.", "--user", "ana", "--event-time", f"{year}-05-08T12:00:00Z")
    for text in ("Which flat did I live in two years ago?", "前年我住在哪个flat？"):
        (best, *_) = on("search", text, "--user", "ana", "--now", "2023-05-08T12:00:00Z")["hits"]
        assert best["event_time"].startswith("2021")
        (best, *_) = on("search", text, "--user", "ana", "--now", "2026-05-08T12:00:00Z")["hits"]
        assert best["event_time"].startswith("2024")


def test_a_second_import_says_what_was_new_and_what_was_there_already(run, on, tmp_path):
    path = tmp_path / "chat.jsonl"
    turns = [json.dumps({"content": f"Turn {number}.", "idempotency_key": f"k{number}"}) for number in range(3)]
    path.write_text("\n".join(turns[:2]), encoding="utf-8")
    first = on("import", str(path), "--user", "ana")
    assert (first["imported"], first["new"], first["already_there"]) == (2, 2, 0)
    path.write_text("\n".join(turns), encoding="utf-8")
    ran = run("--db", str(tmp_path / "agent.db"), "import", str(path), "--user", "ana")
    assert ran.out == "1 turn remembered, 2 already there\n"
    third = on("import", str(path), "--user", "ana")
    assert (third["imported"], third["new"], third["already_there"]) == (3, 0, 3)
    assert third["ids"][:2] == first["ids"]


def test_a_text_that_is_dropped_is_told_with_a_dash_and_counts_as_nothing_new(run, on, tmp_path):
    on("add", "Ana likes fado.", "--user", "ana")
    database = ("--db", str(tmp_path / "agent.db"))
    assert run(*database, "add", "thanks!", "--user", "ana").out == "-  event  drop  it is small talk\n"
    block = on("context", "fado", "--user", "ana")["context"]
    turns = [{"content": block, "role": "assistant"}, {"content": "And tango?", "role": "user"}]
    chat = tmp_path / "chat.jsonl"
    chat.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    ran = run(*database, "import", str(chat), "--user", "ana", "--embed", "later")
    assert ran.out == "1 turn remembered, 1 dropped\n"


def test_every_question_can_be_about_some_kinds_and_filters_only(on):
    [one] = on("add", "The ferry leaves at noon.", "--user", "ana")["added"]
    number, question = str(one["id"]), ("When does the ferry leave?", "--user", "ana")
    facts, important = ("--kind", "fact"), ("--filters", '{"importance": {"gte": 9}}')
    for narrow, reason in ((facts, "kind"), (important, "filters")):
        assert on("search", *question, *narrow)["hits"] == []
        assert on("context", *question, *narrow)["context"] == ""
        assert on("why-not", number, *question, *narrow)["why_not"]["reason"] == reason
    assert on("explain", number, *question, "--kind", "event", "--kind", "fact")["explanation"]["id"] == one["id"]


def test_a_block_has_room_for_so_many_characters_or_tokens(run, on, tmp_path):
    on("add", "The ferry leaves at noon.", "--user", "ana")
    asked = ("context", "ferry", "--user", "ana")
    assert "ferry" in on(*asked, "--max-tokens", "200")["context"]
    assert on(*asked, "--max-tokens", "5")["context"] == ""
    ran = run("--db", str(tmp_path / "agent.db"), *asked, "--max-tokens", "200", "--max-chars", "600")
    assert (ran.code, ran.out) == (2, "")
    assert "exclude each other" in ran.err


def test_a_list_can_be_of_one_session(on):
    [one] = on("add", "The ferry leaves at noon.", "--user", "ana", "--session", "s")["added"]
    on("add", "Two seats are booked.", "--user", "ana")
    listed = on("list", "--user", "ana", "--session", "s")["memories"]
    assert [memory["id"] for memory in listed] == [one["id"]]


def test_an_update_changes_tags_time_and_source_too(on):
    [one] = on("add", "The ferry leaves at noon.", "--user", "ana", "--tag", "old")["added"]
    changed = on(
        "update", str(one["id"]), "--tag", "travel", "--tag", "sea", "--event-time", "2026-05-03T08:00:00+02:00",
        "--source-ref", "mail-7",
    )["updated"]  # fmt: skip
    assert (changed["tags"], changed["event_time"], changed["source_ref"]) == (
        ["travel", "sea"],
        "2026-05-03T06:00:00+00:00",
        "mail-7",
    )


def test_maintain_without_a_job_runs_all_there_are(on):
    on("add", "The ferry leaves at noon.", "--user", "ana")
    jobs = [report["job"] for report in on("maintain")["jobs"]]
    assert jobs == ["embed", "sweep", "purge", "wipe", "trim", "snapshot"]
