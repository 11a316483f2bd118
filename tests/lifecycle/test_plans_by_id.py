"""A plan superseded by its id: what took its place and is called off at once is as if it had never been there."""

import random
from datetime import timedelta

import pytest
from play import Play
from words import CHINESE, ENGLISH

from memcore.errors import MemcoreError

TEXTS = {
    ENGLISH: [f"The office is in {city}." for city in ("Lisbon", "Porto", "Braga", "Faro", "Evora", "Sintra")],
    CHINESE: [f"安娜的公司总部设在{city}。" for city in ("里斯本", "波尔图", "布拉加", "法鲁", "埃武拉", "辛特拉")],
}
WAYS = {
    "retired": lambda memory, one: memory.retire(one),
    "wrong": lambda memory, one: memory.feedback(one, wrong=True),
    "deleted": lambda memory, one: memory.delete(one),
    "undone": lambda memory, one: memory.undo(memory.history(one)[0].id),
}
DAYS = (1, 3, 5, 7, 9, 11, 13, 17, 21, 23, 25, 30)

# (which is superseded; 0: none, the first day, the day it holds until), and the last one is called off
STORIES = {
    "nothing before the plan": [(0, 12, None), (1, 2, None), (2, 2, 6)],
    "from a nearer day": [(0, None, None), (1, 16, None), (2, 10, None)],
    "for some days": [(0, None, None), (1, 12, 21), (2, 10, None), (3, 5, 9)],
    "for some days from the same day": [(0, None, None), (1, 12, None), (2, 2, None), (3, 2, 6)],
    "from a farther day": [(0, None, None), (1, 8, None), (2, 24, None)],
    "once the first is retired": [(0, None, None), (1, 5, None), ("retire", 1), (2, 2, None)],
    "once the first is corrected": [(0, None, None), (1, 16, None), ("correct", 1), (2, 5, None)],
    "once what it follows is deleted": [(0, None, None), (1, None, None), (2, 12, 16), ("delete", 2), (3, 2, None)],
    "once another is undone": [(0, None, None), (1, 24, 26), (1, 8, None), ("undo", 3), ("correct", 3), (2, 8, None)],
}
ONE_BY_ONE = "once another is undone"


def told(play, steps, slot):
    """Does the steps, half an hour after one another, but for what is refused; what the last one made, or None."""
    start, made = play.now, None
    for number, step in enumerate(steps):
        play.later(minutes=30)
        said = sum(not isinstance(one[0], str) for one in steps[:number])
        try:
            made = done(play.memory, *step) if isinstance(step[0], str) else say(play, start, said, step, slot)
        except MemcoreError:
            made = None
    return made


def say(play, start, said, step, slot):
    old, first, last = step
    days = {"valid_from": first, "valid_until": last}
    days = {name: start + timedelta(days=day) for name, day in days.items() if day}
    text = TEXTS[play.words][said]
    if old:
        return play.memory.supersede(old, text, **days).id
    return play.memory.add(text, user_id="ana", kind="fact", slot=slot, **days)[0].id


def done(memory, what, one):
    calls = {
        "retire": memory.retire,
        "delete": memory.delete,
        "correct": lambda one: memory.feedback(one, corrected=f"{memory.get(one).content} No, elsewhere."),
        "undo": lambda one: [memory.undo(last.id) for last in memory.history(one)[-1:]],
    }
    calls[what](one)


def holds(play, start):
    """What holds on some days, and which of it is in conflict."""
    found = {}
    for day in DAYS:
        page = play.memory.facts.list(user_id="ana", as_of=start + timedelta(days=day))
        found[day] = sorted(one.content for one in page.items)
    return found


def both(tmp_path, words, steps, way, slot):
    """What holds without the last step, and after that was done and called off at once; None where it is refused."""
    found = []
    for number, some in enumerate((steps[:-1], steps)):
        play = Play(tmp_path / f"{number}.db", words)
        start, made = play.now, told(play, some, slot)
        if some is steps and made is not None:
            play.later(minutes=30)
            WAYS[way](play.memory, made)
        found.append(holds(play, start) if made is not None or some is not steps else None)
        play.close()
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("slot", [None, "hq"])
@pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=["English", "Chinese"])
@pytest.mark.parametrize("story", [one for one in STORIES if one != ONE_BY_ONE])
def test_it_is_as_if_it_had_never_been_there(tmp_path, words, story, slot, way):
    before, after = both(tmp_path, words, STORIES[story], way, slot)
    assert after == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_so_it_is_where_several_were_planned_to_follow_one(tmp_path, words, way):
    before, after = both(tmp_path, words, STORIES[ONE_BY_ONE], way, None)  # a slot has them follow one another
    assert after == before


@pytest.mark.parametrize("slot", [None, "hq"])
def test_what_a_plan_was_to_follow_ends_when_that_begins_which_takes_its_place(tmp_path, slot):
    play = Play(tmp_path / "agent.db", ENGLISH)
    start = play.now
    told(play, [(0, None, None), (1, 24, None), (2, 8, None)], slot)
    found, conflicts = holds(play, start), play.memory.review.conflicts(user_id="ana")
    play.close()
    first, _, third = TEXTS[ENGLISH][:3]
    beside = [(one.older.content, one.newer.content) for one in conflicts]
    assert (found[7], found[9], beside) == (
        ([first], [third], []) if slot is None else ([first], sorted([first, third]), [(first, third)])
    )


def test_what_a_plan_was_to_follow_is_followed_by_what_takes_the_place_of_the_one_that_was_to_follow_that(tmp_path):
    play = Play(tmp_path / "agent.db", CHINESE)
    start = play.now
    told(play, [(0, None, None), (1, 20, 29), (2, 24, None), (3, 10, None)], None)
    found = holds(play, start)
    play.close()
    first, _, _, fourth = TEXTS[CHINESE][:4]
    assert (found[9], found[11], found[30]) == ([first], [fourth], [fourth])


@pytest.mark.parametrize("seed", range(48))
def test_so_it_is_of_any_story(tmp_path, seed):
    """Steps drawn at random, by a fixed seed."""
    dice = random.Random(seed)
    steps, claims = [(0, None, None)], 1
    for _ in range(dice.randint(1, 4)):
        if dice.random() < 0.25:
            steps.append((dice.choice(["retire", "delete", "correct", "undo"]), dice.randint(1, claims)))
            claims += steps[-1][0] == "correct"
            continue
        first = dice.choice([None, 2, 4, 8, 10, 12, 16, 20, 24])
        last = (first or 1) + dice.choice([2, 4, 9]) if dice.random() < 0.25 else None
        steps.append((dice.randint(max(1, claims - 1), claims), first, last))
        claims += 1
    steps.append((dice.randint(1, claims), dice.choice([2, 4, 8, 12, 20]), None))
    slot, words = dice.choice([None, "hq"]), dice.choice([ENGLISH, CHINESE])
    way = dice.choice(sorted(WAYS))
    before, after = both(tmp_path, words, steps, way, slot)
    assert after in (before, None)
