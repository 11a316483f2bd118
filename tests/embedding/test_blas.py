"""The thread limit on matrix products covers overlapping embeddings and is lifted after the last."""

import os
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from memcore.embedding import blas
from memcore.embedding.blas import one_blas_thread


class Threads:
    """A BLAS of four threads, limited as threadpoolctl does it: restoring what was there when the limit began."""

    def __init__(self) -> None:
        self.count = 4
        self.changes: list[int] = []

    def limit(self, *, limits: int, user_api: str) -> SimpleNamespace:
        assert user_api == "blas"
        before = self.count
        self.set(limits)
        return SimpleNamespace(restore_original_limits=lambda: self.set(before))

    def set(self, count: int) -> None:
        self.count = count
        self.changes.append(count)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Threads]:
    pool = Threads()
    monkeypatch.setitem(sys.modules, "threadpoolctl", SimpleNamespace(ThreadpoolController=lambda: pool))
    blas._controller.cache_clear()
    yield pool
    blas._controller.cache_clear()


def test_products_run_on_one_thread_inside_and_as_before_outside(threads: Threads) -> None:
    with one_blas_thread():
        assert threads.count == 1
    assert threads.count == 4


def test_two_that_overlap_in_any_order_leave_the_machine_as_it_was(threads: Threads) -> None:
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert threads.count == 1
    second.__exit__(None, None, None)
    assert threads.count == 4
    assert threads.changes == [1, 4]


def test_a_failure_inside_lifts_the_limit_too(threads: Threads) -> None:
    with pytest.raises(ValueError, match="inside"), one_blas_thread():
        raise ValueError("inside")
    assert threads.count == 4


def test_without_threadpoolctl_the_block_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    blas._controller.cache_clear()
    ran = False
    with one_blas_thread():
        ran = True
    blas._controller.cache_clear()
    assert ran


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_forked_in_the_middle_counts_anew(threads: Threads) -> None:
    with one_blas_thread():
        child = os.fork()
        if child == 0:
            with one_blas_thread():
                inside = (blas._limit.running, threads.count)
            os._exit(0 if inside == (1, 1) and blas._limit.running == 0 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert threads.count == 4
