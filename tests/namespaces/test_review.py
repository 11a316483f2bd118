"""What waits for a person, and conflicts that one decides."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory, Settings
from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import Outcome

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def clock():
    return [START]


@pytest.fixture
def memory(tmp_path, clock):
    with Memory(tmp_path / "agent.db", embedder="none", durability="relaxed", clock=lambda: clock[0]) as opened:
        yield opened


def fact(memory, content, **given):
    return memory.add(content, **({"user_id": "ana", "kind": "fact", "slot": "home"} | given))[0]


def waiting(memory):
    return [record.id for record in memory.review.pending(user_id="ana")]


def operations(memory):
    with memory._database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql("SELECT action, reason FROM operation ORDER BY id")]


def test_what_waits_is_listed_by_page_for_its_user_and_shared(memory):
    ids = [fact(memory, f"Ana may like tea {number}.", slot=None, confidence=0.2).id for number in range(3)]
    shared = fact(memory, "Tea may be healthy.", user_id=None, slot=None, confidence=0.2).id
    fact(memory, "Ben may like tea.", user_id="ben", slot=None, confidence=0.2)
    page = memory.review.pending(user_id="ana", limit=2)
    rest = memory.review.pending(user_id="ana", cursor=page.next_cursor)
    assert [record.id for record in (*page, *rest)] == [*ids, shared]
    assert {record.review_state for record in page} == {"pending"}


def test_an_approved_fact_takes_the_place_of_what_fills_its_slot(memory, clock):
    old = fact(memory, "Ana lives in Lisbon.")
    clock[0] += timedelta(days=1)
    new = fact(memory, "Ana lives in Porto.", origin="tool")
    assert new.outcome is Outcome.DEFER
    approved = memory.review.approve(new.id, user_id="ana")
    assert approved.review_state == "active"
    assert memory.get(old.id).superseded_by == new.id
    assert memory.facts.get("home", user_id="ana").id == new.id
    assert memory.review.conflicts(user_id="ana") == []
    assert operations(memory)[-1] == ("review", "approved")


def test_an_approved_claim_supersedes_the_one_that_it_named(memory):
    old = fact(memory, "Ana lives in Lisbon.", slot=None)
    new = fact(memory, "Ana lives in Porto.", slot=None, supersedes=old.id, origin="assistant")
    assert new.outcome is Outcome.DEFER
    memory.review.approve(new.id)
    assert memory.get(old.id).superseded_by == new.id


def test_a_rejected_memory_stays_and_changes_nothing_else(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    new = fact(memory, "Ana lives in Porto.", origin="web")
    rejected = memory.review.reject(new.id, reason="a joke")
    assert (rejected.review_state, memory.get(old.id).superseded_by) == ("rejected", None)
    assert memory.review.conflicts(user_id="ana") == []
    assert len(memory.review.pending(user_id="ana")) == 0
    assert operations(memory)[-1] == ("review", "rejected: a joke")


def test_a_conflict_shows_both_sides_the_older_first(memory):
    old, new = fact(memory, "Ana lives in Lisbon."), fact(memory, "Ana lives in Porto.")
    assert new.outcome is Outcome.ACCEPT
    [conflict] = memory.review.conflicts(user_id="ana")
    assert (conflict.older.id, conflict.newer.id, conflict.recorded_at) == (old.id, new.id, START)
    assert conflict.to_dict()["older"]["content"] == "Ana lives in Lisbon."
    assert memory.review.conflicts() == memory.review.conflicts(user_id="ben") == []


def test_a_conflict_is_in_the_history_of_both_sides(memory):
    old = memory.facts.set("home", "Ana lives in Lisbon.", user_id="ana")
    [new] = memory.add("Ana lives in Porto.", user_id="ana", kind="fact", slot="home")
    [other] = memory.add("Ana lives alone.", user_id="ana", kind="fact")
    assert memory.history(old.id) == memory.history(new.id)
    [conflict] = memory.history(old.id)
    assert (conflict.action.value, set(conflict.memory_ids)) == ("conflict", {old.id, new.id})
    assert memory.history(other.id) == []
    memory.review.resolve(old.id, new.id)
    assert [one.action.value for one in memory.history(old.id)] == ["conflict", "resolve"]
    memory.undo(conflict.id + 1)
    memory.undo(conflict.id)
    assert memory.history(old.id)[0].undone_by == memory.history(old.id)[-1].id


@pytest.mark.parametrize("kept", [0, 1])
def test_deciding_a_conflict_supersedes_the_other_side(memory, kept):
    ids = [fact(memory, "Ana lives in Lisbon.").id, fact(memory, "Ana lives in Porto.").id]
    keep, drop = ids[kept], ids[1 - kept]
    assert memory.review.resolve(keep, drop, reason="she said so").id == keep
    assert memory.get(drop).superseded_by == keep
    assert [record.id for record in memory.facts.list(user_id="ana")] == [keep]
    assert memory.review.conflicts(user_id="ana") == []
    assert operations(memory)[-1] == ("resolve", "she said so")


def test_a_conflict_with_what_waits_rejects_it_or_lets_it_in(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    new = fact(memory, "Ana lives in Porto.", origin="tool")
    memory.review.resolve(old.id, new.id)
    assert memory.get(new.id).review_state == "rejected"
    third = fact(memory, "Ana lives in Faro.", origin="tool")
    memory.review.resolve(third.id, old.id)
    assert memory.get(old.id).superseded_by == third.id
    assert memory.facts.get("home", user_id="ana").id == third.id


def test_a_conflict_with_what_is_past_its_days_of_retention_is_not_open(tmp_path, clock):
    settings = Settings(retention_days={"fact": 10})
    with Memory(tmp_path / "kept.db", embedder="none", clock=lambda: clock[0], settings=settings) as memory:
        old = fact(memory, "Ana lives in Lisbon.")
        clock[0] += timedelta(days=6)
        new = fact(memory, "Ana lives in Porto.")
        assert len(memory.review.conflicts(user_id="ana")) == 1
        clock[0] += timedelta(days=6)
        assert memory.review.conflicts(user_id="ana") == []
        assert memory.search("Where does Ana live?", user_id="ana").conflicts == ()
        for keep, drop in ((old.id, new.id), (new.id, old.id)):
            with pytest.raises(InvalidInputError, match="no open conflict"):
                memory.review.resolve(keep, drop)
        memory.update(old.id, event_time=clock[0])
        assert len(memory.review.conflicts(user_id="ana")) == 1


def test_what_an_update_brings_back_within_the_days_of_retention_contradicts_what_is_there(tmp_path, clock):
    settings = Settings(retention_days={"fact": 10})
    with Memory(tmp_path / "kept.db", embedder="none", clock=lambda: clock[0], settings=settings) as memory:
        old = fact(memory, "Ana lives in Lisbon.", event_time=START - timedelta(days=20))
        new = fact(memory, "Ana lives in Porto.")
        assert memory.review.conflicts(user_id="ana") == []
        memory.update(old.id, event_time=START)
        assert [(one.older.id, one.newer.id) for one in memory.review.conflicts(user_id="ana")] == [(old.id, new.id)]


def test_both_sides_of_a_conflict_may_be_true(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    new = fact(memory, "Ana lives in Porto.", origin="tool")
    memory.review.resolve(old.id, new.id, keep_both=True)
    assert [record.id for record in memory.facts.list(user_id="ana")] == [old.id, new.id]
    assert memory.review.conflicts(user_id="ana") == []


def test_what_was_corrected_while_it_waited_waits_no_more(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    waits = fact(memory, "Ana lives in Porto.", origin="tool")
    new = memory.feedback(waits.id, corrected="Ana lives in Faro.")
    assert waiting(memory) == []
    with pytest.raises(InvalidInputError, match="is rejected and does not wait"):
        memory.review.approve(waits.id)
    assert memory.get(new.id).superseded_by is None
    assert memory.get(old.id).superseded_by == new.id
    assert memory.review.conflicts(user_id="ana") == []


def test_what_is_no_open_question_is_refused(memory):
    active, other = fact(memory, "Ana lives in Lisbon."), fact(memory, "Ana likes tea.", slot="drink")
    waits = fact(memory, "Ana lives in Porto.", origin="tool")
    review = memory.review
    for call, error, message in (
        (lambda: review.approve(active.id), InvalidInputError, "^id: .*is active and does not wait"),
        (lambda: review.reject(active.id), InvalidInputError, "^id: .*is active and does not wait"),
        (lambda: review.approve(99), NotFoundError, "^id: 99"),
        (lambda: review.approve(waits.id, user_id="ben"), NotFoundError, "^id: "),
        (lambda: review.reject(waits.id, user_id="ben"), NotFoundError, "^id: "),
        (lambda: review.reject(waits.id, reason=" "), InvalidInputError, "^reason: "),
        (lambda: review.resolve(active.id, other.id), InvalidInputError, "no open conflict"),
        (lambda: review.resolve(active.id, active.id), InvalidInputError, "^drop_id: "),
        (lambda: review.resolve(active.id, waits.id, user_id="ben"), NotFoundError, "^id: "),
        (lambda: review.resolve(active.id, waits.id, keep_both=1), InvalidInputError, "^keep_both: "),
        (lambda: review.pending(limit=0), InvalidInputError, "^limit: "),
        (lambda: review.conflicts(user_id=3), InvalidInputError, "^user_id: "),
    ):
        with pytest.raises(error, match=message):
            call()
    every = memory.get_all(user_id="ana", filters={"review_state": ["active", "pending", "rejected"]})
    assert [record.review_state for record in every] == ["active", "active", "pending"]
    memory.review.reject(waits.id)
    with pytest.raises(InvalidInputError, match="is rejected and does not wait"):
        memory.review.approve(waits.id)


def test_what_has_ended_while_it_waited_waits_no_more(memory):
    old = fact(memory, "Ana lives in Lisbon.")
    gone = fact(memory, "Ana lives in Porto.", origin="web", source_ref="page")
    retired, wrong = fact(memory, "Ana lives in Faro.", origin="web"), fact(memory, "Ana lives in Braga.", origin="web")
    assert waiting(memory) == [gone.id, retired.id, wrong.id]
    memory.undo(source_ref="page")
    memory.retire(retired.id)
    memory.feedback(wrong.id, wrong=True)
    assert waiting(memory) == []
    assert [record.id for record in memory.facts.list(user_id="ana")] == [old.id]


def test_what_no_search_would_find_once_it_is_approved_is_not_listed(tmp_path, clock):
    settings = Settings(retention_days={"fact": 10})
    with Memory(tmp_path / "kept.db", embedder="none", clock=lambda: clock[0], settings=settings) as memory:
        fact(memory, "Ana lives in Lisbon.", event_time=START + timedelta(days=4))
        fact(memory, "Ana lives in Porto.", origin="web", expires_at=START + timedelta(days=2))
        fact(memory, "Ana lives in Faro.", origin="web", event_time=START - timedelta(days=7))
        over = fact(memory, "Ana stays in Rome.", origin="web", valid_until=START + timedelta(days=5))
        assert len(waiting(memory)) == 3
        clock[0] += timedelta(days=6)
        assert waiting(memory) == [over.id]


@pytest.mark.parametrize(
    "given",
    [
        {"valid_from": START - timedelta(days=900), "valid_until": START - timedelta(days=400)},
        {"valid_until": START + timedelta(days=2)},
        {"expires_at": START + timedelta(days=2)},
        {"event_time": START - timedelta(days=30)},
    ],
)
def test_approving_what_is_over_takes_the_place_of_nothing(tmp_path, clock, given):
    settings = Settings(retention_days={"fact": 20})
    with Memory(tmp_path / "over.db", embedder="none", clock=lambda: clock[0], settings=settings) as memory:
        old = fact(memory, "Ana lives in Lisbon.")
        late = fact(memory, "Ana stays in Porto.", confidence=0.5, **given)
        clock[0] += timedelta(days=5)
        assert memory.review.approve(late.id).review_state == "active"
        assert memory.facts.get("home", user_id="ana").id == old.id
        assert [record.id for record in memory.get_all(user_id="ana")] == [old.id]


def test_approved_history_is_found_at_its_own_time(memory):
    past = {"valid_from": START - timedelta(days=900), "valid_until": START - timedelta(days=400)}
    fact(memory, "Ana lives in Lisbon.")
    memory.review.approve(fact(memory, "Ana lived in Porto.", confidence=0.5, **past).id)
    then = memory.facts.get("home", user_id="ana", as_of=START - timedelta(days=500))
    assert then.content == "Ana lived in Porto."


def test_an_approval_holds_from_the_day_of_it_where_no_beginning_was_given(memory, clock):
    def home(day):
        return [one.content for one in memory.facts.list(user_id="ana", as_of=START + timedelta(days=day))]

    fact(memory, "Ana lives in Lisbon.")
    clock[0] += timedelta(days=10)
    waits = fact(memory, "Ana lives in Porto.", origin="web")
    clock[0] += timedelta(days=50)
    faro = memory.facts.set("home", "Ana lives in Faro.", user_id="ana")
    clock[0] += timedelta(days=90)
    approved = memory.review.approve(waits.id)
    assert approved.valid_from == memory.get(faro.id).valid_until == clock[0]
    cities = ["Ana lives in Lisbon."], ["Ana lives in Faro."], ["Ana lives in Porto."]
    assert (home(30), home(100), home(150)) == cities
    memory.undo(memory.history(waits.id)[-1].id)
    assert (home(30), home(100), home(150)) == (cities[0], cities[1], cities[1])
    assert memory.get(waits.id).valid_from == START + timedelta(days=10)


def test_a_decided_conflict_holds_from_the_day_of_the_decision_too(memory, clock):
    old, waits = fact(memory, "Ana lives in Lisbon."), fact(memory, "Ana lives in Porto.", origin="web")
    clock[0] += timedelta(days=10)
    memory.review.resolve(waits.id, old.id)
    assert memory.get(waits.id).valid_from == memory.get(old.id).valid_until == clock[0]


def test_an_approval_holds_from_the_beginning_that_was_given(memory, clock):
    old = fact(memory, "Ana lives in Lisbon.", valid_from=START - timedelta(days=99))
    moved = START - timedelta(days=9)
    waits = fact(memory, "Ana lives in Porto.", origin="web", valid_from=moved)
    clock[0] += timedelta(days=10)
    memory.review.approve(waits.id)
    assert memory.get(waits.id).valid_from == memory.get(old.id).valid_until == moved


@pytest.mark.parametrize("kind", ["fact", "knowledge"])
def test_what_is_approved_and_stored_already_is_merged_into_what_is_there(memory, kind):
    given = {"kind": kind, "slot": None}
    waits = fact(memory, "Ice melts at 0 C.", confidence=0.3, origin="import", **given)
    there = fact(memory, "Ice melts at 0 C.", confidence=0.8, origin="assistant", **given)
    assert waiting(memory) == [waits.id]
    assert memory.review.approve(waits.id).id == there.id
    assert waiting(memory) == []
    assert [record.id for record in memory.get_all(user_id="ana")] == [there.id]
    assert memory.get(there.id).access_count == 1
    assert (memory.get(waits.id).ending, operations(memory)[-1]) == ("retired", ("review", "approved into memory 2"))
    memory.undo(memory.history(waits.id)[-1].id)
    assert (waiting(memory), memory.get(there.id).access_count) == ([waits.id], 0)


def test_an_approval_that_is_merged_decides_about_the_slot_too(memory):
    first = fact(memory, "Ana lives in Lisbon.", origin="import")
    waits = fact(memory, "Ana lives in Rome.", origin="web")
    there = fact(memory, "Ana lives in Rome.", origin="import")
    assert len(memory.review.conflicts(user_id="ana")) == 2
    memory.review.approve(waits.id)
    assert [record.id for record in memory.facts.list(user_id="ana")] == [there.id]
    assert memory.get(first.id).superseded_by == there.id
    assert memory.review.conflicts(user_id="ana") == []


def test_what_the_user_says_himself_waits_no_more(memory):
    fact(memory, "Ana lives in Lisbon.")
    elsewhere = fact(memory, "Ana lives in Rome.", slot=None, confidence=0.2, origin="import")
    waits = fact(memory, "Ana lives in Rome.", origin="web")
    said = memory.facts.set("home", "Ana lives in  ROME.", user_id="ana")
    assert waiting(memory) == [elsewhere.id]
    assert f"memory {waits.id} says the same, and need not wait for review any more" in said.reason
    assert memory.review.conflicts(user_id="ana") == []
    [operation] = memory.history(said.id)
    assert set(operation.memory_ids) >= {waits.id, said.id}
    memory.undo(operation.id)
    assert waiting(memory) == [elsewhere.id, waits.id]


def test_a_layer_that_is_off_is_left_out_and_decided_on_nowhere(tmp_path):
    path = tmp_path / "layers.db"
    with Memory(path, embedder="none") as memory:
        old, waits = fact(memory, "Ana lives in Lisbon."), fact(memory, "Ana lives in Rome.", origin="web")
    with Memory(path, embedder="none", settings=Settings(layers=["turns", "events"])) as memory:
        review = memory.review
        assert (waiting(memory), review.conflicts(user_id="ana")) == ([], [])
        for decide in (
            lambda: review.approve(waits.id),
            lambda: review.reject(waits.id),
            lambda: review.resolve(waits.id, old.id),
        ):
            with pytest.raises(InvalidInputError, match="is not accepted, the layer facts is off"):
                decide()
    with Memory(path, embedder="none") as memory:
        assert memory.review.approve(waits.id).review_state == "active"


@pytest.mark.parametrize("origin", ["assistant", "import", "tool", "web", "job"])
def test_what_a_person_called_wrong_or_rejected_comes_back_by_the_users_word_alone(memory, origin):
    wrong = fact(memory, "安娜住在里斯本。", slot=None)
    memory.feedback(wrong.id, wrong=True)
    fact(memory, "Ana eats meat.", slot="diet")
    no = fact(memory, "Ana eats fish.", slot="diet", origin="web")
    memory.review.reject(no.id)
    for content, slot, number, how in (
        ("安娜住在里斯本。", None, wrong.id, "called wrong"),
        ("安娜住在里斯本。", "home", wrong.id, "called wrong"),
        ("Ana EATS fish.", "diet", no.id, "rejected in review"),
    ):
        again = fact(memory, content, slot=slot, origin=origin)
        told = f"memory {number} said the same and was {how}; only the user may say it again"
        assert (again.outcome, again.reason) == (Outcome.DROP, told)
    assert memory.facts.set("home", "安娜住在里斯本。", user_id="ana", origin=origin).outcome is Outcome.DROP
    assert fact(memory, "Ana eats fish.", slot="dinner", origin=origin).outcome is Outcome.ACCEPT
    said = fact(memory, "安娜住在里斯本。", slot=None)
    assert said.outcome is Outcome.ACCEPT
    assert fact(memory, "安娜住在里斯本。", slot=None, origin=origin).id == said.id


def test_a_rejection_that_was_undone_keeps_nothing_out(memory):
    waits = fact(memory, "Ana lives in Rome.", origin="web", confidence=0.2)
    memory.review.reject(waits.id)
    memory.undo(memory.history(waits.id)[-1].id)
    assert fact(memory, "Ana lives in Rome.", origin="web").outcome is Outcome.ACCEPT
