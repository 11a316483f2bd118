"""The one before last and the one after next: recurrences counted from Wednesday, 17 June 2026."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore.dates import query_dates

NOW = datetime(2026, 6, 17, 15, tzinfo=UTC)

SPANS = {
    "What did we eat on the Friday before last?": ("2026-06-05", "2026-06-05"),
    "Friday before last": ("2026-06-05", "2026-06-05"),
    "the Monday before last": ("2026-06-08", "2026-06-08"),
    "the Wednesday before last": ("2026-06-03", "2026-06-03"),
    "Sat before last": ("2026-06-06", "2026-06-06"),
    "the Friday before the last one": ("2026-06-05", "2026-06-05"),
    "the Friday after next": ("2026-06-26", "2026-06-26"),
    "the night before last": ("2026-06-15", "2026-06-15"),
    "the week before last": ("2026-06-01", "2026-06-07"),
    "the weekend before last": ("2026-06-06", "2026-06-07"),
    "the fortnight before last": ("2026-05-17", "2026-05-23"),
    "the month before last": ("2026-04-01", "2026-04-30"),
    "the month after next": ("2026-08-01", "2026-08-31"),
    "the quarter before last": ("2025-10-01", "2025-12-31"),
    "the year before last": ("2024-01-01", "2024-12-31"),
    "the summer before last": ("2024-06-01", "2024-08-31"),
    "the May before last": ("2025-05-01", "2025-05-31"),
    "in the March after next": ("2028-03-01", "2028-03-31"),
    "Christmas before last": ("2024-12-25", "2024-12-25"),
    "two Fridays ago": ("2026-06-05", "2026-06-05"),
    "3 Mondays ago": ("2026-06-01", "2026-06-01"),
    "two summers ago": ("2024-06-01", "2024-08-31"),
    "two Christmases ago": ("2024-12-25", "2024-12-25"),
    "上上周五": ("2026-06-05", "2026-06-05"),
    "上上个周末": ("2026-06-06", "2026-06-07"),
    "上上个月": ("2026-04-01", "2026-04-30"),
    "上上个夏天": ("2024-06-01", "2024-08-31"),
    "上上个春节": ("2025-01-29", "2025-01-29"),
    "上个春节": ("2026-02-17", "2026-02-17"),
    "3天前晚饭吃了什么": ("2026-06-14", "2026-06-14"),
    "前晚吃了什么": ("2026-06-15", "2026-06-15"),
}

OF_SOMETHING_ELSE = {
    "the Friday before last Christmas": ("2025-12-19", "2025-12-19"),
    "the week before last Christmas": ("2025-12-18", "2025-12-24"),
    "the week after next Christmas": ("2026-12-26", "2027-01-01"),
    "the year before last summer": ("2024-06-01", "2025-05-31"),
}


def days(text):
    return [(str(one.start.date()), str((one.end - timedelta(days=1)).date())) for one in query_dates(text, NOW)]


@pytest.mark.parametrize(("text", "expected"), SPANS.items())
def test_the_one_before_last_is_one_further_than_the_last(text, expected):
    assert days(text) == [expected]


@pytest.mark.parametrize(("text", "expected"), OF_SOMETHING_ELSE.items())
def test_last_and_next_belong_to_the_date_that_follows_them(text, expected):
    assert days(text) == [expected]


@pytest.mark.parametrize("text", ["he sat before last", "a few Fridays ago"])
def test_what_counts_no_recurrence_is_no_date(text):
    assert days(text) == []


def test_before_last_is_a_week_before_last_on_every_day_of_the_week():
    for ahead in range(7):
        now = NOW + timedelta(days=ahead)
        (last,), (before,) = query_dates("last Friday", now), query_dates("the Friday before last", now)
        assert last.start - before.start == timedelta(days=7)
