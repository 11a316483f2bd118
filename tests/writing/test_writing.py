"""Text first, durably; then the vector; and what happens when that fails."""

import logging
import multiprocessing
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memcore.errors import DimensionError, InvalidInputError, StorageError
from memcore.kinds import Embed, Kind, Outcome
from memcore.storage.database import Database
from memcore.writing.proposal import from_call
from memcore.writing.reach import reach
from memcore.writing.standing import retire
from memcore.writing.vectors import VectorSource
from memcore.writing.write import write

PRIVATE = "she plays the xylophone"


def count(store, table):
    return store.one(f"SELECT count(*) FROM {table}")


def test_a_string_becomes_one_row_with_its_tokens_and_its_vector(store):
    result = store.add("Ana moved to Lisbon.", user_id="ana", speaker="Ben")
    [added] = result
    assert (added.id, added.kind, added.outcome, added.reason) == (result.ids[0], Kind.EVENT, Outcome.ACCEPT, "")
    [(content, tokens)] = store.rows("SELECT content, tokens FROM memory WHERE id = ?", added.id)
    assert content == "Ana moved to Lisbon."
    assert {"lisbon", "ben", "2026"} <= set(tokens.split(" "))
    assert store.rows("SELECT memory_id FROM memory_vector ORDER BY 1")[0] == (added.id,)


def test_the_text_is_stored_before_the_embedder_is_asked(store):
    seen = []
    ask = store.embedder.embed

    def look(texts, *, query=False):
        seen.append(count(store, "memory"))
        return ask(texts, query=query)

    store.embedder.embed = look
    store.add("first")
    assert set(seen) == {1}


def test_no_transaction_is_open_while_the_embedder_is_asked(store):
    ask = store.embedder.embed

    def write_meanwhile(texts, *, query=False):
        with store.database.write() as connection:
            connection.exec_driver_sql("UPDATE memory SET access_count = 7")
        return ask(texts, query=query)

    store.embedder.embed = write_meanwhile
    store.add("first")
    assert store.one("SELECT access_count FROM memory") == 7
    assert count(store, "memory_vector") == 1


def test_a_text_that_changed_while_it_was_embedded_keeps_no_stale_vector(store):
    ask = store.embedder.embed

    def change_meanwhile(texts, *, query=False):
        with store.database.write() as connection:
            connection.exec_driver_sql("UPDATE memory SET content = 'another' WHERE content = 'first'")
        return ask(texts, query=query)

    store.embedder.embed = change_meanwhile
    store.add("first")
    assert count(store, "memory_vector") == 0


def test_a_failing_embedder_leaves_the_text_and_a_job_and_says_nothing_of_the_content(store, caplog):
    store.embedder.error = ValueError(PRIVATE)
    with caplog.at_level(logging.WARNING, logger="memcore"):
        result = store.add(PRIVATE)
    assert store.rows("SELECT id, content FROM memory") == [(result.ids[0], PRIVATE)]
    assert store.rows("SELECT memory_id, attempts, last_error FROM job") == [(result.ids[0], 1, "ValueError")]
    assert "ValueError" in caplog.text
    assert "xylophone" not in caplog.text


def test_a_failure_to_write_the_vector_does_not_take_back_what_was_stored(store, monkeypatch, caplog):
    monkeypatch.setattr("memcore.storage.vectors.put", lambda *_: (_ for _ in ()).throw(StorageError("disk")))
    [added] = store.add("kept")
    assert store.one("SELECT content FROM memory WHERE id = ?", added.id) == "kept"
    assert "StorageError" in caplog.text


def test_embed_later_leaves_the_job_and_does_not_ask_the_embedder(store):
    result = store.add("later", embed=Embed.LATER)
    assert store.embedder.asked == []
    assert store.rows("SELECT memory_id, attempts FROM job") == [(result.ids[0], 0)]


def test_without_an_embedder_there_is_no_vector_and_no_job(wordless):
    wordless.add("text")
    assert (count(wordless, "memory"), count(wordless, "memory_vector"), count(wordless, "job")) == (1, 0, 0)


def test_a_given_vector_is_stored_with_the_text_and_the_embedder_is_not_asked_for_it(store):
    store.add("given", embedding=np.ones(26))
    assert count(store, "memory_vector") == 1
    assert ["given"] not in store.embedder.asked
    assert store.one("SELECT model FROM space") == "letters"


