"""Entities are found again by every name, edges join only what may be joined, and no user learns of another."""

import pytest
from storage_samples import ANA, BOB, NOON, SHARED, a_memory

from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import EdgeType, Kind
from memcore.scope import Partition
from memcore.storage import edges, engine_rows, entities, memories, partitions
from memcore.storage.rows import EdgeRow, EntityRow, NewEdge


def pairs_of(conn, partition):
    columns = engine_rows.cooccurrences_of(conn, partitions.ensure(conn, partition))
    names = ("entity_a_ids", "entity_b_ids", "counts")
    return list(zip(*(getattr(columns, name).tolist() for name in names), strict=True))


def edges_of(conn, partition):
    columns = engine_rows.edges_of(conn, partitions.ensure(conn, partition))
    return list(zip(columns.sources.tolist(), columns.targets.tolist(), columns.types.tolist(), strict=True))


@pytest.mark.parametrize("name", ["Ana Silva", "  ana   SILVA ", "Ａｎａ Silva", "Anita", "ANITA"])
def test_an_entity_is_found_by_its_name_and_its_aliases_however_they_are_written(database, name):
    with database.write() as conn:
        [first] = entities.resolve(conn, ANA, [("Ana Silva", ["Anita"])], NOON)
        [row] = memories.fetch(conn, [first])
        assert (row.kind, row.content, row.partition) == (Kind.ENTITY, "Ana Silva", ANA)
        assert entities.resolve(conn, ANA, [(name, [])], NOON) == [first]


def test_names_resolve_in_their_order_and_one_name_twice_is_one_entity(database):
    with database.write() as conn:
        a, b, again = entities.resolve(conn, ANA, [("Lisbon", []), ("Porto", []), ("LISBON", ["Lisboa"])], NOON)
        assert a == again != b
        number = partitions.find(conn, ANA)
        assert entities.of_partition(conn, number) == [EntityRow(a, "Lisbon", ("Lisboa",)), EntityRow(b, "Porto", ())]


def test_a_new_name_with_a_known_alias_becomes_another_alias(database):
    with database.write() as conn:
        [first] = entities.resolve(conn, ANA, [("Lisbon", ["Lisboa"])], NOON)
        assert entities.resolve(conn, ANA, [("里斯本", ["Lisboa"])], NOON) == [first]
        assert entities.resolve(conn, ANA, [("里斯本", [])], NOON) == [first]


def test_a_user_finds_the_shared_entity_but_his_alias_for_it_stays_his(database):
    with database.write() as conn:
        [shared] = entities.resolve(conn, SHARED, [("Headquarters", [])], NOON)
        assert entities.resolve(conn, ANA, [("Headquarters", ["the castle"])], NOON) == [shared]
        assert entities.resolve(conn, ANA, [("the castle", [])], NOON) == [shared]
        assert entities.of_partition(conn, partitions.find(conn, ANA)) == [
            EntityRow(shared, "Headquarters", ("the castle",))
        ]
        assert entities.of_partition(conn, partitions.find(conn, SHARED)) == [EntityRow(shared, "Headquarters", ())]
        assert entities.resolve(conn, BOB, [("the castle", [])], NOON) != [shared]


def test_a_users_entity_is_another_users_stranger(database):
    with database.write() as conn:
        owners = [ANA, BOB, Partition("other", "ana"), SHARED]
        found = [entities.resolve(conn, owner, [("Lisbon", [])], NOON)[0] for owner in owners]
    assert len(set(found)) == 4


@pytest.mark.parametrize("names", [[("  ", [])], [("Ana", [" \u3000"])]])
def test_a_blank_name_is_refused(database, names):
    with database.write() as conn, pytest.raises(InvalidInputError, match="entity"):
        entities.resolve(conn, ANA, names, NOON)


def test_a_renamed_entity_is_found_by_its_new_name_unless_that_is_taken(database):
    with database.write() as conn:
        a, b = entities.resolve(conn, ANA, [("Lisbon", []), ("Porto", [])], NOON)
        memories.update(conn, a, updated_at=NOON, content="Lisboa")
        assert entities.resolve(conn, ANA, [("lisboa", [])], NOON) == [a]
        with pytest.raises(InvalidInputError, match=f"memory {b}"):
            memories.update(conn, a, updated_at=NOON, content="PORTO")


def test_mentions_are_noted_once_and_never_across_users_or_agents(database):
    with database.write() as conn:
        owners = [ANA, SHARED, BOB, Partition("other", "ana")]
        ids = memories.insert(conn, [a_memory(f"of {owner}", owner) for owner in owners])
        [lisbon] = entities.resolve(conn, ANA, [("Lisbon", [])], NOON)
        [office] = entities.resolve(conn, SHARED, [("Office", [])], NOON)
        assert entities.mention(conn, [(ids[0], lisbon), (ids[0], lisbon), (ids[0], office), (ids[1], office)]) == 3
        assert entities.mention(conn, [(ids[0], lisbon)]) == 0
        for memory_id, error in ((ids[1], InvalidInputError), (ids[2], InvalidInputError), (ids[3], NotFoundError)):
            with pytest.raises(error):
                entities.mention(conn, [(memory_id, lisbon)])
        of_ana = engine_rows.mentions_of(conn, partitions.find(conn, ANA))
        assert (of_ana.memory_ids.tolist(), of_ana.entity_ids.tolist()) == ([ids[0], ids[0]], [lisbon, office])


