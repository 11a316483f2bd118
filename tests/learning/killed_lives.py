"""Activations and rollbacks of a process that is killed on its way, and what the store and the file say then."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from memcore.storage import profiles

HAND = b'{"weight_graph": 0.75}'
PROGRAM = """
import os, signal, sys
from contextlib import contextmanager
sys.path.insert(0, sys.argv[3])
from learning_lives import Clock
from memcore import Memory
from memcore.learning import activating, params_file
from memcore.storage.database import Database

call, at = sys.argv[2].split()
write, begin, replace = activating.write_document, Database.write, os.replace
writes = []

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def write_and_die(path, document):
    if at == "unwritten":
        die()
    write(path, document)
    die()

def replace_and_die(self, target):
    die()

@contextmanager
def begin_and_die(self, *given, **named):
    with begin(self, *given, **named) as connection:
        yield connection
        if at == "uncommitted":
            die()
    if at == "noted":
        die()
    writes.append(1)
    if at == "committed" and len(writes) == 2:
        die()

m = Memory(sys.argv[1], embedder="none", clock=Clock())
if at in ("unwritten", "written"):
    activating.write_document = write_and_die
elif at == "halfway":
    params_file.Path.replace = replace_and_die
else:
    Database.write = begin_and_die
m.tuning.activate("mine") if call == "activate" else m.tuning.rollback()
"""
IN_FILE = ("written", "committed")
POINTS = ["uncommitted", "noted", "unwritten", "halfway", *IN_FILE]


def killed(tmp_path, call, at):
    given = [sys.executable, "-c", PROGRAM, str(tmp_path / "agent.db"), f"{call} {at}", str(Path(__file__).parent)]
    assert subprocess.run(given, check=False, capture_output=True).returncode == -signal.SIGKILL


def weight(file):
    return json.loads(file.read_bytes()).get("weight_graph")


def texts(memory):
    with memory._database.read() as connection:
        return set(connection.exec_driver_sql("SELECT document FROM profile").scalars())


def beside(file):
    return [one.name for one in file.parent.iterdir() if one.name.startswith(".")]


def marks(memory):
    """The changes that were begun, and neither finished nor called off."""
    with memory._database.read() as connection:
        files = set(connection.exec_driver_sql("SELECT file FROM activation").scalars())
        return [
            one
            for file in sorted(files)
            for one in (*profiles.begun(connection, file), *profiles.begun_rollbacks(connection, file))
        ]


def standing(memory):
    with memory._database.read() as connection:
        last = profiles.last_activated(connection, os.fsencode(os.path.realpath(memory._calls.store.params.path)))
        return None if last is None else last.profile


def names(memory):
    return [one.name for one in memory.tuning.profiles() if not one.named]
