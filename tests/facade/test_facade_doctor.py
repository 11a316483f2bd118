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


def damage(memory, *statements):
    with memory._database.write() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    return {check.name: check for check in memory.doctor().checks}["checksums"]


def test_a_damaged_memory_is_named_once_and_a_damaged_vector_as_what_it_is(opened):
    memory = opened(embedder="hashing")
    memory.add_many([{"content": f"text {number}"} for number in range(5)])
    assert damage(memory).detail == "every checksum matches"
    check = damage(memory, "UPDATE memory SET crc = crc + 1 WHERE id IN (2, 3)")
    assert (check.ok, check.detail) == (False, "damaged memories: 2, 3")
    check = damage(memory, "UPDATE memory_vector SET crc = crc + 1 WHERE memory_id IN (3, 5)")
    assert check.detail == "damaged memories: 2, 3; damaged vectors of the memories: 5"


def test_of_many_damaged_memories_the_first_are_named_and_the_others_counted(opened):
    memory = opened()
    memory.add_many([{"content": f"text {number}"} for number in range(30)])
    check = damage(memory, "UPDATE memory SET crc = crc + 1")
    assert check.detail == f"damaged memories: {', '.join(str(one) for one in range(1, 21))} and 10 more"
