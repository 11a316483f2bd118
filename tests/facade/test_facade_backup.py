"""A backup touches no file but the one that it makes."""

import multiprocessing

import pytest

from memcore import Memory
from memcore.errors import StorageError


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "a.db", embedder="none", durability="relaxed") as opened:
        opened.add("Ana lives in Lisbon.", user_id="ana")
        yield opened


def files(folder):
    return {path.name for path in folder.iterdir() if not path.name.startswith("a.db")}


def test_files_of_somebody_else_stay_as_they_are(memory, tmp_path):
    (tmp_path / "b.db.partial").write_bytes(b"precious" * 200)
    (tmp_path / "empty").touch()
    (tmp_path / "c.db.partial").symlink_to(tmp_path / "empty")
    memory.backup(tmp_path / "b.db")
    memory.backup(tmp_path / "c.db")
    assert (tmp_path / "b.db.partial").read_bytes() == b"precious" * 200
    assert (tmp_path / "empty").stat().st_size == 0
    assert files(tmp_path) == {"b.db", "c.db", "b.db.partial", "c.db.partial", "empty"}
    for name in ("b.db", "c.db"):
        with Memory(tmp_path / name, embedder="none") as copy:
            assert len(copy.search("Lisbon", user_id="ana")) == 1


@pytest.mark.parametrize("target", ["nowhere", "a.db"])
def test_a_link_is_not_replaced(memory, tmp_path, target):
    (tmp_path / "b.db").symlink_to(tmp_path / target)
    with pytest.raises(StorageError, match="the file exists"):
        memory.backup(tmp_path / "b.db")
    assert (tmp_path / "b.db").is_symlink()
    assert files(tmp_path) == {"b.db"}


def one_backup(database, target, results):
    with Memory(database, embedder="none") as memory:
        try:
            memory.backup(target)
        except StorageError as error:
            results.put(str(error))
        else:
            results.put("made")


@pytest.mark.usefixtures("memory")
def test_of_two_processes_that_make_one_copy_one_makes_it_whole(tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    arguments = (str(tmp_path / "a.db"), str(tmp_path / "b.db"), results)
    both = [context.Process(target=one_backup, args=arguments) for _ in range(2)]
    for process in both:
        process.start()
    said = sorted(results.get(timeout=60) for _ in both)
    for process in both:
        process.join()
    assert said.count("made") == 1
    assert "the file exists" in next(one for one in said if one != "made")
    with Memory(tmp_path / "b.db", embedder="none") as copy:
        assert len(copy.search("Lisbon", user_id="ana")) == 1
