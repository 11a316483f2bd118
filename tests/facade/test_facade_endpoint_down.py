"""An embedding endpoint that does not answer takes nothing down: what is stored is found by its words."""

import numpy as np
import pytest

from memcore import Memory, OpenAIEmbedder


def unreachable():
    """An endpoint at a port where nobody listens."""
    return OpenAIEmbedder(base_url="http://127.0.0.1:9/v1", model="m", timeout=1)


class Answering:
    name = "m"
    dimension = 4

    def embed(self, texts, *, query=False):
        del query
        return np.tile(np.array([1.0, 2.0, 3.0, 4.0], np.float32), (len(texts), 1))


def test_a_store_that_is_new_answers_by_words(tmp_path):
    with Memory(tmp_path / "a.db", embedder=unreachable()) as memory:
        memory.add("Ana lives in Lisbon.", user_id="ana")
        found = memory.search("Lisbon", user_id="ana")
        assert [hit.content for hit in found] == ["Ana lives in Lisbon."]
        assert found.trace.problems
        assert "Lisbon" in memory.context("Lisbon", user_id="ana")
        assert memory.stats().pending_vectors == 1
        assert not memory.doctor().ok


def test_a_store_that_has_vectors_answers_by_words_and_keeps_them(tmp_path):
    with Memory(tmp_path / "a.db", embedder=Answering()) as memory:
        memory.add("Ana lives in Lisbon.", user_id="ana")
    with Memory(tmp_path / "a.db", embedder=unreachable()) as memory:
        assert [hit.content for hit in memory.search("Lisbon", user_id="ana")] == ["Ana lives in Lisbon."]
        assert memory.stats().vectors == 1
    with Memory(tmp_path / "a.db", embedder=Answering()) as memory:
        assert memory.stats().pending_vectors == 0


@pytest.mark.parametrize("marks", ["!!!", "???", "。。。", "…", "- -"])
def test_marks_without_a_word_mean_nothing(tmp_path, marks):
    with Memory(tmp_path / "a.db", embedder=Answering()) as memory:
        memory.add("ok", user_id="ana")
        assert list(memory.search(marks, user_id="ana")) == []
