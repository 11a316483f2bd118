"""What a query means by a date, in English and Chinese, resolved against Monday, 30 November 2026."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from date_samples import (
    CHINESE_DAYS,
    CHINESE_SPANS,
    CLOSED_SPANS,
    ENGLISH_DAYS,
    ENGLISH_SPANS,
    NO_DATES,
    OPEN_SPANS,
    SINGLE_DAYS,
)
from hypothesis import given
from hypothesis import strategies as st

from memcore.dates import DateSpan, query_dates
from memcore.errors import InvalidInputError

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)


def days(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    """The first and the last day of each span."""
    return [(str(span.start.date()), str((span.end - timedelta(days=1)).date())) for span in query_dates(text, now)]


def one_day(text: str, now: datetime = NOW) -> str:
    ((first, last),) = days(text, now)
    assert first == last
    return first


@pytest.mark.parametrize(("text", "day"), [*ENGLISH_DAYS.items(), *CHINESE_DAYS.items()])
def test_an_expression_of_one_day_means_that_day(text: str, day: str) -> None:
    assert one_day(text) == day


@pytest.mark.parametrize(("text", "span"), [*ENGLISH_SPANS.items(), *CHINESE_SPANS.items()])
def test_a_longer_expression_means_its_first_to_its_last_day(text: str, span: tuple[str, str]) -> None:
    assert days(text) == [span]


@pytest.mark.parametrize("text", NO_DATES)
def test_words_that_only_look_like_a_date_are_none(text: str) -> None:
    assert query_dates(text, NOW) == ()


def test_two_dates_in_a_query_are_two_spans_in_the_order_of_the_text() -> None:
    assert days("in 2022 and 2023") == [("2022-01-01", "2022-12-31"), ("2023-01-01", "2023-12-31")]
    assert days("去年国庆和上周三") == [("2025-10-01", "2025-10-01"), ("2026-11-25", "2026-11-25")]


def test_the_words_and_the_grain_come_with_the_span() -> None:
    (span,) = query_dates("What did we discuss in the first week of June 2024?", NOW)
    assert span == DateSpan(
        datetime(2024, 6, 1, tzinfo=UTC),
        datetime(2024, 6, 8, tzinfo=UTC),
        "week",
        "the first week of June 2024",
        1.0,
        place=(23, 50),
    )


@pytest.mark.parametrize(
    ("text", "relative"),
    [
        ("dinner 3 days ago", True),
        ("in the last 3 weeks", True),
        ("last Friday", True),
        ("the Friday before last", True),
        ("last month", True),
        ("3天前吃了什么", True),
        ("上个月", True),
        ("上个季度", True),
        ("去年", True),
        ("on 8 May", False),
        ("the week before 3 May", False),
        ("2025年", False),
        ("去年5月3日", False),
        ("上个月3号", False),
    ],
)
def test_a_date_that_counts_from_now_is_told_from_one_of_the_calendar(text: str, relative: bool) -> None:
    (span,) = query_dates(text, NOW)
    assert span.relative is relative
    begin, end = span.place
    assert text[begin:end] == span.text


@pytest.mark.parametrize(
    ("text", "certainty"), [("the last 3 days", 0.8), ("最近3天", 0.8), ("the last few days", 0.5)]
)
def test_a_counted_stretch_until_today_is_less_vague_than_a_few_days(text: str, certainty: float) -> None:
    assert [span.certainty for span in query_dates(text, NOW)] == [certainty]


@pytest.mark.parametrize(("text", "expected"), OPEN_SPANS.items())
def test_words_beside_a_date_open_it_to_one_side(text: str, expected: tuple[str | None, str | None]) -> None:
    ((first, last),) = days(text)
    assert (None if first < "1001" else first, None if last > "8998" else last) == expected


@pytest.mark.parametrize(("text", "expected"), SINGLE_DAYS.items())
def test_a_weekday_of_another_week_is_one_day(text: str, expected: str) -> None:
    assert one_day(text) == expected


@pytest.mark.parametrize(("text", "expected"), CLOSED_SPANS.items())
def test_other_words_beside_a_date_leave_it_closed(text: str, expected: tuple[str, str]) -> None:
    assert days(text) == [expected]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"])
def test_an_open_date_is_one_in_every_zone(zone: str) -> None:
    assert len(query_dates("before 2025", NOW.astimezone(ZoneInfo(zone)))) == 1
    assert len(query_dates("after 2025", NOW.astimezone(ZoneInfo(zone)))) == 1


def test_certainty_falls_from_complete_to_inferred_to_vague() -> None:
    texts = ["on 8 May 2023", "on 8 May", "a few days ago", "before May 2023"]
    assert [query_dates(text, NOW)[0].certainty for text in texts] == [1.0, 0.8, 0.5, 0.5]


def test_talk_on_the_way_to_the_question_counts_less_than_the_question() -> None:
    (yesterday,) = query_dates("今天天气真好。昨天去爬山了。我的手机是什么型号？", NOW)
    assert (yesterday.text, yesterday.certainty) == ("昨天", 0.5)
    (asked,) = query_dates("I am tired. What did I eat yesterday?", NOW)
    assert asked.certainty == 1.0


def test_the_day_of_a_birth_is_vague_since_nobody_was_told_on_that_day() -> None:
    (span,) = query_dates("生日是12月23日的人在哪里工作？", NOW)
    assert span.certainty == 0.5


def test_days_begin_at_midnight_of_the_zone_of_now() -> None:
    now = datetime(2026, 5, 8, 0, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
    (span,) = query_dates("今天", now)
    assert (span.start, span.end) == (datetime(2026, 5, 7, 16, tzinfo=UTC), datetime(2026, 5, 8, 16, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "hours"), [("on 29 March 2026", 23), ("on 25 October 2026", 25), ("on 1 May 2026", 24)]
)
def test_a_day_on_which_the_clock_changes_is_an_hour_shorter_or_longer(text: str, hours: int) -> None:
    (span,) = query_dates(text, datetime(2026, 11, 30, tzinfo=ZoneInfo("Europe/Lisbon")))
    assert span.end - span.start == timedelta(hours=hours)


def test_weeks_and_months_cross_the_end_of_the_year() -> None:
    new_year = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert days("last week", new_year) == [("2025-12-22", "2025-12-28")]
    assert days("this week", new_year) == [("2025-12-29", "2026-01-04")]
    assert days("last month", new_year) == [("2025-12-01", "2025-12-31")]
    assert one_day("yesterday", new_year) == "2025-12-31"
    assert one_day("on New Year's Eve", new_year) == "2025-12-31"


def test_a_naive_now_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"now.*time zone"):
        query_dates("yesterday", datetime(2026, 5, 8))  # noqa: DTZ001 - that is what is tested


@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_the_calendar_give_no_error(year: int) -> None:
    now = datetime(year, 1, 1, tzinfo=UTC) if year == 1 else datetime(year, 12, 31, tzinfo=UTC)
    for text in [*ENGLISH_DAYS, *CHINESE_DAYS, *ENGLISH_SPANS, *CHINESE_SPANS]:
        assert isinstance(query_dates(text, now), tuple)


WORDS = st.sampled_from(
    [*ENGLISH_DAYS, *CHINESE_DAYS, *ENGLISH_SPANS, *CHINESE_SPANS, *NO_DATES, "to", "between", "and", "到", "99", "-"]
)
ZONES = st.sampled_from([UTC, ZoneInfo("Asia/Shanghai"), ZoneInfo("America/Sao_Paulo"), ZoneInfo("Pacific/Apia")])


@given(text=st.one_of(st.text(), st.lists(WORDS, max_size=6).map(" ".join), st.lists(WORDS, max_size=4).map("".join)))
def test_no_text_raises_and_every_span_is_a_stretch_of_it(text: str) -> None:
    for span in query_dates(text, NOW):
        assert span.start < span.end
        assert span.start.utcoffset() == timedelta()
        assert span.text
        assert span.text in text


@given(day=st.dates(date(1950, 1, 1), date(2100, 12, 31)), zone=ZONES, word=WORDS)
def test_no_now_raises(day: date, zone: ZoneInfo, word: str) -> None:
    now = datetime(day.year, day.month, day.day, 12, tzinfo=zone)
    assert all(span.start < span.end for span in query_dates(word, now))


@given(day=st.dates(date(1950, 1, 1), date(2100, 12, 31)), asked=st.dates(date(1901, 1, 1), date(2099, 12, 31)))
def test_a_full_date_is_found_whatever_the_day_of_asking(day: date, asked: date) -> None:
    now = datetime(day.year, day.month, day.day, tzinfo=UTC)
    chinese = f"{asked.year}年{asked.month}月{asked.day}日"
    for text in (asked.isoformat(), f"on {asked:%B} {asked.day}, {asked.year}", chinese):
        assert one_day(text, now) == asked.isoformat()


@pytest.mark.parametrize(
    "unit",
    ["a", "1", "may ", "5月", "2023-", "3 and ", "the last ", "一", "2022年和", "week before ", "上", "May 3 to "],
)
def test_a_text_of_a_hundred_thousand_characters_is_read(unit: str) -> None:
    text = unit * (100_000 // len(unit)) + " on 8 May 2023"
    assert query_dates(text, NOW)[-1].text.endswith("8 May 2023")
