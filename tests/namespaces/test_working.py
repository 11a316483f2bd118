"""Working memory: items in the order put, seen up to a watermark, until they end; each user's and session's its own."""

import inspect
from datetime import UTC, datetime, timedelta

import pytest

from memcore import CorruptDatabaseError, InvalidInputError, NotFoundError


def contents(items):
    return [item.content for item in items]


def stored(memory, table="working_item"):
    with memory._database.read() as connection:
        return connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()


def test_an_item_is_what_was_put(memory, clock):
    item = memory.working.put(
        " plan ", "先买票", user_id="ana", session_id="s", ttl=timedelta(hours=1), metadata={"step": 1}
    )
    assert (item.set, item.content, item.user_id, item.session_id) == ("plan", "先买票", "ana", "s")
    assert (item.recorded_at, item.expires_at, item.metadata) == (
        clock.now,
        clock.now + timedelta(hours=1),
        {"step": 1},
    )
    assert memory.working.items("plan", user_id="ana", session_id="s") == [item]
    assert item.to_dict()["expires_at"] == "2026-11-30T13:00:00+00:00"


def test_items_come_in_the_order_in_which_they_were_put_and_a_limit_keeps_the_last(memory):
    for number in range(5):
        memory.working.put("plan", f"step {number}")
    assert contents(memory.working.items("plan")) == [f"step {number}" for number in range(5)]
    assert contents(memory.working.items("plan", limit=2)) == ["step 3", "step 4"]


def test_a_watermark_fixes_what_a_turn_sees(memory):
    memory.working.put("plan", "one")
    second = memory.working.put("plan", "two")
    mark = memory.working.watermark()
    seen = memory.working.items("plan", before=mark)
    memory.working.put("plan", "three")
    memory.working.put("other", "four")
    assert contents(seen) == ["one", "two"]
    assert memory.working.items("plan", before=mark) == seen
    assert contents(memory.working.items("plan", before=second.id)) == ["one"]
    assert contents(memory.working.items("plan", before=memory.working.watermark())) == ["one", "two", "three"]


def test_a_watermark_taken_before_anything_was_put_shows_nothing_of_what_comes(memory):
    mark = memory.working.watermark()
    memory.working.put("plan", "one")
    assert memory.working.items("plan", before=mark) == []


def test_a_watermark_holds_also_where_the_last_item_is_gone(memory):
    kept = memory.working.put("plan", "one")
    memory.working.drop(memory.working.put("plan", "two"))
    mark = memory.working.watermark()
    memory.working.put("plan", "three")
    assert memory.working.items("plan", before=mark) == [kept]


@pytest.mark.parametrize("ttl", [60, 60.0, timedelta(minutes=1)])
def test_an_item_is_shown_until_its_end_and_not_from_then_on(memory, clock, ttl):
    memory.working.put("plan", "soon over", ttl=ttl)
    memory.working.put("plan", "stays")
    clock.passes(seconds=59, microseconds=999_999)
    assert contents(memory.working.items("plan")) == ["soon over", "stays"]
    clock.passes(microseconds=1)
    assert contents(memory.working.items("plan")) == ["stays"]
    assert [known.items for known in memory.working.sets()] == [1]
    assert stored(memory) == 2


def test_what_has_ended_goes_when_its_set_is_written_to(memory, clock):
    memory.working.put("plan", "soon over", expires_at=clock.now + timedelta(minutes=1))
    memory.working.put("other", "soon over too", ttl=1)
    clock.passes(minutes=2)
    memory.working.put("plan", "new")
    assert stored(memory) == 2
    assert contents(memory.working.items("plan")) == ["new"]


def test_trim_removes_what_has_ended_of_its_own_agent_and_the_sets_left_empty(opened, clock):
    memory, other = opened(agent_id="one"), opened(agent_id="two")
    for one in (memory, other):
        one.working.put("plan", "soon over", user_id="ana", ttl=60)
        one.working.put("plan", "stays", user_id="ana")
        one.working.put("brief", "soon over", ttl=60)
        one.working.put("whole", "ends with its set")
        one.working.expire("whole", ttl=60)
    clock.passes(minutes=2)
    [report] = memory.maintain(["trim"])
    assert (report.job, report.done) == ("trim", 3)
    assert (stored(memory), stored(memory, "working_set")) == (5, 4)
    assert memory.maintain(["trim"])[0].done == 0
    assert contents(memory.working.items("plan", user_id="ana")) == ["stays"]


