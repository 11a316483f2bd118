"""The same store, query and moment give the same bytes; and a search leaves the bytes of the database as they are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def answered(path, *way, seed=0, threads=1):
    """What the script prints in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "RAYON_NUM_THREADS": str(threads)}
    command = [sys.executable, str(HERE / "facade_answers.py"), str(path), *way]
    ran = subprocess.run(command, capture_output=True, env=environment, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("answers")


@pytest.fixture(scope="module")
def at_once(folder):
    return answered(folder / "many.db", "many", "known")


def test_hash_seed_and_thread_count_change_no_byte(folder, at_once):
    assert len(json.loads(at_once)) == 30
    assert all(answer["hits"] for answer in json.loads(at_once))
    assert answered(folder / "many.db", "reopened", seed=1, threads=2) == at_once


@pytest.mark.parametrize("way", ["single", "watched"])
def test_memories_stored_one_by_one_answer_like_those_stored_at_once_byte_by_byte(folder, at_once, way):
    assert answered(folder / f"{way}.db", way, "known", seed=2, threads=2) == at_once


def by_content(printed):
    """The hits by their texts, numbers to nine digits: with other ids sums are made in another order."""
    plain = json.loads(printed, parse_float=lambda number: round(float(number), 9))
    return [[(hit["content"], hit["score"], hit["signals"]) for hit in answer["hits"]] for answer in plain]


def test_names_that_are_new_are_found_alike_whether_stored_one_by_one_or_at_once(folder):
    at_once, singly = (answered(folder / f"new {way}.db", way) for way in ("many", "single"))
    assert by_content(at_once) == by_content(singly)


def test_a_search_leaves_the_bytes_of_the_database_as_they_were(opened, path):
    memory = opened(embedder="hashing")
    memory.add([{"role": "user", "name": "Ana", "content": f"Where is parcel {n}?"} for n in range(9)], session_id="s")
    bytes_now = lambda: {name: (path.parent / name).read_bytes() for name in ("agent.db", "agent.db-wal")}
    before = bytes_now()
    found = memory.search("parcel 3", limit=5)
    found.context(2000)
    found.explain(found[0])
    memory.context("parcel 3", mark_used=False)
    memory.why_not(1, "parcel")
    memory.get_all()
    memory.graph(1, 3)
    memory.stats()
    memory.doctor()
    assert bytes_now() == before
