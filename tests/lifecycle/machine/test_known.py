"""What is asked later of what was known then is what was answered then, whatever has been done since.

No model is asked: the answers of the store at a moment are kept, and compared with what it says of that moment later.
"""

import random

import pytest
from machine_moves import MOVES, make
from machine_pair import SLOTS, USERS, WORDS, Pair
from machine_rows import HOUR, at

_FOR_GOOD = ("delete", "purge")  # nobody brings back what is gone for good
_DAYS = (-40, -2, 0, 2, 30)


def answers(memory, as_of, known_at=None):
    """What holds at a moment of the world, by what is or was known, asked for in each way."""
    given = {"as_of": at(as_of)} | ({} if known_at is None else {"known_at": at(known_at)})
    found = {}
    for user in USERS:
        found["list", user] = [one.id for one in memory.facts.list(user_id=user, limit=1_000, **given)]
        for slot in SLOTS:
            fact = memory.facts.get(slot, user_id=user, **given)
            found[slot, user] = fact and fact.id
        for word in WORDS:
            hits = memory.search(word, user_id=user, limit=200, include_dormant=True, **given)
            found[word, user] = sorted(hit.id for hit in hits)
    return found


def compare(then, said, expired, when):
    """Both are the same, but for what expired since: that is in no answer any more."""
    for what, found in then.items():
        if isinstance(found, list):
            assert said[what] == [one for one in found if one not in expired], f"{what} at {when}"
        elif found not in expired:
            assert said[what] == found, f"{what} at {when}"


def replayed(seed, stories):
    """Plays random stories; how often an answer of then was asked for again."""
    chance, asked = random.Random(seed), 0
    names = [name for name in MOVES if name not in (*_FOR_GOOD, "step", "search", "compare", "update")]
    weights = [MOVES[name][0] for name in names]
    for _ in range(stories):
        pair, kept = Pair(), []
        try:
            for _ in range(12):
                for _ in range(chance.randint(1, 5)):
                    make(pair, chance, chance.choices(names, weights)[0])
                now = pair.model.now
                kept += [
                    (now, as_of, answers(pair.memory, as_of)) for as_of in (now + day * 24 * HOUR for day in _DAYS)
                ]
                pair.step(chance.choice((1, 7, 30, 24 * 60)))
            for known_at, as_of, then in chance.sample(kept, 20):
                said = answers(pair.memory, as_of, known_at)
                expired = {row["id"] for row in pair.model.rows.values() if pair.model.expired(row)}
                compare(then, said, expired, f"{as_of} by what was known at {known_at} of {pair.moves}")
                asked += 1
        finally:
            pair.close()
    return asked


@pytest.mark.parametrize("seed", [1, 2])
def test_what_was_answered_then_is_what_was_known_then(seed):
    assert replayed(seed, 3) == 60