def test_trim_goes_on_until_nothing_that_has_ended_is_left(memory, clock, monkeypatch):
    monkeypatch.setattr("memcore.maintenance.trim.MOST_ITEMS", 2)
    for number in range(5):
        memory.working.put(f"set {number}", "soon over", ttl=1)
    clock.passes(seconds=2)
    assert memory.maintain(["trim"])[0].done == 5
    assert (stored(memory), stored(memory, "working_set")) == (0, 0)


def test_a_set_ends_with_all_that_is_in_it_and_can_be_begun_anew(memory, clock):
    memory.working.put("plan", "one", ttl=timedelta(days=1))
    assert memory.working.expire("plan", ttl=60).expires_at == clock.now + timedelta(seconds=60)
    memory.working.put("plan", "two")
    assert [(known.name, known.items) for known in memory.working.sets()] == [("plan", 2)]
    clock.passes(seconds=60)
    assert memory.working.items("plan") == []
    assert memory.working.sets() == []
    with pytest.raises(NotFoundError, match=r"^set: there is no set 'plan'"):
        memory.working.expire("plan")
    memory.working.put("plan", "three")
    clock.passes(days=400)
    assert contents(memory.working.items("plan")) == ["three"]
    assert [known.expires_at for known in memory.working.sets()] == [None]


def test_an_end_of_a_set_can_be_taken_back(memory, clock):
    memory.working.put("plan", "one")
    memory.working.expire("plan", expires_at=clock.now + timedelta(hours=1))
    assert memory.working.expire("plan").expires_at is None
    clock.passes(days=1)
    assert contents(memory.working.items("plan")) == ["one"]


def test_a_clock_that_steps_back_breaks_nothing(memory, clock):
    memory.working.put("plan", "one", ttl=60)
    clock.passes(days=-1)
    memory.working.put("plan", "two", ttl=60)
    assert contents(memory.working.items("plan")) == ["one", "two"]


def test_sets_of_users_and_sessions_are_apart_and_the_shared_one_is_seen_beside(memory):
    for user in (None, "ana", "bo"):
        for session in (None, "", "s"):
            memory.working.put("plan", f"{user} {session}", user_id=user, session_id=session)
    shown = lambda **given: contents(memory.working.items("plan", **given))
    assert shown() == ["None None"]
    assert shown(session_id="") == ["None "]
    assert shown(session_id="s") == ["None s"]
    assert shown(user_id="ana", session_id="s") == ["None s", "ana s"]
    assert shown(user_id=["bo", "ana"]) == ["None None", "ana None", "bo None"]
    assert shown(user_id="ana", session_id="t") == []
    assert memory.working.items("other", user_id="ana") == []
    assert [(known.user_id, known.session_id) for known in memory.working.sets(user_id="ana", session_id="s")] == [
        (None, "s"),
        ("ana", "s"),
    ]
    assert len(memory.working.sets(user_id="ana")) == 6
    assert len(memory.working.sets()) == 3


def test_a_set_is_dropped_where_it_was_named_and_nowhere_else(memory):
    for user in (None, "ana"):
        for session in (None, "s"):
            for content in ("one", "two"):
                memory.working.put("plan", content, user_id=user, session_id=session)
    assert memory.working.drop("plan", user_id="ana", session_id="s") == 2
    assert memory.working.drop("plan", user_id="ana", session_id="s") == 0
    assert [(known.user_id, known.session_id, known.items) for known in memory.working.sets(user_id="ana")] == [
        (None, None, 2),
        (None, "s", 2),
        ("ana", None, 2),
    ]
    assert memory.working.drop("nothing of that name", user_id="nobody") == 0


def test_an_item_is_dropped_by_itself_or_its_id_and_its_set_with_the_last(memory):
    one, two = (memory.working.put("plan", content, user_id="ana") for content in ("one", "two"))
    assert memory.working.drop(one) == 1
    assert memory.working.items("plan", user_id="ana") == [two]
    assert memory.working.drop(two.id, user_id="ana") == 1
    assert stored(memory, "working_set") == 0


def test_an_item_that_ended_is_not_there_to_be_dropped_and_counts_in_no_drop(memory, clock):
    ended = memory.working.put("plan", "soon over", ttl=1)
    memory.working.put("plan", "stays")
    clock.passes(seconds=1)
    with pytest.raises(NotFoundError, match=f"^what: {ended.id} is no item"):
        memory.working.drop(ended)
    assert memory.working.drop("plan") == 1


