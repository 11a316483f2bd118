"""What no search would find takes the place of nothing: what happened before the days of retention, or has expired."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from memcore import InvalidInputError, Settings, UndoRefusedError

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
LONG_AGO = START - timedelta(days=60)
UNSEEN = [("event_time", LONG_AGO), ("expires_at", START - timedelta(days=1))]
SAID = [("Ana lives in Lisbon.", "Ana lives in Porto."), ("安娜住在里斯本。", "安娜住在波尔图。")]


@pytest.fixture
def memory(opened):
    return opened(clock=lambda: START, settings=Settings(retention_days={"fact": 30, "knowledge": 30, "lesson": 30}))


def told(memory, text, kind="fact", **given):
    slot = {"slot": "home"} if kind == "fact" else {}
    return memory.add(text, user_id="ana", kind=kind, **slot | given)[0]


def current(memory):
    return [record.content for record in memory.get_all(user_id="ana")]


def refused(field, moment):
    """A refusal that names the field and its value, and says what would do."""
    value = re.escape(repr(moment.isoformat()))
    return pytest.raises(InvalidInputError, match=rf"^{field}: {value} is not accepted; it .*give a later moment, or")


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("kind", ["fact", "knowledge"])
@pytest.mark.parametrize(("field", "moment"), UNSEEN)
def test_a_successor_that_no_search_would_find_is_refused(memory, field, moment, kind, said):
    old = told(memory, said[0], kind)
    with refused(field, moment):
        memory.supersede(old.id, said[1], **{field: moment})
    assert current(memory) == [said[0]]


def test_the_refusal_says_for_how_many_days_a_memory_is_kept(memory):
    old = told(memory, "Ana lives in Lisbon.")
    with pytest.raises(InvalidInputError, match="before the 30 days for which a fact is kept"):
        memory.supersede(old.id, "Ana lives in Porto.", event_time=LONG_AGO)
    assert memory.supersede(old.id, "Ana lives in Porto.", event_time=START - timedelta(days=29)).supersedes == old.id


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize(("field", "moment"), UNSEEN)
def test_what_names_a_memory_that_it_cannot_replace_is_stored_beside_it(memory, field, moment, infer, said):
    old = told(memory, said[0])
    new = told(memory, said[1], supersedes=old.id, infer=infer, **{field: moment})
    assert (new.outcome, new.supersedes) == ("accept", None)
    assert new.reason.startswith(f"supersedes: {old.id} stays, as its successor would not be found (its {field} is ")
    assert new.reason.endswith(", and was ignored")
    assert current(memory) == [said[0]]
    assert memory.get(new.id).content == said[1]


@pytest.mark.parametrize(("field", "moment"), UNSEEN)
def test_what_waits_for_review_goes_on_waiting_beside_a_text_that_no_search_finds(memory, field, moment):
    waits = told(memory, "Ana lives in Porto.", confidence=0.2, origin="import")
    told(memory, "Ana lives in Porto.", **{field: moment})
    assert [one.id for one in memory.review.pending(user_id="ana")] == [waits.id]


def test_what_waits_for_review_goes_on_waiting_where_the_corrected_text_is_past_its_days(memory):
    waits = told(memory, "Ana lives in Porto.", confidence=0.2, origin="import")
    past = told(memory, "Ana lived in Faro.", event_time=LONG_AGO)
    memory.feedback(past.id, corrected="Ana lives in Porto.")
    assert [one.id for one in memory.review.pending(user_id="ana")] == [waits.id]


def test_what_took_the_place_of_a_memory_is_not_moved_before_the_days_of_retention(memory):
    old = told(memory, "Ana lives in Lisbon.")
    new = memory.facts.set("home", "Ana lives in Porto.", user_id="ana")
    with refused("event_time", LONG_AGO):
        memory.update(new.id, event_time=LONG_AGO)
    assert current(memory) == ["Ana lives in Porto."]
    memory.update(new.id, event_time=START - timedelta(days=3))
    memory.retire(old.id)
    memory.update(new.id, event_time=LONG_AGO)
    assert current(memory) == []


def test_an_undo_does_not_move_it_there_either(memory):
    waits = told(memory, "Ana lives in Porto.", confidence=0.2, event_time=LONG_AGO)
    old = told(memory, "Ana lives in Lisbon.")
    memory.update(waits.id, event_time=START)
    moved = memory.history(waits.id)[-1].id
    memory.review.approve(waits.id)
    assert memory.get(old.id).superseded_by == waits.id
    with pytest.raises(UndoRefusedError, match=f"took the place of memory {old.id} since"):
        memory.undo(moved)
    memory.undo(memory.history(waits.id)[-1].id)
    memory.undo(moved)
    assert current(memory) == ["Ana lives in Lisbon."]


def test_what_took_the_place_of_nothing_may_be_moved_to_any_day(memory):
    one = told(memory, "Ana lives in Lisbon.")
    assert memory.update(one.id, event_time=LONG_AGO).event_time == LONG_AGO
