"""Threads that share one memory: every row is there, and each finds at once what it wrote."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from memcore import Memory


@pytest.mark.parametrize("database", [":memory:", "agent.db"])
def test_threads_share_one_memory(tmp_path, database):
    where = database if database == ":memory:" else tmp_path / database
    with Memory(where, embedder="hashing", durability="relaxed") as memory:

        def work(thread):
            found = []
            for number in range(15):
                word = f"parcel{thread}n{number}"
                (added,) = memory.add(f"{word} came", user_id=f"user {thread % 2}", session_id="s", entities=[word])
                hits = memory.search(word, user_id=f"user {thread % 2}")
                found.append(added.id in [hit.id for hit in hits])
                hits.explain(hits[0])
                memory.context(word, user_id=f"user {thread % 2}")
                memory.stats()
                if number % 5 == 4:
                    memory.update(added.id, content=f"{word} was opened")
                    memory.delete(added.id)
            return all(found)

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(work, range(4)))
        assert memory.stats().memories["event"] == 4 * 12
        assert memory.doctor().ok


def test_two_memories_of_one_process_share_a_file(tmp_path):
    with (
        Memory(tmp_path / "agent.db", embedder="none", durability="relaxed") as one,
        Memory(tmp_path / "agent.db", embedder="none", durability="relaxed") as other,
        ThreadPoolExecutor(2) as pool,
    ):
        list(
            pool.map(
                lambda pair: [pair[1].add(f"parcel{pair[0]}n{n} came") for n in range(30)], enumerate((one, other))
            )
        )
        assert {len(memory.search("came", limit=100)) for memory in (one, other)} == {60}


def test_an_older_result_still_explains_itself_after_the_store_changed():
    with Memory(":memory:", embedder="none") as memory:
        ids = memory.add_many([{"content": f"The parcel number {n} came", "importance": n % 10} for n in range(20)]).ids
        found = memory.search("parcel", limit=20)
        before = [found.explain(hit) for hit in found]
        memory.mark_used(ids[:10])
        for one in ids[::3]:
            memory.delete(one)
        memory.search("parcel")
        assert [found.explain(hit) for hit in found] == before
        assert [explanation.id for explanation in before] == [hit.id for hit in found]