def test_an_item_of_another_user_or_agent_is_not_there(opened):
    memory, other = opened(agent_id="one"), opened(agent_id="two")
    item = memory.working.put("plan", "the password", user_id="ana", session_id="s")
    shared = memory.working.put("plan", "for all")
    for whose, number, user in ((memory, item.id, "bo"), (other, item.id, None), (memory, shared.id, "ana")):
        with pytest.raises(NotFoundError, match="is no item of working memory") as caught:
            whose.working.drop(number, user_id=user)
        assert "password" not in str(caught.value)
    assert other.working.items("plan", user_id="ana", session_id="s") == []
    assert other.working.sets(user_id="ana") == []
    assert other.working.watermark() == 1
    assert other.working.clear("s", user_id="ana") == 0
    assert stored(memory) == 2


def test_a_session_is_cleared_of_one_user_at_a_time(memory, clock):
    memory.working.put("plan", "soon over", user_id="ana", session_id="s", ttl=1)
    for name in ("plan", "notes"):
        for user in ("ana", None):
            memory.working.put(name, "stays", user_id=user, session_id="s")
    memory.working.put("plan", "of another session", user_id="ana", session_id="t")
    clock.passes(seconds=1)
    assert memory.working.clear("s", user_id="ana") == 2
    assert memory.working.clear("s", user_id="ana") == 0
    assert [(known.name, known.session_id) for known in memory.working.sets(user_id="ana")] == [
        ("plan", "s"),
        ("notes", "s"),
        ("plan", "t"),
    ]
    assert memory.working.clear("s") == 2
    assert stored(memory, "working_set") == 1


def test_no_search_finds_an_item(memory):
    memory.working.put("plan", "Book the ferry to Olhão", user_id="ana")
    assert list(memory.search("ferry to Olhão", user_id="ana")) == []


