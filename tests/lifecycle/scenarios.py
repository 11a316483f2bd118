"""The stories: write, correct, rescope, expire, take back, delete; each says what must and what must not come back."""

from datetime import timedelta

import faults
import pytest
from stories import stories

from memcore import NotFoundError, UndoRefusedError

__all__ = ["SCENARIOS"]

SCENARIOS, scenario = stories()


@scenario(faults.NeverSupersedes)
def a_correction_is_what_comes_back(play, words):
    play.memory.facts.set(words.slot, words.old, user_id="ana")
    before = play.later(days=30)
    added = play.memory.facts.set(words.slot, words.new, user_id="ana")
    assert added.supersedes is not None
    assert play.found(words.where_query) == [words.new]
    assert play.memory.facts.get(words.slot, user_id="ana").content == words.new
    assert play.found(words.where_query, as_of=before + timedelta(days=1)) == [words.old]


@scenario(faults.IgnoresTime)
def the_old_value_comes_back_only_with_as_of(play, words):
    play.memory.facts.set(words.slot, words.old, user_id="ana")
    first = play.later(days=30)
    play.memory.facts.set(words.slot, words.new, user_id="ana")
    second = play.later(days=30)
    play.memory.facts.set(words.slot, words.newest, user_id="ana")
    assert play.found(words.where_query) == [words.newest]
    assert play.found(words.where_query, as_of=first + timedelta(days=1)) == [words.old]
    assert play.found(words.where_query, as_of=second + timedelta(days=1)) == [words.new]
    assert play.found(words.old_query, as_of=first - timedelta(days=1)) == []


@scenario(faults.IgnoresKnownAt)
def what_was_known_then_is_told_from_what_is_known_now(play, words):
    play.fact(words.old)
    known = play.later(days=10)
    play.memory.facts.set(words.slot, words.new, user_id="ana", valid_from=known - timedelta(days=5))
    assert play.found(words.where_query) == [words.new]
    assert play.found(words.where_query, known_at=known + timedelta(days=1)) == [words.old]


@scenario(faults.LastOneWins)
def two_values_of_one_slot_stand_side_by_side(play, words):
    one, other = play.fact(words.old), play.fact(words.new)
    assert other.outcome == "accept"
    assert sorted(play.found(words.where_query)) == sorted([words.old, words.new])
    [pair] = play.memory.review.conflicts(user_id="ana")
    assert {pair.older.id, pair.newer.id} == {one.id, other.id}


@scenario(faults.StoresVerbatim)
def a_repetition_is_one_row_and_stronger(play, words):
    [first] = play.memory.add(words.habit, user_id="ana")
    for said in [words.habit, words.habit_again] * 10:
        play.later(hours=1)
        [again] = play.memory.add(said, user_id="ana")
        assert (again.id, again.outcome) == (first.id, "merge")
    assert play.rows() == 1
    assert play.memory.get(first.id).base_importance > 5


@scenario(faults.KeepsNothing)
def no_fact_is_lost_by_being_said_again(play, words):
    for _ in range(4):
        play.fact(words.old)
        assert play.found(words.where_query) == [words.old]
    assert play.rows() == 1


@scenario(faults.StoresVerbatim)
def small_talk_is_not_remembered_but_in_a_conversation(play, words):
    for said in words.small_talk:
        [added] = play.memory.add(said, user_id="ana")
        assert (added.id, added.outcome) == (None, "drop")
        assert added.reason
    assert play.rows() == 0
    for _ in range(20):
        play.memory.add([{"role": "user", "content": words.small_talk[0]}], user_id="ana", session_id="s")
    assert play.rows() == 20


@scenario(faults.MergesLookalikes)
def another_number_or_a_negation_is_another_memory(play, words):
    for said in (words.number, words.other_number, words.negated):
        [added] = play.memory.add(said, user_id="ana")
        assert added.outcome == "accept"
    assert len(play.found(words.number_query)) == 3


@scenario(faults.IgnoresExpiry)
def nothing_expired_comes_back(play, words):
    play.memory.add(words.habit, user_id="ana", expires_at=play.now + timedelta(days=2))
    assert play.found(words.habit_query) == [words.habit]
    play.later(days=3)
    assert play.found(words.habit_query) == []
    assert play.memory.context(words.habit_query, user_id="ana") == ""


