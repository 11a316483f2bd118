"""Whatever becomes of the plans of a slot: none that never holds has the time of another, and no two hold unsaid."""

import random
from itertools import combinations

import pytest
from play import Play
from words import ENGLISH

from memcore.errors import NotFoundError, UndoRefusedError

CITIES = ("Lisbon", "Porto", "Braga", "Faro", "Evora", "Lagos", "Tomar")
STEPS = 9


@pytest.fixture
def play(tmp_path):
    story = Play(tmp_path / "agent.db", ENGLISH)
    yield story
    story.close()


def fill(play, chance, city):
    """Sets the slot from some day on, often for some days only."""
    begins = chance.choice((None, *range(2, 24)))
    ends = (begins or 0) + chance.randint(1, 8) if chance.random() < 0.4 else None
    moments = {name: play.at(day) for name, day in (("valid_from", begins), ("valid_until", ends)) if day is not None}
    play.memory.facts.set("home city", f"Ana lives in {city}.", user_id="ana", **moments)
    return f"set {city} from {begins} until {ends}"


def there(play, most):
    found = []
    for one in range(1, most + 1):
        try:
            found.append(play.memory.get(one))
        except NotFoundError:
            continue
    return found


def take_out(play, chance, rows):
    one, how = chance.choice(rows).id, chance.choice(("retire", "wrong", "delete"))
    if how == "wrong":
        play.memory.feedback(one, wrong=True)
    else:
        getattr(play.memory, how)(one)
    return f"{how} {one}"


def undo(play, chance, rows):
    numbers = sorted({one.id for row in rows for one in play.memory.history(row.id)}, reverse=True)
    for number in numbers[: chance.randint(1, 3)][::-1]:
        try:
            play.memory.undo(number)
        except UndoRefusedError:
            continue
        return f"undo {number}"
    return "undo nothing"


def is_void(row):
    return row.superseded_by is not None and row.valid_until is not None and row.valid_until <= row.valid_from


def is_out(row):
    return row.ended_at is not None or row.review_state != "active"


def check(play, rows, story):
    known = {row.id: row for row in rows}
    for row in rows:
        heir = known.get(row.superseded_by)
        planned = heir is not None and heir.valid_from > play.now
        assert not (planned and (is_void(heir) or is_out(heir))), (story, row.id)
    said = {(pair.older.id, pair.newer.id) for pair in play.memory.review.conflicts(user_id="ana")}
    hold = [row for row in rows if not is_out(row)]
    for one, other in combinations(hold, 2):
        begins = max(one.valid_from, other.valid_from)
        ends = [row.valid_until for row in (one, other) if row.valid_until is not None]
        together = not ends or (begins < min(ends) and play.now < min(ends))
        assert not together or (one.id, other.id) in said, (story, one.id, other.id)


@pytest.mark.parametrize("seed", range(16))
def test_no_plan_that_never_holds_has_the_time_of_another_and_no_two_hold_unsaid(play, seed):
    chance, story = random.Random(seed), []
    cities = list(CITIES[: chance.randint(4, 7)])
    most = len(cities)
    while cities or len(story) < most + STEPS:
        rows = there(play, most)
        if cities and (not rows or chance.random() < 0.6):
            story.append(fill(play, chance, cities.pop()))
        elif rows:
            story.append(chance.choice((take_out, undo))(play, chance, rows))
        else:
            break
        check(play, there(play, most), story)
