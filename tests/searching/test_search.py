"""A search through the whole engine: what may be seen, what the trace tells, what the answer holds."""

import json

import numpy as np
import pytest

from memcore import Memory
from memcore.errors import NotFoundError, ProviderError


def contents(result):
    return {hit.content for hit in result}


def test_kinds_filters_and_sessions_leave_what_they_name(filled):
    assert contents(filled.search("cello", user_id="ana", kinds=["fact"])) == {"Ana plays the cello in Lisbon."}
    assert contents(filled.search("cello", user_id="ana", filters={"importance": {"gte": 7}})) == {
        "Ana plays the cello in Lisbon."
    }
    in_session = filled.search("cello", user_id=["ana", "bob"], session_id="s")
    assert {hit.session_id for hit in in_session} == {"s"}
    assert in_session.trace.scope_size == 4


def test_a_filter_that_leaves_all_is_no_filter(filled):
    every = filled.search("cello", user_id="ana")
    kept = filled.search("cello", user_id="ana", filters={"importance": {"gte": 0}})
    assert [(hit.id, hit.score) for hit in every] == [(hit.id, hit.score) for hit in kept]
    assert filled.search("cello", user_id="ana", kinds=["turn", "fact", "event"]).trace.scope_size == 5


def test_a_filter_that_leaves_nothing_finds_nothing(filled):
    result = filled.search("cello", user_id="ana", kinds=["knowledge"])
    assert (len(result), result.trace.scope_size, result.context()) == (0, 0, "")


def test_the_answer_of_a_question_comes_along_and_the_block_tells_the_scene(filled):
    result = filled.search("Where is the cello?", user_id="ana")
    answer = next(hit for hit in result if hit.content.startswith("In the garden"))
    assert answer.signals["graph"] > 0
    text = result.context(2_000)
    assert text.index("Where is the cello") < text.index("In the garden") < text.index("Thanks!")


def test_entities_are_never_hits_and_nonsense_finds_nothing(filled):
    assert "entity" not in {hit.kind for hit in filled.search("Ana and Bob", user_id="ana", limit=50)}
    assert len(filled.search("qwxzv plomf", user_id="ana", params={"enable_dense": False})) == 0


def test_a_result_is_a_sequence_of_plain_hits_with_a_trace_that_json_holds(filled):
    result = filled.search("cello", user_id="ana")
    assert list(result) == [result[place] for place in range(len(result))] == list(result[:])
    json.dumps([hit.to_dict() for hit in result] + [result.trace.to_dict()], allow_nan=False)
    scores = [hit.score for hit in result]
    assert scores == sorted(scores, reverse=True)
    assert [result.explain(hit).score for hit in result] == scores
    with pytest.raises(NotFoundError, match="why_not"):
        result.explain(10**9)


def test_the_same_store_gives_the_same_answer_after_a_restart(tmp_path, filled):
    filled.backup(tmp_path / "copy.db")
    with Memory(
        tmp_path / "copy.db",
        agent_id="agent",
        embedder=filled._calls.store.vectors.embedder,
        clock=filled._calls.store.clock,
    ) as again:
        for query in ("cello", "Where is Bob?", "Lisbon 上海"):
            one, other = (each.search(query, user_id=["ana", "bob"]) for each in (filled, again))
            assert [hit.to_dict() for hit in one] == [hit.to_dict() for hit in other]


class Failing:
    name = "failing"
    dimension = 4

    def embed(self, texts, *, query=False):
        del texts, query
        raise ProviderError("embedder: the endpoint did not answer")


def test_an_embedder_that_fails_leaves_words_and_graph_and_says_so():
    with Memory(":memory:", embedder=Failing()) as memory:
        memory.add("The cello is in the garden.", user_id="ana")
        result = memory.search("cello", user_id="ana")
        assert len(result) == 1
        assert any("vector" in problem for problem in result.trace.problems)
        assert result.trace.step("recall").facts.vector == "no query vector"


def test_given_vectors_are_searched_without_an_embedder():
    with Memory(":memory:", embedder="none") as memory:
        rows = np.eye(3, 8, dtype=np.float32)
        memory.add_many(
            [{"content": f"note {place}", "user_id": "ana", "embedding": row} for place, row in enumerate(rows)]
        )
        result = memory.search("unheard", user_id="ana", embedding=rows[1] * 40.0)
        assert result[0].content == "note 1"
        assert result[0].signals["vector"] == pytest.approx(1.0, abs=0.01)


class Compass:
    """Texts point north or east by their words; both, or neither, in between."""

    name, dimension = "compass", 2

    def embed(self, texts, *, query=False):
        del query
        rows = [[float("north" in text) + 1e-3, float("east" in text)] for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


def test_the_vector_of_a_conversation_leans_towards_what_is_said_now():
    with Memory(":memory:", embedder=Compass()) as memory:
        ids = [memory.add(f"We went {way}.", infer=False)[0].id for way in ("north", "east")]
        talk = "You liked the north.\nYes, and the east?"

        def best(share):
            params = {"dialogue_last_line": share, "enable_lexical": False, "recall_dense_floor": 0.0}
            return {hit.id: hit.signals["vector"] for hit in memory.search(talk, params=params)}

        even, leaning = best(0.0), best(1.0)
        assert even[ids[0]] == pytest.approx(even[ids[1]], abs=1e-3)
        assert leaning[ids[1]] > even[ids[1]] > leaning[ids[0]]


class Listening(Compass):
    """A compass that keeps what it was asked for."""

    def __init__(self):
        self.heard = []

    def embed(self, texts, *, query=False):
        self.heard += [tuple(texts)] if query else []
        return super().embed(texts, query=query)


def test_each_of_several_questions_is_embedded_and_looked_up():
    first, second = "Did we see the north sea?", "Did we see the east coast?"
    embedder = Listening()
    with Memory(":memory:", embedder=embedder) as memory:
        memory.add_many([{"content": "The north sea was grey."}, {"content": "The east coast was green."}])
        facts = memory.search(f"{first} {second}").trace.step("recall").facts
        assert facts.questions == 2
        assert (f"{first} {second}", first, second) in embedder.heard
        embedder.heard.clear()
        whole = memory.search(f"{first} {second}", params={"fusion_parts": 0})
        assert whole.trace.step("recall").facts.questions == 1
        assert (f"{first} {second}",) in embedder.heard
