"""A process that has loaded memcore and has nothing open: it forks writers, so that each costs milliseconds.

`kill PATH ROUNDS SEED` kills that many writers in turn, each at another moment, and prints what they acknowledged.
`stop PATH` is the planted fault: one writer acknowledges before it commits, and is killed there.
`write PATH WRITERS ADDS` lets writers work side by side, and prints the errors they met.
"""

import json
import os
import random
import signal
import sys
from contextlib import contextmanager

from memcore import Memory
from memcore.storage.database import Database


def turns(writer, number):
    return [
        {"role": "user", "name": "Ana", "content": f"question {writer} {number}"},
        {"role": "assistant", "content": f"answer {writer} {number}"},
    ]


def add_for_ever(path, writer, acknowledge):
    memory = Memory(path, embedder="hashing")
    number = 0
    while True:
        acknowledge(memory.add(turns(writer, number), user_id="ana", session_id="s").ids)
        number += 1


def acknowledge_too_early(path, acknowledge):
    """Opens as usual; then every transaction acknowledges the rows to come and never ends."""
    memory = Memory(path, embedder="hashing")
    right = Database.write

    @contextmanager
    def write(database):
        with right(database) as connection:
            yield connection
            acknowledge([row[0] for row in connection.exec_driver_sql("SELECT max(id) FROM memory").fetchall()])
            signal.pause()

    Database.write = write
    memory.add(turns(0, 0), user_id="ana", session_id="s")


def forked(work):
    """The id of a child that does `work(acknowledge)`, and the end of the pipe where its lines arrive."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            work(lambda value: os.write(writing, (json.dumps(value) + "\n").encode()))
        except BaseException as error:  # noqa: BLE001 - told to the parent
            os.write(writing, (json.dumps(f"{type(error).__name__}: {error}") + "\n").encode())
        os._exit(0)
    os.close(writing)
    return child, os.fdopen(reading, "rb")


def killed(work, lines, spins):
    """What a child acknowledged before it was killed, some instructions after its line number `lines`."""
    child, pipe = forked(work)
    with pipe:
        got = [pipe.readline() for _ in range(lines)]
        for _ in range(spins):
            pass
        os.kill(child, signal.SIGKILL)
        got += pipe.readlines()
    os.waitpid(child, 0)
    return [json.loads(line) for line in got if line.endswith(b"\n")]


def kill(path, rounds, seed):
    chance = random.Random(int(seed))
    found = []
    for writer in range(int(rounds)):
        work = lambda acknowledge, writer=writer: add_for_ever(path, writer, acknowledge)
        found += killed(work, chance.randrange(5), chance.randrange(150_000))
    return found


def stop(path):
    return killed(lambda acknowledge: acknowledge_too_early(path, acknowledge), 1, 0)


def write(path, writers, adds):
    def work(writer):
        with Memory(path, embedder="hashing") as memory:
            for number in range(int(adds)):
                memory.add(f"note {writer} {number}", user_id=f"user {writer % 3}")

    children = [forked(lambda _, writer=writer: work(writer)) for writer in range(int(writers))]
    told = []
    for child, pipe in children:
        with pipe:
            told += [json.loads(line) for line in pipe.readlines()]
        os.waitpid(child, 0)
    return told


if __name__ == "__main__":
    with Memory(":memory:", embedder="hashing") as first:  # loads modules and dictionaries once, before the forks
        first.add("预热 warm")
    command, *arguments = sys.argv[1:]
    json.dump({"kill": kill, "stop": stop, "write": write}[command](*arguments), sys.stdout)
