"""A file that cannot be used is refused with what would do, and left as it was; a full disk keeps what was there."""

import os
import shutil
from contextlib import contextmanager

import pytest

from memcore import CorruptDatabaseError, Memory, NewerDatabaseError, StorageError, StorageFullError

NOBODY = 65534


@pytest.fixture
def closed(opened, path):
    """The path of a database with fifty memories that nobody has open."""
    memory = opened()
    memory.add_many([{"content": f"memory {number} " * 40, "user_id": "ana"} for number in range(50)])
    memory.close()
    return path


def bytes_of(folder):
    """The bytes of all files but those that only coordinate."""
    kept = [entry for entry in folder.iterdir() if not entry.name.endswith((".lock", "-shm"))]
    return {entry.name: entry.read_bytes() for entry in kept if entry.stat().st_size}


@pytest.mark.parametrize("text", [b"x", b"just some text " * 3000])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path, text):
    path.write_bytes(text)
    with pytest.raises(CorruptDatabaseError, match=r"not a database; give another path"):
        Memory(path, embedder="none")
    assert path.read_bytes() == text


@pytest.mark.parametrize("kept", [0.05, 0.5, 0.95])
def test_a_truncated_database_is_refused_and_left_as_it_is(closed, kept):
    closed.write_bytes(closed.read_bytes()[: int(closed.stat().st_size * kept)])
    before = bytes_of(closed.parent)
    with pytest.raises(CorruptDatabaseError, match=r"restore a backup"):
        Memory(closed, embedder="none")
    assert bytes_of(closed.parent) == before


def test_a_database_of_which_a_table_was_removed_says_what_would_do(opened):
    memory = opened()
    memory.add("Ana drinks tea")
    with memory._database.write() as connection:
        connection.exec_driver_sql("DROP TABLE tombstone_salt")
    with pytest.raises(CorruptDatabaseError, match=r"was removed; restore a backup: .*no such table"):
        memory.add("Bo drinks coffee")


def test_a_newer_database_is_refused_and_left_as_it_is(opened, path):
    memory = opened()
    memory.add("Ana drinks tea")
    with memory._database.write() as connection:
        connection.exec_driver_sql("INSERT INTO schema_migration (version, name) VALUES (999, 'from the future')")
    memory.close()
    before = bytes_of(path.parent)
    with pytest.raises(NewerDatabaseError, match=r"version 999"):
        Memory(path, embedder="none")
    assert bytes_of(path.parent) == before


def test_a_row_whose_text_was_damaged_is_never_shown_and_doctor_names_it(closed, opened):
    whole = closed.read_bytes()
    assert whole.count(b"memory 7 memory 7 ") > 0
    closed.write_bytes(whole.replace(b"memory 7 memory 7 ", b"memory 7 memory 8 "))
    memory = opened()
    assert memory.doctor().ok is False
    checks = {check.name: check for check in memory.doctor().checks}
    assert checks["checksums"].detail == "damaged memories: 8"
    assert 8 not in [hit.id for hit in memory.search("memory 7", user_id="ana", limit=100)]
    assert memory.why_not(8, "memory 7", user_id="ana").reason == "damaged"
    assert [record.id for record in memory.get_all(user_id="ana") if not record.intact] == [8]
    with pytest.raises(CorruptDatabaseError, match=r"restore it from a backup"):
        memory.get(8)


def test_a_damaged_turn_is_not_shown_beside_its_neighbours_either(opened, path):
    memory = opened()
    said = ["Where is the parcel?", "It lies on the shelf.", "Good."]
    memory.add([{"role": "user", "content": text} for text in said], session_id="s")
    assert said[1] in memory.context("parcel", limit=1)
    memory.close()
    path.write_bytes(path.read_bytes().replace(b"lies on the shelf", b"flew out of sight"))
    assert "flew" not in opened().context("parcel", limit=1)


