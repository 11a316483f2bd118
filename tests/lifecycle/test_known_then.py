"""`known_at` answers from what was known then, whatever was undone, retired, planned or moved since."""

from datetime import timedelta

import pytest
from play import Play
from words import CHINESE, ENGLISH

TEXTS = {
    ENGLISH: ["Ana lives", *(f"Ana lives in {city}." for city in ("Lisbon", "Porto", "Braga"))],
    CHINESE: ["小安住在", *(f"小安住在{city}。" for city in ("里斯本", "波尔图", "布拉加"))],
}


class Story:
    """Values of a slot, told day by day; days are counted from the first."""

    def __init__(self, path, words):
        self.play = Play(path, words)
        self.query, *self.texts = TEXTS[words]
        self.memory, self.slot, self.first = self.play.memory, words.slot, self.play.now

    def at(self, day):
        return None if day is None else self.first + timedelta(days=day)

    def on(self, day):
        """Goes on to a day, or back to it."""
        self.play.now = self.at(day)

    def fill(self, number, day=None, **given):
        """Sets the slot to one of the texts, from a day on."""
        return self.memory.facts.set(self.slot, self.texts[number], user_id="ana", valid_from=self.at(day), **given).id

    def undo(self, one):
        self.memory.undo(self.memory.history(one)[-1].id)

    def known(self, day, as_of=None):
        """The numbers of the texts that fill the slot by what was known at a day, asked for in each way there is."""
        given = {"user_id": "ana", "known_at": self.at(day)} | ({} if as_of is None else {"as_of": self.at(as_of)})
        listed = {one.content for one in self.memory.facts.list(slot=self.slot, **given)}
        assert listed == {one.content for one in self.memory.facts.list(**given)}
        assert listed == {hit.content for hit in self.memory.search(self.query, **given)}
        fact = self.memory.facts.get(self.slot, **given)
        assert (fact is None and not listed) or fact.content in listed
        return sorted(map(self.texts.index, listed))


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["English", "Chinese"])
def story(request, tmp_path):
    told = Story(tmp_path / "agent.db", request.param)
    yield told
    told.play.close()


def undone(story, one):
    story.memory.undo(story.memory.history(one)[0].id)


GONE = {
    "undone": undone,
    "retired": lambda story, one: story.memory.retire(one),
    "wrong": lambda story, one: story.memory.feedback(one, wrong=True),
}


@pytest.mark.parametrize("how", GONE)
def test_what_superseded_a_value_and_is_gone_since_was_known_meanwhile(story, how):
    story.fill(0)
    story.on(10)
    porto = story.fill(1)
    story.on(20)
    GONE[how](story, porto)
    story.on(30)
    back = [0] if how == "undone" else []
    assert [story.known(day) for day in (-1, 5, 15, 25)] == [[], [0], [1], back]
    assert [story.known(15, as_of) for as_of in (5, 15)] == [[0], [1]]
    assert [story.known(25, as_of) for as_of in (5, 15)] == [[0], back]
    story.undo(porto)
    story.on(40)
    assert [story.known(day) for day in (5, 15, 25, 35)] == [[0], [1], back, [1]]


@pytest.mark.parametrize("how", [*GONE, "deleted"])
def test_a_plan_that_was_called_off_was_known_until_then(story, how):
    story.fill(0)
    story.on(1)
    plan = story.fill(1, day=30)
    story.on(10)
    if how == "deleted":
        story.memory.delete(plan)
    else:
        GONE[how](story, plan)
    story.on(12)
    assert [story.known(day, 40) for day in (0.5, 11)] == [[0], [0]]
    meanwhile = [0] if how == "deleted" else [1]  # what is gone for good does not come back
    assert [story.known(5, as_of) for as_of in (20, 40)] == [[0], meanwhile]
    story.on(50)
    assert [story.known(5), story.known(11)] == [meanwhile, [0]]


def test_a_plan_that_something_else_has_the_place_of_was_known_until_then(story):
    story.fill(0)
    story.on(1)
    story.fill(1, day=30)
    story.on(10)
    story.fill(2, day=25)
    story.on(12)
    assert [[story.known(day, as_of) for as_of in (20, 27, 40)] for day in (0.5, 5, 11)] == [
        [[0], [0], [0]],
        [[0], [0], [1]],
        [[0], [2], [2]],
    ]


def test_a_plan_that_was_corrected_was_known_as_it_was(story):
    story.fill(0)
    story.on(1)
    plan = story.fill(1, day=30)
    story.on(10)
    story.memory.feedback(plan, corrected=story.texts[2])
    story.on(12)
    assert [[story.known(day, as_of) for as_of in (20, 40)] for day in (5, 11)] == [[[0], [1]], [[0], [2]]]


@pytest.mark.parametrize("moved", [20, 40])
def test_a_plan_whose_event_was_moved_was_known_to_begin_when_it_was_to(story, moved):
    story.fill(0)
    story.on(1)
    plan = story.memory.facts.set(story.slot, story.texts[1], user_id="ana", event_time=story.at(30)).id
    story.on(10)
    story.memory.update(plan, event_time=story.at(moved))
    story.on(12)
    between = 25 if moved == 20 else 35
    assert [story.known(5, as_of) for as_of in (15, 25, 35, 45)] == [[0], [0], [1], [1]]
    assert [story.known(11, as_of) for as_of in (15, 45)] == [[0], [1]]
    assert story.known(11, between) == ([1] if moved == 20 else [0])
    why = story.memory.why_not(plan, story.query, user_id="ana", known_at=story.at(5), as_of=story.at(25))
    assert why.detail == f"it holds from {story.at(30).date()} on"


