"""A corrected text in its slot: what it takes the place of, from when on it holds, and that it makes no twin."""

from datetime import timedelta

import pytest

from memcore.writing.change import changes, update
from memcore.writing.feedback import feedback, said
from memcore.writing.history import history, selector, undo
from memcore.writing.reach import reach
from memcore.writing.review import reject
from memcore.writing.rules import Rules
from memcore.writing.standing import retire


def correct(store, memory_id, content):
    return feedback(
        store.database,
        memory_id,
        said(None, False, content),
        within=reach(store.agent_id),
        vectors=store.vectors,
        rules=Rules(),
        now=store.now,
    )


def take_back(store, memory_id):
    """Undoes what was done to a memory last."""
    within = reach(store.agent_id)
    last = history(store.database, memory_id, within=within)[-1]
    undo(store.database, selector(last.id, None, None, None), within=within, now=store.now)


def homes(store):
    """The current values of the slot, and what waits there."""
    current = "review_state = 'active' AND ended_at IS NULL AND valid_until IS NULL"
    waits = "review_state = 'pending' AND ended_at IS NULL"
    query = "SELECT content FROM memory JOIN claim ON memory_id = id WHERE {} ORDER BY id"
    return [[text.split()[-1] for (text,) in store.rows(query.format(where))] for where in (current, waits)]


def home(store, city, **given):
    [added] = store.add(f"Ana lives in {city}", kind="fact", slot="home", **given)
    return added


def retired(store, memory_id):
    retire(store.database, memory_id, reason=None, within=reach(store.agent_id), now=store.now)


def rejected(store, memory_id):
    reject(store.database, memory_id, within=reach(store.agent_id), now=store.now, rules=Rules())


@pytest.mark.parametrize("by", [None, rejected, retired])
def test_a_correction_of_what_waited_or_is_out_fills_its_slot_from_now_on(wordless, by):
    old = home(wordless, "Lisbon")
    waits = home(wordless, "Porto", origin="web")
    if by is not None:
        by(wordless, waits.id)
    wordless.now += timedelta(days=3)
    new = correct(wordless, waits.id, "Ana lives in Braga")
    assert homes(wordless) == [["Braga"], []]
    moment = int(wordless.now.timestamp() * 1e6)
    query = "SELECT valid_from, valid_until, superseded_by FROM claim WHERE memory_id = ?"
    assert wordless.rows(query, old.id)[0][1:] == (moment, new.id)
    assert wordless.rows(query, new.id) == [(moment, None, None)]
    take_back(wordless, new.id)
    assert homes(wordless) == [["Lisbon"], ["Porto"] if by is None else []]


def test_a_corrected_turn_is_merged_into_no_other_not_even_one_that_was_updated(wordless):
    first, other = (wordless.add(text, kind="turn").ids[0] for text in ("We met on Monday.", "We met on Sunday."))
    within, now = reach(wordless.agent_id), wordless.now
    update(wordless.database, first, changes(content="Hello."), within=within, vectors=wordless.vectors, now=now)
    assert wordless.one("SELECT count(*) FROM memory WHERE text_key IS NOT NULL") == 0
    new = correct(wordless, other, "Hello.")
    assert (new.outcome, new.id not in (first, other)) == ("accept", True)


@pytest.mark.parametrize(
    ("said", "right"), [("Ana lives in Rome.", "Ana lives in Rome"), ("安娜住在罗马。", "安娜住在罗马")]
)
@pytest.mark.parametrize("kind", ["fact", "event"])
def test_a_mark_at_the_end_can_be_corrected(wordless, kind, said, right):
    old = wordless.add(said, kind=kind).ids[0]
    new = correct(wordless, old, right)
    assert (new.outcome, new.id != old) == ("accept", True)
    assert wordless.one("SELECT ending FROM memory WHERE id = ?", new.id) is None
    assert wordless.one("SELECT content FROM memory WHERE id = ?", new.id) == right


def test_a_correction_decides_a_conflict(wordless):
    home(wordless, "Lisbon")
    other = home(wordless, "Porto")
    assert homes(wordless)[0] == ["Lisbon", "Porto"]
    correct(wordless, other.id, "Ana lives in Braga")
    assert homes(wordless)[0] == ["Braga"]