def test_a_given_vector_of_another_length_is_refused_and_nothing_is_stored(store):
    with pytest.raises(DimensionError, match=r"25 numbers are not accepted; the embedder .* has 26"):
        store.add("given", embedding=np.ones(25))
    assert count(store, "memory") == 0


def test_a_given_vector_for_an_embedder_that_is_down_leaves_text_and_job(store, caplog):
    store.embedder.error = OSError("down")
    store.add("given", embedding=np.ones(26))
    assert (count(store, "memory"), count(store, "memory_vector"), count(store, "job")) == (1, 0, 1)
    assert "OSError" in caplog.text


def test_given_vectors_without_an_embedder_share_one_space_of_their_dimension(wordless):
    wordless.add("one", embedding=[1.0, 2.0])
    wordless.add("two", embedding=[2.0, 1.0])
    assert wordless.rows("SELECT model, dimension FROM space") == [("given", 2)]
    with pytest.raises(DimensionError, match="3 numbers"):
        wordless.add("three", embedding=[1.0, 2.0, 3.0])
    with pytest.raises(DimensionError, match="3 numbers"):
        wordless.add_many([{"content": "4", "embedding": [1.0, 2.0]}, {"content": "5", "embedding": [1.0, 2.0, 3.0]}])
    assert count(wordless, "memory") == 2


def test_one_bad_item_of_many_stores_nothing(store):
    with pytest.raises(InvalidInputError, match=r"items\[1\]"):
        store.add_many([{"content": "good"}, {"content": " "}])
    assert count(store, "memory") == 0


def test_many_items_are_answered_in_their_order(store):
    result = store.add_many([{"content": f"text {number}", "kind": "fact"} for number in range(30)])
    contents = dict(store.rows("SELECT id, content FROM memory"))
    assert [contents[one] for one in result.ids] == [f"text {number}" for number in range(30)]
    assert {added.kind for added in result} == {Kind.FACT}
    assert count(store, "memory_vector") == 30


def test_no_items_are_no_result(store):
    assert len(store.add_many([])) == 0


def test_messages_follow_each_other_in_their_session(store):
    first = store.add([{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}], session_id="s")
    second = store.add([{"role": "user", "content": "three"}], session_id="s")
    one, two, three = *first.ids, *second.ids
    assert store.rows("SELECT id, position, prev_id, next_id FROM memory ORDER BY position") == [
        (one, 0, None, two),
        (two, 1, one, three),
        (three, 2, two, None),
    ]


def test_the_time_of_arrival_stands_in_for_an_event_time_and_given_ones_are_kept_in_utc(store):
    said = datetime(2026, 5, 8, 9, tzinfo=UTC)
    store.add("now")
    store.add("then", event_time=said)
    micros = [int(moment.timestamp() * 1_000_000) for moment in (store.now, said)]
    assert store.rows("SELECT event_time FROM memory ORDER BY id") == [(micros[0],), (micros[1],)]


def test_the_ordinary_importance_is_stored_unless_one_is_given(store):
    store.add("plain text about fado")
    store.add("it costs 900 euros")
    store.add("plain text about tango", importance=0)
    assert store.rows("SELECT importance, base_importance FROM memory ORDER BY id") == [(5, 5), (6, 6), (0, 0)]


def test_a_retried_key_gives_the_first_row_and_writes_nothing(store):
    [first] = store.add("original", idempotency_key="k", entities=["Ana"])
    before = count(store, "revision_log")
    [second] = store.add("Original!", idempotency_key="k", entities=["Ben"])
    assert second.id == first.id
    assert second.outcome is Outcome.ACCEPT
    assert second.reason == "already stored under this idempotency key"
    assert count(store, "revision_log") == before


def test_a_retry_of_what_waits_says_that_it_waits_and_what_it_is(store):
    given = {"kind": "fact", "idempotency_key": "k"}
    [first] = store.add("Ana lives in Rome.", confidence=0.3, **given)
    again = [
        store.add("Ana lives in Rome.", confidence=0.3, **given)[0],
        store.add("Ana lives in Rome", idempotency_key="k")[0],
    ]
    expected = (first.id, "defer", "fact", "already stored under this idempotency key")
    assert [(one.id, one.outcome, one.kind, one.reason) for one in again] == [expected] * 2
    retire(store.database, first.id, reason=None, within=reach(store.agent_id), now=store.now)
    assert store.add("Ana lives in Rome.", idempotency_key="k")[0].outcome == "accept"