def test_an_end_that_was_lifted_since_was_known_and_is_no_end_since(story):
    story.fill(0, valid_until=story.at(20))
    story.on(10)
    story.fill(0)
    story.on(30)
    assert [story.known(5, as_of) for as_of in (15, 25)] == [[0], []]
    assert [story.known(11, as_of) for as_of in (15, 25)] == [[0], [0]]
    assert (story.known(5), story.known(11)) == ([], [0])


def test_an_end_behind_a_plan_that_was_lifted_was_known(story):
    first = story.fill(0, valid_until=story.at(50))
    story.on(1)
    plan = story.fill(1, day=30, valid_until=story.at(40))
    story.on(10)
    story.fill(0)
    story.on(20)
    story.memory.retire(plan)
    assert story.memory.get(first).valid_until is None
    assert [[story.known(day, as_of) for as_of in (20, 35, 60)] for day in (0.5, 5, 15)] == [
        [[0], [0], []],
        [[0], [1], []],
        [[0], [1], []],
    ]
    story.on(25)
    assert [story.known(22, as_of) for as_of in (20, 35, 60)] == [[0], [0], [0]]


def test_what_was_rejected_or_approved_since_stood_as_it_did(story):
    story.fill(0)
    story.on(1)
    offer = story.fill(1, origin="web")
    story.on(10)
    story.memory.review.approve(offer)
    story.on(20)
    story.undo(offer)
    story.on(30)
    story.memory.review.reject(offer)
    story.on(40)
    assert [story.known(day) for day in (0.5, 5, 15, 25, 35)] == [[0], [0], [1], [0], [0]]


def test_a_memory_without_a_claim_that_was_retired_or_moved_since_is_found_as_it_was(story):
    [event] = story.memory.add(story.texts[0], user_id="ana", event_time=story.at(-5))
    story.on(10)
    story.memory.update(event.id, event_time=story.at(-15))
    story.on(20)
    story.memory.retire(event.id)
    story.on(30)

    def found(day, as_of=None):
        given = {"known_at": story.at(day)} | ({} if as_of is None else {"as_of": story.at(as_of)})
        return [hit.id for hit in story.memory.search(story.query, user_id="ana", **given)]

    assert [found(day) for day in (-1, 5, 15, 25)] == [[], [event.id], [event.id], []]
    assert [found(day, -10) for day in (5, 15, 25)] == [[], [event.id], []]
    assert not story.memory.search(story.query, user_id="ana")
    assert not story.memory.search(story.query, user_id="ana", as_of=story.at(5))


@pytest.mark.parametrize("undo", [False, True])
def test_the_conflicts_beside_a_result_are_those_that_were_known(story, undo):
    one = story.memory.add(story.texts[0], user_id="ana", kind="fact", slot=story.slot)[0].id
    story.on(10)
    other = story.memory.add(story.texts[1], user_id="ana", kind="fact", slot=story.slot)[0].id
    story.on(20)
    if undo:
        story.memory.undo(story.memory.history(other)[-1].id)
    else:
        story.memory.review.resolve(one, other)
    story.on(30)
    if not undo:
        story.undo(one)
    story.on(40)

    def told(day):
        found = story.memory.search(story.query, user_id="ana", known_at=story.at(day))
        return [(pair.older.id, pair.newer.id) for pair in found.conflicts]

    assert [told(day) for day in (5, 15, 25, 35)] == [[], [(one, other)], [], [] if undo else [(one, other)]]


def test_an_order_that_the_clock_brought_about_tells_by_what_was_done_first(story):
    story.on(10)
    story.fill(0)
    story.on(20)
    porto = story.fill(1)
    story.on(15)
    story.memory.retire(porto)
    story.on(30)
    assert [story.known(day) for day in (5, 12, 17, 25)] == [[], [0], [0], []]


def test_what_was_known_is_told_of_what_is_out_by_now(story):
    story.fill(0)
    porto = story.fill(1)
    story.on(10)
    story.memory.retire(porto)
    story.on(20)
    why = story.memory.why_not(porto, story.query, user_id="ana", known_at=story.at(5))
    assert why.reason == "returned"
    why = story.memory.why_not(porto, story.query, user_id="ana", known_at=story.at(5), as_of=story.at(-5))
    assert why.reason == "not yet"
    assert story.memory.why_not(porto, story.query, user_id="ana", known_at=story.at(15)).reason == "ended"


def test_what_ends_by_the_next_plan_since_one_before_it_was_deleted_held_until_then(story):
    story.fill(0)
    plan = story.fill(1, day=30, valid_until=story.at(40))
    story.fill(2, day=40)
    story.on(10)
    story.memory.delete(plan)
    story.on(12)
    assert [[story.known(day, as_of) for as_of in (20, 35)] for day in (5, 11)] == [[[0], [0]]] * 2
    assert story.known(11, 45) == [2]


def test_an_end_behind_a_plan_that_was_lifted_at_once_is_none_by_what_was_known_at_that_moment(story):
    story.fill(0, valid_until=story.at(50))
    story.on(1)
    story.fill(1, day=30, valid_until=story.at(40))
    story.fill(0)
    story.on(5)
    assert [[story.known(day, as_of) for as_of in (20, 35, 45)] for day in (1, 4)] == [[[0], [1], []]] * 2


def test_an_end_that_no_operation_tells_of_was_not_known_before_it_was_told(story):
    first = story.fill(0)
    story.on(10)
    with story.memory._database.write() as connection:  # as another program may write it
        connection.exec_driver_sql(
            "UPDATE claim SET valid_until = ?, closed_at = ? WHERE memory_id = ?",
            (int(story.at(8).timestamp() * 1e6), int(story.at(10).timestamp() * 1e6), first),
        )
    story.on(20)
    assert [story.known(day) for day in (5, 11)] == [[0], []]
    assert [story.known(9, as_of) for as_of in (7, 9)] == [[0], [0]]
