"""Who asks first writes first, and nobody keeps a turn that he did not take."""

import errno
import fcntl
import os
import stat
import threading
from pathlib import Path

import pytest

from memcore.errors import StorageBusyError, StorageError
from memcore.storage import side_file
from memcore.storage.write_queue import FairLock, Turn, WriteQueue


def a_database(folder):
    (folder / "x").touch(0o600)
    return str(folder / "x")


def wait_until(lock, waiting):
    while len(lock._waiting) < waiting:
        os.sched_yield()


def taken(lock):
    turn = lock.ask()
    lock.acquire(turn, 60)
    return turn


def test_threads_get_their_turn_in_the_order_in_which_they_asked():
    lock, order, threads = FairLock(), [], []
    first = taken(lock)
    for number in range(6):

        def work(number=number):
            turn = taken(lock)
            order.append(number)
            lock.release(turn)

        threads.append(threading.Thread(target=work))
        threads[-1].start()
        wait_until(lock, number + 1)
    lock.release(first)
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def test_a_thread_that_has_the_turn_cannot_wait_for_itself():
    lock = FairLock()
    turn = taken(lock)
    with pytest.raises(StorageError, match="already"):
        lock.ask()
    lock.release(turn)
    taken(lock)


def test_who_is_interrupted_while_waiting_leaves_the_queue():
    lock = FairLock()
    place = (threading.Lock(), Turn(1, -1))
    turn = taken(lock)
    lock._waiting.append(place)
    lock._leave(place)
    assert not lock._waiting
    lock.release(turn)
    taken(lock)


def test_who_is_interrupted_when_his_turn_has_come_passes_it_on():
    lock = FairLock()
    turn = taken(lock)
    gate, other = threading.Lock(), Turn(1, -1)
    gate.acquire()
    lock._waiting.append((gate, other))
    lock.release(turn)
    lock._leave((gate, other))
    lock.release(other)  # as `turn` does, wherever the interrupt came
    assert lock.held_by(taken(lock))


def test_a_release_that_is_repeated_takes_nobodys_turn():
    lock = FairLock()
    first = taken(lock)
    lock.release(first)
    second = taken(lock)
    lock.release(first)
    assert lock.held_by(second)


class SlowGate:
    """Opens, and comes back only when who passed it is done."""

    def __init__(self, gate, done):
        self.gate, self.done = gate, done

    def locked(self):
        return self.gate.locked()

    def release(self):
        self.gate.release()
        self.done.wait(5)


def test_who_is_through_with_his_turn_before_it_is_handed_over_gives_it_back():
    lock, done, held = FairLock(), threading.Event(), []
    first = taken(lock)

    def work():
        turn = taken(lock)
        held.append(lock.held_by(turn))
        done.set()
        lock.release(turn)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lock, 1)
    gate, turn = lock._waiting[0]
    lock._waiting[0] = (SlowGate(gate, done), turn)
    lock.release(first)
    thread.join()
    assert held == [True]
    assert lock._holder is None


def test_a_turn_that_nobody_ends_ends_with_its_block(tmp_path):
    queue = WriteQueue(a_database(tmp_path))
    block = queue.turn()
    block.__enter__()
    del block  # as an interrupt between the turn and the `with` leaves it
    with queue.turn():
        pass
    queue.close()


def test_a_queue_keeps_other_processes_out_while_it_has_the_turn_and_lets_them_in_after(tmp_path):
    queue = WriteQueue(a_database(tmp_path))
    with (tmp_path / "x.lock").open("rb") as other:
        with queue.turn(), pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    queue.close()


def test_a_lock_that_cannot_be_taken_is_a_storage_error_and_the_turn_goes_on(tmp_path, monkeypatch):
    queue = WriteQueue(a_database(tmp_path))

    def failing(_number):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    with monkeypatch.context() as patched:
        patched.setattr(side_file, "_try_lock", failing)
        for _ in range(2):
            with pytest.raises(StorageError, match="No locks available"), queue.turn():
                pass
    with queue.turn():
        pass
    queue.close()
    for _ in range(2):
        with pytest.raises(StorageError, match="closed"), queue.turn():
            pass


def closing_before(monkeypatch, module, name, queue, foreign):
    """The next call of a function of a module finds the queue closed by another thread, and its number in use again."""
    call, opened = getattr(module, name), []

    def late(number):
        if not opened:
            other = threading.Thread(target=queue.close)
            other.start()
            other.join()
            opened.append(foreign.open("w"))
        return call(number)

    monkeypatch.setattr(module, name, late)
    return opened


