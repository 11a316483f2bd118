"""Searches, listings and reasons from a moment, a place, and with layers and days of retention."""

import threading
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memcore import InvalidInputError, Settings
from memcore.storage.encoding import to_micros

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOME = "她搬家了 moved home"


def day(number):
    """A moment so many days before (or after) the present."""
    return NOW + timedelta(days=number)


def edit(memory, statement, *values):
    with memory._database.write() as connection:
        connection.exec_driver_sql(statement, values)


def claim(memory, memory_id, valid_from, until=None, *, superseded_by=None):
    """Writes what a claim says, as an SQL client would; `until` is when it ended, and when that was learned."""
    moments = [None if moment is None else to_micros(moment) for moment in (valid_from, *(until or (None, None)))]
    edit(
        memory,
        "UPDATE claim SET valid_from = ?, valid_until = ?, closed_at = ?, superseded_by = ? WHERE memory_id = ?",
        *moments,
        superseded_by,
        memory_id,
    )


@pytest.fixture
def timed(opened):
    """A memory whose clock can be set, in `timed.clock[0]`."""

    def open_at(moment=NOW, **given):
        clock = [moment]
        memory = opened(clock=lambda: clock[0], **given)
        memory.clock = clock
        return memory

    return open_at


@pytest.fixture
def moved(timed):
    """She lived in Porto from day −100, in Lisbon from day −10, which we learned on day −5; Rome was never approved."""
    memory = timed()
    ids = [memory.add(f"{HOME} {city}", kind="fact").ids[0] for city in ("Porto", "Lisbon", "Rome")]
    for number, memory_id in zip((-100, -5, -5), ids, strict=True):
        edit(memory, "UPDATE memory SET recorded_at = ? WHERE id = ?", to_micros(day(number)), memory_id)
    claim(memory, ids[0], day(-100), (day(-10), day(-5)), superseded_by=ids[1])
    claim(memory, ids[1], day(-10))
    edit(memory, "UPDATE memory SET review_state = 'pending' WHERE id = ?", ids[2])
    return memory


def cities(found):
    return [hit.content.removeprefix(f"{HOME} ") for hit in found]


@pytest.mark.parametrize(
    ("as_of", "known_at", "expected"),
    [
        (None, None, ["Lisbon"]),
        (-101, None, []),
        (-100, None, ["Porto"]),
        (-11, None, ["Porto"]),
        (-10, None, ["Lisbon"]),
        (None, -6, ["Porto"]),
        (None, -5, ["Lisbon"]),
        (-7, -6, ["Porto"]),
        (-7, -4, ["Lisbon"]),
        (None, -101, []),
        (30, None, ["Lisbon"]),
    ],
)
def test_a_search_finds_what_held_then_by_what_was_known_then(moved, as_of, known_at, expected):
    moments = {"as_of": as_of, "known_at": known_at}
    given = {name: day(number) for name, number in moments.items() if number is not None}
    assert cities(moved.search("moved home", **given)) == expected
    assert cities(moved.search("搬家", **given)) == expected
    if known_at is None:
        assert cities(moved.get_all(as_of=given.get("as_of"))) == expected
    for city in expected:
        assert city in moved.context("moved home", mark_used=False, **given)


@pytest.mark.parametrize("zone", ["Europe/Lisbon", "Asia/Shanghai", "America/New_York"])
def test_a_moment_is_the_same_in_every_zone_also_in_an_hour_that_the_clocks_repeat(timed, zone):
    memory = timed()
    begins = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    memory_id = memory.add(HOME, kind="fact").ids[0]
    claim(memory, memory_id, begins)
    for minutes, expected in ((-1, 0), (0, 1), (60, 1)):
        there = (begins + timedelta(minutes=minutes)).astimezone(ZoneInfo(zone))
        assert len(memory.search("home", as_of=there)) == expected


