"""A trace is a place of purge: it goes with its user, and with a memory that it answered with or quotes."""

import json
import time

import pytest
from learning_lives import NOON, bytes_of, flushed, queries

from memcore.errors import StorageError
from memcore.scope import Partition
from memcore.storage import purge, quoted, search_traces

WORD = "Zqueryofananobodyhas"


def test_a_purge_takes_all_traces_of_the_user_and_what_was_counted_is_what_went(traced):
    for user in ("ana", "bo", ["ana", "bo"]):
        traced.search(f"ferry of {user}", user_id=user)
    assert flushed(traced).stored == 3
    dry = traced.purge_user("ana").counts
    report = traced.purge_user("ana", confirm="ana")
    assert report.counts == dry
    assert (dry["search_trace"], dry["trace_user"]) == (2, 3)
    assert queries(traced) == ["ferry of bo"]


def test_after_a_purge_the_words_of_the_queries_are_in_no_byte(traced, tmp_path):
    traced.context(f"When does the ferry leave? {WORD}", user_id="ana", session_id="s1", mark_used=False)
    traced.search("ferry", user_id="ana", filters={"of": {"ne": WORD}})
    traced.search("ferry", user_id="bo")
    flushed(traced)
    assert {one.place for one in traced.verify_absent(WORD)} >= {"search_trace", "agent.db-wal"}
    traced.purge_user("ana", confirm="ana")
    assert traced.verify_absent(WORD) == []
    assert queries(traced) == ["ferry"]
    assert WORD.encode() not in bytes_of(traced, tmp_path)


def quoting(memory):
    """Searches of another user that have what Ana said, now and before a change, and one that has a part of it."""
    memory.add(f"The password is {WORD}.", user_id="ana")
    before = memory.add(f"It was {WORD} Straße once", user_id="ana")[0].id
    memory.update(before, content="It was another one.")
    queries = [
        f"is it true that THE password is {WORD.upper()}.",
        f"it was {WORD} STRASSE once?",
        "ferry",
        "the password",
    ]
    for query in queries:
        memory.search(query, user_id="bo", kinds=["turn"])
    memory.search("radios", user_id="bo", filters={"of": {"in": ["x", f"well: The password is {WORD}. Really"]}})
    assert flushed(memory).stored == 5


def test_a_purge_takes_the_traces_of_others_that_quote_the_user(traced, opened, tmp_path):
    quoting(traced)
    elsewhere = opened(agent_id="another")
    elsewhere.add("Tents are dry", user_id="bo")
    elsewhere.tuning.record()
    elsewhere.search("The password of the tents", user_id="bo")
    assert flushed(elsewhere).stored == 1
    dry = traced.purge_user("ana").counts
    report = traced.purge_user("ana", confirm="ana")
    assert (report.counts, report.pending) == (dry, False)
    assert (dry["search_trace"], dry["trace_user"]) == (3, 3)
    assert sorted(queries(traced)) == ["ferry", "the password"]
    assert traced.verify_absent(WORD) == []
    assert flushed(elsewhere).stored == 1
    elsewhere.close()
    assert WORD.casefold().encode() not in bytes_of(traced, tmp_path).lower()


def test_a_purge_that_was_cut_off_takes_them_as_it_goes_on(traced, opened, monkeypatch):
    quoting(traced)
    dry = traced.purge_user("ana").counts
    calls = []

    def cut(conn, number):
        calls.append(number)
        if len(calls) == 2:
            raise StorageError("disk I/O error")
        return advance(conn, number)

    advance = purge.advance
    monkeypatch.setattr(purge, "QUOTES", 2)
    monkeypatch.setattr(purge, "BATCH", 4)
    with monkeypatch.context() as broken:
        broken.setattr(purge, "advance", cut)
        with pytest.raises(StorageError):
            traced.purge_user("ana", confirm="ana")
    again = opened()
    assert sorted(queries(again)) == ["ferry", "the password"]
    assert again.verify_absent(WORD) == []
    with again._database.read() as connection:
        counts = connection.exec_driver_sql("SELECT counts FROM receipt ORDER BY id DESC LIMIT 1").scalar_one()
    assert json.loads(counts)["search_trace"] == dry["search_trace"]