def test_a_correction_to_what_is_stored_already_makes_no_twin(wordless):
    old, other = home(wordless, "Lisbon", origin="assistant"), home(wordless, "Porto", origin="assistant")
    same = correct(wordless, other.id, "ana lives in  LISBON")
    assert (same.id, same.outcome, same.supersedes) == (old.id, "merge", other.id)
    assert homes(wordless)[0] == ["Lisbon"]
    assert wordless.rows("SELECT origin, access_count FROM memory WHERE id = ?", old.id) == [("user", 1)]
    assert wordless.one("SELECT superseded_by FROM claim WHERE memory_id = ?", other.id) == old.id
    take_back(wordless, other.id)
    assert homes(wordless)[0] == ["Lisbon", "Porto"]


def test_a_correction_says_in_words_what_was_done(wordless):
    old, other = home(wordless, "Lisbon"), home(wordless, "Porto")
    assert correct(wordless, other.id, "Ana lives in Braga").reason == f"it supersedes {other.id}, {old.id}"
    [fact] = wordless.add("Ana likes tea.", kind="fact")
    assert correct(wordless, fact.id, "Ana likes coffee.").reason == f"it supersedes {fact.id}"
    [event] = wordless.add("We met on Monday.")
    assert correct(wordless, event.id, "We met on Sunday.").reason == (
        f"memory {event.id} is wrong, and no search finds it"
    )


def test_a_correction_says_in_words_what_it_was_merged_into_and_what_waits_no_more(wordless):
    old, other = home(wordless, "Lisbon"), home(wordless, "Porto")
    same = correct(wordless, other.id, "Ana lives in Lisbon")
    assert (same.id, same.reason) == (old.id, f"the same text is stored already; it supersedes {other.id}")
    waits, first = home(wordless, "Braga", origin="web"), home(wordless, "Faro", origin="web")
    new = correct(wordless, first.id, "Ana lives in Braga")
    assert new.reason == (
        f"it supersedes {first.id}, {old.id}; memory {first.id}, which waited for review, is rejected; "
        f"memory {waits.id} says the same, and need not wait for review any more"
    )


def test_a_claim_that_is_called_wrong_and_corrected_says_so(wordless):
    [old] = wordless.add("Ana likes tea.", kind="fact")
    added = feedback(
        wordless.database,
        old.id,
        said(None, True, "Ana likes coffee."),
        within=reach(wordless.agent_id),
        vectors=wordless.vectors,
        rules=Rules(),
        now=wordless.now,
    )
    assert added.reason == f"it supersedes {old.id}; memory {old.id} is wrong, and no search finds it"


def test_a_correction_to_the_same_words_of_another_slot_is_a_memory_of_its_own(wordless):
    [elsewhere] = wordless.add("Blue", kind="fact", slot="car")
    [eyes] = wordless.add("Green", kind="fact", slot="eyes")
    new = correct(wordless, eyes.id, "Blue")
    assert (new.outcome, new.id == elsewhere.id) == ("accept", False)


def test_a_correction_to_what_waits_takes_it_out_of_the_queue(wordless):
    old = home(wordless, "Lisbon")
    home(wordless, "Porto", origin="web")
    correct(wordless, old.id, "Ana lives in Porto")
    assert homes(wordless) == [["Porto"], []]


def test_a_correction_of_an_event_to_what_is_stored_already_strengthens_that(wordless):
    [old], [other] = wordless.add("We met on Monday."), wordless.add("We met on Sunday.")
    same = correct(wordless, other.id, "We met on Monday.")
    assert (same.id, same.outcome) == (old.id, "merge")
    assert wordless.rows("SELECT id, ending, access_count FROM memory ORDER BY id") == [
        (old.id, None, 1),
        (other.id, "wrong", 0),
    ]


def test_a_correction_of_what_is_over_takes_the_place_of_nothing(wordless):
    past = {"valid_from": wordless.now - timedelta(days=9), "valid_until": wordless.now - timedelta(days=2)}
    home(wordless, "Lisbon")
    over = home(wordless, "Porto", **past)
    correct(wordless, over.id, "Ana lives in Braga")
    assert homes(wordless)[0] == ["Lisbon"]
