"""A slot with a long past costs no more than one without: what is past is left out by indexes, not by looking at it."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory

SHORT, LONG = 20, 220
MINE = {"user_id": "ana"}


class Course:
    """A store whose clock goes on by an hour with each change, and the steps that SQLite takes for a call."""

    def __init__(self):
        self.now = datetime(2026, 3, 1, 9, tzinfo=UTC)
        self.memory = Memory(":memory:", embedder="none", clock=lambda: self.now)
        self.said = 0
        self.steps = 0
        with self.memory._database.read() as connection:
            self.driver = connection.connection.driver_connection

    def _step(self):
        self.steps += 1
        return 0

    def close(self):
        self.memory.close()

    def text(self):
        self.said += 1
        return f"Ana lives in town {self.said:07}."

    def set(self, content=None, **given):
        self.now += timedelta(hours=1)
        return self.memory.facts.set("city", content or self.text(), **MINE, **given)

    def add(self, content=None, **given):
        self.now += timedelta(hours=1)
        return self.memory.add(content or self.text(), kind="fact", slot="city", **MINE, **given)[0]

    def counted(self, act, *given):
        before = self.steps
        self.driver.set_progress_handler(self._step, 1)
        act(*given)
        self.driver.set_progress_handler(None, 1)
        return self.steps - before


@pytest.fixture
def course():
    opened = Course()
    yield opened
    opened.close()


def each_new(course, _at):
    course.set()


def two_in_turn(course, at):
    course.set(f"Ana lives in town {'ab'[at % 2]}.")


def planned(course, _at):
    course.set(valid_from=course.now + timedelta(hours=1, minutes=30))


def retired(course, _at):
    course.memory.retire(course.set().id)


def bounded(course, _at):
    course.set("Ana lives in a tent.", valid_until=course.now + timedelta(hours=1, minutes=30))


def expired(course, _at):
    course.set("Ana lives in a tent.", expires_at=course.now + timedelta(hours=1, minutes=30))


def approved(course, _at):
    course.memory.review.approve(course.add(origin="web").id)


def rejected(course, _at):
    course.memory.review.reject(course.add(origin="web").id)


def in_conflict(course, _at):
    course.add()
    course.set()


def undone(course, _at):
    course.memory.undo(course.memory.history(course.set().id)[-1].id)


def costs(course):
    """The steps of each call on a slot, newest state first, after which the slot is as it was."""
    memory, slot = course.memory, {"slot": "city", **MINE}
    for _ in range(2):
        course.set()
    found = {
        "set": course.counted(course.set),
        "add": course.counted(course.add),
        "set again": course.counted(course.set, "Ana lives in a tent."),
        "get": course.counted(lambda: memory.facts.get("city", **MINE)),
        "list of the slot": course.counted(lambda: memory.facts.list(**slot)),
        "list": course.counted(lambda: memory.facts.list(**MINE)),
    }
    waiting = course.add(origin="web")
    found["wait"] = course.counted(lambda: course.add(origin="web"))
    found["conflicts"] = course.counted(lambda: memory.review.conflicts(**MINE))
    found["pending"] = course.counted(lambda: memory.review.pending(**MINE))
    found["approve"] = course.counted(lambda: memory.review.approve(waiting.id))
    last = memory.history(course.set().id)[-1].id
    found["undo"] = course.counted(lambda: memory.undo(last))
    found["correct"] = course.counted(lambda: memory.feedback(course.set().id, corrected=course.text()))
    memory.search("Where does Ana live?", **MINE)
    course.set("The end.")
    found["search"] = course.counted(lambda: memory.search("Where does Ana live?", **MINE))
    return found


PASTS = (each_new, two_in_turn, planned, retired, bounded, expired, approved, rejected, in_conflict, undone)
PER_ROW = {"planned": ("list",), "bounded": ("list",), "expired": ("list",), "in_conflict": ("conflicts",)}
"""The calls about more than a slot that pass over each row that lapsed by itself, or each conflict nobody decided."""


@pytest.mark.parametrize("past", PASTS, ids=lambda past: past.__name__)
def test_no_call_on_a_slot_takes_more_steps_after_a_longer_past(course, past):
    course.set()
    for at in range(SHORT):
        past(course, at)
    short = costs(course)
    for at in range(LONG):
        past(course, at)
    long = costs(course)
    passing = PER_ROW.get(past.__name__, ())
    assert {call: (short[call], long[call]) for call in short.keys() - passing if long[call] > short[call] * 1.1} == {}
    assert {call: (short[call], long[call]) for call in passing if long[call] > short[call] + 100 * LONG} == {}


def test_knowledge_that_says_two_things_in_turn_is_compared_with_what_stands_alone(course):
    memory, texts = course.memory, ("The shop opens at nine.", "The shop opens at ten.")
    last = memory.add(texts[0], kind="knowledge", **MINE)[0].id

    def turn(at):
        nonlocal last
        course.now += timedelta(hours=1)
        last = memory.supersede(last, texts[at % 2]).id

    for at in range(1, SHORT):
        turn(at)
    short = course.counted(turn, SHORT)
    for at in range(SHORT + 1, LONG):
        turn(at)
    assert course.counted(turn, LONG) <= short * 1.1


def test_what_was_denied_in_a_long_past_still_does_not_come_back(course):
    for at in range(SHORT):
        two_in_turn(course, at)
    wrong = course.set("Ana lives on the moon.")
    course.memory.feedback(wrong.id, corrected="Ana lives on a hill.")
    for at in range(SHORT):
        two_in_turn(course, at)
    again = course.add("Ana lives on the moon.", origin="web")
    assert (again.outcome, again.reason) == (
        "drop",
        f"memory {wrong.id} said the same and was called wrong; only the user may say it again",
    )
