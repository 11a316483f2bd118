"""What waits for a person, and conflicts that one decides."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory
from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import Outcome

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def clock():
    return [START]


@pytest.fixture
def memory(tmp_path, clock):
    with Memory(tmp_path / "agent.db", embedder="none", durability="relaxed", clock=lambda: clock[0]) as opened:
        yield opened


def fact(memory, content, **given):
    return memory.add(content, **({"user_id": "ana", "kind": "fact", "slot": "home"} | given))[0]


def waiting(memory):
    return [record.id for record in memory.review.pending(user_id="ana")]


def operations(memory):
    with memory._database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql("SELECT action, reason FROM operation ORDER BY id")]


def test_what_waits_is_listed_by_page_for_its_user_and_shared(memory):
    ids = [fact(memory, f"Ana may like tea {number}.", slot=None, confidence=0.2).id for number in range(3)]
    shared = fact(memory, "Tea may be healthy.", user_id=None, slot=None, confidence=0.2).id
    fact(memory, "Ben may like tea.", user_id="ben", slot=None, confidence=0.2)
    page = memory.review.pending(user_id="ana", limit=2)
    rest = memory.review.pending(user_id="ana", cursor=page.next_cursor)
    assert [record.id for record in (*page, *rest)] == [*ids, shared]
    assert {record.review_state for record in page} == {"pending"}


def test_an_approved_fact_takes_the_place_of_what_fills_its_slot(memory, clock):
    old = fact(memory, "Ana lives in Lisbon.")
    clock[0] += timedelta(days=1)
    new = fact(memory, "Ana lives in Porto.", origin="tool")
    assert new.outcome is Outcome.DEFER
    approved = memory.review.approve(new.id, user_id="ana")
    assert approved.review_state == "active"
    assert memory.get(old.id).superseded_by == new.id
    assert memory.facts.get("home", user_id="ana").id == new.id
    assert memory.review.conflicts(user_id="ana") == []
    assert operations(memory)[-1] == ("review", "approved")


def test_an_approved_claim_supersedes_the_one_that_it_named(memory):
    old = fact(memory, "Ana lives in Lisbon.", slot=None)
    new = fact(memory, "Ana lives in Porto.", slot=None, supersedes=old.id, origin="assistant")
    assert new.outcome is Outcome.DEFER
    memory.review.approve(new.id)
    assert memory.get(old.id).superseded_by == new.id


def test_a_rejected_memory_stays_and_changes_nothing_else(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    new = fact(memory, "Ana lives in Porto.", origin="web")
    rejected = memory.review.reject(new.id, reason="a joke")
    assert (rejected.review_state, memory.get(old.id).superseded_by) == ("rejected", None)
    assert memory.review.conflicts(user_id="ana") == []
    assert len(memory.review.pending(user_id="ana")) == 0
    assert operations(memory)[-1] == ("review", "rejected: a joke")


def test_a_conflict_shows_both_sides_the_older_first(memory):
    old, new = fact(memory, "Ana lives in Lisbon."), fact(memory, "Ana lives in Porto.")
    assert new.outcome is Outcome.ACCEPT
    [conflict] = memory.review.conflicts(user_id="ana")
    assert (conflict.older.id, conflict.newer.id, conflict.recorded_at) == (old.id, new.id, START)
    assert conflict.to_dict()["older"]["content"] == "Ana lives in Lisbon."
    assert memory.review.conflicts() == memory.review.conflicts(user_id="ben") == []


@pytest.mark.parametrize("kept", [0, 1])
def test_deciding_a_conflict_supersedes_the_other_side(memory, kept):
    ids = [fact(memory, "Ana lives in Lisbon.").id, fact(memory, "Ana lives in Porto.").id]
    keep, drop = ids[kept], ids[1 - kept]
    assert memory.review.resolve(keep, drop, reason="she said so").id == keep
    assert memory.get(drop).superseded_by == keep
    assert [record.id for record in memory.facts.list(user_id="ana")] == [keep]
    assert memory.review.conflicts(user_id="ana") == []
    assert operations(memory)[-1] == ("resolve", "she said so")


def test_a_conflict_with_what_waits_rejects_it_or_lets_it_in(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    new = fact(memory, "Ana lives in Porto.", origin="tool")
    memory.review.resolve(old.id, new.id)
    assert memory.get(new.id).review_state == "rejected"
    third = fact(memory, "Ana lives in Faro.", origin="tool")
    memory.review.resolve(third.id, old.id)
    assert memory.get(old.id).superseded_by == third.id
    assert memory.facts.get("home", user_id="ana").id == third.id


def test_both_sides_of_a_conflict_may_be_true(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    new = fact(memory, "Ana lives in Porto.", origin="tool")
    memory.review.resolve(old.id, new.id, keep_both=True)
    assert [record.id for record in memory.facts.list(user_id="ana")] == [old.id, new.id]
    assert memory.review.conflicts(user_id="ana") == []


def test_what_was_corrected_while_it_waited_waits_no_more(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    waits = fact(memory, "Ana lives in Porto.", origin="tool")
    new = memory.feedback(waits.id, corrected="Ana lives in Faro.")
    assert waiting(memory) == []
    with pytest.raises(InvalidInputError, match="is rejected and does not wait"):
        memory.review.approve(waits.id)
    assert memory.get(new.id).superseded_by is None
    assert memory.get(old.id).superseded_by == new.id
    assert memory.review.conflicts(user_id="ana") == []


def test_what_is_no_open_question_is_refused(memory):
    active, other = fact(memory, "Ana lives in Lisbon."), fact(memory, "Ana likes tea.", slot="drink")
    waits = fact(memory, "Ana lives in Porto.", origin="tool")
    review = memory.review
    for call, error, message in (
        (lambda: review.approve(active.id), InvalidInputError, "^id: .*is active and does not wait"),
        (lambda: review.reject(active.id), InvalidInputError, "^id: .*is active and does not wait"),
        (lambda: review.approve(99), NotFoundError, "^id: 99"),
        (lambda: review.approve(waits.id, user_id="ben"), NotFoundError, "^id: "),
        (lambda: review.reject(waits.id, user_id="ben"), NotFoundError, "^id: "),
        (lambda: review.reject(waits.id, reason=" "), InvalidInputError, "^reason: "),
        (lambda: review.resolve(active.id, other.id), InvalidInputError, "no open conflict"),
        (lambda: review.resolve(active.id, active.id), InvalidInputError, "^drop_id: "),
        (lambda: review.resolve(active.id, waits.id, user_id="ben"), NotFoundError, "^id: "),
        (lambda: review.resolve(active.id, waits.id, keep_both=1), InvalidInputError, "^keep_both: "),
        (lambda: review.pending(limit=0), InvalidInputError, "^limit: "),
        (lambda: review.conflicts(user_id=3), InvalidInputError, "^user_id: "),
    ):
        with pytest.raises(error, match=message):
            call()
    every = memory.get_all(user_id="ana", filters={"review_state": ["active", "pending", "rejected"]})
    assert [record.review_state for record in every] == ["active", "active", "pending"]
    memory.review.reject(waits.id)
    with pytest.raises(InvalidInputError, match="is rejected and does not wait"):
        memory.review.approve(waits.id)