OTHER = "a memory with another text is stored under this idempotency key; this text was not stored"


def test_another_text_under_a_key_that_is_taken_is_not_stored_and_told_so(store):
    [first] = store.add("Ana likes green tea.", idempotency_key="k")
    before = count(store, "revision_log")
    [other] = store.add("Ana moved to Mars.", idempotency_key="k")
    assert (other.id, other.outcome, other.reason) == (first.id, Outcome.DROP, OTHER)
    assert count(store, "revision_log") == before


def test_in_one_call_another_text_under_a_key_is_told_so_too(store):
    texts = [("Ana likes tea.", "k"), ("Ana likes tea!", "k"), ("Ana moved to Mars.", "k"), ("thanks!", "j")]
    texts += [("Ana moved to Mars.", "j"), ("thanks!", "j")]
    added = store.add_many([{"content": text, "idempotency_key": key} for text, key in texts])
    assert [(one.id is None, one.outcome, one.reason) for one in added] == [
        (False, Outcome.ACCEPT, ""),
        (False, Outcome.ACCEPT, "already stored under this idempotency key"),
        (False, Outcome.DROP, OTHER),
        (True, Outcome.DROP, "it is small talk"),
        (True, Outcome.DROP, "another text of this call has this idempotency key; this text was not stored"),
        (True, Outcome.DROP, "it is small talk"),
    ]
    assert count(store, "memory") == 1


def test_a_key_used_twice_in_one_call_is_one_row(store):
    result = store.add_many(
        [{"content": "a", "idempotency_key": "k"}, {"content": "b"}, {"content": "c", "idempotency_key": "k"}]
    )
    assert result.ids[0] == result.ids[2] != result.ids[1]
    assert count(store, "memory") == 2


def test_a_retried_list_of_messages_is_stored_once(store):
    messages = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    first = store.add(messages, session_id="s", idempotency_key="k")
    again = store.add([*messages, {"role": "user", "content": "three"}], session_id="s", idempotency_key="k")
    assert again.ids[:2] == first.ids
    assert count(store, "memory") == 3


def test_the_same_key_of_another_agent_is_another_row(store):
    store.add("text", idempotency_key="k")
    store.agent_id = "b"
    store.add("text", idempotency_key="k")
    assert count(store, "memory") == 2


def _add_with_key(path, barrier, results):
    proposals = [from_call(f"text {n}", agent_id="a", idempotency_key=f"key {n}") for n in range(20)]
    with Database(path, durability="relaxed") as database:
        barrier.wait()
        nothing = VectorSource(None)
        results.put([write(database, [one], vectors=nothing, now=datetime.now(UTC)).ids[0] for one in proposals])


def test_two_processes_with_the_same_keys_agree_on_one_row_each(tmp_path):
    path = str(tmp_path / "shared.db")
    with Database(path, durability="relaxed"):
        pass
    spawned = multiprocessing.get_context("spawn")
    barrier, results = spawned.Barrier(2), spawned.Queue()
    processes = [spawned.Process(target=_add_with_key, args=(path, barrier, results)) for _ in range(2)]
    for process in processes:
        process.start()
    answers = [results.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert answers[0] == answers[1]
    assert len(set(answers[0])) == 20


def test_a_failure_inside_the_first_transaction_leaves_nothing(store, monkeypatch):
    monkeypatch.setattr("memcore.storage.entities.mention", lambda *_: (_ for _ in ()).throw(StorageError("x")))
    with pytest.raises(StorageError):
        store.add("text", entities=["Ana"])
    assert (count(store, "memory"), count(store, "entity")) == (0, 0)


def test_nothing_to_write_is_an_empty_result(store):
    assert list(write(store.database, [], vectors=store.vectors, now=store.now + timedelta(1))) == []


@pytest.mark.parametrize("unit", ["年", "月", "日", "周", "星期"])
def test_what_stands_in_every_date_is_not_among_the_words_of_a_memory(store, unit):
    [added] = store.add("买牛奶")
    tokens = store.one("SELECT tokens FROM memory WHERE id = ?", added.id).split()
    assert unit not in tokens
    assert {"2026年", "11月", "30日", "周一", "牛奶"} <= set(tokens)


def test_a_unit_of_time_that_is_written_in_a_memory_is_one_of_its_words(store):
    [added] = store.add("过年 了 年 快乐")
    assert "年" in store.one("SELECT tokens FROM memory WHERE id = ?", added.id).split()