def test_a_folder_and_a_missing_folder_are_refused(tmp_path):
    with pytest.raises(StorageError, match=r"folder; give the path of a file"):
        Memory(tmp_path, embedder="none")
    with pytest.raises(StorageError, match=r"no folder .*nowhere; create it"):
        Memory(tmp_path / "nowhere" / "agent.db", embedder="none")
    assert not (tmp_path / "nowhere").exists()


@contextmanager
def an_ordinary_user():
    """Root may write everywhere; the permissions of a file bind only others."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("name", ["agent.db", "new.db"])
def test_a_read_only_folder_is_refused(closed, tmp_path_factory, name):
    folder = tmp_path_factory.getbasetemp().parent / f"{tmp_path_factory.getbasetemp().name}-{name}"
    folder = shutil.copytree(closed.parent, folder)
    try:
        for entry in (folder, *folder.iterdir()):
            if os.geteuid() == 0:
                os.chown(entry, NOBODY, NOBODY)
        (folder / "agent.db.lock").unlink(missing_ok=True)
        folder.chmod(0o555)
        with an_ordinary_user(), pytest.raises(StorageError, match=r"may be written|no folder"):
            Memory(folder / name, embedder="none")
        assert not (folder / "new.db").exists()
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_full_disk_refuses_each_write_and_keeps_all_that_was_there(opened, everything_in):
    memory = opened(embedder="hashing")
    memory.add_many([{"content": f"memory {number}", "user_id": "ana"} for number in range(30)])
    with memory._database.write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    before = everything_in(memory)
    for call in (
        lambda: memory.add("x" * 100_000, user_id="ana"),
        lambda: memory.add_many([{"content": "x" * 50_000}] * 10),
        lambda: memory.update(1, content="x" * 100_000),
    ):
        with pytest.raises(StorageFullError, match=r"make room and try again"):
            call()
    assert everything_in(memory) == before
    assert len(memory.search("memory 7", user_id="ana")) == 8
    with memory._database.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    assert memory.add("after", user_id="ana")[0].id == 31


def test_a_backup_opens_and_answers_the_same(opened, everything_in, tmp_path):
    memory = opened(embedder="hashing")
    memory.add(
        [{"role": "user", "name": "Ana", "content": f"I planted {n} roses. Why?"} for n in range(9)], user_id="ana"
    )
    memory.add("Ana grows roses", user_id="ana", entities=["Ana", "roses"], tags=["garden"])
    memory.relate(1, 12)
    assert memory.backup(tmp_path / "copy.db") == tmp_path / "copy.db"
    copy = opened(tmp_path / "copy.db", embedder="hashing")
    assert everything_in(copy) == everything_in(memory)
    for query in ("roses", "Why did Ana plant?", "garden"):
        here, there = (store.search(query, user_id="ana") for store in (memory, copy))
        assert [hit.to_dict() for hit in here] == [hit.to_dict() for hit in there]
    memory.add("only here", user_id="ana")
    assert list(copy.search("only here", user_id="ana", params={"enable_dense": False})) == []


def test_a_relative_path_stays_the_same_file_when_the_process_moves(opened, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    memory = opened("relative.db")
    memory.add("The parcel came")
    monkeypatch.chdir(tmp_path / "elsewhere")
    with memory._database.read() as connection:  # its connection is taken, so that the search opens another
        connection.exec_driver_sql("SELECT 1").close()
        assert len(memory.search("parcel")) == 1
    (tmp_path / "retrieval_params.json").write_text('{"blend_multiplier_cap": 2.0}')
    assert memory.search("parcel").trace.params.blend_multiplier_cap == 2.0
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("length", [1e-30, 1.0, 1e30, 3e38])
def test_a_given_vector_of_any_length_is_found_by_its_direction(memory, length):
    memory.add("here", embedding=[length, 0, 0, length])
    memory.add("there", embedding=[0, length, -length, 0])
    hits = memory.search("zzz", embedding=[length, 0, 0, length], params={"recall_dense_floor": 0.5})
    assert [(hit.content, round(hit.signals["vector"], 2)) for hit in hits] == [("here", 1.0)]
