"""Every story passes, in English and in Chinese; with its fault planted, it fails."""

import decided_scenarios
import pytest
import scenarios
from play import Play
from words import CHINESE, ENGLISH

from memcore import MemcoreError

SCENARIOS = (*scenarios.SCENARIOS, *decided_scenarios.SCENARIOS)
LANGUAGES = pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=lambda words: words.language)
STORIES = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)


def told(scenario, words, path, **given):
    play = Play(path, words, **given)
    try:
        scenario.story(play, words)
    finally:
        play.close()


@LANGUAGES
@STORIES
def test_the_story_holds(scenario, words, tmp_path):
    told(scenario, words, tmp_path / "agent.db")


@LANGUAGES
@STORIES
def test_the_story_notices_its_fault(scenario, words, tmp_path):
    with pytest.raises((AssertionError, MemcoreError, pytest.fail.Exception)):
        told(scenario, words, tmp_path / "agent.db", memory_type=scenario.fault)


def test_there_are_thirty_stories_in_two_languages():
    assert len(SCENARIOS) >= 30
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS)