@pytest.mark.parametrize("shortest", ["a", "ok"])
def test_what_is_in_the_words_of_everybody_is_no_quote_unless_it_is_all_that_was_asked(traced, shortest):
    traced.add(shortest, user_id="ana", infer=False)
    for query in ("A book", "Ok then", shortest.upper()):
        traced.search(query, user_id="bo")
    assert flushed(traced).stored == 3
    traced.purge_user("ana", confirm="ana")
    assert sorted(queries(traced)) == ["A book", "Ok then"]


def test_many_texts_and_many_traces_are_gone_through_once(traced):
    """As often as there are memories would take minutes."""
    said = [
        f"I went to the harbour on day {number} with the {number % 97}th ferry of the year" for number in range(3000)
    ]
    traced.add_many([{"content": text, "user_id": "ana", "kind": "turn", "infer": False} for text in said])
    for number in (7, 8):
        traced.search(f"he said: {said[number]}!", user_id="bo", kinds=["event"])
    traced.search("I went to the harbour on day x", user_id="bo", kinds=["event"])
    flushed(traced)
    with traced._database.write() as connection:
        columns = "agent_id, setup_id, recorded_at, present, asked_at, revision, scope_size, pool_size, took, query"
        connection.exec_driver_sql(
            f"INSERT INTO search_trace ({columns}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
            f" WHERE i < 5000) SELECT {columns.removesuffix('query')} 'I went to the harbour on day y, twice. ' || i"
            " FROM n JOIN search_trace ON id = (SELECT max(id) FROM search_trace)"
        )
    begun = time.process_time()
    with traced._database.read() as connection:
        found = quoted.of_user(connection, Partition("default", "ana"), 10**9)
    assert len(found) == 2
    assert time.process_time() - begun < 5


def test_what_waits_as_the_user_is_purged_is_never_written(traced, opened):
    traced.search(f"ferry {WORD}", user_id="ana")
    opened().purge_user("ana", confirm="ana")
    state = flushed(traced)
    assert (state.stored, state.skipped) == (0, 1)
    traced.search(f"ferry {WORD}", user_id="bo")
    traced.maintain(["trim"])
    assert flushed(traced).stored == 1


def test_a_delete_takes_the_traces_that_answered_with_the_memory(traced):
    result = traced.search("When does the ferry leave?", user_id="ana", limit=1)
    other = traced.search("Who repairs radios?", user_id="ana", limit=1)
    [radios, ferry] = traced.tuning.traces()
    weighed = [one.id for one in radios.pool if one.answer is None]
    assert {one.place for one in traced.verify_absent(result[0].id)} >= {"trace_memory"}
    traced.delete(result[0].id)
    assert queries(traced) == [radios.query]
    assert traced.verify_absent(result[0].id) == []
    assert ferry.id != radios.id
    gone = next(one for one in weighed if one != result[0].id)
    before = traced.tuning.trace(radios.id).removed
    traced.delete(gone)
    [left] = traced.tuning.traces()
    assert left.removed == before + 1
    assert gone not in {one.id for one in left.memories}
    assert left.answer_ids == (other[0].id,)


def test_a_delete_takes_the_traces_whose_query_has_its_text_and_no_byte_is_left(traced, tmp_path):
    kept = traced.add(f"The password is {WORD}.", user_id="ana")[0].id
    traced.search(f"remember? the PASSWORD is {WORD}.", user_id="ana", kinds=["turn"])
    traced.search("ferry", user_id="ana", kinds=["turn"])
    assert flushed(traced).stored == 2
    assert traced.delete(kept).pending is False
    assert queries(traced) == ["ferry"]
    assert traced.verify_absent(WORD) == []
    assert WORD.encode() not in bytes_of(traced, tmp_path)


