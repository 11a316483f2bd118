"""What is changed, removed, joined or used shows at the next search; every score can be taken apart."""

import numpy as np
import pytest

from memcore import InvalidInputError, NotFoundError
from memcore.kinds import RankForm


def found(memory, query, **given):
    return [hit.content for hit in memory.search(query, **given)]


@pytest.fixture(params=["none", "hashing"])
def store(opened, request):
    return opened(embedder=request.param)


WORDS_ALONE = {"enable_dense": False}


def test_an_update_is_found_by_its_new_words_and_no_more_by_its_old_ones(store):
    (one,) = store.add("The parcel came", user_id="ana").ids
    assert found(store, "parcel", user_id="ana", params=WORDS_ALONE) == ["The parcel came"]
    record = store.update(one, content="The crate left", importance=9, tags=["old"], metadata={"a": 1}, source_ref="x")
    assert (record.content, record.importance, record.tags, record.metadata) == (
        "The crate left",
        9.0,
        ("old",),
        {"a": 1},
    )
    assert store.get(one) == record
    assert found(store, "crate", user_id="ana", params=WORDS_ALONE) == ["The crate left"]
    assert found(store, "parcel", user_id="ana", params=WORDS_ALONE) == []
    assert store.stats().pending_vectors == 0


def test_a_deleted_memory_is_gone_from_every_answer(store):
    ids = store.add_many({"content": f"parcel {word}", "entities": ["Ana"]} for word in ("one", "two", "three")).ids
    store.relate(ids[0], ids[1])
    before = store.search("parcel")
    assert len(before) == 3
    report = store.delete(ids[1])
    assert report.removed["memories"] == 1
    assert found(store, "two", params=WORDS_ALONE) == []
    assert {hit.id for hit in store.search("parcel")} == {ids[0], ids[2]}
    assert "two" not in repr(store.search("t").trace.to_dict()["steps"])
    assert ids[1] not in {node.id for node in store.graph(ids[0], 3).nodes}
    for call in (lambda: store.get(ids[1]), lambda: store.delete(ids[1]), lambda: store.why_not(ids[1], "parcel")):
        with pytest.raises(NotFoundError):
            call()


def test_the_turns_around_a_deleted_one_are_joined(store):
    ids = store.add([{"role": "user", "content": f"parcel {n}"} for n in range(3)], session_id="s").ids
    store.delete(ids[1])
    assert (store.get(ids[0]).next_id, store.get(ids[2]).prev_id) == (ids[2], ids[0])


def test_an_edge_brings_its_other_end_into_the_answer_until_it_is_removed(memory):
    one, other = memory.add("The parcel came").ids + memory.add("Nobody was home").ids
    assert found(memory, "parcel") == ["The parcel came"]
    edge = memory.relate(one, other, "causal", 0.9)
    assert (edge.type.label, edge.strength) == ("causal", 0.9)
    hits = memory.search("parcel")
    assert [hit.content for hit in hits] == ["The parcel came", "Nobody was home"]
    strong = hits[1].signals["graph"]
    memory.relate(one, other, "causal", 0.5)
    assert 0 < memory.search("parcel")[1].signals["graph"] < strong
    assert memory.unrelate(one, other) == 1
    assert memory.unrelate(one, other) == 0
    assert found(memory, "parcel") == ["The parcel came"]


def test_an_inhibitory_edge_lowers_its_other_end(memory):
    one, other = memory.add_many({"content": text} for text in ("The parcel came", "The parcel did not come")).ids
    before = {hit.id: hit.score for hit in memory.search("parcel")}
    memory.relate(one, other, "inhibits", 1.0)
    after = {hit.id: hit.score for hit in memory.search("parcel")}
    assert after.get(other, 0.0) < before[other]


def test_memories_of_two_users_and_one_memory_are_not_joined(memory):
    one, other = memory.add("mine", user_id="ana").ids + memory.add("his", user_id="ben").ids
    with pytest.raises(InvalidInputError, match=r"^target_id: .*two memories of one user"):
        memory.relate(one, other)
    with pytest.raises(InvalidInputError, match=r"^target_id: .*another memory"):
        memory.relate(one, one)
    shared = memory.add("shared").ids[0]
    assert memory.relate(one, shared).target_id == shared


def test_use_is_counted_raises_the_score_and_joins_what_was_used_together(memory):
    ids = memory.add_many({"content": f"The parcel {word} came"} for word in ("red", "blue", "green")).ids
    before = {hit.id: hit.score for hit in memory.search("parcel")}
    assert memory.mark_used([ids[2], ids[1], ids[2]]) == 2
    record = memory.get(ids[2])
    assert (record.access_count, record.base_importance) == (1, pytest.approx(record.importance + 0.1))
    after = {hit.id: hit.score for hit in memory.search("parcel", params={"enable_spread": False})}
    assert after[ids[2]] > before[ids[2]] or after[ids[2]] > after[ids[0]]
    (edge,) = memory.graph(ids[1], 1).edges
    assert (edge.source_id, edge.target_id, edge.strength) == (ids[1], ids[2], pytest.approx(0.35, abs=1e-4))
    memory.mark_used([ids[1], ids[2]])
    assert memory.graph(ids[1], 1).edges[0].strength == pytest.approx(0.35 + 0.35 * 0.65, abs=1e-4)
    assert memory.mark_used([]) == 0


