"""What never was current, or is out, gives the corrected text no beginning but one that was given."""

import pytest
from play import Play
from words import CHINESE, ENGLISH

WRONG, RIGHT = (
    {ENGLISH: "Ana lives in Rome.", CHINESE: "小安住在罗马。"},
    {
        ENGLISH: "Ana lives in Bern.",
        CHINESE: "小安住在伯尔尼。",
    },
)
TOLD = {ENGLISH: "Ana lives in Lima.", CHINESE: "小安住在利马。"}


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["English", "Chinese"])
def play(request, tmp_path):
    story = Play(tmp_path / "agent.db", request.param)
    yield story
    story.close()


def retired(play, **given):
    one = play.fact(WRONG[play.words], **given).id
    play.memory.retire(one)
    return one


def rejected(play, **given):
    one = waiting(play, **given)
    play.memory.review.reject(one)
    return one


def waiting(play, **given):
    play.fact(TOLD[play.words])
    return play.fact(WRONG[play.words], origin="web", **given).id


def expired(play, **given):
    return play.fact(WRONG[play.words], expires_at=play.at(1), **given).id


@pytest.mark.parametrize("out", [retired, rejected, waiting, expired])
def test_it_holds_from_now_on(play, out):
    one = out(play)
    play.later(days=3)
    right = play.memory.feedback(one, corrected=RIGHT[play.words]).id
    assert play.memory.get(right).valid_from == play.now


@pytest.mark.parametrize("day", [-30, 9])
@pytest.mark.parametrize("out", [retired, rejected, waiting])
def test_or_from_the_day_that_was_given(play, out, day):
    begins = play.at(day)
    one = out(play, valid_from=begins)
    play.later(days=3)
    right = play.memory.feedback(one, corrected=RIGHT[play.words]).id
    assert play.memory.get(right).valid_from == begins
