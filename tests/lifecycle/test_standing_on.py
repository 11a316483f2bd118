"""What stands on what: no undo takes away what was built on since, or brings back what was replaced since."""

from datetime import timedelta

import pytest
from play import Play
from words import CHINESE, ENGLISH

from memcore import UndoRefusedError

PAGE, MAIL = "https://example.org/a", "mail"


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["en", "zh"])
def play(request, tmp_path):
    story = Play(tmp_path / "agent.db", request.param)
    yield story
    story.close()


def from_page(play, content, **given):
    return play.fact(content, **({"origin": "web", "source_ref": PAGE} | given))


def placed(play, content, **given):
    """Fills the slot of the story, a day later."""
    play.later(days=1)
    return play.memory.facts.set(play.words.slot, content, user_id="ana", **given)


def last(play, memory_id):
    return play.memory.history(memory_id)[-1].id


def everything(play):
    with play.memory._database.read() as connection:
        return {
            table: connection.exec_driver_sql(f"SELECT * FROM {table}").fetchall()
            for table in ("memory", "claim", "fact_detail", "conflict_pair", "operation", "operation_change")
        }


def refused(play, *operations, **given):
    """That an undo is refused, names these operations, says what to do, and changes nothing."""
    before = everything(play)
    with pytest.raises(UndoRefusedError, match="undo them first, newest first") as error:
        play.memory.undo(**given)
    assert error.value.operations == operations
    assert all(str(one) in str(error.value) for one in operations)
    assert everything(play) == before


def values(play):
    return [one.content for one in play.memory.facts.list(user_id="ana", slot=play.words.slot)]


# what was said again


def test_what_the_user_said_too_is_not_taken_away_with_the_page_that_said_it_first(play):
    added = from_page(play, play.words.old)
    play.fact(play.words.old)
    refused(play, last(play, added.id), source_ref=PAGE)
    assert play.found(play.words.where_query) == [play.words.old]
    play.memory.undo(last(play, added.id))
    play.memory.undo(source_ref=PAGE)
    assert play.found(play.words.where_query) == []


def test_what_another_source_says_too_stays_until_that_is_taken_back(play):
    added = from_page(play, play.words.old)
    from_page(play, play.words.old, source_ref="https://example.org/b")
    refused(play, last(play, added.id), source_ref=PAGE)
    assert len(play.memory.undo(source_ref="https://example.org/b")) == 1
    assert play.found(play.words.where_query) == [play.words.old]
    play.memory.undo(source_ref=PAGE)
    assert play.found(play.words.where_query) == []


def test_what_two_sources_say_in_one_call_is_not_taken_away_with_the_first(play):
    said = {"content": play.words.old, "user_id": "ana", "kind": "fact"}
    one, other = play.memory.add_many([said | {"source_ref": PAGE}, said | {"source_ref": MAIL}]).ids
    assert one == other
    refused(play, last(play, one), source_ref=PAGE)


def test_what_a_source_said_several_times_is_taken_back_at_once(play):
    for _ in range(3):
        from_page(play, play.words.old)
    assert len(play.memory.undo(source_ref=PAGE)) == 3
    assert play.found(play.words.where_query) == []


def test_use_a_pin_and_a_label_stand_in_no_way(play):
    added = from_page(play, play.words.old, origin="user")
    play.memory.mark_used([added.id])
    play.memory.pin(added.id)
    play.memory.feedback(added.id, helpful=True)
    play.memory.update(added.id, tags=["home"], importance=9)
    play.memory.undo(source_ref=PAGE)
    assert play.found(play.words.where_query) == []


def test_what_left_the_searches_anyhow_is_taken_back_with_its_source(play):
    retired, wrong = from_page(play, play.words.old), from_page(play, play.words.habit, slot=None)
    for one in (retired, wrong):
        play.memory.add(play.memory.get(one.id).content, user_id="ana", kind="fact")
    play.memory.retire(retired.id)
    play.memory.feedback(wrong.id, wrong=True)
    play.memory.undo(source_ref=PAGE)
    assert [play.memory.get(one.id).ending for one in (retired, wrong)] == ["retired", "wrong"]


def test_words_that_a_person_wrote_into_a_memory_are_not_taken_away_with_its_source(play):
    added = from_page(play, play.words.old)
    play.memory.update(added.id, content=play.words.new)
    refused(play, last(play, added.id), source_ref=PAGE)


def test_what_replaced_the_text_of_a_source_stays_without_it(play):
    from_page(play, play.words.old)
    placed(play, play.words.new)
    false = from_page(play, play.words.false_claim, slot=None)
    play.memory.feedback(false.id, corrected=play.words.habit)
    play.memory.undo(source_ref=PAGE)
    assert values(play) == [play.words.new]
    assert play.found(play.words.habit_query) == [play.words.habit]


def test_what_came_back_by_an_undo_and_was_said_since_is_not_replaced_by_doing_it_again(play):
    old = placed(play, play.words.old)
    new = placed(play, play.words.new)
    [undone] = play.memory.undo(last(play, new.id))
    play.fact(play.words.old)
    refused(play, last(play, old.id), operation_id=undone.id)


