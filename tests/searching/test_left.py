"""`why_not` says by what a memory left the searches: each way there is, in the words of what happened."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory, NotFoundError, Settings
from memcore.embedding import HashingEmbedder

FACT = {"user_id": "ana", "kind": "fact", "slot": "drink"}


class Clock:
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self):
        return self.now

    def passes(self, days=1):
        self.now += timedelta(days=days)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(clock):
    settings = Settings(retention_days={"event": 30})
    with Memory(":memory:", embedder=HashingEmbedder(64), clock=clock, settings=settings) as opened:
        yield opened


def added(memory, text="Ana drinks tea.", **given):
    return memory.add(text, **{"user_id": "ana"} | given)[0].id


def waits(memory, text="Ana drinks beer.", **given):
    """A memory that waits for review: the web contradicts what the user said."""
    if memory.facts.get("drink", user_id="ana") is None:
        memory.facts.set("drink", "Ana drinks tea.", user_id="ana")
    [one] = memory.add(text, **FACT, origin="web", **given)
    assert one.outcome == "defer", one
    return one.id


def last(memory, one):
    return memory.history(one)[-1].id


WAYS = []


def way(function):
    """A way out of the searches: it gives the memory, and the reason and the sentence that are told of it."""
    WAYS.append(function)
    return function


@way
def retired(memory, clock):
    one = added(memory)
    clock.passes()
    memory.retire(one, reason="the winter timetable")
    return one, "ended", "it was retired by hand on 2026-12-01 (operation 1)"


@way
def retired_again_after_an_undo(memory, clock):
    one = added(memory)
    memory.retire(one)
    [undo] = memory.undo(last(memory, one))
    clock.passes()
    memory.undo(undo.id)
    return one, "ended", f"it was retired by hand on 2026-12-01 (operation {last(memory, one)})"


@way
def retired_while_it_waited(memory, _clock):
    one = waits(memory)
    memory.retire(one)
    return one, "ended", f"it was retired by hand on 2026-11-30 (operation {last(memory, one)})"


@way
def called_wrong(memory, _clock):
    one = added(memory)
    memory.feedback(one, wrong=True)
    return one, "ended", "it was said to be wrong on 2026-11-30 (operation 1)"


@way
def called_wrong_after_it_was_retired(memory, clock):
    one = added(memory)
    memory.retire(one)
    clock.passes()
    memory.feedback(one, wrong=True)
    return one, "ended", "it was said to be wrong on 2026-11-30 (operation 2)"


@way
def retired_and_no_more_called_wrong(memory, _clock):
    one = added(memory)
    memory.retire(one)
    memory.feedback(one, wrong=True)
    memory.undo(2)
    return one, "ended", "it was retired by hand on 2026-11-30 (operation 1)"


@way
def corrected(memory, _clock):
    one = added(memory)
    right = memory.feedback(one, corrected="Ana drinks coffee.").id
    return one, "ended", f"it was corrected on 2026-11-30: memory {right} says what is right (operation 1)"


@way
def corrected_by_what_was_there(memory, _clock):
    one, right = added(memory, **FACT), added(memory, "Ana drinks coffee.", **FACT)
    memory.feedback(one, corrected="Ana drinks coffee.", wrong=True)
    said = f"it was corrected on 2026-11-30: memory {right} says what is right (operation {last(memory, one)})"
    return one, "ended", said


@way
def a_fact_corrected(memory, _clock):
    one = added(memory, **FACT)
    right = memory.feedback(one, corrected="Ana drinks coffee.").id
    return one, "superseded", f"memory {right} has superseded it"


@way
def corrected_while_it_waited(memory, _clock):
    one = waits(memory)
    right = memory.feedback(one, corrected="Ana drinks coffee.").id
    said = f"it was corrected on 2026-11-30: memory {right} says what is right (operation {last(memory, one)})"
    return one, "review", said


@way
def rejected(memory, clock):
    one = waits(memory)
    clock.passes()
    memory.review.reject(one, reason="another Ana")
    return one, "review", f"it was rejected in review on 2026-12-01 (operation {last(memory, one)})"


@way
def rejected_again_after_an_undo(memory, _clock):
    one = waits(memory)
    memory.review.reject(one)
    [undo] = memory.undo(last(memory, one))
    [again] = memory.undo(undo.id)
    return one, "review", f"it was rejected in review on 2026-11-30 (operation {again.id})"


@way
def rejected_by_the_decision_of_a_conflict(memory, _clock):
    one = waits(memory)
    [pair] = memory.review.conflicts(user_id="ana")
    memory.review.resolve(pair.older.id, one)
    told = f"when a conflict was decided for memory {pair.older.id} (operation {last(memory, one)})"
    return one, "review", f"it was rejected on 2026-11-30, {told}"


@way
def pending(memory, _clock):
    return waits(memory), "review", "it is pending: nobody has approved it yet"


@way
def pending_again(memory, _clock):
    one = waits(memory)
    memory.review.approve(one)
    memory.undo(last(memory, one))
    return one, "review", "it is pending: nobody has approved it yet"


@way
def expired_while_it_waited(memory, clock):
    one = waits(memory, expires_at=clock.now + timedelta(days=1))
    clock.passes(2)
    return one, "expired", "it expired on 2026-12-01, while it waited for review"


@way
def approved_into_another(memory, _clock):
    one = waits(memory)
    other = memory.facts.set("drink", "Ana drinks coffee.", user_id="ana")
    said = memory.add("Ana drinks beer.", **FACT, infer=False)[0].id
    assert other.id != said
    memory.review.approve(one)
    told = f"it was approved on 2026-11-30 into memory {said}, which says the same (operation {last(memory, one)})"
    return one, "ended", told


@way
def said_by_the_user_while_it_waited(memory, clock):
    one = waits(memory)
    clock.passes()
    said = added(memory, "Ana drinks beer.", **FACT)
    told = f"it waited for review, until memory {said} said the same on 2026-12-01 (operation {last(memory, one)})"
    return one, "ended", told


@way
def taken_back_by_the_undo_of_its_source(memory, clock):
    one = added(memory, source_ref="mail")
    clock.passes()
    [undo] = memory.undo(source_ref="mail")
    told = f"it was taken back by the undo of operation {undo.undoes} on 2026-12-01 (operation {undo.id})"
    return one, "ended", told


@way
def taken_back_by_the_undo_of_what_it_replaced(memory, _clock):
    added(memory, **FACT)
    one = memory.facts.set("drink", "Ana drinks coffee.", user_id="ana").id
    [undo] = memory.undo(last(memory, one))
    told = f"it was taken back by the undo of operation {undo.undoes} on 2026-11-30 (operation {undo.id})"
    return one, "ended", told


@way
def taken_back_once_more(memory, _clock):
    one = added(memory, source_ref="mail")
    first = last(memory, one)
    [undo] = memory.undo(first)
    [again] = memory.undo(undo.id)
    [more] = memory.undo(again.id)
    return one, "ended", f"it was taken back by the undo of operation {first} on 2026-11-30 (operation {more.id})"


@way
def taken_back_while_it_waited(memory, _clock):
    one = waits(memory)
    [undo] = memory.undo(last(memory, one))
    told = f"it was taken back by the undo of operation {undo.undoes} on 2026-11-30 (operation {undo.id})"
    return one, "ended", told


@way
def made_one_by_an_undo(memory, clock):
    old = added(memory, "The ferry leaves at noon.", event_time=clock.now)
    memory.retire(old)
    one = added(memory, "The ferry leaves at noon.", event_time=clock.now)
    assert one != old
    [undo] = memory.undo(1)
    told = f"memory {old} says the same, and an undo made the two one on 2026-11-30 (operation {undo.id})"
    return one, "ended", told


@way
def made_one_by_the_undo_that_brought_it_back(memory, clock):
    old = added(memory, "The ferry leaves at noon.", event_time=clock.now)
    memory.retire(old)
    one = added(memory, "The ferry leaves at noon.", event_time=clock.now)
    memory.retire(one)
    memory.undo(1)
    [undo] = memory.undo(2)
    told = f"memory {old} says the same, and an undo made the two one on 2026-11-30 (operation {undo.id})"
    return one, "ended", told


@way
def merged_by_its_vector(memory, _clock):
    vectors = [[1.0, 0.1] + [0.0] * 62, [1.0] + [0.0] * 63]
    old = added(memory, "I prefer green tea over coffee", embedding=vectors[0])
    assert added(memory, "I prefer green tea to coffee", embedding=vectors[1]) == old
    one = old + 1
    told = f"it was merged on 2026-11-30 into memory {old}, which says nearly the same (operation {last(memory, one)})"
    return one, "ended", told


@way
def merged_again_after_an_undo(memory, _clock):
    one, *_ = merged_by_its_vector(memory, _clock)
    [undo] = memory.undo(last(memory, one))
    [again] = memory.undo(undo.id)
    told = f"it was merged on 2026-11-30 into memory {one - 1}, which says nearly the same (operation {again.id})"
    return one, "ended", told


@way
def ended_by_another_hand(memory, clock):
    one = added(memory)
    with memory._database.write() as connection:
        micros = int(clock.now.timestamp() * 1_000_000)
        connection.exec_driver_sql("UPDATE memory SET ended_at = ?, ending = 'retired' WHERE id = ?", (micros, one))
    return one, "ended", "it was retired by hand on 2026-11-30"


@way
def archived_by_another_hand(memory, clock):
    one = added(memory)
    with memory._database.write() as connection:
        micros = int(clock.now.timestamp() * 1_000_000)
        connection.exec_driver_sql("UPDATE memory SET ended_at = ?, ending = 'archived' WHERE id = ?", (micros, one))
    return one, "ended", "it was archived on 2026-11-30"


@way
def superseded(memory, _clock):
    one = added(memory, **FACT)
    new = memory.facts.set("drink", "Ana drinks coffee.", user_id="ana").id
    return one, "superseded", f"memory {new} has superseded it"


@way
def over(memory, clock):
    one = added(memory, **FACT, valid_until=clock.now + timedelta(days=1))
    clock.passes(2)
    return one, "no longer", "it held until 2026-12-01"


@way
def planned(memory, clock):
    one = added(memory, **FACT, valid_from=clock.now + timedelta(days=3))
    return one, "not yet", "it holds from 2026-12-03 on"


@way
def called_off(memory, clock):
    one = added(memory, **FACT, valid_from=clock.now + timedelta(days=3))
    memory.retire(one)
    return one, "ended", f"it was retired by hand on 2026-11-30 (operation {last(memory, one)})"


@way
def expired(memory, clock):
    one = added(memory, expires_at=clock.now + timedelta(days=1))
    clock.passes(2)
    return one, "expired", "it expired on 2026-12-01"


@way
def dormant(memory, clock):
    one = memory.facts.set("mood", "Ana is tired.", user_id="ana", category="state").id
    clock.passes(3)
    memory.maintain(["sweep"])
    return one, "dormant", "it has faded and is dormant; `include_dormant` finds it"


@way
def past_its_days(memory, clock):
    one = added(memory)
    clock.passes(31)
    return one, "retention", "a memory of kind event is kept for 30 days"


@pytest.mark.parametrize("how", WAYS)
def test_each_way_out_of_the_searches_is_told_as_it_was(memory, clock, how):
    one, reason, detail = how(memory, clock)
    query = memory.get(one).content
    assert one not in {hit.id for hit in memory.search(query, user_id="ana")}
    answer = memory.why_not(one, query, user_id="ana")
    assert (answer.reason, answer.detail) == (reason, detail)


def test_what_waited_past_its_days_of_retention_is_told_so(clock, tmp_path):
    claims = {"retention_days": {"fact": 30}}
    with Memory(tmp_path / "a.db", embedder="none", clock=clock, settings=Settings(**claims)) as memory:
        one = waits(memory)
        clock.passes(31)
        answer = memory.why_not(one, "beer", user_id="ana")
    assert (answer.reason, answer.detail) == (
        "retention",
        "a memory of kind fact is kept for 30 days, and it waited for review longer",
    )


def test_a_layer_that_is_off_is_told_also_of_what_waits(clock, tmp_path):
    with Memory(tmp_path / "a.db", embedder="none", clock=clock) as memory:
        one = waits(memory)
        layer = memory.get(one).kind.layer
    layers = [one for one in Settings().layers if one != layer]
    with Memory(tmp_path / "a.db", embedder="none", clock=clock, settings=Settings(layers=layers)) as memory:
        for number in (1, one):
            answer = memory.why_not(number, "beer", user_id="ana")
            assert (answer.reason, answer.detail) == ("layer", f"the layer {layer} is off")


def test_what_was_deleted_or_purged_is_not_there(memory):
    gone, purged = added(memory), added(memory, user_id="bo")
    memory.delete(gone)
    memory.purge_user("bo", confirm="bo")
    for one, user in ((gone, "ana"), (purged, "bo")):
        with pytest.raises(NotFoundError, match=rf"id: {one} is no memory of the named user of this agent \({user}\)"):
            memory.why_not(one, "tea", user_id=user)


def test_a_memory_with_a_long_history_is_told_by_what_ended_it(memory):
    one = added(memory, **FACT)
    memory.retire(one)
    for _ in range(120):
        [undo] = memory.undo(last(memory, one))
    assert memory.get(one).ended_at is not None
    answer = memory.why_not(one, "tea", user_id="ana")
    assert answer.detail == f"it was retired by hand on 2026-11-30 (operation {undo.id})"