@pytest.mark.parametrize(("module", "name"), [(side_file, "_try_lock"), (side_file.os, "fstat")])
def test_who_is_about_to_write_while_another_thread_closes_is_told_so_and_locks_no_other_file(
    tmp_path, monkeypatch, module, name
):
    queue = WriteQueue(a_database(tmp_path))
    number = queue._side._handle.number
    with monkeypatch.context() as patched:
        opened = closing_before(patched, module, name, queue, tmp_path / "foreign")
        with pytest.raises(StorageError, match="it is closed; open it anew"), queue.turn():
            pass
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)
    with opened[0], (tmp_path / "foreign").open() as beside, (tmp_path / "x.lock").open() as side:
        for file in (beside, side):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_turn_that_ends_while_another_thread_closes_unlocks_no_other_file(tmp_path, monkeypatch):
    queue = WriteQueue(a_database(tmp_path))
    unlock, held = side_file._unlock, []

    def late(number):
        queue.close()
        held.append((tmp_path / "foreign").open("w"))
        fcntl.flock(held[0], fcntl.LOCK_EX)
        unlock(number)

    with monkeypatch.context() as patched:
        patched.setattr(side_file, "_unlock", late)
        with queue.turn():
            pass
    with held[0], (tmp_path / "foreign").open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_lock_file_that_could_not_be_made_anew_is_made_by_the_next_turn(tmp_path):
    queue = WriteQueue(a_database(tmp_path))
    (tmp_path / "x.lock").unlink()
    (tmp_path / "x.lock").mkdir()
    with pytest.raises(StorageError, match="directory"), queue.turn():
        pass
    (tmp_path / "x.lock").rmdir()
    with queue.turn(), (tmp_path / "x.lock").open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    queue.close()


@pytest.mark.parametrize("seconds", [0, 0.01])
def test_the_wait_for_another_process_ends_and_says_where_how_long_and_what_would_do(tmp_path, seconds):
    queue = WriteQueue(a_database(tmp_path), seconds)
    with (tmp_path / "x.lock").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        for _ in range(2):
            with (
                pytest.raises(StorageBusyError, match=r"x: .*x\.lock for the [0-9.e-]+ s .*raise lock_timeout"),
                queue.turn(),
            ):
                pass
    with queue.turn():
        pass
    queue.close()


def test_the_wait_for_another_thread_ends_too_and_the_place_in_the_queue_is_given_up():
    queue = WriteQueue(None, 0.01)
    told = []

    def wait():
        try:
            with queue.turn():
                told.append("had the turn")
        except StorageBusyError as error:
            told.append(str(error))

    with queue.turn():
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
        assert not queue._threads._waiting
    assert len(told) == 1
    assert "other threads of this process" in told[0]
    assert "lock_timeout" in told[0]
    wait()
    assert told[1:] == ["had the turn"]


def test_who_waits_for_another_process_has_the_turn_as_soon_as_it_is_free(tmp_path, monkeypatch):
    queue = WriteQueue(a_database(tmp_path))
    with (tmp_path / "x.lock").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        monkeypatch.setattr("time.sleep", lambda _seconds: fcntl.flock(other, fcntl.LOCK_UN))
        with queue.turn(), pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    queue.close()


def test_an_interrupt_ends_the_wait_for_another_process(tmp_path, monkeypatch):
    def interrupt(_seconds):
        raise KeyboardInterrupt

    queue = WriteQueue(a_database(tmp_path))
    with (tmp_path / "x.lock").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        monkeypatch.setattr("time.sleep", interrupt)
        with pytest.raises(KeyboardInterrupt), queue.turn():
            pass
    monkeypatch.undo()
    with queue.turn():
        pass
    queue.close()


def test_a_side_file_that_somebody_deleted_is_made_anew_and_keeps_others_out(tmp_path):
    path = a_database(tmp_path)
    first, second = WriteQueue(path, 0), WriteQueue(path, 0)
    (tmp_path / "x.lock").unlink()
    with first.turn(), pytest.raises(StorageBusyError), second.turn():
        pass
    with second.turn(), pytest.raises(StorageBusyError), first.turn():
        pass
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("database", "side"),
    [(0o600, 0o600), (0o644, 0o600), (0o640, 0o600), (0o660, 0o660), (0o664, 0o660), (0o666, 0o666)],
)
def test_who_may_write_the_database_may_lock_it_and_nobody_else(tmp_path, database, side):
    path = a_database(tmp_path)
    Path(path).chmod(database)
    for _ in ("new", "there already"):
        WriteQueue(path).close()
        assert stat.S_IMODE((tmp_path / "x.lock").stat().st_mode) == side
        (tmp_path / "x.lock").chmod(0o600)
    WriteQueue(path).close()
    assert stat.S_IMODE((tmp_path / "x.lock").stat().st_mode) == side


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_root_gives_the_side_file_to_the_owner_and_group_of_the_database(tmp_path):
    path = a_database(tmp_path)
    os.chown(path, 65534, 65533)
    WriteQueue(path).close()
    found = (tmp_path / "x.lock").stat()
    assert (found.st_uid, found.st_gid) == (65534, 65533)


def test_an_error_of_the_file_system_inside_a_turn_stays_what_it_was(tmp_path):
    queue = WriteQueue(a_database(tmp_path))
    with pytest.raises(FileNotFoundError), queue.turn():
        (tmp_path / "nothing").read_text()
    queue.close()
