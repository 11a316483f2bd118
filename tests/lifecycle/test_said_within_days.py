"""Under days of retention what is said again is found for so many days from then on, and not from when it was first."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memcore import Memory, Settings

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
DAYS = dict.fromkeys(("fact", "event", "knowledge"), 10)
FACT = {"kind": "fact", "slot": "home city"}
SAID = [
    ("Ana lives in Lisbon.", FACT),
    ("安娜住在里斯本。", FACT),
    ("Ana went to the gym.", {}),
    ("Water boils at 100 degrees.", {"kind": "knowledge"}),
]


@pytest.fixture
def clock():
    return [START]


@pytest.fixture
def memory(clock):
    with Memory(":memory:", embedder="none", clock=lambda: clock[0], settings=Settings(retention_days=DAYS)) as opened:
        yield opened


def shown(memory):
    return [one.content for one in memory.get_all(user_id="ana")]


@pytest.mark.parametrize(("text", "given"), SAID)
def test_what_was_said_again_yesterday_is_found(memory, clock, text, given):
    [first] = memory.add(text, user_id="ana", **given)
    clock[0] += timedelta(days=9)
    [again] = memory.add(text, user_id="ana", **given)
    assert (again.id, again.reason) == (
        first.id,
        "the same text is stored already; its event_time is moved to 2026-03-10",
    )
    clock[0] += timedelta(days=2)
    assert shown(memory) == [text]
    assert [hit.content for hit in memory.search(text, user_id="ana")] == [text]
    clock[0] += timedelta(days=9)
    assert shown(memory) == []


def test_an_undo_brings_the_first_day_back(memory, clock):
    first = memory.facts.set("home city", "Ana lives in Lisbon.", user_id="ana")
    clock[0] += timedelta(days=9)
    memory.facts.set("home city", "Ana lives in Lisbon.", user_id="ana")
    assert memory.get(first.id).event_time == clock[0]
    memory.undo(memory.history(first.id)[-1].id)
    assert memory.get(first.id).event_time == START


def test_the_words_of_its_date_follow(memory, clock):
    memory.add("Ana lives in Lisbon.", user_id="ana", **FACT)
    clock[0] += timedelta(days=9)
    later = datetime(2026, 3, 11, 1, tzinfo=timezone(timedelta(hours=8)))
    [again] = memory.add("Ana lives in Lisbon.", user_id="ana", event_time=later, **FACT)
    assert again.reason == "the same text is stored already; its event_time is moved to 2026-03-10"
    assert memory.get(again.id).event_time == later
    with memory._database.read() as connection:
        tokens = connection.exec_driver_sql("SELECT tokens FROM memory").scalar_one().split()
    assert "---11" in tokens
    assert "---01" not in tokens


def test_what_happened_earlier_moves_nothing_and_weaker_evidence_neither(memory, clock):
    [first] = memory.add("Ana lives in Lisbon.", user_id="ana", **FACT)
    memory.add("Ana lives in Lisbon.", user_id="ana", event_time=START - timedelta(days=1), **FACT)
    clock[0] += timedelta(days=5)
    memory.add("Ana lives in Lisbon.", user_id="ana", origin="web", **FACT)
    assert memory.get(first.id).event_time == START


def test_a_correction_and_an_approval_say_again_too(memory, clock):
    [first] = memory.add("Ana lives in Lisbon.", user_id="ana", **FACT)
    clock[0] += timedelta(days=5)
    [waits] = memory.add("Ana lives in Porto.", user_id="ana", origin="web", **FACT)
    memory.update(waits.id, content="Ana lives in Lisbon.")
    memory.review.approve(waits.id)
    assert memory.get(first.id).event_time == START + timedelta(days=5)
    clock[0] += timedelta(days=2)
    [wrong] = memory.add("Ana lives in Faro.", user_id="ana", **FACT)
    assert memory.feedback(wrong.id, corrected="Ana lives in Lisbon.").id == first.id
    assert memory.get(first.id).event_time == START + timedelta(days=7)


def test_a_fact_that_was_said_again_and_retired_gives_a_correction_no_beginning(memory, clock):
    [first] = memory.add("Ana lives in Lisbon.", user_id="ana", **FACT)
    clock[0] += timedelta(days=5)
    memory.add("Ana lives in Lisbon.", user_id="ana", **FACT)
    memory.retire(first.id)
    right = memory.feedback(first.id, corrected="Ana lives in Porto.")
    assert memory.get(right.id).valid_from == clock[0]


def test_a_kind_without_days_keeps_its_first_day(clock):
    with Memory(":memory:", embedder="none", clock=lambda: clock[0]) as memory:
        [first] = memory.add("Ana lives in Lisbon.", user_id="ana", **FACT)
        clock[0] += timedelta(days=9)
        memory.add("Ana lives in Lisbon.", user_id="ana", **FACT)
        assert memory.get(first.id).event_time == START
