"""The work of whole searches, the turns, and memcore and the hand-written store behind one port."""

import sqlite3

import numpy as np
import pytest

from benches.start import FROM_ROWS, FROM_SNAPSHOT, Started, medians, rows_of
from benches.whole.handmade import Handmade
from benches.whole.ours import DATABASE, Ours
from benches.whole.port import Memories
from benches.whole.registry import PEERS, Entry, installed
from benches.whole.turns import commits, exact, in_turn, recall
from benches.whole.work import arcs_of, work_of

DIMENSION = 24
WORK = work_of(300, DIMENSION, 20)


def test_the_work_is_the_same_each_time_and_as_it_is_described():
    again = work_of(300, DIMENSION, 20)
    assert again.memories.texts == WORK.memories.texts
    assert np.array_equal(again.memories.vectors, WORK.memories.vectors)
    assert [question.text for question in again.questions] == [question.text for question in WORK.questions]
    assert np.linalg.norm(WORK.memories.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    words = [len(text.split()) for text in work_of(5_000, 2, 1).memories.texts]
    assert 17 < np.mean(words) < 18.5
    assert {len(question.text.split()) for question in WORK.questions} <= {5, 6, 7, 8}


def test_arcs_are_different_join_two_memories_and_lean_to_a_few():
    arcs = arcs_of(1_000, 10_000)
    pairs = set(zip(arcs.sources.tolist(), arcs.targets.tolist(), strict=True))
    assert len(pairs) == len(arcs.sources) <= 10_000
    assert all(source != target for source, target in pairs)
    assert arcs.weights.min() >= 0.02
    assert arcs.weights.max() <= 1.0
    assert 0.02 < arcs.inhibitory.mean() < 0.04
    assert np.sort(np.bincount(arcs.targets, minlength=1_000))[-10:].mean() > 50


def test_memories_come_in_parts_with_their_places():
    parts = list(WORK.memories.parts(128))
    assert [len(part) for part in parts] == [128, 128, 44]
    assert [place for part in parts for place in part.places] == list(range(300))


def test_calls_take_turns_and_the_first_rounds_are_not_seen():
    order = []
    taken = in_turn({name: lambda turn, name=name: order.append((name, turn)) for name in "ab"}, rounds=3)
    assert [name for name, _ in order] == list("ab") * 5
    assert [turn for name, turn in order if name == "a"] == [1, 2, 0, 1, 2]
    assert {name: len(times.wall) for name, times in taken.items()} == {"a": 3, "b": 3}


@pytest.mark.parametrize("make", [Ours, Handmade])
def test_a_store_finds_what_was_added_and_finds_it_again_when_it_is_opened_again(make, tmp_path):
    store = make(tmp_path, DIMENSION)
    first, second = WORK.memories.parts(299)
    store.add_many(first)
    store.add(second)
    text, vector = WORK.memories.texts[299], WORK.memories.vectors[299]
    assert store.search(text, vector, 10)[0] == (299, text)
    store.close()
    opened = make(tmp_path, DIMENSION)
    assert opened.search(text, vector, 10)[0][1] == text
    opened.close()


def test_all_products_have_recall_one(tmp_path):
    store = Handmade(tmp_path, DIMENSION)
    store.add_many(WORK.memories)
    assert recall(store, WORK.questions, exact(WORK.memories.vectors, WORK.questions)) == 1.0
    store.close()


def test_edges_are_joined_to_a_store_that_was_opened_again(tmp_path):
    store = Ours(tmp_path, DIMENSION)
    store.add_many(WORK.memories)
    store.close()
    store = Ours(tmp_path, DIMENSION)
    arcs = arcs_of(300, 500)
    store.join(arcs)
    with store._memory._database.read() as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM edge").scalar() == len(arcs.weights)
    store.close()


def test_one_add_is_one_commit_in_the_log(tmp_path):
    log = tmp_path / f"{DATABASE}-wal"
    assert commits(log) is None
    store = Ours(tmp_path, DIMENSION)
    before = commits(log)
    store.add(Memories(0, WORK.memories.texts[:1], WORK.memories.vectors[:1]))
    assert commits(log) - before == 1
    store.close()


def test_commits_of_a_log_that_was_begun_again_are_not_counted(tmp_path):
    path = tmp_path / "some.db"
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    assert commits(tmp_path / "some.db-wal") == 2
    database.execute("PRAGMA wal_checkpoint(RESTART)")
    database.execute("INSERT INTO t VALUES (2)")
    assert commits(tmp_path / "some.db-wal") == 1
    database.close()


def test_a_peer_that_is_not_installed_is_named(capsys):
    missing = Entry("nobody", "nobody:Nobody", "nobody-has-this", "")
    found = installed([missing, PEERS[0]])
    assert found == [PEERS[0]]
    assert "nobody is not installed" in capsys.readouterr().out


def test_starts_are_told_by_medians_and_judged_at_the_size_of_the_goals(capsys):
    answers = [
        {"import": 9.0, "start": start, "gained": (start * 100_000, start * 50_000), "near": near}
        for start, near in ((100.0, [[1, 2]]), (300.0, []), (200.0, []))
    ]
    ours = medians([{**answer, "near": []} for answer in answers], [{1, 3}])
    peer = medians(answers, [{1, 3}])
    assert (ours.start, ours.gained, ours.recall, peer.recall) == (200.0, (20_000_000.0, 10_000_000.0), None, 0.5)
    rows = rows_of(100_000, 384, 10, {FROM_ROWS: ours, "peer": peer}, {"memcore": 2.7e8, "peer": 1e8})
    assert "no start from the snapshot" in capsys.readouterr().out
    assert [[goal.met for goal in row.goals] for row in rows] == [[True], [True], [False]]
    assert [row.best_peer is None for row in rows] == [True, True, False]
    other = rows_of(1_000, 384, 0, {FROM_ROWS: ours, FROM_SNAPSHOT: ours}, {"memcore": 2.7e8})
    assert [row.goals for row in other] == [()] * 5


def test_a_start_without_figures_of_memory_has_no_row_of_them(capsys):
    started = {FROM_ROWS: Started(1.0, 2.0, None)}
    works = [row.work for row in rows_of(100, 8, 0, started, {"memcore": 100.0})]
    assert not any("resident" in work for work in works)
    assert "from the snapshot" in capsys.readouterr().out