@pytest.mark.parametrize("form", list(RankForm))
def test_every_explanation_sums_up_to_its_score(store, form):
    talk = [
        {"role": "user", "name": name, "content": f"{name} saw parcel {n}. Where?"} for n in range(9) for name in "AB"
    ]
    store.add(talk, user_id="ana", session_id="s")
    store.add_many({"content": f"B keeps parcel {n}", "user_id": "ana", "entities": ["B"]} for n in range(9))
    hits = store.search("What did B see of parcel 3 today?", user_id="ana", params={"rank_form": form})
    for place, hit in enumerate(hits):
        explanation = hits.explain(hit)
        total = max(sum(term.contribution for term in explanation.terms), 0.0) * explanation.multiplier
        assert total == pytest.approx(hit.score, rel=1e-9)
        assert explanation.score == hit.score
        assert (explanation.id, explanation.rank >= place + 1) == (hit.id, True)
        assert all(term.contribution == pytest.approx(term.value * term.weight) for term in explanation.terms)
        assert explanation.reasons
        assert hits.explain(hit.id) == explanation
    with pytest.raises(NotFoundError, match=r"why_not"):
        hits.explain(10**6)


def test_why_not_names_each_reason(memory):
    ids = memory.add_many(
        {"content": f"The parcel {'really ' * (number // 2)}came", "user_id": "ana", "tags": ["post"], "infer": False}
        for number in range(12)
    ).ids
    (other,) = memory.add("Nothing of the kind", user_id="ana", kind="fact").ids
    (turn,) = memory.add("The parcel was late", user_id="ana", kind="turn", session_id="s").ids
    (entity,) = memory.add("Parcel Office", user_id="ana", kind="entity").ids

    def reason(one, **given):
        return memory.why_not(one, "parcel", user_id="ana", **given).reason

    best = memory.search("parcel", user_id="ana", limit=2)[0].id
    assert reason(best, limit=2) == "returned"
    assert reason(other) == "no relevance"
    assert reason(entity) == "entity"
    assert reason(turn, kinds=["event"]) == "kind"
    assert reason(turn, session_id="t") == "session"
    assert reason(turn, filters={"tags": "post"}) == "filters"
    last = memory.search("parcel", user_id="ana", limit=100)[-1].id
    answer = memory.why_not(last, "parcel", user_id="ana", limit=2)
    assert (answer.reason, answer.rank) == ("rank", 13)
    assert reason(best, limit=1, params={"context_max_chars": 60}) == "budget"
    assert memory.search("parcel", user_id="ana").why_not(other).reason == "no relevance"
    with pytest.raises(NotFoundError):
        memory.why_not(ids[0], "parcel")


def test_why_not_says_when_diversity_preferred_others(opened):
    memory = opened(embedder="hashing")
    memory.add_many({"content": "The red parcel came to the door"} for _ in range(6))
    memory.add_many(
        {"content": f"A parcel of {word} {number}"} for number, word in enumerate(("tea", "rice", "ink", "silk"))
    )
    full = memory.search("red parcel came to the door", limit=3, params={"dpp_quality_weight": 0.1})
    by_score = [one["id"] for one in full.trace.candidates]
    cut = [one for one in by_score[:3] if one not in {hit.id for hit in full}]
    assert cut
    assert full.why_not(cut[0]).reason == "diversity"


def test_an_embedder_that_fails_leaves_the_text_and_the_job_and_search_by_words(opened, caplog):
    class Broken:
        name, dimension, works = "broken", 4, False

        def embed(self, texts, *, query=False):
            del query
            if not self.works:
                raise OSError(f"secret: {texts}")
            return np.ones((len(texts), 4)) + np.outer(np.arange(len(texts)), [1, 0, 0, 0])

    embedder = Broken()
    memory = opened(embedder=embedder)
    (one,) = memory.add("The parcel came").ids
    result = memory.search("parcel")
    assert [hit.id for hit in result] == [one]
    assert result.trace.problems
    assert memory.stats().pending_vectors == 1
    assert not memory.doctor().ok
    (report,) = memory.maintain(["embed"])
    assert (report.done, report.error) == (0, "OSError")
    assert "parcel" not in caplog.text
    embedder.works = True
    (report,) = memory.maintain(["embed"])
    assert (report.done, report.remaining) == (1, 0)


def in_slot(memory, content, slot="home", **given):
    return memory.add(content, user_id="ana", kind="fact", slot=slot, **given).ids[0]


