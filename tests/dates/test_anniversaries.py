"""The same day of another year, weekdays of a month and named weekdays, asked on Wednesday, 18 March 2026."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore.dates import query_dates

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)

SAME_DAYS = {
    "a year ago today": "2025-03-18",
    "two years ago today": "2024-03-18",
    "a year ago yesterday": "2025-03-17",
    "a month ago today": "2026-02-18",
    "today a year ago": "2025-03-18",
    "this day last year": "2025-03-18",
    "What did I do on this day last year?": "2025-03-18",
    "on the same day last month": "2026-02-18",
    "today last year": "2025-03-18",
    "last year on this day": "2025-03-18",
    "去年今天": "2025-03-18",
    "去年的今天我在哪里": "2025-03-18",
    "去年昨天": "2025-03-17",
    "一年前的今天": "2025-03-18",
    "三年前今天": "2023-03-18",
    "上个月的今天": "2026-02-18",
    "上周的今天": "2026-03-11",
    "去年这一天": "2025-03-18",
}

WEEKDAYS_OF_MONTHS = {
    "the first Monday of March": "2026-03-02",
    "the 2nd Tuesday in May 2025": "2025-05-13",
    "the last Friday of March": "2026-03-27",
    "the last Friday of last month": "2026-02-27",
    "the next to last Friday of March": "2026-03-20",
    "the penultimate Friday of March 2025": "2025-03-21",
    "the first Wednesday of 2025": "2025-01-01",
    "三月第一个周一": "2026-03-02",
    "去年三月的第二个星期五": "2025-03-14",
    "上个月最后一个周五": "2026-02-27",
    "三月第一周周一": "2026-03-02",
}

NAMED = {
    "Black Friday": "2025-11-28",
    "Black Friday 2024": "2024-11-29",
    "last Cyber Monday": "2025-12-01",
    "Good Friday 2024": "2024-03-29",
    "Ash Wednesday 2024": "2024-02-14",
    "Easter Monday 2024": "2024-04-01",
    "去年黑色星期五": "2025-11-28",
    "去年黑五买了什么": "2025-11-28",
    "2024年耶稣受难日": "2024-03-29",
}

NO_DAY = [
    "next to last Friday",
    "the second-to-last week",
    "last but one Friday",
    "the first Friday of the month",
    "the first Friday there",
    "the last Friday of the trip",
    "Super Bowl Sunday",
    "Taco Tuesday",
    "every other Friday",
    "第一个周一",
    "黑五类",
]

STILL_READ = {
    "It was good last Friday": "2026-03-13",
    "What did I do first on Monday?": "2026-03-16",
    "I called 3 days ago, yesterday I wrote": "2026-03-15",
    "六月的第一周一共花了多少": "2025-06-01",
}


def one_day(text: str) -> str:
    (span,) = query_dates(text, NOW)
    assert span.end - span.start == timedelta(days=1)
    return str(span.start.date())


@pytest.mark.parametrize(("text", "day"), SAME_DAYS.items())
def test_the_same_day_of_another_year_or_month_is_that_day(text: str, day: str) -> None:
    assert one_day(text) == day
    assert [(span.certainty, span.relative) for span in query_dates(text, NOW)] == [(1.0, True)]


def test_this_time_last_year_is_vague_and_around_the_day() -> None:
    (span,) = query_dates("this time last year", NOW)
    assert (str(span.start.date()), str(span.end.date()), span.certainty) == ("2025-03-03", "2025-04-03", 0.5)


def test_the_leap_day_a_year_ago_is_the_last_of_february() -> None:
    for text in ("a year ago today", "去年今天"):
        (span,) = query_dates(text, datetime(2024, 2, 29, tzinfo=UTC))
        assert str(span.start.date()) == "2023-02-28"


@pytest.mark.parametrize(("text", "day"), WEEKDAYS_OF_MONTHS.items())
def test_an_ordinal_of_a_weekday_is_that_day_of_its_month(text: str, day: str) -> None:
    assert one_day(text) == day


def test_a_fifth_weekday_that_a_month_has_not_leaves_the_month() -> None:
    (span,) = query_dates("the fifth Monday of February 2025", NOW)
    assert (span.text, span.grain) == ("February 2025", "month")


@pytest.mark.parametrize(("text", "day"), NAMED.items())
def test_a_feast_that_has_the_name_of_a_weekday_is_that_feast(text: str, day: str) -> None:
    assert one_day(text) == day


@pytest.mark.parametrize("text", NO_DAY)
def test_a_weekday_that_is_one_of_several_or_a_name_is_no_date(text: str) -> None:
    assert query_dates(text, NOW) == ()


@pytest.mark.parametrize(("text", "first"), STILL_READ.items())
def test_other_words_before_or_after_a_date_do_not_hide_it(text: str, first: str) -> None:
    assert str(query_dates(text, NOW)[0].start.date()) == first
