"""What another process does with a store: `python snapshot_processes.py WHAT PATH [ARGUMENT]`."""

import sqlite3
import sys
from itertools import count

from snapshot_samples import answers, opened


def told():
    """Says that it is ready, and waits for a line."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()


def delete(path, memory_id):
    with opened(path) as memory:
        assert not memory.delete(int(memory_id)).pending


def purge(path, user):
    with opened(path) as memory:
        assert not memory.purge_user(user, confirm=user).pending


def delete_and_be_killed(path, memory_id):
    memory = opened(path)
    memory._database._erased = told
    memory.delete(int(memory_id))


def search(path):
    with opened(path) as memory:
        answers(memory)


def hold(path):
    with opened(path) as memory:
        answers(memory)
        told()


def lock(path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    told()
    connection.execute("COMMIT")
    connection.close()


def write_for_ever(path):
    with opened(path) as memory:
        answers(memory)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        for number in count():
            rows = ({"content": f"more of the ferry {number} {row}", "user_id": "ana"} for row in range(20))
            memory.add_many(rows)
            memory.search("ferry", user_id="ana")
            memory.maintain(["snapshot"])


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
