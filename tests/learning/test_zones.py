"""A trace is read back whatever zone it was asked in, and one that cannot be read keeps no other from being read."""

import importlib.resources
import logging
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo

import pytest

from memcore.kinds import Mismatch
from memcore.storage.trace_zones import read_zone, zone_text

BERLIN = ZoneInfo("Europe/Berlin")
WINTER = datetime(2026, 12, 1, tzinfo=UTC)


class Zone(tzinfo):
    """The offsets of a zone by another class."""

    def __init__(self, like, **names):
        self._zone = like
        self.__dict__ |= names

    def utcoffset(self, moment):
        return None if moment is None else moment.replace(tzinfo=self._zone).utcoffset()

    def dst(self, moment):
        return None if moment is None else moment.replace(tzinfo=self._zone).dst()

    def tzname(self, _moment):
        return "X"


class Raising(Zone):
    """A zone that knows no other year."""

    def utcoffset(self, moment):
        if moment is not None and moment.year != 2026:
            raise KeyError(moment)
        return timedelta(hours=1)


def nameless(key=None):
    folders = [Path(folder) / "Europe" for folder in TZPATH if (Path(folder) / "Europe" / "Berlin").exists()]
    where = (folders[0] if folders else importlib.resources.files("tzdata") / "zoneinfo" / "Europe") / "Berlin"
    with where.open("rb") as file:
        return ZoneInfo.from_file(file, key=key)


@pytest.mark.parametrize(
    ("zone", "text", "kept"),
    [
        (BERLIN, "Europe/Berlin", True),
        (ZoneInfo.no_cache("Europe/Berlin"), "Europe/Berlin", True),
        (Zone(BERLIN, zone="Europe/Berlin"), "Europe/Berlin", True),
        (Zone(BERLIN, zone="Europe/London"), "3600", False),
        (Zone(BERLIN, zone=7), "3600", False),
        (Zone(BERLIN), "3600", False),
        (nameless(), "3600", False),
        (nameless("Europe/Berlin"), "Europe/Berlin", True),
        (nameless("12345"), "3600", False),
        (nameless("../etc/passwd"), "3600", False),
        (Raising(BERLIN), "3600", False),
        (UTC, "0", True),
        (Zone(timezone(timedelta(hours=-9, minutes=-30))), "-34200", True),
        (timezone(timedelta(hours=5, minutes=30)), "19800", True),
        (timezone(timedelta(seconds=1, microseconds=5)), "1", False),
    ],
)
def test_a_zone_is_kept_by_its_name_or_its_offset_and_it_is_known_whether_that_does(zone, text, kept):
    assert zone_text(datetime(2026, 12, 1, tzinfo=zone)) == (text, kept)
    assert read_zone(text)[1]


@pytest.mark.parametrize("text", [None, "", "Nowhere/At_All", "99999999", "--5", "\u00b2", 5, "../x", "a\0b"])
def test_what_names_no_zone_is_read_as_utc_that_was_not_kept(text):
    assert read_zone(text) == (UTC, False)


@pytest.fixture
def asked(memory):
    memory.add("The tent was rained on", user_id="bea", event_time=datetime(2026, 6, 30, 22, 30, tzinfo=UTC))
    memory.add("The tent was dry", user_id="bea", event_time=datetime(2026, 6, 10, 22, 30, tzinfo=UTC))
    memory.tuning.record()
    return lambda zone: memory.search("tent in July 2026", user_id="bea", now=WINTER.astimezone(zone))


def test_a_zone_that_can_be_named_replays_the_same_and_another_is_told_by_a_reason_of_its_own(memory, asked):
    for zone in (BERLIN, Zone(BERLIN, zone="Europe/Berlin"), nameless("Europe/Berlin")):
        asked(zone)
    assert memory.tuning.replay().matched == 3
    assert all(trace.zone_kept for trace in memory.tuning.traces())
    memory.tuning.forget()
    for zone in (nameless(), Zone(BERLIN)):
        asked(zone)
    assert [trace.zone_kept for trace in memory.tuning.traces()] == [False, False]
    report = memory.tuning.replay()
    assert Mismatch.UNEXPLAINED not in report.mismatched
    assert report.mismatched == {Mismatch.ZONE: 2}


def test_a_trace_that_cannot_be_read_keeps_no_other_from_being_read(memory, caplog):
    memory.tuning.record()
    for number in range(6):
        memory.search(f"ferry {number}", user_id="ana", params={"weight_graph": number / 10})
    numbers = [trace.id for trace in memory.tuning.traces()]
    with memory._database.write() as connection:
        setups = dict(connection.exec_driver_sql("SELECT id, setup_id FROM search_trace").fetchall())
        for place, change in (
            (1, "'$.zone', json('null')"),
            (2, "'$.limit', 8, '$.zone', 'Nowhere'"),
        ):
            query = f"UPDATE trace_setup SET document = json_set(document, {change}) WHERE id = ?"
            connection.exec_driver_sql(query, (setups[numbers[place]],))
        query = "UPDATE trace_setup SET document = json_remove(document, '$.limit') WHERE id = ?"
        connection.exec_driver_sql(query, (setups[numbers[3]],))
        connection.exec_driver_sql("UPDATE search_trace SET filters = '{' WHERE id = ?", (numbers[4],))
    with caplog.at_level(logging.WARNING, "memcore.tuning"):
        page = memory.tuning.traces(limit=4)
    assert [trace.id for trace in page] == [numbers[0], numbers[1], numbers[2], numbers[5]]
    assert [trace.zone_kept for trace in page] == [True, False, False, True]
    assert page.next_cursor is None
    assert f"trace {numbers[3]} cannot be read" in caplog.text
    assert memory.tuning.replay().rounds == 4
    first = memory.tuning.traces(limit=3)
    assert [trace.id for trace in memory.tuning.traces(limit=3, cursor=first.next_cursor)] == [numbers[5]]
    memory.delete(memory.add("The password is Zword", user_id="ana")[0].id)
    assert memory.tuning.recording().stored == 6