def test_the_days_of_a_query_count_from_as_of_unless_now_is_given(timed):
    memory = timed()
    for number in (-41, -1):
        memory.add(f"tea on day {number}", event_time=day(number))
    assert [hit.event_time for hit in memory.search("tea yesterday", as_of=day(-40))] == [day(-41)]
    assert memory.search("tea yesterday", as_of=day(-40)).trace.now == day(-40)
    assert memory.search("tea yesterday", as_of=day(-40), now=day(0)).trace.now == day(0)
    assert memory.search("tea yesterday")[0].event_time == day(-1)


def test_what_has_not_happened_is_found_today_and_not_before_it_was_so(timed):
    memory = timed()
    memory.add("the dentist at noon", event_time=day(20))
    assert len(memory.search("dentist")) == 1
    assert memory.search("dentist")[0].signals["retention"] == 1.0
    assert len(memory.search("dentist", as_of=day(0))) == 0
    assert len(memory.search("dentist", as_of=day(20))) == 1


def test_a_clock_that_steps_back_hides_nothing_that_was_stored(timed):
    memory = timed()
    memory.add(HOME, kind="fact")
    memory.clock[0] = day(-3)
    [hit] = memory.search("home")
    assert hit.signals["retention"] == 1.0
    assert len(memory.get_all()) == 1


def test_a_fact_with_an_end_is_found_until_then(timed):
    memory = timed()
    memory_id = memory.add(HOME, kind="fact").ids[0]
    claim(memory, memory_id, day(0), (day(10), day(0)))
    assert [len(memory.search("home", now=day(number))) for number in (9, 10, 11)] == [1, 0, 0]
    assert len(memory.search("home", now=day(11), as_of=day(9))) == 1
    memory.clock[0] = day(11)
    assert len(memory.get_all()) == 0
    assert len(memory.get_all(as_of=day(9))) == 1


@pytest.mark.parametrize(
    ("statement", "reason", "words", "given", "back"),
    [
        ("UPDATE memory SET review_state = 'pending'", "review", "pending", {}, "review_state = 'active'"),
        ("UPDATE memory SET review_state = 'rejected'", "review", "rejected", {}, "review_state = 'active'"),
        (
            "UPDATE memory SET ended_at = 5, ending = 'archived'",
            "ended",
            "archived",
            {},
            "ended_at = NULL, ending = NULL",
        ),
        (
            "UPDATE memory SET ended_at = 5, ending = 'retired'",
            "ended",
            "by hand",
            {},
            "ended_at = NULL, ending = NULL",
        ),
        ("UPDATE memory SET ended_at = 5, ending = 'wrong'", "ended", "wrong", {}, "ended_at = NULL, ending = NULL"),
        ("UPDATE memory SET expires_at = 5", "expired", "1970-01-01", {}, "expires_at = NULL"),
        ("UPDATE memory SET channel = 'direct'", "channel", "group", {"channel": "group"}, "channel = 'group'"),
        ("UPDATE memory SET kind = 'chunk'", "kind", "kinds", {}, "kind = 'event'"),
    ],
)
def test_an_edit_by_hand_hides_at_the_next_search_and_why_not_says_so(timed, statement, reason, words, given, back):  # noqa: PLR0917 - a table
    memory = timed()
    memory_id = memory.add("tea in the garden").ids[0]
    other = memory.add("tea on the roof").ids[0]
    assert len(memory.search("tea")) == 2
    edit(memory, f"{statement} WHERE id = ?", memory_id)
    found = memory.search("tea", **given)
    assert [hit.id for hit in found] == [other]
    answer = memory.why_not(memory_id, "tea", **given)
    assert answer.reason == reason
    assert words in answer.detail
    assert "garden" not in memory.context("tea", mark_used=False, **given)
    assert memory.get(memory_id).id == memory_id
    edit(memory, f"UPDATE memory SET {back} WHERE id = ?", memory_id)
    assert len(memory.search("tea", **given)) == 2


