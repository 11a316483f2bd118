"""Where a clock is put forward or back, hours stay hours: in when a fact freezes, and in the days of retention."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memcore import Memory, Settings
from memcore.kinds import Kind

CHANGES = [
    ("Europe/Berlin", datetime(2026, 10, 24, 22, 30, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 3, 28, 23, 30, tzinfo=UTC)),
    ("America/New_York", datetime(2026, 11, 1, 3, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2026, 4, 4, 12, tzinfo=UTC)),
    ("UTC", datetime(2026, 3, 28, 23, 30, tzinfo=UTC)),
]


@pytest.mark.parametrize(("zone", "start"), CHANGES)
def test_a_state_freezes_after_39_86_hours_as_on_any_other_day(zone, start):
    now = [start.astimezone(ZoneInfo(zone))]
    with Memory(":memory:", embedder="none", clock=lambda: now[0]) as memory:
        fact = memory.facts.set("mood", "Ana is tired.", user_id="ana", category="state").id
        memory.facts.set("town", "Ana lives in Lisbon.", user_id="ana", category="state")
        now[0] = (start + timedelta(hours=39.8)).astimezone(ZoneInfo(zone))
        memory.maintain(["sweep"])
        assert memory.get(fact).dormant is False
        now[0] = (start + timedelta(hours=39.9)).astimezone(ZoneInfo(zone))
        memory.maintain(["sweep"])
        assert memory.get(fact).dormant is True


@pytest.mark.parametrize(("zone", "start"), CHANGES)
def test_days_of_retention_are_of_24_hours(zone, start):
    now = [start.astimezone(ZoneInfo(zone))]
    settings = Settings(retention_days={Kind.FACT: 2})
    with Memory(":memory:", embedder="none", clock=lambda: now[0], settings=settings) as memory:
        memory.facts.set("town", "Ana lives in Lisbon.", user_id="ana")
        for hours, found in ((47.9, 1), (48.1, 0)):
            now[0] = (start + timedelta(hours=hours)).astimezone(ZoneInfo(zone))
            assert len(memory.search("Where does Ana live?", user_id="ana")) == found
            assert (memory.facts.get("town", user_id="ana") is not None) is bool(found)
            assert len(memory.facts.list(user_id="ana")) == found
