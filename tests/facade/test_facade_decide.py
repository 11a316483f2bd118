"""What becomes of a text beside those that are there, through the facade."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore import Memory, Settings
from memcore.kinds import Outcome

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


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"importance": 10}, "importance"),
        ({"session_id": "tuesday"}, "session_id"),
        ({"speaker": "Dr. Lee"}, "speaker"),
        ({"metadata": {"x": 2, "y": 3}}, "metadata of 'x'"),
        ({"metadata": {f"k{number}": 1 for number in range(9)}}, "metadata of 'k0', 'k1', 'k2', 'k3', 'k4', 4 more"),
        ({"category": "habit"}, "category"),
        ({"confidence": 0.8}, "confidence"),
        ({"expires_at": NOW + timedelta(days=1)}, "expires_at"),
        ({"event_time": NOW - timedelta(days=1)}, "event_time"),
        ({"importance": 10, "session_id": "tuesday", "kind": "event"}, "session_id, importance"),
        ({"event_time": NOW - timedelta(hours=1), "kind": "event"}, "event_time"),
        ({"importance": 4.0, "session_id": "monday", "metadata": {"x": 1}, "tags": ["a"], "entities": ["Ana"]}, ""),
    ],
)
def test_the_reason_names_what_a_repetition_does_not_take(memory, given, kept):
    kind = given.get("kind", "fact")
    first = {"session_id": "monday", "importance": 4, "metadata": {"x": 1, **{f"k{number}": 0 for number in range(9)}}}
    memory.add("Ana is allergic to nuts.", user_id="ana", kind=kind, **first)
    [again] = memory.add("Ana is allergic to nuts.", user_id="ana", **{"session_id": "monday", "kind": kind} | given)
    told = f"; it keeps its own {kept}" if kept else ""
    assert (again.outcome, again.reason) == (Outcome.MERGE, f"the same text is stored already{told}")


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


def test_a_retry_after_the_memory_was_edited_is_one_still(memory):
    [first] = memory.add("Ana likes fado.", user_id="ana", idempotency_key="k")
    memory.update(first.id, content="Ana likes fado and tango.")
    for text in ("Ana likes fado.", "Ana likes fado and tango.", "Ana likes fado!"):
        [again] = memory.add(text, user_id="ana", idempotency_key="k")
        assert (again.id, again.outcome, again.reason) == (
            first.id,
            Outcome.ACCEPT,
            "already stored under this idempotency key",
        )
    [other] = memory.add("Ana likes tango.", user_id="ana", idempotency_key="k")
    assert (other.id, other.outcome) == (first.id, Outcome.DROP)
    assert "another text" in other.reason
    memory.undo(memory.history(first.id)[-1].id)
    [edited] = memory.add("Ana likes fado and tango.", user_id="ana", idempotency_key="k")
    assert edited.reason == "already stored under this idempotency key"


def test_another_text_in_one_call_names_what_the_first_was_merged_into(memory):
    [old] = memory.add("I prefer green tea over coffee", user_id="ana", embedding=[1.0, 0.1])
    items = [
        {"content": "I prefer green tea to coffee", "embedding": [1.0, 0.1]},
        {"content": "I moved to Mars", "embedding": [0.0, 1.0]},
        {"content": "I prefer green tea to coffee", "embedding": [1.0, 0.1]},
    ]
    added = memory.add_many({**item, "user_id": "ana", "idempotency_key": "k"} for item in items)
    assert added.ids == [old.id] * 3
    assert [one.outcome for one in added] == [Outcome.MERGE, Outcome.DROP, Outcome.MERGE]
    [again] = memory.add("I prefer green tea to coffee", user_id="ana", idempotency_key="k")
    assert again.reason == "already stored under this idempotency key"


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
