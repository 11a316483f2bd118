"""Who asks first writes first, and nobody keeps a turn that he did not take."""

import fcntl
import os
import threading

import pytest

from memcore.errors import StorageError
from memcore.storage.write_queue import FairLock, WriteQueue


def wait_until(lock, waiting):
    while len(lock._waiting) < waiting:
        os.sched_yield()


def test_threads_get_their_turn_in_the_order_in_which_they_asked():
    lock, order, threads = FairLock(), [], []
    lock.acquire()
    for number in range(6):

        def work(number=number):
            lock.acquire()
            order.append(number)
            lock.release()

        threads.append(threading.Thread(target=work))
        threads[-1].start()
        wait_until(lock, number + 1)
    lock.release()
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def test_a_thread_that_has_the_turn_cannot_wait_for_itself():
    lock = FairLock()
    lock.acquire()
    with pytest.raises(StorageError, match="already"):
        lock.acquire()
    lock.release()
    lock.acquire()


def test_who_is_interrupted_while_waiting_leaves_the_queue():
    lock = FairLock()
    place = (threading.Lock(), 1)
    lock.acquire()
    lock._waiting.append(place)
    lock._leave(place)
    assert not lock._waiting
    lock.release()
    lock.acquire()


def test_who_is_interrupted_when_his_turn_has_come_passes_it_on():
    lock = FairLock()
    lock.acquire()
    gate, me = threading.Lock(), threading.get_ident()
    gate.acquire()
    lock._waiting.append((gate, me))
    lock.release()
    lock._leave((gate, me))
    lock.release()  # as `turn` does, wherever the interrupt came
    lock.acquire()
    assert lock._holder == threading.get_ident()


def test_a_release_that_is_repeated_takes_nobodys_turn():
    lock = FairLock()
    lock.acquire()
    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join()
    assert lock._holder == threading.get_ident()
    lock.release()
    lock.release()
    lock.acquire()


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