PAST = datetime(2026, 11, 30, 12, tzinfo=UTC)
REFUSED = {
    "a set without a name": (lambda working: working.put(" ", "x"), "set"),
    "a set that is no name": (lambda working: working.items(5), "set"),
    "a name that is too long": (lambda working: working.put("x" * 513, "x"), "set"),
    "a blank content": (lambda working: working.put("plan", ""), "content"),
    "a content with a NUL": (lambda working: working.put("plan", "a\0"), "content"),
    "a user that is no name": (lambda working: working.put("plan", "x", user_id=5), "user_id"),
    "a session that is no name": (lambda working: working.put("plan", "x", session_id=5), "session_id"),
    "metadata that JSON cannot hold": (lambda working: working.put("plan", "x", metadata={"a": {1}}), "metadata.a"),
    "two ends": (lambda working: working.put("plan", "x", ttl=1, expires_at=PAST), "ttl"),
    "an end that has come": (lambda working: working.put("plan", "x", expires_at=PAST), "expires_at"),
    "an end without a zone": (lambda working: working.put("plan", "x", expires_at=datetime(2027, 1, 1)), "expires_at"),  # noqa: DTZ001
    "no time to live": (lambda working: working.put("plan", "x", ttl=0), "ttl"),
    "less than no time to live": (lambda working: working.put("plan", "x", ttl=timedelta(seconds=-1)), "ttl"),
    "a time that is no number": (lambda working: working.put("plan", "x", ttl=float("nan")), "ttl"),
    "time without end": (lambda working: working.put("plan", "x", ttl=float("inf")), "ttl"),
    "time beyond the calendar": (lambda working: working.put("plan", "x", ttl=timedelta.max), "ttl"),
    "time as a text": (lambda working: working.expire("plan", ttl="60"), "ttl"),
    "time as a yes": (lambda working: working.expire("plan", ttl=True), "ttl"),
    "a watermark that is no id": (lambda working: working.items("plan", before="5"), "before"),
    "a watermark below one": (lambda working: working.items("plan", before=0), "before"),
    "a limit of nothing": (lambda working: working.items("plan", limit=0), "limit"),
    "to drop what has no name": (lambda working: working.drop(" "), "what"),
    "to drop what is no item": (lambda working: working.drop(1.5), "what"),
    "to drop nothing": (lambda working: working.drop(None), "what"),
    "to drop an empty name": (lambda working: working.drop(""), "what"),
    "to drop a name with half a character": (lambda working: working.drop("\ud800"), "what"),
    "to drop a name that is too long": (lambda working: working.drop("x" * 513), "what"),
    "to drop an id that is none": (lambda working: working.drop(0), "what"),
    "to drop an id beyond all ids": (lambda working: working.drop(2**63), "what"),
    "to drop yes": (lambda working: working.drop(True), "what"),
    "to drop an item of a session": (lambda working: working.drop(1, session_id="s"), "session_id"),
    "to clear no session": (lambda working: working.clear(None), "session_id"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_accepted_is_refused_by_its_field_and_changes_nothing(memory, what):
    item = memory.working.put("plan", "x")
    call, field = REFUSED[what]
    with pytest.raises(InvalidInputError) as caught:
        call(memory.working)
    assert str(caught.value).startswith(f"{field}: ")
    assert ";" in str(caught.value)
    assert memory.working.items("plan") == [item]
    assert [known.expires_at for known in memory.working.sets()] == [None]


def test_metadata_that_a_hand_nested_too_deep_are_named_as_damaged_and_the_set_can_be_dropped(memory, by_hand):
    item = memory.working.put("plan", "x")
    by_hand.execute("UPDATE working_item SET metadata = ?", ('{"a":' * 80 + "1" + "}" * 80,))
    with pytest.raises(CorruptDatabaseError, match=f"working item {item.id}"):
        memory.working.items("plan")
    assert memory.working.drop("plan") == 1


def test_stats_count_the_items_of_the_agent_that_have_not_ended(opened, clock):
    memory = opened(agent_id="one")
    memory.working.put("plan", "soon over", user_id="ana", ttl=1)
    memory.working.put("plan", "stays", user_id="ana")
    memory.working.put("plan", "stays", session_id="s")
    assert memory.stats().working_items == 3
    clock.passes(seconds=1)
    assert memory.stats().working_items == 2
    assert opened(agent_id="two").stats().working_items == 0


@pytest.mark.parametrize("ttl", [10**400, -(10**400), float("nan"), float("inf"), 0, timedelta.max, timedelta.min])
def test_a_time_that_no_item_can_have_is_refused_by_name_however_large(memory, ttl):
    memory.working.put("plan", "kept")
    for refused in (lambda: memory.working.put("plan", "x", ttl=ttl), lambda: memory.working.expire("plan", ttl=ttl)):
        with pytest.raises(InvalidInputError, match=r"^ttl: "):
            refused()
    assert contents(memory.working.items("plan")) == ["kept"]


CALLS = {
    "put": ("set", "content", "user_id", "session_id", "ttl", "expires_at", "metadata"),
    "items": ("set", "user_id", "session_id", "before", "limit"),
    "sets": ("user_id", "session_id"),
    "expire": ("set", "user_id", "session_id", "ttl", "expires_at"),
    "drop": ("what", "user_id", "session_id"),
    "clear": ("session_id", "user_id"),
}
GOOD = {"set": "plan", "content": "x", "what": "plan", "session_id": "s"}
BAD = [(3,), 3.5, True, b"x", "\ud800", "x\0", "x" * 100_001]


@pytest.mark.parametrize("value", BAD, ids=lambda value: f"{type(value).__name__} {str(value)[:3]!a}")
@pytest.mark.parametrize(("method", "parameter"), [(method, one) for method, names in CALLS.items() for one in names])
def test_whatever_is_not_accepted_is_named_as_the_caller_calls_it(memory, method, parameter, value):
    if (parameter, value) in {("content", BAD[-1]), ("ttl", 3.5)}:
        value = ""  # the other is accepted
    given = {name: GOOD[name] for name in CALLS[method] if name in GOOD} | {parameter: value}
    with pytest.raises(InvalidInputError) as caught:
        getattr(memory.working, method)(**given)
    assert str(caught.value).startswith(f"{parameter}: ")
    assert len(str(caught.value)) < 300


def test_the_calls_that_are_tried_with_bad_values_are_all_there_are(memory):
    working = type(memory.working)
    assert {*CALLS, "watermark"} == {name for name in vars(working) if not name.startswith("_")}
    for name, parameters in CALLS.items():
        assert set(parameters) == set(inspect.signature(getattr(working, name)).parameters) - {"self"}