def test_a_merge_is_not_done_again_where_what_it_said_again_was_taken_back(play):
    added = from_page(play, play.words.old)
    play.fact(play.words.old)
    [merge] = play.memory.undo(last(play, added.id))
    [birth] = play.memory.undo(source_ref=PAGE)
    refused(play, birth.id, operation_id=merge.id)
    play.memory.undo(birth.id)
    play.memory.undo(merge.id)
    refused(play, last(play, added.id), source_ref=PAGE)


# what replaced another


def test_a_change_in_the_middle_does_not_bring_the_first_value_back_beside_the_last(play):
    placed(play, play.words.old)
    placed(play, play.words.new, source_ref=MAIL)
    third = placed(play, play.words.newest)
    refused(play, last(play, third.id), source_ref=MAIL)
    play.memory.undo(last(play, third.id))
    play.memory.undo(source_ref=MAIL)
    assert values(play) == [play.words.old]


def test_a_chain_of_one_source_is_taken_back_at_once(play):
    placed(play, play.words.old)
    for value in (play.words.new, play.words.newest):
        placed(play, value, source_ref=MAIL)
    assert len(play.memory.undo(source_ref=MAIL)) == 2
    assert values(play) == [play.words.old]


def test_a_source_is_refused_with_all_that_stands_on_it(play):
    other = from_page(play, play.words.habit, slot=None, source_ref=MAIL)
    placed(play, play.words.old)
    placed(play, play.words.new, source_ref=MAIL)
    third = placed(play, play.words.newest)
    play.memory.add(play.words.habit, user_id="ana", kind="fact")
    refused(play, last(play, other.id), last(play, third.id), source_ref=MAIL)


def test_a_correction_of_a_correction_stands_on_it(play):
    for kind in ("fact", "event"):
        [added] = play.memory.add(play.words.old, user_id="ana", kind=kind)
        first = play.memory.feedback(added.id, corrected=play.words.new)
        second = play.memory.feedback(first.id, corrected=play.words.newest)
        correction = play.memory.history(first.id)[0].id
        refused(play, last(play, second.id), operation_id=correction)
        play.memory.undo(last(play, second.id))
        play.memory.undo(correction)
        assert play.found(play.words.where_query, kinds=[kind]) == [play.words.old]


def test_what_was_said_against_the_value_between_stands_on_it(play):
    placed(play, play.words.old)
    placed(play, play.words.new, source_ref=MAIL)
    beside = play.fact(play.words.newest)
    said = last(play, beside.id)
    refused(play, said, source_ref=MAIL)
    waits = from_page(play, play.words.habit)
    play.memory.undo(said)
    play.memory.undo(source_ref=MAIL)
    assert values(play) == [play.words.old]
    assert [one.id for one in play.memory.review.pending(user_id="ana")] == [waits.id]


def test_a_value_that_was_deleted_replaces_nothing_any_more(play):
    placed(play, play.words.old)
    placed(play, play.words.new, source_ref=MAIL)
    play.memory.delete(placed(play, play.words.newest).id)
    play.memory.undo(source_ref=MAIL)
    assert values(play) == [play.words.old]


# what a person decided


def test_an_approval_stands_on_what_brought_the_fact_and_its_slot_is_never_empty(play):
    waits = from_page(play, play.words.new, confidence=0.5)
    placed(play, play.words.old)
    play.memory.review.approve(waits.id)
    refused(play, last(play, waits.id), source_ref=PAGE)
    play.memory.undo(last(play, waits.id))
    play.memory.undo(source_ref=PAGE)
    assert values(play) == [play.words.old]


def test_a_rejection_of_what_a_source_brought_stands_in_no_way(play):
    waits = from_page(play, play.words.new, confidence=0.5)
    play.memory.review.reject(waits.id)
    play.memory.undo(source_ref=PAGE)
    assert play.memory.get(waits.id).ending == "retired"


@pytest.mark.parametrize("keep_both", [False, True])
def test_a_decision_between_two_values_stands_on_what_brought_the_one_that_is_kept(play, keep_both):
    kept = from_page(play, play.words.old, origin="user")
    other = play.fact(play.words.new)
    play.memory.review.resolve(kept.id, other.id, keep_both=keep_both)
    refused(play, last(play, other.id), source_ref=PAGE)


def test_a_decision_against_what_a_source_brought_stays_without_it(play):
    dropped = from_page(play, play.words.old, origin="user")
    kept = play.fact(play.words.new)
    play.memory.review.resolve(kept.id, dropped.id)
    play.memory.undo(source_ref=PAGE)
    assert values(play) == [play.words.new]


def test_what_was_said_again_since_its_approval_does_not_wait_again(play):
    waits = from_page(play, play.words.old, confidence=0.5)
    play.memory.review.approve(waits.id)
    approved = last(play, waits.id)
    play.later(days=1)
    play.fact(play.words.old)
    refused(play, last(play, waits.id), operation_id=approved)


def test_what_was_planned_and_taken_back_leaves_what_holds(play):
    placed(play, play.words.old)
    placed(play, play.words.new, valid_from=play.now + timedelta(days=30), source_ref=MAIL)
    play.memory.undo(source_ref=MAIL)
    play.later(days=60)
    assert values(play) == [play.words.old]
