"""Blocks side by side: scopes of several users, eviction, weights that change, and what an old answer may still say."""

import numpy as np
import pytest
from mirror_samples import AGENT, ARCS, NAMES, PARAMS, WORDS, a_mirror, ids_of, open_memory, reader_of, view

from memcore.compute import Bm25Index, bm25_scores
from memcore.mirror.graphs import ArcWeights
from memcore.scope import read_scope


def three_partitions():
    memory = open_memory()
    memory.add_many(
        [
            {
                "content": f"{WORDS[number % 7]} {WORDS[number % 4]} of {number}",
                "user_id": (None, "ana", "bob")[number % 3],
                "session_id": "s",
                "entities": [NAMES[number % 5]],
            }
            for number in range(30)
        ]
    )
    return memory


def test_the_scores_of_several_partitions_are_those_of_one_index_with_all_rows():
    with three_partitions() as memory, memory._database.read() as connection:
        reader = reader_of(memory, a_mirror(), connection, ["ana", "bob"])
        rows = connection.exec_driver_sql("SELECT id, tokens FROM memory WHERE kind <> 'entity' ORDER BY id").fetchall()
        whole = Bm25Index()
        whole.add_streams(np.array([row[0] for row in rows]), [row[1] for row in rows])
        for words in (["tea"], ["lisbon", "cello"], ["harbour", "of", "nowhere"]):
            [(ids, scores)] = bm25_scores([whole], words, k1=PARAMS.bm25_k1, b=PARAMS.bm25_b)
            found = reader.lexical(words, PARAMS)
            assert found[reader.rows_of(ids)].tolist() == pytest.approx(scores.tolist(), abs=1e-12)
            assert (found > 0).sum() == len(ids)


def test_rows_stand_by_partition_then_id_and_sessions_of_one_name_are_told_apart():
    with three_partitions() as memory, memory._database.read() as connection:
        columns = reader_of(memory, a_mirror(), connection, ["ana", "bob"]).columns
        assert len(columns.ids) == len(set(columns.ids.tolist())) == 30
        assert sum(np.diff(columns.ids) < 0) <= 2
        assert len(set(columns.session.tolist())) == 3


def test_a_scope_without_any_partition_is_empty_and_answers_everything():
    with open_memory() as memory, memory._database.read() as connection:
        reader = reader_of(memory, a_mirror(), connection, "nobody")
        assert len(reader.columns.ids) == 0
        assert reader.lexical(["tea"], PARAMS).tolist() == []
        assert reader.expanded(["茶"]) == ()
        assert reader.expanded(["tea"]) == ()
        assert reader.named_in("Ana") == ()
        assert reader.cosines(np.ones(16, np.float32)) is None
        assert reader.mentioning(3).tolist() == []
        assert reader.topics(PARAMS) is None
        assert reader.concept_neighbours(["tea"], PARAMS) in ((), ((),))


@pytest.mark.parametrize("remembered", [0, 1, 3, 1_024])
def test_companions_are_the_same_however_many_terms_are_remembered(monkeypatch, remembered):
    with open_memory() as memory:
        texts = (f"{WORDS[number % 7]} {WORDS[number % 4]} and {number}" for number in range(60))
        memory.add_many([{"content": text, "user_id": "ana"} for text in texts])
        params = PARAMS.model_copy(update={"concept_max_share": 1.0})
        with memory._database.read() as connection:

            def asked(reader, places):
                return reader.concept_neighbours([WORDS[place] for place in places], params)

            fresh = [asked(reader_of(memory, a_mirror(), connection, "ana"), [place])[0] for place in range(12)]
            assert any(fresh)
            monkeypatch.setattr("memcore.mirror.reader.TERMS_REMEMBERED", remembered)
            reader = reader_of(memory, a_mirror(), connection, "ana")
            for places in ([0, 1], [1, 2, 3], [0, 4, 2, 2], range(12), range(12)):
                assert asked(reader, places) == tuple(fresh[place] for place in places)


def test_a_store_that_nobody_changed_is_not_read_again_and_every_change_is_seen():
    with three_partitions() as memory:
        mirror, sizes = a_mirror(), []
        for _ in range(3):
            with memory._database.read() as connection:
                sizes.append(len(reader_of(memory, mirror, connection, ["ana", "new"]).columns.ids))
                moment = mirror._moment
                mirror.follow(connection, mirror._space)
                assert mirror._moment is moment
                mirror.scope(connection, read_scope(AGENT, "ana"), ARCS)
            memory.add(f"the ferry at {len(sizes)}", user_id="new")
        assert sizes == [20, 21, 22]


