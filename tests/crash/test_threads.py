"""Threads that share one memory: every row is there, and each finds at once what it wrote."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Barrier

import pytest

from memcore import Memory, StorageError

DESCRIPTORS = Path("/proc/self/fd")


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


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="this system does not list open files")
def test_closing_while_threads_search_and_write_leaves_no_file_open_and_tells_each_that_it_is_closed(tmp_path):
    path = tmp_path / "agent.db"
    with Memory(path, embedder="hashing", durability="relaxed") as memory:
        memory.add_many([{"content": f"The parcel number {n} came"} for n in range(30)])

    def work(memory, thread):
        for number in count():
            memory.search("parcel")
            if thread == number % 8:
                memory.mark_used([1 + thread])

    def told(memory, started, thread):
        """What a thread that searches and writes until it cannot any more was told."""
        started.wait()
        with pytest.raises(StorageError) as caught:
            work(memory, thread)
        return str(caught.value)

    with ThreadPoolExecutor(8) as pool:
        for _ in range(6):
            memory, started = Memory(path, embedder="hashing", durability="relaxed"), Barrier(9)
            answers = [pool.submit(told, memory, started, thread) for thread in range(8)]
            started.wait()
            memory.search("parcel")
            memory.close()
            assert {"closed" in answer.result() for answer in answers} == {True}
            assert not [name for name in open_files() if name.startswith(str(path))]


def open_files():
    """The names of the open files of this process."""
    found = []
    for descriptor in DESCRIPTORS.iterdir():
        with suppress(FileNotFoundError):  # the one by which the folder is read
            found.append(os.readlink(descriptor))  # noqa: PTH115 - a path need not exist
    return found


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
