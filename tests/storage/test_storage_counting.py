"""Counts are an agent's own."""

from storage_samples import BOB, SHARED, a_memory, some_vectors

from memcore.kinds import EdgeType, Kind
from memcore.scope import Partition
from memcore.storage import counting, edges, memories, spaces, vectors
from memcore.storage.rows import NewEdge


def test_each_agent_counts_its_own_memories_edges_and_vectors(database):
    other = Partition("other", "ana")
    with database.write() as conn:
        a, b, _ = memories.insert(conn, [a_memory("a"), a_memory("b", SHARED), a_memory("f", BOB, kind=Kind.FACT)])
        c, d = memories.insert(conn, [a_memory("c", other), a_memory("d", other)])
        edges.put(conn, [NewEdge(*ends, EdgeType.CAUSAL, 0.5) for ends in ((a, b), (c, d), (d, c))])
        space = spaces.ensure(conn, "m", 16, "f")
        vectors.put(conn, space, [a], some_vectors(1), ["a"])
        assert counting.kind_counts(conn, "agent") == {"event": 2, "fact": 1}
        assert [counting.edge_counts(conn, agent) for agent in ("agent", "other", "none")] == [
            {"causal": 1},
            {"causal": 2},
            {},
        ]
        assert [counting.vector_count(conn, agent, space.id) for agent in ("agent", "other")] == [1, 0]
