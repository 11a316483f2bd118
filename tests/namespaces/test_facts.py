"""Facts by their slots: set, asked for, listed, at a moment of the world and of our knowledge."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory, Settings
from memcore.errors import InvalidInputError
from memcore.kinds import Outcome

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def clock():
    return [START]


@pytest.fixture
def memory(tmp_path, clock):
    with Memory(tmp_path / "agent.db", embedder="none", durability="relaxed", clock=lambda: clock[0]) as opened:
        yield opened


def contents(page):
    return [record.content for record in page]


def test_a_slot_says_what_was_set_last_and_the_old_row_stays(memory, clock):
    first = memory.facts.set("home city", "Ana lives in Lisbon.", user_id="ana", category="identity")
    clock[0] += DAY
    second = memory.facts.set("Home  CITY", "Ana lives in Porto.", user_id="ana")
    assert (second.outcome, second.supersedes) == (Outcome.ACCEPT, first.id)
    found = memory.facts.get("ｈｏｍｅ city", user_id="ana")
    assert (found.id, found.slot, found.category) == (second.id, "Home  CITY", "identity")
    assert memory.get(first.id).valid_until == clock[0]
    assert contents(memory.facts.list(user_id="ana")) == ["Ana lives in Porto."]


def test_setting_what_it_says_already_strengthens_and_ends_what_was_in_conflict(memory):
    first = memory.facts.set("家乡", "安娜住在里斯本。", user_id="ana")
    [other] = memory.add("安娜住在波尔图。", user_id="ana", kind="fact", slot="家乡")
    assert len(memory.review.conflicts(user_id="ana")) == 1
    again = memory.facts.set("家乡", "安娜住在里斯本。", user_id="ana")
    assert (again.id, again.outcome, again.supersedes) == (first.id, Outcome.MERGE, other.id)
    assert memory.review.conflicts(user_id="ana") == []
    assert contents(memory.facts.list(user_id="ana", slot="家乡")) == ["安娜住在里斯本。"]


SAID_AGAIN = {
    "expires_at": START + 9 * DAY,
    "importance": 9,
    "category": "state",
    "metadata": {"seen": 2, "page": 7},
    "tags": ["home"],
}


def test_what_is_given_with_a_text_that_fills_its_slot_already_is_written_to_the_fact(memory):
    memory.facts.set("home", "Ana stays in Lisbon.", user_id="ana", metadata={"seen": 1, "by": "Bo"}, tags=["ana"])
    again = memory.facts.set("home", "ana stays in LISBON.", user_id="ana", **SAID_AGAIN)
    assert (again.outcome, again.reason) == (Outcome.MERGE, "the same text is stored already")
    found = memory.facts.get("home", user_id="ana")
    assert (found.expires_at, found.importance, found.category) == (START + 9 * DAY, 9, "state")
    assert found.base_importance == pytest.approx(9.1)
    assert found.metadata == {"seen": 2, "by": "Bo", "page": 7}
    assert found.tags == ("ana", "home")


def test_an_undo_takes_back_all_of_it_at_once(memory):
    first = memory.facts.set("home", "安娜住在里斯本。", user_id="ana", category="relation", metadata={"seen": 1})
    before = memory.get(first.id)
    due = due_of(memory, first.id)
    memory.facts.set("home", "安娜住在里斯本。", user_id="ana", **SAID_AGAIN)
    assert due_of(memory, first.id) < due
    [merged] = memory.history(first.id)
    [undone] = memory.undo(merged.id)
    after = memory.get(first.id)
    assert (after.expires_at, after.importance, after.category) == (before.expires_at, before.importance, "relation")
    assert after.base_importance == pytest.approx(before.base_importance)
    assert (after.metadata, after.tags) == (before.metadata, before.tags)
    assert due_of(memory, first.id) == due
    memory.undo(undone.id)
    assert memory.get(first.id).category == "state"


def due_of(memory, memory_id):
    with memory._database.read() as connection:
        query = "SELECT due_at FROM fact_detail WHERE memory_id = ?"
        return connection.exec_driver_sql(query, (memory_id,)).scalar_one()


def test_a_fact_that_is_set_again_keeps_what_is_not_given(memory):
    memory.facts.set("home", "Ana stays in Lisbon.", user_id="ana", importance=8, category="state", metadata={"a": 1})
    memory.facts.set("home", "Ana stays in Lisbon.", user_id="ana")
    found = memory.facts.get("home", user_id="ana")
    assert (found.importance, found.category, found.metadata) == (8, "state", {"a": 1})


def test_the_reason_names_what_a_fact_that_is_set_again_keeps(memory):
    memory.facts.set("home", "Ana stays in Lisbon.", user_id="ana", session_id="monday", channel="direct")
    given = {"event_time": START - DAY, "speaker": "Ana", "session_id": "tuesday", "confidence": 0.8}
    again = memory.facts.set("home", "Ana stays in Lisbon.", user_id="ana", **given)
    assert again.reason == (
        "the same text is stored already; it keeps its own event_time, speaker, session_id, confidence"
    )
    same = memory.facts.set("home", "Ana stays in Lisbon.", user_id="ana", session_id="monday", channel="group")
    assert same.reason == "the same text is stored already"
    assert memory.facts.get("home", user_id="ana").channel == "group"


@pytest.mark.parametrize("origin", ["web", "tool", "job"])
def test_what_is_set_again_from_an_untrusted_origin_is_no_more_important_than_the_rule_makes_it(memory, origin):
    for importance in (None, 9):
        memory.facts.set("home", "Ana stays here.", user_id="ana", origin=origin, importance=importance)
    assert memory.facts.get("home", user_id="ana").importance == 5


def test_weaker_evidence_that_says_the_same_changes_nothing(memory):
    memory.facts.set("home", "Ana stays here.", user_id="ana")
    again = memory.facts.set("home", "Ana stays here.", user_id="ana", origin="web", **SAID_AGAIN)
    assert "strengthens nothing" in again.reason
    found = memory.facts.get("home", user_id="ana")
    assert (found.expires_at, found.importance, found.category) == (None, 5, "event")


def test_any_word_may_be_a_value(memory):
    for value in ("yes", "ok", "5", "好的", "blue"):
        memory.facts.set("answer", value, user_id="ana")
        assert memory.facts.get("answer", user_id="ana").content == value


def test_the_same_value_in_two_slots_is_two_facts(memory):
    one, other = (memory.facts.set(slot, "Blue", user_id="ana") for slot in ("car", "eyes"))
    assert one.id != other.id
    assert memory.facts.get("car", user_id="ana").id == one.id


def test_a_users_own_value_comes_before_a_shared_one_and_ends_none_of_another_user(memory):
    memory.facts.set("office", "The office is in Lisbon.")
    assert memory.facts.get("office", user_id="ana").content == "The office is in Lisbon."
    memory.facts.set("office", "Ana's office is in Porto.", user_id="ana")
    assert memory.facts.get("office", user_id="ana").content == "Ana's office is in Porto."
    assert memory.facts.get("office", user_id="ben").content == "The office is in Lisbon."
    assert memory.facts.get("office").content == "The office is in Lisbon."
    assert memory.facts.get("kitchen", user_id="ana") is None


def test_of_two_in_conflict_the_newer_is_given_and_both_are_listed(memory, clock):
    memory.facts.set("home", "Ana lives in Lisbon.", user_id="ana")
    clock[0] += DAY
    memory.add("Ana lives in Porto.", user_id="ana", kind="fact", slot="home")
    assert memory.facts.get("home", user_id="ana").content == "Ana lives in Porto."
    assert contents(memory.facts.list(user_id="ana", slot="HOME")) == ["Ana lives in Lisbon.", "Ana lives in Porto."]


def test_a_sleeping_fact_is_found_by_its_slot(memory):
    memory.facts.set("home", "Ana lives in Lisbon.", user_id="ana")
    with memory._database.write() as connection:
        connection.exec_driver_sql("UPDATE fact_detail SET dormant = 1")
    assert memory.facts.get("home", user_id="ana").dormant
    assert contents(memory.facts.list(user_id="ana")) == ["Ana lives in Lisbon."]
    assert contents(memory.facts.list(user_id="ana", include_dormant=False)) == []


def test_a_moment_of_the_world_and_a_moment_of_our_knowledge_can_be_asked_for(memory, clock):
    memory.facts.set("home", "Ana lives in Lisbon.", user_id="ana", valid_from=START - 900 * DAY)
    clock[0] += 10 * DAY
    memory.facts.set("home", "Ana lives in Porto.", user_id="ana", valid_from=START - 100 * DAY)

    def home(**given):
        found = memory.facts.get("home", user_id="ana", **given)
        return found and found.content

    assert home() == "Ana lives in Porto."
    assert home(as_of=START - 101 * DAY) == "Ana lives in Lisbon."
    assert home(as_of=START - 99 * DAY) == "Ana lives in Porto."
    assert home(as_of=START - 99 * DAY, known_at=START + DAY) == "Ana lives in Lisbon."
    assert home(as_of=START - 901 * DAY) is None
    assert home(known_at=START - DAY) is None


def test_what_was_true_once_is_kept_as_history(memory):
    memory.facts.set("job", "Ana is a baker.", user_id="ana")
    past = memory.facts.set("job", "Ana was a nurse.", user_id="ana", valid_until=START - 9 * DAY)
    assert past.outcome is Outcome.ACCEPT
    assert memory.facts.get("job", user_id="ana").content == "Ana is a baker."
    assert memory.facts.get("job", user_id="ana", as_of=START - 10 * DAY).content == "Ana was a nurse."


def test_a_value_that_begins_later_lets_the_old_one_hold_until_then(memory, clock):
    memory.facts.set("home", "Ana lives in Lisbon.", user_id="ana")
    memory.facts.set("home", "Ana lives in Porto.", user_id="ana", valid_from=START + 30 * DAY)
    assert memory.facts.get("home", user_id="ana").content == "Ana lives in Lisbon."
    clock[0] += 31 * DAY
    assert memory.facts.get("home", user_id="ana").content == "Ana lives in Porto."


@pytest.mark.parametrize("origin", ["tool", "web", "job", "assistant", "import"])
def test_a_persons_word_is_not_replaced_by_a_weaker_origin(memory, origin):
    memory.facts.set("home", "Ana lives in Lisbon.", user_id="ana")
    waits = memory.facts.set("home", "Ana lives in Porto.", user_id="ana", origin=origin)
    assert waits.outcome is Outcome.DEFER
    assert memory.facts.get("home", user_id="ana").content == "Ana lives in Lisbon."
    assert contents(memory.review.pending(user_id="ana")) == ["Ana lives in Porto."]


def test_facts_are_listed_by_page_and_category(memory):
    for number in range(5):
        memory.facts.set(f"likes {number}", f"Ana likes tea number {number}.", user_id="ana", category="preference")
    memory.facts.set("birthday", "Ana was born in May.", user_id="ana", category="date")
    page = memory.facts.list(user_id="ana", category="preference", limit=3)
    rest = memory.facts.list(user_id="ana", category="preference", limit=3, cursor=page.next_cursor)
    assert [record.slot for record in (*page, *rest)] == [f"likes {number}" for number in range(5)]
    assert rest.next_cursor is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda facts: facts.get(" "), "^slot: "),
        (lambda facts: facts.get(3), "^slot: "),
        (lambda facts: facts.get("home", user_id=["ana"]), "^user_id: "),
        (lambda facts: facts.get("home", as_of="today"), "^as_of: "),
        (lambda facts: facts.list(category="hobby"), "^category: "),
        (lambda facts: facts.list(include_dormant="no"), "^include_dormant: "),
        (lambda facts: facts.list(limit=0), "^limit: "),
        (lambda facts: facts.list(cursor="x"), "^cursor: "),
        (lambda facts: facts.set("", "x"), "^slot: "),
        (lambda facts: facts.set("home", ""), "^content: "),
        (lambda facts: facts.set("home", "x", confidence=2), "^confidence: "),
    ],
)
def test_what_is_not_accepted_is_named(memory, call, message):
    with pytest.raises(InvalidInputError, match=message):
        call(memory.facts)
    assert len(memory.get_all()) == 0


def test_a_keyword_that_set_does_not_have_is_a_type_error(memory):
    with pytest.raises(TypeError, match=r"set\(\) got an unexpected keyword argument 'kind'"):
        memory.facts.set("home", "x", kind="event")


def test_with_the_layer_off_nothing_is_set_and_nothing_found(tmp_path, memory):
    memory.facts.set("home", "Ana lives in Lisbon.", user_id="ana")
    off = Settings(layers=frozenset({"turns"}))
    with Memory(tmp_path / "agent.db", embedder="none", settings=off, durability="relaxed") as other:
        assert other.facts.set("home", "Ana lives in Porto.", user_id="ana").outcome is Outcome.DROP
        assert other.facts.get("home", user_id="ana") is None
        assert len(other.facts.list(user_id="ana")) == 0