@scenario(faults.IgnoresValidity)
def a_fact_holds_until_its_end_and_not_longer(play, words):
    play.fact(words.old, valid_until=play.now + timedelta(days=10))
    play.later(days=9)
    assert play.found(words.where_query) == [words.old]
    during = play.later(days=2)
    assert play.found(words.where_query) == []
    assert play.found(words.where_query, as_of=during) == [words.old]


@scenario(faults.NeverFreezes)
def a_state_fades_and_wakes_when_it_is_said_again(play, words):
    first = play.fact(words.mood, category="state", slot="mood")
    play.later(hours=41)
    play.memory.maintain(["sweep"])
    assert play.found(words.mood_query) == []
    assert play.found(words.mood_query, include_dormant=True) == [words.mood]
    assert play.memory.facts.get("mood", user_id="ana").content == words.mood
    again = play.fact(words.mood, category="state", slot="mood")
    assert (again.id, again.outcome) == (first.id, "merge")
    assert play.found(words.mood_query) == [words.mood]


@scenario(faults.NeverPins)
def what_is_pinned_does_not_fade(play, words):
    fact = play.fact(words.mood, category="state", slot="mood")
    play.memory.pin(fact.id)
    play.later(days=400)
    play.memory.maintain(["sweep"])
    assert play.found(words.mood_query) == [words.mood]
    play.memory.unpin(fact.id)
    play.memory.maintain(["sweep"])
    assert play.found(words.mood_query) == []


@scenario(faults.NeverRetires)
def what_is_retired_is_kept_but_not_found(play, words):
    [added] = play.memory.add(words.habit, user_id="ana")
    play.memory.retire(added.id, reason="moved")
    assert play.found(words.habit_query) == []
    assert play.memory.get(added.id).content == words.habit
    assert play.memory.history(added.id)[-1].reason == "moved"


@scenario(faults.NeverTakesBack)
def a_correction_can_be_taken_back_and_made_again(play, words):
    play.memory.facts.set(words.slot, words.old, user_id="ana")
    play.later(days=1)
    added = play.memory.facts.set(words.slot, words.new, user_id="ana")
    [done] = [one for one in play.memory.history(added.id) if one.action == "supersede"]
    play.later(days=1)
    undone = play.memory.undo(done.id)
    assert len(undone) == 1
    assert play.found(words.where_query) == [words.old]
    play.later(days=1)
    play.memory.undo(undone[0].id)
    assert play.found(words.where_query) == [words.new]


@scenario(faults.NeverRefuses)
def what_a_later_value_stands_on_is_not_taken_from_under_it(play, words):
    play.fact(words.old)
    source = "https://example.org/b"
    between = play.memory.facts.set(words.slot, words.new, user_id="ana", source_ref=source)
    play.memory.facts.set(words.slot, words.newest, user_id="ana")
    [placed] = [one for one in play.memory.history(between.id) if one.source_ref == source]
    for selector in ({"operation_id": placed.id}, {"source_ref": source}):
        with pytest.raises(UndoRefusedError):
            play.memory.undo(**selector)
    assert play.found(words.where_query) == [words.newest]


@scenario(faults.TakesBackHalf)
def what_a_source_brought_is_taken_back_as_a_whole(play, words):
    play.memory.add(words.habit, user_id="ana")
    play.memory.add(words.offer, user_id="ana", origin="web", source_ref="https://example.org/a")
    play.memory.add(words.false_claim, user_id="ana", origin="web", source_ref="https://example.org/a")
    play.memory.undo(source_ref="https://example.org/a")
    assert play.found(words.offer_query) == []
    assert play.rows() == 1
    assert play.found(words.habit_query) == [words.habit]


@scenario(faults.HearsEverything)
def what_was_said_in_private_is_not_told_in_the_group(play, words):
    play.memory.add(words.private, user_id="ana", channel="direct")
    assert play.found(words.private_query) == [words.private]
    assert play.found(words.private_query, channel="direct") == [words.private]
    assert play.found(words.private_query, channel="group") == []
    [again] = play.memory.add(words.private, user_id="ana", channel="group")
    assert again.outcome == "merge"
    assert play.found(words.private_query, channel="group") == [words.private]
    play.memory.add(words.private, user_id="ana", channel="direct")
    assert play.found(words.private_query, channel="group") == [words.private]


