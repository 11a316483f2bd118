"""What becomes of a text beside those that are there, through the facade."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore import Memory, Settings
from memcore.errors import InvalidInputError, NotFoundError, UndoRefusedError
from memcore.kinds import Kind, Outcome

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def rows(memory, query, *parameters):
    with memory._database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query, parameters)]


def operations(memory):
    return [row[0] for row in rows(memory, "SELECT action FROM operation ORDER BY id")]


@pytest.mark.parametrize("text", ["Ana likes fado.", "她喜欢在海边散步。"])
@pytest.mark.parametrize("kind", ["event", "fact", "knowledge"])
def test_a_sentence_said_twenty_times_is_one_memory_that_is_stronger(memory, text, kind):
    added = [memory.add(variant, user_id="ana", kind=kind)[0] for variant in [text, f" {text.upper()} ", text] * 7]
    assert {one.id for one in added} == {added[0].id}
    assert [one.outcome for one in added] == [Outcome.ACCEPT] + [Outcome.MERGE] * 20
    [record] = memory.get_all(user_id="ana")
    assert record.base_importance > record.importance
    assert record.content == text
    assert set(operations(memory)) == {"merge"}


def test_equal_texts_of_one_call_are_one_memory(memory):
    added = memory.add_many([{"content": "Ana likes fado.", "user_id": "ana"}] * 20)
    assert len(set(added.ids)) == 1
    assert len(memory.get_all(user_id="ana")) == 1
    spoken = memory.add(
        [{"role": "user", "content": "We met in May."}, {"role": "user", "content": "we met in may."}],
        user_id="ana",
        kind="event",
    )
    assert len(set(spoken.ids)) == 1


def test_another_user_another_kind_and_another_agent_have_memories_of_their_own(memory, opened, path):
    ids = memory.add("Ana likes fado.", user_id="ana").ids + memory.add("Ana likes fado.", user_id="ben").ids
    ids += memory.add("Ana likes fado.").ids + memory.add("Ana likes fado.", user_id="ana", kind="fact").ids
    ids += opened(path, agent_id="other").add("Ana likes fado.", user_id="ana").ids
    assert len(set(ids)) == 5


def test_thanks_said_as_a_turn_twenty_times_is_twenty_turns(memory):
    for _ in range(20):
        memory.add([{"role": "user", "content": "Thanks!"}], user_id="ana", session_id="s")
    assert len(memory.get_all(user_id="ana", kinds=["turn"])) == 20


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        *((text, origin) for text in ("ok", "thanks!", "谢谢", "好的", "哈哈") for origin in ("user", "assistant")),
        ("<think>hm</think>", "assistant"),
        ("<think>hm", "assistant"),
    ],
)
def test_what_says_nothing_is_dropped_with_a_reason_and_leaves_no_trace(memory, everything_in, text, origin):
    before = everything_in(memory)
    [added] = memory.add(text, user_id="ana", origin=origin, entities=["Ana"], embedding=[1.0, 0.0])
    assert (added.id, added.outcome) == (None, Outcome.DROP)
    assert added.reason
    after = everything_in(memory)
    assert (after["memory"], after["memory_vector"]) == ([], [])
    assert before["operation"] == after["operation"]
    assert memory.add(text, user_id="ana", infer=False)[0].id is not None


def test_thinking_aloud_is_cut_from_turns_too(memory):
    [turn, none] = memory.add(
        [
            {"role": "assistant", "content": "<think>Ana?</think>It is Ana."},
            {"role": "assistant", "content": "<think>Ana?</think>"},
        ],
        user_id="ana",
    )
    assert memory.get(turn.id).content == "It is Ana."
    assert (none.outcome, none.reason) == (Outcome.DROP, "nothing is left once the model's thinking aloud is cut")


def test_a_persons_words_about_tags_are_kept_as_they_are(memory):
    for text in (
        "<think>hm</think>",
        "Drop all from <think> to </think>.",
        "我用 <think> 标签。",
        "Notes\n</think>\n1234",
    ):
        [added] = memory.add(text, user_id="ana")
        assert memory.get(added.id).content == text


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_our_own_block_fed_back_twenty_times_adds_no_row(memory, role):
    memory.add_many({"content": f"Ana planted {number} roses by the gate.", "user_id": "ana"} for number in range(9))
    count = len(memory.get_all(user_id="ana"))
    for _ in range(20):
        block = memory.context("roses", user_id="ana")
        assert block
        added = memory.add([{"role": role, "content": block}], user_id="ana", session_id="s")
        assert added[0].outcome is Outcome.DROP
        letters = "; ".join(line.partition(": ")[2].strip('"') for line in block.splitlines()[1:-1])
        assert memory.add([{"role": role, "content": letters}], user_id="ana", session_id="s").ids == [None]
    assert len(memory.get_all(user_id="ana")) == count


def test_a_block_before_a_persons_question_is_cut_from_it(memory):
    memory.add("Ana planted roses by the gate.", user_id="ana")
    block = memory.context("roses", user_id="ana")
    [turn] = memory.add([{"role": "user", "content": f"{block}\nAnd the tulips?"}], user_id="ana")
    assert memory.get(turn.id).content == "And the tulips?"


def test_what_is_nearly_the_same_is_merged_by_its_vector_and_its_text_is_kept_for_an_undo(memory):
    [old] = memory.add("I prefer green tea over coffee", user_id="ana", embedding=[1.0, 0.1], session_id="s")
    [new] = memory.add("I prefer green tea to coffee", user_id="ana", embedding=[1.0, 0.0], idempotency_key="k")
    assert (new.id, new.outcome) == (old.id, Outcome.MERGE)
    [record] = memory.get_all(user_id="ana")
    [ended] = memory.get_all(user_id="ana", filters={"ending": "retired"})
    assert record.base_importance > record.importance
    assert (ended.ending, ended.content) == ("retired", "I prefer green tea to coffee")
    assert operations(memory) == ["merge"]
    assert memory.add("I prefer green tea to coffee", user_id="ana", idempotency_key="k")[0].id == old.id


def test_what_another_source_says_nearly_is_not_taken_away_with_the_first(memory):
    for text, source in (("I prefer green tea over coffee", "a"), ("I prefer green tea to coffee", "b")):
        memory.add(text, user_id="ana", embedding=[1.0, 0.1], origin="web", source_ref=source)
    [record] = memory.get_all(user_id="ana")
    [merge] = [one for one in memory.history(record.id) if one.action == "merge"]
    with pytest.raises(UndoRefusedError) as refused:
        memory.undo(source_ref="a")
    assert refused.value.operations == (merge.id,)
    memory.undo(merge.id)
    memory.undo(source_ref="a")
    assert [one.content for one in memory.get_all(user_id="ana")] == ["I prefer green tea to coffee"]


def test_a_near_text_does_not_come_back_beside_what_replaced_the_one_it_was_merged_into(memory):
    given = {"user_id": "ana", "kind": "knowledge", "embedding": [1.0, 0.1]}
    [old] = memory.add("I prefer green tea over coffee", **given)
    memory.add("I prefer green tea to coffee", **given)
    [merge] = memory.history(old.id)
    new = memory.supersede(old.id, "I prefer coffee")
    with pytest.raises(UndoRefusedError) as refused:
        memory.undo(merge.id)
    assert refused.value.operations == (memory.history(new.id)[0].id,)


@pytest.mark.parametrize(
    ("one", "other", "given"),
    [
        ("Ana runs 5 km each day", "Ana runs 3 km each day", {}),
        ("I like tea", "I do not like tea", {}),
        ("小明喜欢爬山", "小红喜欢爬山", {}),
        ("They met in the park", "They met in a park", {"entities": ["Ana"]}),
        ("They met in the park", "They met in a park", {"infer": False}),
        ("They met in the park", "They met in a park", {"kind": "turn"}),
        ("They met in the park", "They met in a park", {"kind": "fact"}),
        ("They met in the park", "They met in a park", {"origin": "assistant"}),
        ("They met in the park", "They met in a park", {"origin": "web"}),
        ("They met in the park", "They met in a park", {"channel": "direct"}),
        ("They met in the park", "They met in a park", {"speaker": "Bo"}),
        ("I owe her fifty euros.", "She owes me fifty euros.", {}),
        ("李真喜欢喝茶。", "李喜欢喝茶。", {}),
    ],
)
def test_equal_vectors_do_not_make_two_texts_one(memory, one, other, given):
    first, second = (
        memory.add(one, user_id="ana", embedding=[1.0, 0.0]).ids[0],
        memory.add(other, user_id="ana", embedding=[1.0, 0.0], **given).ids[0],
    )
    assert first != second
    assert [record.ending for record in memory.get_all(user_id="ana") if record.kind is not Kind.ENTITY] == [None] * 2


def test_with_the_bundled_embedder_another_wording_is_merged_and_another_order_is_not():
    with Memory(":memory:") as memory:
        first = memory.add("I prefer green tea over coffee.", user_id="ana").ids
        assert memory.add("I prefer green tea to coffee", user_id="ana").ids == first
        assert memory.add("I prefer coffee over green tea.", user_id="ana").ids != first
        memory.add("my wife hates my boss", user_id="ana", channel="direct")
        memory.add("my boss hates my wife", user_id="ana", channel="group")
        heard = memory.search("boss wife", user_id="ana", channel="group")
    assert "my boss hates my wife" in [hit.content for hit in heard]
    assert "my wife hates my boss" not in [hit.content for hit in heard]


@pytest.mark.parametrize(("one", "other"), [("direct", "group"), ("group", "direct"), (None, "group")])
def test_another_wording_in_another_channel_shows_nobody_what_was_not_said_there(memory, one, other):
    there = memory.add("They met in the park", user_id="ana", embedding=[1.0, 0.0], channel=one).ids
    here = memory.add("They met in a park", user_id="ana", embedding=[1.0, 0.0], channel=other).ids
    assert [memory.get(number).channel for number in there + here] == [one, other]
    heard = memory.search("park", user_id="ana", channel="group", embedding=[1.0, 0.0])
    assert {hit.id for hit in heard} == {number for number in there + here if memory.get(number).channel != "direct"}


def test_near_texts_of_one_call_are_merged_after_they_were_embedded(opened):
    memory = opened(embedder="hashing")
    added = memory.add_many(
        {"content": text, "user_id": "ana"} for text in ("green tea is what we drink", "green tea is what we do drink")
    )
    assert added.ids[1] == added.ids[0]
    assert added[1].outcome is Outcome.MERGE


def test_the_nearest_of_many_is_found_beside_what_is_not_loaded(opened, path):
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((300, 16)).astype(np.float32)
    memory = opened()
    ids = memory.add_many(
        {"content": f"plain {'very ' * number}text", "user_id": "ana", "embedding": vector}
        for number, vector in enumerate(vectors)
    ).ids
    again = opened(path)
    [added] = again.add("plain text, indeed", user_id="ana", embedding=vectors[200] + 0.01)
    assert added.id == ids[200]


def test_said_again_in_a_group_it_is_heard_in_groups_and_never_back(memory):
    [added] = memory.add("Ana likes fado.", user_id="ana", channel="direct")
    memory.add("Ana likes fado.", user_id="ana")
    assert memory.get(added.id).channel == "direct"
    memory.add("Ana likes fado.", user_id="ana", channel="group", origin="tool")
    assert memory.get(added.id).channel == "direct"
    memory.add("Ana likes fado.", user_id="ana", channel="group")
    memory.add("Ana likes fado.", user_id="ana", channel="direct")
    assert memory.get(added.id).channel == "group"


def test_a_repetition_adds_what_is_new_and_takes_nothing_away(memory):
    now = memory._calls.store.now()
    [added] = memory.add(
        "Ana likes fado.", user_id="ana", kind="fact", tags=["a"], metadata={"x": 1}, confidence=0.7,
        origin="assistant",
        expires_at=now + timedelta(days=1),
    )  # fmt: skip
    memory.add(
        "Ana likes fado.", user_id="ana", kind="fact", tags=["b"], metadata={"x": 2, "y": 3}, confidence=0.9,
        entities=["Ana"], expires_at=now + timedelta(days=2),
    )  # fmt: skip
    record = memory.get(added.id)
    assert (record.tags, record.metadata, record.confidence) == (("a", "b"), {"x": 1, "y": 3}, 0.9)
    assert (record.origin, record.expires_at) == ("user", now + timedelta(days=2))
    assert len(memory.graph(added.id).nodes) == 2


def test_a_sleeping_fact_wakes_when_it_is_said_again(memory):
    [added] = memory.add("Ana likes fado.", user_id="ana", kind="fact")
    with memory._database.write() as connection:
        connection.exec_driver_sql("UPDATE fact_detail SET dormant = 1, strength = 0.05")
    memory.add("Ana likes fado.", user_id="ana", kind="fact")
    record = memory.get(added.id)
    assert not record.dormant
    assert record.strength == pytest.approx(0.05 + 0.35 * 0.95)


@pytest.mark.parametrize("ending", ["ended_at = 1, ending = 'retired'", "review_state = 'rejected'", "expires_at = 1"])
def test_what_searches_do_not_find_is_no_neighbour(memory, ending):
    [old] = memory.add("Ana likes fado.", user_id="ana")
    with memory._database.write() as connection:
        connection.exec_driver_sql(f"UPDATE memory SET {ending}")
    [new] = memory.add("Ana likes fado.", user_id="ana")
    assert (new.outcome, new.id) == (Outcome.ACCEPT, old.id + 1)


@pytest.mark.parametrize("origin", ["tool", "web", "job"])
def test_what_comes_from_a_tool_is_never_important_by_its_own_account(memory, origin):
    [added] = memory.add("Ana likes fado.", user_id="ana", origin=origin, importance=10)
    assert memory.get(added.id).importance == 5
    [added] = memory.add("Ana likes tango.", user_id="ana", origin=origin, importance=2)
    assert memory.get(added.id).importance == 2


def test_what_a_source_brought_is_one_operation_and_a_plain_add_is_none(memory):
    memory.add("Ana likes fado.", user_id="ana")
    assert operations(memory) == []
    memory.add_many(
        {"content": f"Line {number} of it", "user_id": "ana", "source_ref": "file:1"} for number in range(3)
    )
    assert rows(memory, "SELECT action, source_ref, size FROM operation") == [("add", "file:1", 3)]


def test_a_layer_that_is_off_is_not_written(opened):
    on = frozenset({"turns", "events", "facts"})
    memory = opened(settings=Settings(layers=on))
    [dropped] = memory.add("Water boils at 100 degrees.", kind="knowledge")
    assert (dropped.id, dropped.outcome) == (None, Outcome.DROP)
    assert "knowledge" in dropped.reason
    assert memory.add("Ana", kind="entity").ids == [None]
    assert memory.add("Water boils.", kind="knowledge", infer=False).ids == [None]
    memory.add(
        [{"role": "user", "name": "Ana", "content": f"I have {number} roses."} for number in range(3)], kind="event"
    )
    assert rows(memory, "SELECT count(*) FROM edge") == rows(memory, "SELECT count(*) FROM mention") == [(0,)]
    assert len(memory.get_all()) == 3


def test_a_retry_gets_what_the_first_one_got(memory):
    [first] = memory.add("Ana likes fado.", user_id="ana", idempotency_key="k")
    [again] = memory.add("Ana likes fado.", user_id="ana", idempotency_key="k")
    assert (again.id, again.outcome, again.reason) == (
        first.id,
        Outcome.ACCEPT,
        "already stored under this idempotency key",
    )
    assert operations(memory) == []
    [merged] = memory.add("Ana likes FADO.", user_id="ana", idempotency_key="other")
    assert merged.id == first.id
    assert operations(memory) == ["merge"]


def test_an_id_that_cannot_be_superseded_is_told_and_the_text_is_stored(memory):
    [hers] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact")
    [told] = memory.add("Ben lives in Porto.", user_id="ben", kind="fact", supersedes=hers.id)
    assert told.outcome is Outcome.ACCEPT
    assert "ignored" in told.reason
    assert memory.add("Snow is white.", user_id="ana", kind="knowledge", supersedes=hers.id)[0].reason.count(
        "of kind fact"
    )
    assert memory.get(hers.id).superseded_by is None


def test_supersede_keeps_the_old_row_with_its_end_and_what_it_said_of_itself(memory):
    [old] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact", slot="home", category="identity")
    new = memory.supersede(old.id, "Ana lives in Porto.", user_id="ana")
    assert (new.outcome, new.supersedes) == (Outcome.ACCEPT, old.id)
    before, after = memory.get(old.id), memory.get(new.id)
    assert (before.superseded_by, before.valid_until) == (new.id, after.valid_from)
    assert (after.slot, after.category, after.superseded_by) == ("home", "identity", None)
    third = memory.supersede(new.id, "Ana lives in Faro.")
    assert memory.get(new.id).superseded_by == third.id
    assert operations(memory) == ["supersede", "supersede"]


def test_a_lesson_and_knowledge_are_superseded_too(memory):
    [lesson] = memory.add("Ask before booking.", kind="lesson", details={"pattern": "trips"})
    newer = memory.supersede(lesson.id, "Ask twice before booking.")
    assert rows(memory, "SELECT pattern FROM lesson_detail WHERE memory_id = ?", newer.id) == [("trips",)]
    [known] = memory.add("Pluto is a planet.", kind="knowledge")
    assert memory.supersede(known.id, "Pluto is a dwarf planet.").supersedes == known.id


def test_supersede_refuses_what_cannot_be_and_stores_nothing(memory, everything_in):
    [old] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact")
    memory.supersede(old.id, "Ana lives in Porto.")
    [event] = memory.add("Ana moved in May.", user_id="ana")
    [shared] = memory.add("Lisbon lies by a river.", kind="fact")
    before = everything_in(memory)
    for call, error, message in (
        (lambda: memory.supersede(old.id, "Ana lives in Faro."), InvalidInputError, "superseded by 2 already"),
        (lambda: memory.supersede(event.id, "Ana moved in June."), InvalidInputError, "use update instead"),
        (lambda: memory.supersede(999, "Ana lives in Faro."), NotFoundError, "^id: 999"),
        (lambda: memory.supersede(2, "Ana lives in Faro.", user_id="ben"), NotFoundError, "^id: 2"),
        (lambda: memory.supersede(shared.id, "It does not.", user_id="ana"), NotFoundError, "^id: "),
        (lambda: memory.supersede("2", "Ana lives in Faro."), InvalidInputError, "^id: "),
        (lambda: memory.supersede(2, " "), InvalidInputError, "^content: "),
        (lambda: memory.supersede(2, "x", kind="event"), TypeError, "kind"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert everything_in(memory) == before


def test_from_a_weaker_origin_a_successor_waits(memory):
    [old] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact")
    new = memory.supersede(old.id, "Ana lives in Porto.", origin="tool")
    assert (new.outcome, memory.get(new.id).review_state, memory.get(old.id).superseded_by) == (
        "defer",
        "pending",
        None,
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["ok", "Ana likes fado.", "ana  likes FADO.", "她喜欢散步", "<think>x"]), max_size=6))
def test_the_same_texts_get_the_same_outcomes_and_verbatim_ones_are_always_stored(texts):
    outcomes = []
    for _ in range(2):
        with Memory(":memory:", embedder="none") as memory:
            outcomes.append([(one.id, one.outcome, one.reason) for text in texts for one in memory.add(text)])
            count = len(memory.get_all())
            memory.add_many({"content": text, "infer": False} for text in texts)
            assert [record.content for record in memory.get_all()[count:]] == texts
    assert outcomes[0] == outcomes[1]


def test_a_text_that_is_stored_as_it_is_supersedes_what_it_names(memory):
    [old] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact")
    [new] = memory.add("Ana lives in Faro.", user_id="ana", kind="fact", supersedes=old.id, infer=False)
    assert (new.outcome, new.supersedes, new.reason) == (Outcome.ACCEPT, old.id, f"it supersedes {old.id}")
    assert memory.get(old.id).superseded_by == new.id
    [done] = memory.history(new.id)
    memory.undo(done.id)
    assert memory.get(old.id).superseded_by is None


def test_a_text_that_is_stored_as_it_is_ends_nothing_of_stronger_evidence_and_nothing_that_is_not_there(memory):
    [old] = memory.add("安娜住在里斯本。", user_id="ana", kind="fact")
    given = {"user_id": "ana", "kind": "fact", "infer": False}
    [weak] = memory.add("安娜住在法鲁。", supersedes=old.id, origin="web", **given)
    assert (weak.outcome, weak.supersedes) == (Outcome.ACCEPT, None)
    assert weak.reason == f"memory {old.id} has stronger evidence, and stays"
    [lost] = memory.add("安娜住在波尔图。", supersedes=99, **given)
    assert (lost.outcome, lost.supersedes) == (Outcome.ACCEPT, None)
    assert lost.reason == "supersedes: 99 is no memory of the same user, and was ignored"
    assert memory.get(old.id).superseded_by is None


@pytest.mark.parametrize("text", ["I took my pill.", "我今天吃药了。"])
def test_an_event_is_of_the_day_on_which_it_is_said_unless_it_says_another(opened, text):
    clock = [NOW]
    memory = opened(clock=lambda: clock[0])
    [first] = memory.add(text, user_id="ana")
    clock[0] += timedelta(hours=2)
    assert memory.add(text, user_id="ana")[0].id == first.id
    clock[0] += timedelta(days=1)
    [second] = memory.add(text, user_id="ana")
    assert second.outcome is Outcome.ACCEPT
    assert memory.add(text, user_id="ana", event_time=clock[0])[0].id == second.id
    assert memory.add(text, user_id="ana", event_time=NOW)[0].id == first.id