def test_the_least_recently_used_blocks_leave_when_there_is_no_room_and_those_of_the_search_stay():
    with three_partitions() as memory, memory._database.read() as connection:
        roomy = a_mirror()
        reader_of(memory, roomy, connection, ["ana", "bob"])
        assert roomy.loaded == 3
        mirror = a_mirror(limit=roomy.memory_bytes - 1)
        for users, loaded in ((["ana", "bob"], 3), ("ana", 2), ("bob", 2), (None, 2)):
            reader_of(memory, mirror, connection, users)
            assert mirror.loaded == loaded
        assert mirror.memory_bytes <= roomy.memory_bytes


def test_a_block_is_weighed_again_when_it_has_grown():
    with three_partitions() as memory:
        mirror = a_mirror()
        with memory._database.read() as connection:
            reader_of(memory, mirror, connection, "ana")
        before = mirror.memory_bytes
        memory.add_many([{"content": f"garden {number} " * 9, "user_id": "ana"} for number in range(200)])
        with memory._database.read() as connection:
            reader_of(memory, mirror, connection, "ana")
        assert mirror.memory_bytes > before


def test_other_weights_of_the_arcs_connect_the_graph_anew():
    with open_memory() as memory:
        turns = [{"role": "user", "content": text} for text in ("Who has the key?", "Bob.", "Good.")]
        first, second, third = (one.id for one in memory.add(turns, user_id="ana", session_id="s"))
        with memory._database.read() as connection:
            mirror = a_mirror()
            for arcs in (ARCS, ArcWeights(0.9, 0.3, 0.1, 0.5), ARCS):
                graph = reader_of(memory, mirror, connection, "ana", arcs)._scope.blocks[-1].graph
                weights = {
                    (source, target): weight
                    for source in (first, second, third)
                    for target, weight in zip(*(column.tolist() for column in graph.neighbors(source)[:2]), strict=True)
                }
                answer, following, previous, *_ = arcs
                assert weights == pytest.approx(
                    {
                        (first, second): answer,
                        (second, third): following,
                        (second, first): previous,
                        (third, second): previous,
                    },
                    abs=1e-4,
                )
                assert view(memory, mirror, connection, "ana", arcs) == view(
                    memory, a_mirror(), connection, "ana", arcs
                )


def test_a_cap_on_the_edges_of_a_node_leaves_the_strongest_and_is_taken_off_again():
    with open_memory() as memory:
        hub, *spokes = (memory.add(f"note {number}", user_id="ana", infer=False).ids[0] for number in range(6))
        for number, spoke in enumerate(spokes, 1):
            memory.relate(hub, spoke, strength=number / 10)
        with memory._database.read() as connection:
            mirror = a_mirror()
            for cap in (None, 2, None, 1):
                arcs = ARCS._replace(max_degree=cap)
                graph = reader_of(memory, mirror, connection, "ana", arcs)._scope.blocks[-1].graph
                assert graph.neighbors(hub)[0].tolist() == (spokes if cap is None else spokes[-cap:])
                assert graph.neighbors(spokes[0])[0].tolist() == [hub]


def test_a_stored_edge_wins_over_the_opposite_of_another_whichever_was_set_first():
    for pairs in (((1, 2, 0.2), (2, 1, 0.9)), ((2, 1, 0.9), (1, 2, 0.2))):
        with open_memory(embedder="none") as memory:
            memory.add_many([{"content": f"tea {number}", "user_id": "ana"} for number in range(2)])
            mirror = a_mirror()
            for source, target, strength in pairs:
                memory.relate(source, target, "causal", strength)
                with memory._database.read() as connection:
                    block = reader_of(memory, mirror, connection, "ana")._scope.blocks[-1]
            kept = {source: block.graph.neighbors(source) for source in (1, 2)}
            causal = {source: float(found[1][found[2] == 1][0]) for source, found in kept.items()}
            assert causal == pytest.approx({1: 0.2, 2: 0.9}, abs=1e-4)


def test_an_answer_explains_itself_after_the_store_has_changed_under_it():
    with three_partitions() as memory:
        result = memory.search("tea lisbon", user_id="ana")
        before = {hit.id: result.explain(hit).to_dict() for hit in result}
        memory.mark_used([hit.id for hit in result])
        memory.delete(result[0].id)
        memory.add("tea lisbon again", user_id="ana")
        memory.search("tea", user_id="ana")
        assert {hit.id: result.explain(hit).to_dict() for hit in result} == before


def test_a_search_changes_nothing_in_the_store():
    with three_partitions() as memory:

        def bytes_of_rows():
            with memory._database.read() as connection:
                return [tuple(row) for row in connection.exec_driver_sql("SELECT * FROM memory ORDER BY id")]

        before = bytes_of_rows()
        memory.search("tea and Ana", user_id=["ana", "bob"])
        assert bytes_of_rows() == before
        assert ids_of(memory)
