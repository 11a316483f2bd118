"""`memcore import`: a file of chat turns becomes memories in batches, and gets its vectors afterwards."""

import io
import json

import pytest

from memcore.surfaces.cli import writing


def written(tmp_path, *turns):
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns), encoding="utf-8")
    return str(path)


def test_turns_go_to_the_user_and_session_named_and_are_embedded_afterwards(run, memory, tmp_path):
    path = written(tmp_path, {"content": "Hi.", "speaker": "Ana"}, {"content": "你好。", "speaker": "Bo"})
    ran = run("import", path, "--user", "ana", "--session", "monday")
    assert ran.code == 0
    assert [name for name, _ in memory.calls] == ["add_many", "maintain"]
    items = memory.named("add_many")[0]["items"]
    assert [(item["content"], item["user_id"], item["session_id"]) for item in items] == [
        ("Hi.", "ana", "monday"),
        ("你好。", "ana", "monday"),
    ]
    assert ran.out == "2 turns remembered\n"
    assert ran.err == "2 embedded, 0 failed, 1 waiting\n"


def test_a_line_keeps_the_user_that_it_names(run, memory, tmp_path):
    path = written(tmp_path, {"content": "Hi.", "user_id": "bo"})
    assert run("import", path).code == 0
    assert memory.named("add_many")[0]["items"][0]["user_id"] == "bo"


def test_lines_without_a_user_need_one_or_shared(run, memory, tmp_path):
    path = written(tmp_path, {"content": "Hi.", "user_id": "bo"}, {"content": "Ho."})
    ran = run("import", path)
    assert ran.code == 2
    assert "--shared" in ran.err
    assert memory.opened == []
    assert run("import", path, "--shared").code == 0
    assert "user_id" not in memory.named("add_many")[0]["items"][1]


def test_shared_lines_are_shared_even_where_the_environment_names_a_user(run, memory, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMCORE_USER_ID", "ana")
    assert run("import", written(tmp_path, {"content": "Hi."}), "--shared").code == 0
    assert "user_id" not in memory.named("add_many")[0]["items"][0]


def test_many_turns_are_written_in_batches(run, memory, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "BATCH", 2)
    path = written(tmp_path, *({"content": f"turn {number}"} for number in range(5)))
    document = json.loads(run("import", path, "--user", "ana", "--embed", "later", "--json").out)
    assert document == {"imported": 5, "new": 5, "already_there": 0, "dropped": 0, "ids": [1, 2, 3, 4, 5], "jobs": []}
    assert [len(call["items"]) for call in memory.named("add_many")] == [2, 2, 1]


def test_a_bad_line_stops_the_import_before_anything_is_written(run, memory, tmp_path):
    path = written(tmp_path, {"content": "Hi."}, {"content": ""})
    ran = run("import", path, "--user", "ana")
    assert ran.code == 1
    assert "line 2, content" in ran.err
    assert memory.opened == []


def test_a_file_that_is_not_utf8_is_refused(run, memory, tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes('{"content": "é"}'.encode("latin-1"))
    ran = run("import", str(path), "--user", "ana")
    assert ran.code == 2
    assert "give UTF-8" in ran.err
    assert memory.opened == []


def test_a_dash_reads_the_turns_from_standard_input(run, memory, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO('{"content": "Hi."}\n'))
    assert run("import", "-", "--user", "ana").out == "1 turn remembered\n"
    assert len(memory.named("add_many")) == 1


@pytest.mark.usefixtures("memory")
def test_a_file_that_is_not_there_is_a_usage_error(run, tmp_path):
    assert run("import", str(tmp_path / "none.jsonl"), "--user", "ana").code == 2
