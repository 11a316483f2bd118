"""A process that purges a user, `PATH USER PAUSE`: it says `batch` before each transaction that removes something.

It waits PAUSE seconds then, outside the transaction, to be looked at or killed.
"""

import sys
import time
from contextlib import contextmanager

from memcore import Memory
from memcore.storage import purge
from memcore.storage.database import Database


def say(word):
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main(path, user, pause):
    right, writes = Database.write, []

    @contextmanager
    def write(database):
        writes.append(1)
        if len(writes) > 1:  # the first is the mark
            say("batch")
            time.sleep(float(pause))
        with right(database) as connection:
            yield connection

    purge.BATCH = 50
    with Memory(path, embedder="hashing", durability="relaxed") as memory:
        say("open")
        Database.write = write
        memory.purge_user(user, confirm=user)
        say("gone")


if __name__ == "__main__":
    main(*sys.argv[1:])
