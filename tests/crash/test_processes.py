"""Several processes on one file: each sees at its next call what any other wrote, and none is told to wait."""

import pytest
from crash_processes import nursery

from memcore import Memory


@pytest.fixture
def memory(path, rooms):
    rooms.left.clear()
    with rooms.memory(path, embedder="hashing", durability="relaxed") as opened:
        yield opened
    assert rooms.holds()


def contents(memory, query):
    return [hit.content for hit in memory.search(query, user_id="ana", limit=50, params={"enable_dense": False})]


def test_what_another_process_adds_is_found_at_the_next_search(memory, path, talking):
    other = talking("speaking_writer.py", path)
    for number in range(25):
        assert contents(memory, f"parcel{number}") == []
        (added,) = other.ask(["add", {"content": f"The parcel{number} is here", "user_id": "ana"}])["items"]
        assert contents(memory, f"parcel{number}") == [f"The parcel{number} is here"]
        assert memory.get(added["id"]).content == f"The parcel{number} is here"
        memory.add(f"The answer{number} went out", user_id="ana")
        query = {"query": f"answer{number}", "user_id": "ana", "params": {"enable_dense": False}}
        assert other.ask(["search", query]) == [f"The answer{number} went out"]
    other.ask(["update", {"id": added["id"], "content": "The crate is here"}])
    assert contents(memory, "crate") == ["The crate is here"]
    assert contents(memory, "parcel24") == []
    other.ask(["delete", {"id": added["id"]}])
    assert contents(memory, "crate") == []


def test_a_raw_edit_insert_and_delete_of_another_program_are_seen_at_the_next_call(memory, path, talking):
    memory.add("The parcel is here", user_id="ana")
    memory.add("The crate is there", user_id="ana")
    shell = talking("speaking_shell.py", path)
    assert contents(memory, "parcel") == ["The parcel is here"]
    shell.ask("UPDATE memory SET content = 'The barrel is here' WHERE content LIKE '%parcel%'")
    assert contents(memory, "barrel") == ["The barrel is here"]
    assert contents(memory, "parcel") == []
    assert memory.get(1).content == "The barrel is here"
    now = "1780000000000000"
    shell.ask(
        "INSERT INTO memory (agent_id, user_id, kind, content, event_time, recorded_at, updated_at)"
        f" VALUES ('default', 'ana', 'event', 'The basket came later', {now}, {now}, {now})"
    )
    assert contents(memory, "basket") == ["The basket came later"]
    shell.ask("DELETE FROM memory WHERE content LIKE '%crate%'")
    assert contents(memory, "crate") == []
    assert memory.stats().pending_vectors == 2
    assert memory.maintain()[0].remaining == 0
    checks = {check.name: check for check in memory.doctor().checks}
    assert checks["checksums"].ok
    assert "2 edited by hand" in checks["checksums"].detail
    assert memory.search("The barrel is here", user_id="ana")[0].signals["vector"] > 0.9


def test_a_raw_edit_of_a_user_that_is_new_to_this_process_is_seen(memory, path, talking):
    shell = talking("speaking_shell.py", path)
    assert memory.search("basket", user_id="new").trace.scope_size == 0
    shell.ask(
        "INSERT INTO memory (agent_id, user_id, kind, content, event_time, recorded_at, updated_at)"
        " VALUES ('default', 'new', 'fact', 'The basket came', 1780000000000000, 1780000000000000, 1780000000000000)"
    )
    for _ in range(2):
        assert [hit.content for hit in memory.search("basket", user_id="new")] == ["The basket came"]


@pytest.mark.parametrize("micros", [2**63 - 1, -(2**63), 10**17, -(10**17)])
def test_a_moment_that_no_calendar_has_stops_no_reader(memory, path, talking, micros):
    memory.add_many({"content": f"The parcel {word} came", "user_id": "ana"} for word in ("one", "two"))
    talking("speaking_shell.py", path).ask(f"UPDATE memory SET event_time = {micros} WHERE content LIKE '%one%'")
    assert len(contents(memory, "parcel")) == 2
    assert len(contents(memory, "When did the parcel come, yesterday?")) == 2
    assert memory.context("parcel", user_id="ana").count("parcel") == 2
    assert len(memory.graph(1).nodes) == 2


def test_partitions_that_leave_between_searches_hide_and_lose_nothing_of_what_another_process_does(
    memory, rooms, path, talking
):
    """The other one writes, changes and deletes for two users in turn; neither ever shows a word of the past."""
    other = talking("speaking_writer.py", path)
    there = {"ana": {}, "bob": {}}

    def both_see_what_is_there():
        for user, words in there.items():
            query = {"query": "parcel", "user_id": user, "limit": 50, "params": {"enable_dense": False}}
            found = sorted(hit.content for hit in memory.search(**query))
            assert found == sorted(words.values())
            assert sorted(other.ask(["search", query])) == found

    for number in range(12):
        user = ("ana", "bob")[number % 2]
        text = f"The parcel{number} of {user}, a parcel"
        (added,) = other.ask(["add", {"content": text, "user_id": user}])["items"]
        there[user][added["id"]] = text
        both_see_what_is_there()
        if number % 3 == 2:
            one = min(there[user])
            other.ask(["delete", {"id": one}])
            del there[user][one]
            both_see_what_is_there()
        if number % 4 == 3:
            one = min(there[user])
            there[user][one] = f"Another parcel, {number}, of {user}"
            memory.update(one, content=there[user][one])
            both_see_what_is_there()
    other.ask(["purge_user", {"user_id": "bob", "confirm": "bob"}])
    there["bob"].clear()
    both_see_what_is_there()
    if rooms.is_small:
        assert len(rooms.left) >= 2 * 12


def test_eight_processes_write_side_by_side_and_every_row_is_there(path):
    assert nursery("write", path, 8, 60) == []
    with Memory(path, embedder="hashing") as memory:
        assert memory.stats().memories == {"event": 480}
        users = [f"user {number}" for number in range(3)]
        stored = [record.content for record in memory.get_all(user_id=users, limit=1000)]
        assert sorted(stored) == sorted(f"note {writer} {number}" for writer in range(8) for number in range(60))
        assert memory.doctor().ok