def test_entities_written_together_are_counted_in_pairs_up_to_ten_of_a_group(database):
    with database.write() as conn:
        ids = entities.resolve(conn, ANA, [(f"E{n}", []) for n in range(12)], NOON)
        entities.count_together(conn, ANA, [[ids[1], ids[0], ids[0]], [ids[0], ids[1], ids[2]], [ids[3]], []])
        assert pairs_of(conn, ANA) == [(ids[0], ids[1], 2), (ids[0], ids[2], 1), (ids[1], ids[2], 1)]
        assert pairs_of(conn, SHARED) == []
        entities.count_together(conn, BOB, [ids])
        assert len(pairs_of(conn, BOB)) == 45


def test_a_memory_that_goes_takes_one_from_the_counts_of_its_entities_and_an_entity_takes_all(database):
    with database.write() as conn:
        a, b, c = entities.resolve(conn, ANA, [("A", ["a1"]), ("B", []), ("C", [])], NOON)
        ids = memories.insert(conn, [a_memory("one"), a_memory("two")])
        entities.mention(conn, [(ids[0], a), (ids[0], b), (ids[1], a), (ids[1], b), (ids[1], c)])
        entities.count_together(conn, ANA, [[a, b], [a, b, c]])
        memories.remove(conn, [ids[1]])
        assert pairs_of(conn, ANA) == [(a, b, 1)]
        entities.count_together(conn, ANA, [[a, c], [b, c]])
        memories.remove(conn, [a])
        assert pairs_of(conn, ANA) == [(b, c, 1)]
        assert [row.id for row in entities.of_partition(conn, partitions.find(conn, ANA))] == [b, c]
        for table, column in (("entity", "memory_id"), ("entity_alias", "memory_id"), ("mention", "entity_id")):
            assert a not in conn.exec_driver_sql(f"SELECT {column} FROM {table}").scalars().all()
        assert entities.resolve(conn, ANA, [("a1", [])], NOON) != [a]


def test_writing_an_edge_again_sets_its_strength(database):
    with database.write() as conn:
        a, b = memories.insert(conn, [a_memory("a"), a_memory("b")])
        edges.put(conn, [NewEdge(a, b, EdgeType.CAUSAL, 0.9), NewEdge(a, b, EdgeType.INHIBITORY, 0.2)])
        edges.put(conn, [NewEdge(a, b, EdgeType.CAUSAL, 0.4)])
        columns = engine_rows.edges_of(conn, partitions.find(conn, ANA))
    assert (columns.sources.tolist(), columns.targets.tolist()) == ([a, a], [b, b])
    assert (columns.types.tolist(), columns.strengths.tolist()) == ([1, 255], pytest.approx([0.4, 0.2]))
    assert [str(array.dtype) for array in (columns.sources, columns.strengths, columns.types)] == [
        "int64",
        "float32",
        "uint8",
    ]


def test_an_edge_with_a_shared_memory_belongs_to_the_user(database):
    with database.write() as conn:
        mine, shared, other = memories.insert(conn, [a_memory("a"), a_memory("b", SHARED), a_memory("c", SHARED)])
        edges.put(conn, [NewEdge(shared, mine, EdgeType.THEMATIC, 0.5), NewEdge(other, shared, EdgeType.THEMATIC, 0.5)])
        assert edges_of(conn, ANA) == [(shared, mine, 2)]
        assert edges_of(conn, SHARED) == [(other, shared, 2)]


def test_an_edge_between_two_users_is_refused_and_one_between_agents_finds_nothing(database):
    with database.write() as conn:
        a, b, c = memories.insert(conn, [a_memory("a"), a_memory("b", BOB), a_memory("c", Partition("other", "ana"))])
        with pytest.raises(InvalidInputError, match="two users"):
            edges.put(conn, [NewEdge(a, b, EdgeType.CAUSAL, 0.5)])
        with pytest.raises(NotFoundError, match=str(c)):
            edges.put(conn, [NewEdge(a, c, EdgeType.CAUSAL, 0.5)])
        with pytest.raises(NotFoundError, match="999"):
            edges.put(conn, [NewEdge(a, 999, EdgeType.CAUSAL, 0.5)])
        assert edges_of(conn, ANA) == edges_of(conn, BOB) == []


