"""Concepts, atoms and topics: kept while what they were made of stands, made again when it does not."""

import doctest

import numpy as np
import pytest
from mirror_samples import PARAMS, WORDS, a_mirror, open_memory, reader_of, sql

from memcore.mirror import atoms as atoms_module
from memcore.mirror.atoms import FEWEST_ENTITIES, KEPT, settled


def store_of(count, **given):
    memory = open_memory()
    memory.add_many([item(number, **given) for number in range(count)])
    return memory


def item(number, **given):
    content = f"{WORDS[number % 5]} {WORDS[number % 7]} number{number}"
    return {"content": content, "user_id": "ana"} | given


def looking(memory, mirror, users="ana", params=PARAMS):
    with memory._database.read() as connection:
        reader = reader_of(memory, mirror, connection, users)
        return reader.atoms(params), reader.topics(params), reader._mirror.atoms.concept_graph(reader._scope, params)


def plain(seen):
    atoms, topics, graph = seen
    edges = [column.tolist() for name in range(len(graph.names)) for column in graph.graph.neighbors(name + 1)]
    return atoms.names, atoms.matrix.tolist(), None if topics is None else topics.h.tolist(), graph.names, edges


@pytest.mark.parametrize(
    ("size", "expected"), [(0, 0), (1, 1), (31, 31), (32, 32), (33, 32), (63, 62), (1_000, 992), (10_000, 9_728)]
)
def test_settled_is_a_whole_number_of_sixteenths_of_a_power_of_two(size, expected):
    assert settled(size) == expected


def test_settled_says_so_in_its_example_and_never_falls():
    tried = doctest.testmod(atoms_module)
    assert (tried.failed, tried.attempted > 0) == (0, True)
    values = [settled(size) for size in range(3_000)]
    assert values == sorted(values)
    assert all(0 <= size - value < max(1, size // 8) for size, value in enumerate(values) if size)


def test_concepts_stay_over_additions_that_cross_no_step_and_are_the_same_after_a_restart():
    with store_of(64) as memory:
        mirror = a_mirror()
        first = looking(memory, mirror)
        assert first[0].of_concepts
        assert len(first[0].names) > 2
        for number in range(64, 67):
            memory.add(**item(number, session_id="s", speaker=None))
            again = looking(memory, mirror)
            assert all(one is other for one, other in zip(first, again, strict=True))
            assert plain(again) == plain(looking(memory, a_mirror()))
        memory.add(**item(67))
        assert looking(memory, mirror)[0] is not first[0]
        assert plain(looking(memory, mirror)) == plain(looking(memory, a_mirror()))


def test_using_memories_and_continuing_a_conversation_cost_no_new_concepts():
    with store_of(64, session_id="s", kind="turn") as memory:
        mirror = a_mirror()
        first = looking(memory, mirror)
        memory.mark_used([1, 2, 64])
        memory.add(**item(64, session_id="s", kind="turn"))
        memory.relate(1, 9)
        memory.update(3, importance=9)
        assert all(one is other for one, other in zip(first, looking(memory, mirror), strict=True))


@pytest.mark.parametrize(
    "change",
    [
        lambda memory: memory.delete(5),
        lambda memory: memory.update(5, content="cello cello tea"),
        lambda memory: sql(memory, "UPDATE memory SET content = 'cello tea' WHERE id = 5"),
        lambda memory: sql(memory, "DELETE FROM memory_vector WHERE memory_id = 5"),
        lambda memory: sql(memory, "UPDATE memory SET crc = 1 WHERE id = 5"),
    ],
)
def test_a_change_of_an_old_text_or_vector_makes_them_anew(change):
    with store_of(66) as memory:
        mirror = a_mirror()
        first = looking(memory, mirror)
        change(memory)
        again = looking(memory, mirror)
        assert again[0] is not first[0]
        assert plain(again) == plain(looking(memory, a_mirror()))


def test_vectors_that_come_in_a_second_transaction_reach_the_atoms_and_the_cosines():
    with open_memory() as memory:
        mirror = a_mirror()
        memory.add_many([item(number) for number in range(20)], embed="later")
        names = looking(memory, mirror)[0].names
        assert names == ()
        memory.maintain(["embed"])
        seen = looking(memory, mirror)
        assert len(seen[0].names) > 1
        assert plain(seen) == plain(looking(memory, a_mirror()))
        memory.add(**item(20), embed="later")
        looking(memory, mirror)
        memory.maintain(["embed"])
        with memory._database.read() as connection:
            cosines = reader_of(memory, mirror, connection, "ana").cosines(np.ones(16, np.float32) / 4.0)
        assert not np.isnan(cosines).any()


def test_eight_entities_with_vectors_take_the_place_of_concepts():
    with store_of(20, entities=[f"Name{number}" for number in range(FEWEST_ENTITIES - 1)]) as memory:
        mirror = a_mirror()
        assert looking(memory, mirror)[0].of_concepts
        memory.add("More.", user_id="ana", entities=["Name7"])
        atoms = looking(memory, mirror)[0]
        assert not atoms.of_concepts
        assert atoms.names == tuple(f"Name{number}" for number in range(FEWEST_ENTITIES))


def test_entities_that_get_another_name_or_vector_without_changing_their_number_are_seen():
    names = [f"Name{number}" for number in range(FEWEST_ENTITIES)]
    with store_of(3, entities=names) as memory:
        mirror = a_mirror()
        first = looking(memory, mirror)
        renamed = next(row.id for row in memory.get_all(user_id="ana") if row.kind == "entity")
        memory.update(renamed, content="Quite Another")
        again = looking(memory, mirror)
        assert "Quite Another" in again[0].names
        assert again[0].matrix.tolist() != first[0].matrix.tolist()
        sql(memory, "UPDATE memory SET content = 'By Hand' WHERE id = ?", renamed)
        assert looking(memory, mirror)[0].of_concepts, "seven entities have a vector now"
        memory.maintain(["embed"])
        assert "By Hand" in looking(memory, mirror)[0].names
        assert plain(looking(memory, mirror)) == plain(looking(memory, a_mirror()))


def test_another_scope_or_other_parameters_have_their_own_and_old_ones_leave():
    with store_of(40) as memory:
        mirror = a_mirror()
        memory.add_many([{"content": f"tea radio {number}"} for number in range(9)])
        one, shared = looking(memory, mirror)[0], looking(memory, mirror, None)[0]
        assert one.names != shared.names
        assert looking(memory, mirror)[0] is one
        for limit in range(1, KEPT):
            looking(memory, mirror, params=PARAMS.model_copy(update={"concept_limit": limit}))
        assert len(mirror.atoms._kept) <= KEPT
        assert plain(looking(memory, mirror)) == plain(looking(memory, a_mirror()))
