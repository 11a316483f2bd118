"""Outside a slot too, a text that is there already, of another time, is told."""

import pytest
from play import Play
from words import ENGLISH


@pytest.fixture
def play(tmp_path):
    story = Play(tmp_path / "agent.db", ENGLISH)
    yield story
    story.close()


@pytest.mark.parametrize("kind", ["fact", "knowledge", "lesson"])
@pytest.mark.parametrize("text", ["The shop opens at nine.", "商店九点开门。"])
@pytest.mark.parametrize("moment", ["valid_from", "valid_until"])
def test_the_reason_names_what_says_the_same(play, kind, text, moment):
    given = {"user_id": "ana", "kind": kind} | ({"details": {"pattern": text}} if kind == "lesson" else {})
    first = play.memory.add(text, **given)[0]
    again = play.memory.add(text, **given, **{moment: play.at(9)})[0]
    assert (first.reason, again.outcome.value) == ("", "accept")
    assert again.reason == f"memory {first.id} says the same of another time"


def test_another_speaker_is_told_too(play):
    first = play.memory.add("The shop opens at nine.", user_id="ana", kind="fact", speaker="Bo")[0]
    again = play.memory.add("The shop opens at nine.", user_id="ana", kind="fact", speaker="Cleo")[0]
    assert again.reason == f"memory {first.id} says the same by another speaker"
