"""The stories of what a person decides and switches, and of tasks and working memory."""

from datetime import timedelta

import faults
import pytest
from stories import stories

from memcore import InvalidInputError
from memcore.settings import Settings

__all__ = ["SCENARIOS"]

SCENARIOS, scenario = stories()


@scenario(faults.ForgetsOrigin)
def a_web_page_does_not_change_what_the_user_said(play, words):
    play.fact(words.old)
    offered = play.fact(words.offer, origin="web")
    assert offered.outcome == "defer"
    assert play.found(words.where_query) == [words.old]
    assert play.found(words.offer_query) == []
    assert [one.id for one in play.memory.review.pending(user_id="ana")] == [offered.id]


@scenario(faults.NeverDecides)
def a_human_decides_what_is_pending(play, words):
    play.fact(words.old)
    refused, approved = play.fact(words.offer, origin="web"), play.fact(words.new, origin="tool")
    play.memory.review.reject(refused.id, reason="nonsense")
    play.memory.review.approve(approved.id)
    assert play.found(words.where_query) == [words.new]
    assert list(play.memory.review.pending(user_id="ana")) == []
    assert play.memory.get(refused.id).review_state == "rejected"


@scenario(faults.NeverDecides)
def a_decision_takes_effect_also_where_the_clock_stepped_back(play, words):
    play.fact(words.old)
    play.later(hours=5)
    offered = play.fact(words.new, origin="web")
    play.later(hours=-20)
    play.memory.review.approve(offered.id)
    for _ in range(2):
        assert play.found(words.where_query) == [words.new]
        assert play.memory.facts.get(words.slot, user_id="ana").content == words.new
        play.later(days=2)


@scenario(faults.IgnoresLayers)
def a_layer_that_is_off_is_neither_written_nor_read(play, words):
    play.fact(words.old)
    play.reopen(settings=Settings(layers=frozenset({"turns", "events"})))
    added = play.fact(words.new)
    assert (added.id, added.outcome) == (None, "drop")
    assert play.found(words.where_query) == []
    play.reopen()
    assert play.found(words.where_query) == [words.old]


@scenario(faults.IgnoresRetention)
def what_is_older_than_its_retention_is_not_found(play, words):
    play.reopen(settings=Settings(retention_days={"event": 30}))
    play.memory.add(words.habit, user_id="ana")
    play.fact(words.old)
    play.later(days=29)
    assert play.found(words.habit_query) == [words.habit]
    play.later(days=2)
    assert play.found(words.habit_query) == []
    assert play.found(words.where_query) == [words.old]


@scenario(faults.TasksDoAnything)
def a_task_goes_only_forward(play, words):
    task = play.memory.tasks.add(words.task, user_id="ana")
    play.memory.tasks.start(task.id)
    play.memory.tasks.finish(task.id, note=words.note)
    assert play.memory.tasks.get(task.id).state == "done"
    with pytest.raises(InvalidInputError):
        play.memory.tasks.start(task.id)
    assert [event.to_state for event in play.memory.tasks.events(task.id)] == ["open", "doing", "done"]


@scenario(faults.WorksWithoutSnapshot)
def a_turn_sees_a_fixed_snapshot(play, words):
    first = play.memory.working.put("notes", words.note, user_id="ana", session_id="s")
    play.memory.working.put("notes", words.task, user_id="ana", session_id="s")
    shown = play.memory.working.items("notes", user_id="ana", session_id="s", before=first.id + 1)
    assert [item.content for item in shown] == [words.note]


@scenario(faults.WorksWithoutEnd)
def what_has_expired_in_working_memory_is_not_shown(play, words):
    play.memory.working.put("notes", words.note, user_id="ana", session_id="s")
    play.memory.working.put("notes", words.task, user_id="ana", session_id="s", ttl=timedelta(hours=1))
    shown = play.memory.working.items("notes", user_id="ana", session_id="s")
    assert [item.content for item in shown] == [words.note, words.task]
    play.later(hours=2)
    shown = play.memory.working.items("notes", user_id="ana", session_id="s")
    assert [item.content for item in shown] == [words.note]
