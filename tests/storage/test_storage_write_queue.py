"""Who asks first writes first, and nobody keeps a turn that he did not take."""

import threading

import pytest
from memcore.errors import StorageError
from memcore.storage.write_queue import FairLock, WriteQueue


def wait_until(lock, waiting):
    while len(lock._waiting) < waiting:
        threading.Event().wait(0.001)


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
    gate = threading.Lock()
    gate.acquire()
    lock._waiting.append((gate, 1))
    lock.release()
    lock._leave((gate, 1))
    lock.acquire()
    assert lock._holder == threading.get_ident()


def test_two_queues_on_one_file_exclude_each_other(tmp_path):
    path = str(tmp_path / "x.lock")
    first, second = WriteQueue(path), WriteQueue(path)
    inside, events = threading.Event(), []

    def other():
        inside.wait()
        with second.turn():
            events.append("second")

    thread = threading.Thread(target=other)
    thread.start()
    with first.turn():
        inside.set()
        wait = threading.Event()
        wait.wait(0.05)
        events.append("first")
    thread.join()
    assert events == ["first", "second"]
    first.close()
    second.close()
