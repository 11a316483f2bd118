"""`why_not` says in one word and in plain words what kept a memory out."""

import re

import pytest

from memcore import Memory
from memcore.errors import InvalidInputError, NotFoundError
from memcore.surfaces.cli.reasons import in_few_words


def id_of(memory, start, users=("ana", "bob")):
    return next(row.id for row in memory.get_all(user_id=list(users)) if row.content.startswith(start))


def reason(memory, start, query="cello", **given):
    wanted = id_of(memory, start)
    answer = memory.search(query, **{"user_id": "ana"} | given).why_not(wanted)
    assert answer.id == wanted
    assert answer.detail
    return answer.reason


@pytest.mark.parametrize(
    ("start", "given", "expected"),
    [
        ("Where is", {}, "returned"),
        ("Where is", {"kinds": ["fact"]}, "kind"),
        ("Ana plays", {"session_id": "s"}, "session"),
        ("Where is", {"filters": {"importance": {"gte": 7}}}, "filters"),
        ("Thanks", {"query": "lisbon", "params": {"enable_spread": False}}, "no relevance"),
    ],
)
def test_each_reason(filled, start, given, expected):
    assert reason(filled, start, **given) == expected


def test_a_hit_of_a_longer_answer_is_told_its_rank(filled):
    every = filled.search("cello", user_id="ana", params={"enable_dpp": False})
    answer = filled.search("cello", user_id="ana", limit=1, params={"enable_dpp": False}).why_not(every[1].id)
    assert (answer.reason, answer.rank, answer.score) == ("rank", 2, every[1].score)


def test_an_entity_says_that_it_only_carries_energy(filled):
    entity = next(row.id for row in filled.get_all(user_id="ana") if row.kind == "entity")
    assert filled.search("cello", user_id="ana").why_not(entity).reason == "entity"


def test_a_memory_of_another_user_or_agent_is_not_found_and_no_word_of_it_is_said(filled):
    wanted = id_of(filled, "Bob repairs")
    with pytest.raises(NotFoundError) as refused:
        filled.search("cello", user_id="ana").why_not(wanted)
    assert "repairs" not in str(refused.value)
    assert filled.search("cello", user_id=["ana", "bob"]).why_not(wanted).reason == "returned"


@pytest.mark.parametrize("identity", [-1, 2**63, "7", True, None])
def test_an_impossible_id_is_refused(filled, identity):
    with pytest.raises(InvalidInputError):
        filled.search("cello", user_id="ana").why_not(identity)


def test_what_was_stored_after_the_search_is_told_so(filled):
    result = filled.search("cello", user_id="ana")
    later = filled.add("The cello again.", user_id="ana")[0].id
    assert result.why_not(later).reason == "later"
    assert filled.search("cello", user_id="ana").why_not(later).reason == "returned"


def test_a_damaged_text_is_told_so(filled):
    wanted = id_of(filled, "Where is")
    with filled._database.write() as connection:
        connection.exec_driver_sql("UPDATE memory SET crc = 1 WHERE id = ?", (wanted,))
    result = filled.search("cello", user_id="ana")
    assert wanted not in {hit.id for hit in result}
    assert result.why_not(wanted).reason == "damaged"


def test_diversity_is_named_where_a_twin_gave_way(memory):
    texts = ["The cello is in the red case.", "The red case is in the cello.", "A cello shop: bows and strings."]
    memory.add_many([{"content": text, "user_id": "ana"} for text in texts])
    result = memory.search("cello", user_id="ana", limit=2, params={"dpp_quality_weight": 0.0})
    by_rank = {result.why_not(number).reason for number in (1, 2, 3)}
    assert by_rank <= {"returned", "diversity", "rank"}
    assert len(result) == 2
    assert {hit.content[:3] for hit in result} == {"The", "A c"}


def test_a_hit_that_the_block_has_no_room_for_is_over_the_budget(filled):
    wanted = filled.search("cello", user_id="ana")[0].id
    assert filled.why_not(wanted, "cello", user_id="ana").reason == "returned"
    small = {"context_max_chars": 40}
    answer = filled.why_not(wanted, "cello", user_id="ana", params=small)
    assert answer.reason == "budget"
    assert "40" in answer.detail
    assert answer.rank == 1


def test_a_search_that_failed_and_was_logged_cannot_say():
    from memcore import Memory

    with Memory(":memory:", embedder="none", on_error="log") as memory:
        memory.close()
        result = memory.search("cello")
        assert len(result) == 0
        assert result.trace.problems
        assert result.context() == ""
        with pytest.raises(NotFoundError):
            result.why_not(1)
        with pytest.raises(NotFoundError):
            result.explain(1)


def many(memory, number=30):
    return memory.add_many([{"content": "tent " * (at + 1), "user_id": "ana"} for at in range(number)]).ids


def test_a_memory_that_matches_behind_too_many_others_is_told_so_with_its_rank():
    with Memory(":memory:", embedder="none") as memory:
        ids = many(memory)
        only = {"recall_candidates": 5, "enable_spread": False}
        result = memory.search("tent", user_id="ana", limit=1, params=only)
        candidates = {one["id"] for one in result.trace.candidates}
        answer = result.why_not(next(one for one in ids if one not in candidates))
    assert answer.reason == "candidates"
    assert re.search(r"its words match the query, at rank \d+ of all; 5 go on to be ranked", answer.detail)


def test_a_memory_without_a_vector_yet_is_told_so(filled):
    late = filled.add("A radio.", user_id="ana", embed="later").ids[0]
    answer = filled.search("cello", user_id="ana", params={"enable_spread": False}).why_not(late)
    assert answer.reason == "no relevance"
    assert "it has no vector yet, which maintain(['embed']) makes" in answer.detail


def test_where_no_vector_was_compared_nothing_is_said_of_the_meaning():
    with Memory(":memory:", embedder="none") as memory:
        (other,) = memory.add("A radio.", user_id="ana").ids
        memory.add("A cello.", user_id="ana")
        detail = memory.search("cello", user_id="ana", params={"enable_spread": False}).why_not(other).detail
    assert "no vector was compared" in detail
    assert "too far" not in detail


@pytest.mark.parametrize("fusion", ["normalized", "weighted", "rrf", "or_gate"])
@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"enable_dense": False}, "its words match the query"),
        ({"enable_lexical": False, "recall_dense_floor": -1.0}, "its meaning matches the query"),
        ({"recall_dense_floor": -1.0}, "its words and meaning match the query"),
    ],
)
def test_a_reason_says_whether_words_meaning_or_both_match(filled, fusion, params, said):
    params = params | {"fusion": fusion, "or_gate_cosine": 0.01, "or_gate_lexical": 0.01}
    result = filled.search("Ana plays the cello in Lisbon", user_id="ana", params=params)
    explanation = result.explain(next(hit for hit in result if hit.content.startswith("Ana plays")))
    assert said in explanation.reasons
    assert explanation.matched == said.removeprefix("its ").split(" match")[0]
    assert in_few_words(explanation).count(explanation.matched) >= 1