def pairs(memory):
    return [(one.older.id, one.newer.id) for one in memory.review.conflicts(user_id="ana")]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("Ana lives in Porto.", "Ana lives in Lisbon.", "Ana lives in Faro."), "ana lives  in LISBON"),
        (("安娜住在波尔图。", "安娜住在里斯本。", "安娜住在法鲁。"), "安娜住在里斯本"),
    ],
)
@pytest.mark.parametrize("at", [0, 1])
def test_two_values_that_an_update_makes_say_the_same_are_in_conflict_no_more(memory, texts, said, at):
    ids = [in_slot(memory, text) for text in texts]
    before = pairs(memory)
    assert before == [(ids[0], ids[1]), (ids[0], ids[2]), (ids[1], ids[2])]
    memory.update(ids[at], content=said if at == 0 else texts[0])
    assert pairs(memory) == before[1:]
    done = memory.history(ids[at])[-1]
    assert done.action == "update"
    [undone] = memory.undo(done.id)
    assert pairs(memory) == before
    memory.undo(undone.id)
    assert pairs(memory) == before[1:]


def test_an_update_that_says_something_else_leaves_the_conflict_open(memory):
    porto, lisbon = in_slot(memory, "Ana lives in Porto."), in_slot(memory, "Ana lives in Lisbon.")
    memory.update(porto, content="Ana lives in Lisbon?")
    memory.update(lisbon, tags=["home"])
    assert pairs(memory) == [(porto, lisbon)]


SAID = [
    ("Ana lives in Porto.", "Ana lives in Lisbon.", "Ana lives in Faro."),
    ("安娜住在波尔图。", "安娜住在里斯本。", "安娜住在法鲁。"),
]


@pytest.mark.parametrize(("porto", "lisbon", "faro"), SAID)
@pytest.mark.parametrize("at", [0, 1])
def test_two_values_that_a_later_update_parts_again_are_in_conflict_again(memory, porto, lisbon, faro, at):
    ids = [in_slot(memory, text) for text in (porto, lisbon)]
    memory.update(ids[at], content=(lisbon, porto)[at])
    assert pairs(memory) == []
    memory.update(ids[0], content=faro)
    assert pairs(memory) == [tuple(ids)]
    assert len(memory.search(faro, user_id="ana").conflicts) == 1
    memory.undo(memory.history(ids[0])[-1].id)
    assert pairs(memory) == []


@pytest.mark.parametrize(("porto", "lisbon", "faro"), SAID)
@pytest.mark.parametrize("at", [0, 1])
def test_an_update_of_one_of_two_equal_values_is_in_conflict_with_the_other(memory, porto, lisbon, faro, at):
    ids = [in_slot(memory, porto), in_slot(memory, porto, infer=False)]
    assert pairs(memory) == []
    memory.update(ids[at], content=faro)
    assert pairs(memory) == [tuple(ids)]
    done = memory.history(ids[at])[-1]
    assert (done.action, set(done.memory_ids)) == ("update", set(ids))
    [undone] = memory.undo(done.id)
    assert pairs(memory) == []
    memory.undo(undone.id)
    assert pairs(memory) == [tuple(ids)]
    memory.review.resolve(*ids, keep_both=True)
    memory.update(ids[at], content=lisbon)
    assert pairs(memory) == []


def test_an_undo_of_an_update_parts_two_values_openly(memory):
    porto = in_slot(memory, "Ana lives in Porto.")
    memory.update(porto, content="Ana lives in Lisbon.")
    reworded = memory.history(porto)[-1].id
    lisbon = in_slot(memory, "Ana lives in Lisbon.", infer=False)
    assert pairs(memory) == []
    memory.undo(reworded)
    assert pairs(memory) == [(porto, lisbon)]


def test_an_update_is_in_conflict_with_nothing_that_is_over_elsewhere_or_not_shown(memory):
    first = in_slot(memory, "Ana lives in Porto.")
    memory.retire(first)
    out = memory.history(first)[-1].id
    same = in_slot(memory, "Ana lives in Porto.")
    gone = in_slot(memory, "Ana lives in Faro.")
    memory.review.resolve(same, gone)
    in_slot(memory, "Ana drinks tea.", slot="drink")
    memory.undo(out)
    memory.retire(same)
    memory.update(first, content="Ana lives in Braga.")
    memory.update(gone, content="Ana lives in Rome.")
    assert pairs(memory) == []


@pytest.mark.parametrize("at", [0, 1])
def test_an_update_that_ended_a_conflict_is_undone_where_the_other_side_is_gone(memory, at):
    ids = [in_slot(memory, text) for text in ("Ana lives in Porto.", "Ana lives in Lisbon.")]
    before = memory.get(ids[at]).content
    memory.update(ids[at], content=memory.get(ids[1 - at]).content)
    memory.delete(ids[1 - at])
    memory.undo(memory.history(ids[at])[-1].id)
    assert (memory.get(ids[at]).content, pairs(memory)) == (before, [])