def test_what_waits_in_another_process_as_something_is_deleted_is_never_written(traced, opened):
    kept = traced.add(f"The password is {WORD}.", user_id="ana")[0].id
    traced.search(f"is it true that the password is {WORD.upper()}.", user_id="ana", kinds=["chunk"])
    traced.search("Who repairs radios?", user_id="bo", limit=1)
    elsewhere = opened(agent_id="another")
    elsewhere.add("Tents are dry", user_id="ana")
    elsewhere.tuning.record()
    elsewhere.search("tents", user_id="ana")
    opened().delete(kept)
    state = flushed(traced)
    assert (state.stored, state.skipped) == (0, 2)
    assert traced.verify_absent(WORD) == []
    assert flushed(elsewhere).stored == 1
    traced.search("Who repairs radios?", user_id="ana", limit=1)
    assert flushed(traced).stored == 1


def test_what_waits_in_the_same_process_as_something_is_deleted_is_written_and_looked_through(traced, tmp_path):
    kept = traced.add(f"The password is {WORD}.", user_id="ana")[0].id
    traced.search(f"is it true that the password is {WORD}.", user_id="ana", kinds=["chunk"])
    traced.search("Who repairs radios?", user_id="ana", limit=1)
    assert traced.delete(kept).pending is False
    state = flushed(traced)
    assert (state.stored, state.skipped) == (1, 0)
    assert traced.verify_absent(WORD) == []
    assert WORD.encode() not in bytes_of(traced, tmp_path)


def test_a_log_that_was_trimmed_tells_nothing_so_that_what_waits_is_not_kept(traced, opened):
    kept = traced.add(f"The password is {WORD}.", user_id="ana")[0].id
    traced.search(f"the password is {WORD}.", user_id="ana", kinds=["chunk"])
    opened().delete(kept)
    with traced._database.write() as connection:
        connection.exec_driver_sql("DELETE FROM revision_log")
    assert flushed(traced).skipped == 1


@pytest.mark.parametrize(
    "filters",
    [
        {"of": {"ne": f'She said "{WORD}"\nand left'}},
        {"of": {"in": ["x", f'well: she said "{WORD.upper()}"\nand LEFT.']}},
        {"AND": [{"event_time": {"gte": NOON}}, {"NOT": [{"content": {"contains": f'She said "{WORD}"\nand left'}}]}]},
    ],
)
def test_a_delete_takes_the_traces_whose_filters_have_its_text(traced, tmp_path, filters):
    kept = traced.add(f'She said "{WORD}"\nand left', user_id="ana")[0].id
    traced.search("ferry", user_id="ana", kinds=["chunk"], filters=filters)
    traced.search("radios", user_id="ana", kinds=["chunk"], filters={"event_time": {"gte": NOON}, "of": {"ne": "x"}})
    assert flushed(traced).stored == 2
    assert traced.delete(kept).pending is False
    assert queries(traced) == ["radios"]
    assert traced.verify_absent(WORD) == []
    assert WORD.encode() not in bytes_of(traced, tmp_path)


def test_a_delete_takes_the_traces_whose_query_has_a_text_that_it_had_before(traced):
    kept = traced.add(f"The password is {WORD}.", user_id="ana")[0].id
    traced.search(f"the password is {WORD}.", user_id="ana", kinds=["chunk"])
    traced.update(kept, content="The password was changed.")
    traced.search("ferry", user_id="ana", kinds=["chunk"])
    traced.delete(kept)
    assert queries(traced) == ["ferry"]


def test_what_waits_in_another_process_as_all_are_forgotten_is_never_written(traced, opened):
    elsewhere = opened(agent_id="another")
    elsewhere.add("Tents are dry", user_id="ana")
    elsewhere.tuning.record()
    for asked in (traced, elsewhere):
        asked.search("ferry", user_id="ana")
        flushed(asked)
        asked.search("tents", user_id="ana")
    assert opened().tuning.forget() == 1
    traced.search("radios", user_id="ana")
    assert (flushed(traced).skipped, queries(traced)) == (1, ["radios"])
    assert flushed(elsewhere).stored == 2
    assert traced.tuning.replay().matched == 1


def test_sets_of_parameters_that_no_trace_has_go_with_the_last(traced):
    traced.search("ferry", user_id="ana")
    traced.search("ferry", user_id="ana", params={"weight_graph": 0.1})
    flushed(traced)
    traced.tuning.forget()
    with traced._database.read() as connection:
        left = connection.exec_driver_sql("SELECT count(*) FROM trace_setup").scalar_one()
        assert (left, search_traces.count(connection, "default")) == (0, 0)
