"""Forks with a memory open, and prints what each call in the child did, and that the parent goes on."""

import json
import os
import signal
import sys
import threading

from memcore import Memory

path = sys.argv[1]
memory = Memory(path, embedder="hashing", durability="relaxed")
(one, two) = memory.add_many([{"content": "Ana drinks tea"}, {"content": "Ana eats rice"}]).ids
memory.search("tea")
CALLS = {
    "add": lambda: memory.add("text"),
    "add_many": lambda: memory.add_many([{"content": "text"}]),
    "search": lambda: memory.search("tea"),
    "context": lambda: memory.context("tea"),
    "why_not": lambda: memory.why_not(one, "tea"),
    "get": lambda: memory.get(one),
    "get_all": memory.get_all,
    "update": lambda: memory.update(one, content="Ana drinks coffee"),
    "delete": lambda: memory.delete(one),
    "mark_used": lambda: memory.mark_used([one]),
    "relate": lambda: memory.relate(one, two),
    "unrelate": lambda: memory.unrelate(one, two),
    "graph": lambda: memory.graph(one),
    "maintain": memory.maintain,
    "stats": memory.stats,
    "doctor": memory.doctor,
    "backup": lambda: memory.backup(f"{path}.copy"),
}


def outcome(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001 - told to the test
        return type(error).__name__
    return "worked"


def in_child():
    signal.alarm(30)  # a child that waits for a lock of its parent's threads is killed, and answers nothing
    told = {name: outcome(call) for name, call in CALLS.items()}
    memory.close()
    told["anew"] = outcome(lambda: Memory(path, embedder="hashing"))
    with Memory(f"{path}.own", embedder="hashing", durability="relaxed") as own:
        own.add("The child writes a file of its own")
        told["own"] = [hit.content for hit in own.search("child")][:1]
    return told


held, leave = threading.Event(), threading.Event()


def hold():
    """Another thread of the parent is in the middle of a search, a write and a look at the parameters."""
    with memory._calls.store.mirror.lock, memory._calls.store.params._lock, memory._database.write():
        held.set()
        leave.wait()


thread = threading.Thread(target=hold)
thread.start()
held.wait()
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    signal.alarm(30)
    told = {name: outcome(call) for name, call in CALLS.items()}
    os.write(writing, json.dumps(told).encode())
    os._exit(0)
leave.set()
thread.join()
os.close(writing)
with os.fdopen(reading) as pipe:
    in_a_busy_child = json.loads(pipe.read() or "{}")
os.waitpid(child, 0)
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.write(writing, json.dumps(in_child()).encode())
    os._exit(0)
os.close(writing)
with os.fdopen(reading) as pipe:
    in_a_child = json.loads(pipe.read() or "{}")
os.waitpid(child, 0)
memory.add("and the parent goes on")
parent = [hit.content for hit in memory.search("parent")][:1]
memory.close()
child = os.fork()
if child == 0:
    with Memory(path, embedder="hashing") as own:
        own.add("The child of a parent that had closed it")
    os._exit(0)
os.waitpid(child, 0)
with Memory(path, embedder="hashing") as memory:
    parent += [hit.content for hit in memory.search("closed")][:1]
sys.stdout.write(json.dumps({"busy": in_a_busy_child, "child": in_a_child, "parent": parent}))
