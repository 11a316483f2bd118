"""Who asks first writes first, and nobody keeps a turn that he did not take."""

import fcntl
import os
import threading

import pytest

from memcore.errors import StorageError
from memcore.storage.write_queue import FairLock, Turn, WriteQueue


def wait_until(lock, waiting):
    while len(lock._waiting) < waiting:
        os.sched_yield()


def taken(lock):
    turn = lock.ask()
    lock.acquire(turn)
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


def test_a_turn_that_nobody_ends_ends_with_its_block(tmp_path):
    queue = WriteQueue(str(tmp_path / "x.lock"))
    block = queue.turn()
    block.__enter__()
    del block  # as an interrupt between the turn and the `with` leaves it
    with queue.turn():
        pass
    queue.close()


def test_a_queue_keeps_other_processes_out_while_it_has_the_turn_and_lets_them_in_after(tmp_path):
    path = tmp_path / "x.lock"
    queue = WriteQueue(str(path))
    with path.open("rb") as other:
        with queue.turn(), pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    queue.close()


def test_a_lock_that_cannot_be_taken_is_a_storage_error_and_the_turn_goes_on(tmp_path):
    path = str(tmp_path / "x.lock")
    queue = WriteQueue(path)
    queue.close()
    queue._handle = 10**6
    for _ in range(2):
        with pytest.raises(StorageError, match="Bad file descriptor"), queue.turn():
            pass
    queue._handle = None


def test_an_error_of_the_file_system_inside_a_turn_stays_what_it_was(tmp_path):
    queue = WriteQueue(str(tmp_path / "x.lock"))
    with pytest.raises(FileNotFoundError), queue.turn():
        (tmp_path / "nothing").read_text()
    queue.close()