@pytest.mark.parametrize("strength", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_strength_outside_0_to_1_is_refused(database, strength):
    with database.write() as conn:
        a, b = memories.insert(conn, [a_memory("a"), a_memory("b")])
        with pytest.raises(InvalidInputError, match="strength"):
            edges.put(conn, [NewEdge(a, b, EdgeType.CAUSAL, strength)])
        with pytest.raises(InvalidInputError, match="new"):
            edges.reinforce(conn, [(a, b)], new=strength)


def test_a_memory_is_not_joined_to_itself(database):
    with database.write() as conn:
        [a] = memories.insert(conn, [a_memory("a")])
        with pytest.raises(InvalidInputError, match="itself"):
            edges.put(conn, [NewEdge(a, a, EdgeType.CAUSAL, 0.5)])
        assert edges.reinforce(conn, [(a, a)], new=0.35) == 0


@pytest.mark.parametrize("derived", [EdgeType.MENTION, EdgeType.SEQUENCE])
def test_an_edge_that_follows_from_the_memories_is_not_written_beside_them(database, derived):
    with database.write() as conn:
        a, b = memories.insert(conn, [a_memory("a"), a_memory("b")])
        with pytest.raises(InvalidInputError, match=derived.label):
            edges.put(conn, [NewEdge(a, b, derived, 0.5)])


def test_reinforcing_makes_an_edge_and_then_strengthens_it_whatever_its_direction(database):
    with database.write() as conn:
        a, b, c, d = memories.insert(conn, [a_memory("a"), a_memory("b"), a_memory("c"), a_memory("d", BOB)])
        edges.put(conn, [NewEdge(c, a, EdgeType.ASSOCIATIVE, 0.5), NewEdge(b, c, EdgeType.CAUSAL, 0.5)])
        assert edges.reinforce(conn, [(b, a), (a, b), (a, c), (b, c), (a, d)], new=0.35) == 3
        assert edges.reinforce(conn, [(a, b)], new=0.35) == 1
        columns = engine_rows.edges_of(conn, partitions.find(conn, ANA))
    found = dict(
        zip(
            zip(columns.sources.tolist(), columns.targets.tolist(), columns.types.tolist(), strict=True),
            columns.strengths.tolist(),
            strict=True,
        )
    )
    assert found == pytest.approx({(a, b, 0): 0.5775, (b, c, 0): 0.35, (b, c, 1): 0.5, (c, a, 0): 0.675})


def test_removing_an_edge_takes_all_types_and_both_directions(database):
    with database.write() as conn:
        a, b, c = memories.insert(conn, [a_memory("a"), a_memory("b"), a_memory("c")])
        kinds = [
            NewEdge(a, b, EdgeType.CAUSAL, 0.5),
            NewEdge(b, a, EdgeType.THEMATIC, 0.5),
            NewEdge(a, c, EdgeType.CAUSAL, 1),
        ]
        edges.put(conn, kinds)
        assert edges.remove(conn, a, b, now=NOON) == 2
        assert edges.remove(conn, a, b, now=NOON) == 0
        assert edges_of(conn, ANA) == [(a, c, 1)]


def test_the_neighbourhood_grows_hop_by_hop_and_stays_within_what_may_be_seen(database):
    with database.write() as conn:
        a, b, c, d, shared = memories.insert(conn, [*(a_memory(name) for name in "abcd"), a_memory("s", SHARED)])
        [bobs] = memories.insert(conn, [a_memory("bob's", BOB)])
        [lisbon] = entities.resolve(conn, ANA, [("Lisbon", [])], NOON)
        entities.mention(conn, [(a, lisbon)])
        joined = [(a, b), (c, b), (c, d), (a, shared)]
        edges.put(conn, [NewEdge(*ends, EdgeType.THEMATIC, 0.5) for ends in [*joined, (shared, bobs)]])
        visible = [partitions.find(conn, ANA), partitions.find(conn, SHARED)]
        one = edges.around(conn, a, 1, visible)
        assert one.ids == (a, b, shared, lisbon)
        assert EdgeRow(a, lisbon, EdgeType.MENTION, 1.0) in one.edges
        assert len(one.edges) == 3
        assert edges.around(conn, a, 2, visible).ids == (a, b, shared, lisbon, c)
        assert edges.around(conn, a, 9, visible).ids == (a, b, shared, lisbon, c, d)
        assert edges.around(conn, a, 9, visible, limit=2).ids == (a, b)
        assert edges.around(conn, shared, 3, visible[1:]).edges == ()
        for bad in ({"hops": 0}, {"hops": 1, "limit": 0}):
            with pytest.raises(InvalidInputError, match="at least 1"):
                edges.around(conn, a, visible=visible, **bad)


def test_partitions_are_listed_shared_first_and_found_only_once_written(database):
    with database.write() as conn:
        assert partitions.find(conn, ANA) is None
        bob, ana = partitions.ensure(conn, BOB), partitions.ensure(conn, ANA)
        assert partitions.ensure(conn, BOB) == bob
        memories.insert(conn, [a_memory(partition=SHARED)])
        listed = partitions.all_of(conn, "agent")
        assert list(listed) == [SHARED, ANA, BOB]
        assert (listed[ANA], listed[BOB]) == (ana, bob)
        assert partitions.all_of(conn, "other") == {}
