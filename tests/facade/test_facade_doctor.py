"""What `doctor` says of the embedder is true of the one in use."""

import pytest

from memcore import ProviderError
from memcore.embedding import BundledEmbedder, E5Embedder
from memcore.embedding.loading import LoadedOnce


class Unreachable:
    """An embedder behind an address that does not answer."""

    name = "far away"

    @property
    def dimension(self):
        raise ProviderError("the endpoint does not answer; check its URL")

    def embed(self, texts, *, query=False):  # noqa: ARG002 - the port's
        raise ProviderError("the endpoint does not answer; check its URL")


def embedder_check(memory):
    return {check.name: check for check in memory.doctor().checks}["embedder"]


@pytest.mark.parametrize(("embedder", "time"), [(BundledEmbedder, "1 to 2 s"), (E5Embedder, "0.1 s")])
def test_a_model_that_is_loaded_here_says_how_long_that_takes_until_it_is_loaded(opened, monkeypatch, embedder, time):
    monkeypatch.setattr(embedder, "model", LoadedOnce("model", object))
    memory = opened(embedder=embedder())
    said = f"{embedder.name}, dimension {embedder.dimension}; "
    assert embedder_check(memory).detail == f"{said}loads at the first text, which takes {time}, once a process"
    embedder.model.get()
    assert embedder_check(memory).detail == f"{said}loaded"


def test_of_an_embedder_that_loads_nothing_no_loading_is_said(opened):
    assert embedder_check(opened(embedder="hashing")).detail == "hashing-standin, dimension 256"
    assert embedder_check(opened(":memory:", embedder="none")).detail.startswith("none: search by words")


def test_an_embedder_that_cannot_be_asked_needs_attention_and_is_no_error(opened):
    check = embedder_check(opened(embedder=Unreachable()))
    assert not check.ok
    assert check.detail.startswith("far away: ")
    assert "check its URL" in check.detail
