"""The snapshot of a store that stays open: written after many changes, in a moment without searches."""

import threading
import time

import pytest
from snapshot_samples import answers, engine, filled, from_rows, opened

from memcore import Settings
from memcore.mirror import keeping
from memcore.storage.engine_file import EngineFile

SOON = 20.0


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    monkeypatch.setattr(keeping, "QUIET", 0.05)


def writing(memory):
    """The thread that writes; None while there is none."""
    thread = memory._calls.searching.store.keeper._thread
    return thread if thread is not None and thread.is_alive() else None


def wait_for(condition):
    until = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def added(memory, count, first=0):
    memory.add_many({"content": f"something new {number}", "user_id": "ana"} for number in range(first, first + count))
    memory.search("something", user_id="ana")


def test_many_changes_have_it_written_and_few_do_not(tmp_path):
    path = tmp_path / "a.db"
    filled(path)
    engine(path).unlink()
    with opened(path, settings=Settings(snapshot_after=100)) as memory:
        answers(memory)
        assert writing(memory) is None
        added(memory, 60)
        wait_for(lambda: engine(path).exists() and writing(memory) is None)
        wanted = answers(memory)
        with opened(path, settings=Settings(snapshot_after=2**62)) as other:
            assert answers(other) == wanted
            assert other._calls.searching.store.mirror.changed == 0, "it was there to be read"
        before = engine(path).read_bytes()
        added(memory, 30, first=60)
        assert writing(memory) is None
        assert engine(path).read_bytes() == before
        memory.delete(memory.get_all(user_id="ana")[0].id)
        assert not engine(path).exists()


def test_it_waits_for_a_moment_without_searches_but_not_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "QUIET", 0.5)
    path = tmp_path / "a.db"
    filled(path)
    engine(path).unlink()
    with opened(path, settings=Settings(snapshot_after=1)) as memory:
        until = time.monotonic() + 1.5
        while time.monotonic() < until:
            memory.search("tea", user_id="ana")
            assert not engine(path).exists()
        wait_for(engine(path).exists)
        wait_for(lambda: writing(memory) is None)
        engine(path).unlink()
        monkeypatch.setattr(keeping, "LONGEST", 0.5)
        added(memory, 80)

        def searched():
            memory.search("tea", user_id="ana")
            return engine(path).exists()

        wait_for(searched)
    assert from_rows(path)


def test_searches_go_on_while_it_is_written_and_closing_waits_for_it(tmp_path, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()
    write = EngineFile.write

    def slow(self, *given):
        begun.set()
        assert go_on.wait(SOON)
        return write(self, *given)

    path = tmp_path / "a.db"
    filled(path)
    engine(path).unlink()
    monkeypatch.setattr(EngineFile, "write", slow)
    memory = opened(path, settings=Settings(snapshot_after=1))
    wanted = answers(memory)
    assert begun.wait(SOON)
    assert answers(memory) == wanted
    assert not engine(path).exists()
    closing = threading.Thread(target=memory.close)
    closing.start()
    closing.join(0.1)
    assert closing.is_alive()
    go_on.set()
    closing.join(SOON)
    assert not closing.is_alive()
    assert engine(path).exists()


def test_who_does_without_has_none_written(tmp_path):
    path = tmp_path / "a.db"
    filled(path)
    engine(path).unlink()
    with opened(path, settings=Settings(snapshot=False, snapshot_after=1)) as memory:
        answers(memory)
        assert writing(memory) is None
    assert not engine(path).exists()
