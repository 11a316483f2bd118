"""A plan that begins once its days of retention are over is never found, and takes the place of nothing."""

import pytest
from play import Play
from test_next_plan import TEXTS
from words import CHINESE, ENGLISH

from memcore import Settings
from memcore.errors import InvalidInputError
from memcore.kinds import Kind


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["English", "Chinese"])
def play(request, tmp_path):
    story = Play(tmp_path / "agent.db", request.param)
    story.reopen(settings=Settings(retention_days={Kind.FACT: 10}))
    yield story
    story.close()


def test_it_takes_the_place_of_nothing_and_says_so(play):
    old, new = TEXTS[play.words][:2]
    there = play.memory.facts.set(play.words.slot, old, user_id="ana")
    late = play.memory.facts.set(play.words.slot, new, user_id="ana", valid_from=play.at(11))
    assert late.reason == (
        "it takes the place of nothing, as no search would find it: its valid_from is after the 10 days for which a"
        " fact is kept from its event on"
    )
    assert play.memory.get(there.id).valid_until is None


def test_by_name_it_is_refused(play):
    old, new = TEXTS[play.words][:2]
    there = play.memory.facts.set(play.words.slot, old, user_id="ana")
    with pytest.raises(InvalidInputError, match=r"valid_from: .*is after the 10 days"):
        play.memory.supersede(there.id, new, valid_from=play.at(11))


def test_what_begins_within_them_or_with_its_event_takes_it(play):
    old, new, other = TEXTS[play.words][:3]
    there = play.memory.facts.set(play.words.slot, old, user_id="ana")
    event = play.memory.facts.set(play.words.slot, new, user_id="ana", event_time=play.at(30))
    assert play.memory.get(there.id).superseded_by == event.id
    soon = play.memory.facts.set(play.words.slot, other, user_id="ana", valid_from=play.at(10))
    assert soon.reason == f"it supersedes {there.id}, {event.id}"