@pytest.mark.parametrize(
    ("given", "reason", "words"),
    [
        ({}, "superseded", "memory 2"),
        ({"as_of": -101}, "not yet", str(day(-100).date())),
        ({"known_at": -101}, "recorded later", str(day(-100).date())),
    ],
)
def test_why_not_tells_the_validity_of_a_claim(moved, given, reason, words):
    answer = moved.why_not(1, "home", **{name: day(number) for name, number in given.items()})
    assert answer.reason == reason
    assert words in answer.detail
    assert moved.why_not(1, "home", as_of=day(-50)).reason == "returned"


def test_why_not_tells_of_an_end_that_nothing_superseded_and_of_what_happened_later(timed):
    memory = timed()
    fact, event = memory.add(HOME, kind="fact").ids[0], memory.add(f"{HOME} again").ids[0]
    claim(memory, fact, day(-9), (day(-1), day(-2)))
    assert memory.why_not(fact, "home").reason == "no longer"
    assert str(day(-1).date()) in memory.why_not(fact, "home").detail
    assert memory.why_not(event, "home", as_of=day(-3)).reason == "not yet"


def test_a_dormant_fact_is_found_and_listed_only_where_it_is_asked_for(timed):
    memory = timed()
    memory_id = memory.add(HOME, kind="fact").ids[0]
    edit(memory, "UPDATE fact_detail SET dormant = 1, strength = 0.05 WHERE memory_id = ?", memory_id)
    assert len(memory.search("home")) == len(memory.get_all()) == 0
    assert memory.why_not(memory_id, "home").reason == "dormant"
    [hit] = memory.search("home", include_dormant=True)
    assert hit.signals["retention"] == pytest.approx(0.05)
    assert len(memory.get_all(include_dormant=True)) == 1


def test_what_is_heard_in_private_is_counted_in_the_trace_of_a_group(timed):
    memory = timed()
    for text, channel in (("tea secret", "direct"), ("tea party", "group"), ("tea old", None)):
        memory_id = memory.add(text).ids[0]
        edit(memory, "UPDATE memory SET channel = ? WHERE id = ?", channel, memory_id)
    in_group = memory.search("tea", channel="group")
    assert sorted(hit.content for hit in in_group) == ["tea old", "tea party"]
    assert in_group.trace.blocked == 1
    assert in_group.trace.to_dict()["hidden"] == {"channel": 1}
    for channel in ("direct", None):
        found = memory.search("tea", channel=channel)
        assert (len(found), found.trace.blocked) == (3, 0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("as_of", datetime(2026, 1, 1)),  # noqa: DTZ001 - a naive moment is what is refused
        ("as_of", "yesterday"),
        ("known_at", 5),
        ("channel", "phone"),
        ("include_dormant", 1),
        ("include_dormant", None),
    ],
)
def test_a_moment_a_channel_and_a_switch_are_checked_and_named(timed, field, value):
    memory = timed()
    with pytest.raises(InvalidInputError, match=field):
        memory.search("tea", **{field: value})
    if field in ("as_of", "include_dormant"):
        with pytest.raises(InvalidInputError, match=field):
            memory.get_all(**{field: value})


def test_a_layer_that_is_off_is_not_read(timed):
    with timed() as memory:
        fact = memory.add(HOME, kind="fact").ids[0]
        event = memory.add(f"{HOME} again").ids[0]
    off = timed(settings=Settings(layers={"turns", "events", "association", "entities"}))
    assert [hit.id for hit in off.search("home")] == [event]
    assert [record.id for record in off.get_all()] == [event]
    answer = off.why_not(fact, "home")
    assert (answer.reason, answer.detail) == ("layer", "the layer facts is off")
    off.close()
    assert len(timed().search("home")) == 2


def test_without_the_layer_of_associations_no_edge_is_walked_and_turns_still_are(timed):
    with timed() as memory:
        first, second = memory.add("a cello"), memory.add("the harbour")
        memory.relate(first.ids[0], second.ids[0], strength=1.0)
        memory.add([{"role": "user", "content": text} for text in ("a violin?", "the garden")], session_id="s")
        assert "the harbour" in [hit.content for hit in memory.search("cello")]
    off = timed(settings=Settings(layers={"turns", "events", "facts", "entities"}))
    for _ in range(2):
        assert [hit.content for hit in off.search("cello")] == ["a cello"]
        assert "the garden" in [hit.content for hit in off.search("violin")]
        assert [hit.content for hit in off.search("cello", as_of=day(1))] == ["a cello"]
        with pytest.raises(InvalidInputError, match="'association' is switched off"):
            off.relate(second.ids[0], first.ids[0], strength=1.0)


