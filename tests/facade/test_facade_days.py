"""Days are those of the caller's calendar: of `now`, of the clock, of the event's own time zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memcore import Memory

SHANGHAI = ZoneInfo("Asia/Shanghai")
EARLY = datetime(2026, 11, 30, 7, 30, tzinfo=SHANGHAI)  # still the 29th in UTC


@pytest.fixture
def diary():
    with Memory(":memory:", embedder="none", clock=lambda: EARLY) as memory:
        memory.add("和老王爬山", user_id="a", event_time=datetime(2026, 11, 29, 1, 30, tzinfo=SHANGHAI))
        memory.add("和小李打球", user_id="a", event_time=datetime(2026, 11, 28, 15, tzinfo=SHANGHAI))
        yield memory


@pytest.mark.parametrize("given", [{}, {"now": EARLY}], ids=["clock", "now"])
def test_yesterday_is_the_day_before_in_the_callers_time_zone(diary, given):
    assert diary.search("昨天做了什么", user_id="a", **given)[0].content == "和老王爬山"


def test_the_block_shows_the_callers_days_and_the_index_has_those_of_the_event(diary):
    assert "- 2026-11-29 (event)" in diary.context("爬山", user_id="a")
    assert diary.search("11月29日", user_id="a")[0].content == "和老王爬山"


@pytest.mark.parametrize("first", ["和老王爬山", "Climbing with Wang"])
@pytest.mark.parametrize("later", ["和老王去爬山了", "Went climbing with Wang"])
def test_a_changed_text_keeps_the_day_of_whoever_stored_it(first, later):
    with Memory(":memory:", embedder="none", clock=lambda: EARLY.astimezone(UTC)) as memory:
        (changed,) = memory.add(first, user_id="a", event_time=datetime(2026, 11, 29, 1, 30, tzinfo=SHANGHAI)).ids
        memory.update(changed, content=later)
        (same,) = memory.add(later, user_id="b", event_time=datetime(2026, 11, 29, 1, 30, tzinfo=SHANGHAI)).ids
        with memory._database.read() as connection:
            streams = connection.exec_driver_sql("SELECT tokens FROM memory WHERE id IN (?, ?)", (changed, same))
            assert len(set(streams.scalars())) == 1


def test_a_text_without_stored_tokens_gets_the_day_of_the_clock():
    with Memory(":memory:", embedder="none", clock=lambda: EARLY) as memory:
        (one,) = memory.add("Climbing", event_time=datetime(2026, 11, 29, 1, 30, tzinfo=SHANGHAI)).ids
        with memory._database.write() as connection:
            connection.exec_driver_sql("UPDATE memory SET tokens = NULL")
        memory.update(one, content="Climbing again")
        with memory._database.read() as connection:
            tokens = connection.exec_driver_sql("SELECT tokens FROM memory").scalar_one().split()
        assert tokens[0] == "---29"