@scenario(faults.MixesUsers)
def what_belongs_to_another_is_never_found(play, words):
    play.memory.add(words.private, user_id="bob")
    play.memory.add(words.room)
    assert play.found(words.private_query) == []
    assert play.found(words.room_query) == [words.room]
    assert play.found(words.room_query, user_id=None) == [words.room]
    assert play.found(words.private_query, user_id="bob") == [words.private]


@scenario(faults.DeletesSoftly)
def what_is_deleted_is_nowhere(play, words):
    [kept] = play.memory.add(words.habit, user_id="ana")
    [gone] = play.memory.add(words.private, user_id="ana")
    play.memory.delete(gone.id)
    assert play.found(words.private_query) == []
    with pytest.raises(NotFoundError):
        play.memory.get(gone.id)
    assert list(play.memory.verify_absent(words.private)) == []
    assert play.memory.get(kept.id).content == words.habit


@scenario(faults.LosesTheRest)
def a_conversation_closes_around_what_is_deleted(play, words):
    messages = [{"role": "user", "content": said} for said in words.turns]
    first, middle, last = play.memory.add(messages, user_id="ana", session_id="s").ids
    play.memory.delete(middle)
    assert play.memory.get(first).next_id == last
    assert play.memory.get(last).prev_id == first
    assert words.turns[0] in play.found(words.turn_query)


@scenario(faults.DeletesSoftly)
def a_chain_of_corrections_closes_around_what_is_deleted(play, words):
    ids = []
    for value in (words.old, words.new, words.newest):
        ids.append(play.memory.facts.set(words.slot, value, user_id="ana").id)
        play.later(days=10)
    play.memory.delete(ids[1])
    assert play.memory.get(ids[0]).superseded_by == ids[2]
    assert play.found(words.where_query) == [words.newest]


@scenario(faults.NeverPurges)
def a_user_who_leaves_is_forgotten(play, words):
    play.memory.facts.set(words.slot, words.old, user_id="ana")
    play.memory.add(words.private, user_id="ana")
    assert play.memory.purge_user("ana").confirmed is False
    assert play.rows() == 2
    assert play.memory.purge_user("ana", confirm="ana").confirmed is True
    assert play.rows() == 0
    assert play.found(words.private_query) == []
    assert list(play.memory.verify_absent(words.private)) == []


@scenario(faults.PurgesAll)
def the_others_stay_when_a_user_is_forgotten(play, words):
    play.memory.add(words.private, user_id="ana")
    play.memory.add(words.habit, user_id="bob")
    play.memory.add(words.room)
    play.memory.purge_user("ana", confirm="ana")
    assert play.found(words.habit_query, user_id="bob") == [words.habit]
    assert play.found(words.room_query) == [words.room]


@scenario(faults.PurgesWithoutStones)
def an_old_transcript_does_not_bring_back_what_was_forgotten(play, words):
    written = play.now
    play.memory.add(words.import_text, user_id="ana")
    play.later(days=10)
    play.memory.purge_user("ana", confirm="ana", tombstones=True)
    play.later(days=1)
    [added] = play.memory.add(words.import_text, user_id="ana", origin="import", event_time=written)
    assert (added.id, added.outcome) == (None, "drop")
    assert play.found(words.import_query) == []
    [anew] = play.memory.add(words.import_text, user_id="ana")
    assert anew.outcome == "accept"
    assert play.found(words.import_query) == [words.import_text]


@scenario(faults.ForgetsFeedback)
def what_is_said_to_be_wrong_is_not_found(play, words):
    [added] = play.memory.add(words.false_claim, user_id="ana", kind="fact")
    play.memory.feedback(added.id, wrong=True)
    assert play.found(words.false_claim) == []


@scenario(faults.ForgetsFeedback)
def what_is_corrected_by_feedback_is_superseded(play, words):
    old = play.fact(words.old)
    new = play.memory.feedback(old.id, corrected=words.new)
    assert new is not None
    assert new.supersedes == old.id
    assert play.found(words.where_query) == [words.new]


@scenario(faults.StoresVerbatim)
def our_own_block_does_not_come_in_again(play, words):
    play.memory.add(words.habit, user_id="ana")
    for role in ("assistant", "tool"):
        for _ in range(20):
            block = play.memory.context(words.habit_query, user_id="ana", session_id=None)
            assert words.habit in block
            [added] = play.memory.add(block, user_id="ana", origin=role)
            assert added.outcome == "drop"
    assert play.rows() == 1