def test_without_the_layer_of_entities_no_name_is_an_anchor(timed):
    with timed() as memory:
        memory.add("tea in the garden", entities=["Lin Daiyu"])
        assert len(memory.search("Lin Daiyu")) == 1
    off = timed(settings=Settings(layers={"turns", "events", "association"}))
    assert len(off.search("Lin Daiyu")) == 0
    off.add("rain on the roof", entities=["Lin Daiyu"])
    assert len(off.search("Lin Daiyu")) == 0


def test_days_of_retention_hide_what_is_older_from_searches_and_listings(timed):
    memory = timed(settings=Settings(retention_days={"event": 30}))
    old, fact = memory.add("tea", event_time=day(-29)).ids[0], memory.add("tea for two", kind="fact").ids[0]
    assert len(memory.search("tea")) == len(memory.get_all()) == 2
    memory.clock[0] = day(2)
    assert [hit.id for hit in memory.search("tea")] == [record.id for record in memory.get_all()] == [fact]
    answer = memory.why_not(old, "tea")
    assert answer.reason == "retention"
    assert "30 days" in answer.detail
    assert len(memory.search("tea", as_of=day(-1))) == 0


def test_a_chunk_is_found_where_its_kind_is_named_and_is_no_hit_else(timed):
    memory = timed()
    memory_id = memory.add("tea in a book").ids[0]
    edit(memory, "UPDATE memory SET kind = 'chunk' WHERE id = ?", memory_id)
    assert [hit.id for hit in memory.search("tea", kinds=["chunk"])] == [memory_id]
    assert len(memory.search("tea", kinds=["event"])) == 0
    assert memory.why_not(memory_id, "tea", kinds=["event"]).detail == "it is a chunk, and the search asked for event"


def test_a_listing_has_what_is_current_and_filters_may_ask_for_the_rest(timed):
    memory = timed()
    ids = [memory.add(f"tea {number}").ids[0] for number in range(4)]
    edit(memory, "UPDATE memory SET review_state = 'pending' WHERE id = ?", ids[0])
    edit(memory, "UPDATE memory SET ended_at = 5, ending = 'retired' WHERE id = ?", ids[1])
    edit(memory, "UPDATE memory SET expires_at = 5 WHERE id = ?", ids[2])

    def listed(**filters):
        return [record.id for record in memory.get_all(filters=filters)]

    assert listed() == ids[3:]
    assert listed(review_state="pending") == ids[:1]
    assert listed(ending="retired") == ids[1:2]
    assert listed(NOT={"ending": None}) == ids[1:2]
    assert listed(OR=[{"review_state": "pending"}, {"pinned": 0}]) == [ids[0], ids[3]]
    assert listed(channel=None, pinned=0) == ids[3:]
    assert len(memory.search("tea", filters={"review_state": "pending"})) == 0


def test_threads_that_look_from_different_moments_get_their_own_answers(moved):
    expected = {-50: ["Porto"], -9: ["Lisbon"], -200: []}
    wrong = []

    def look(number):
        for _ in range(10):
            found = cities(moved.search("home", as_of=day(number)))
            if found != expected[number]:
                wrong.append((number, found))

    threads = [threading.Thread(target=look, args=(number,)) for number in [*expected] * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_looking_from_any_moment_changes_nothing(moved, everything_in):
    before = everything_in(moved)
    for given in ({"as_of": day(-50)}, {"known_at": day(-6)}, {"channel": "group"}, {"include_dormant": True}):
        moved.search("home", **given).context()
        moved.get_all(as_of=day(-50))
    assert everything_in(moved) == before
