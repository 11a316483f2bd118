"""The terms of dates: what the index has of a day, and which words of a question look for one."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.compute import query_terms
from memcore.dates import date_terms, dated_query_terms, query_dates

NOW = datetime(2026, 6, 17, 15, tzinfo=UTC)


def terms(text, zone=UTC):
    return dated_query_terms(text, query_dates(text, NOW.astimezone(zone)), zone)


def test_the_day_of_a_memory_is_a_term_that_a_bare_number_is_not():
    moment = datetime(2023, 5, 8, tzinfo=UTC)
    assert date_terms(moment, "We met Ana.") == ["---08", "may", "2023", "monday"]
    assert set(date_terms(moment, "Ana 来了")) == (
        {"2023", "2023年", "--05", "5月", "---08", "8日", "星期一", "期一", "周一"}
    )


@given(st.datetimes(timezones=st.just(UTC)), st.sampled_from(["dinner", "晚饭"]), st.integers(0, 99))
def test_no_number_of_two_digits_finds_a_date(moment, text, number):
    assert not set(query_terms(f"room {number}")) & set(date_terms(moment, text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did we have for dinner 3 days ago?", ["dinner"]),
        ("What did we have for dinner three days ago?", ["dinner"]),
        ("dinner in the last 3 weeks", ["dinner"]),
        ("dinner yesterday", ["dinner"]),
        ("dinner last month", ["dinner"]),
        ("dinner the Friday before last", ["dinner", "friday"]),
        ("dinner last night", ["dinner", "night"]),
        ("3天前晚饭", ["晚饭"]),
        ("三天前晚饭", ["晚饭"]),
        ("上个月晚饭", ["晚饭"]),
        ("最近3周晚饭", ["晚饭"]),
    ],
)
def test_the_words_of_a_date_that_counts_from_now_are_not_looked_up(text, expected):
    assert terms(text) == expected


def test_a_weekday_keeps_its_name_in_both_languages():
    assert "周五" in terms("上周五晚饭")
    assert terms("dinner last Friday") == ["dinner", "friday"]


def test_a_number_beside_the_date_stays():
    assert terms("3 days ago we were 3 in room 8") == ["3", "room", "8"]


@pytest.mark.parametrize(
    "text", ["dinner on 3 May 2025", "dinner on May 3rd, 2025", "dinner on 5/3/2025", "2025年5月3日晚饭"]
)
def test_a_date_of_the_calendar_brings_the_terms_of_its_day(text):
    day = datetime(2025, 5, 3, tzinfo=UTC)
    wanted = {"---03", "may", "--05", "5月", "3日", "2025"}
    assert wanted <= set(terms(text))
    assert wanted & set(date_terms(day, "dinner")) == {"---03", "may", "2025"}
    assert wanted & set(date_terms(day, "晚饭")) == {"---03", "--05", "5月", "3日", "2025"}


def test_the_days_of_a_range_and_of_a_date_next_to_a_week_are_looked_up():
    assert {"---03", "---07"} <= set(terms("dinner from 3 to 7 May"))
    assert "---03" in terms("the week before 3 May")
    assert {"---03", "---07", "--05"} <= set(terms("5月3日到7日晚饭"))
    assert "---02" not in terms("dinner 2 weeks before Christmas")


def test_a_day_of_the_calendar_is_that_of_the_callers_zone():
    assert "---03" in terms("dinner on 3 May 2025", ZoneInfo("Asia/Shanghai"))
    assert "---03" in terms("dinner on 3 May 2025", ZoneInfo("America/Lima"))


def test_the_words_of_years_ago_stay_for_what_was_told_of_that_time():
    assert terms("Where did Ana move from 4 years ago?") == query_terms("Where did Ana move from 4 years ago?")


PLAIN = st.text("abc 3猫晚饭?.", max_size=40)


@given(PLAIN, st.sampled_from(["3 days ago", "上个月", "8 May", "last week", "3天前"]), PLAIN)
def test_a_question_looks_up_its_own_terms_each_once_and_days_beside(before, date, after):
    text = f"{before} {date} {after}"
    found = terms(text)
    assert len(set(found)) == len(found)
    days = {"---08", "may", "--05", "5月", "8日"}
    assert set(found) <= set(query_terms(text)) | days


def test_a_month_of_the_calendar_is_looked_up_in_both_languages():
    assert {"march", "3月"} <= set(terms("今年三月晚饭"))
    assert {"march", "3月"} <= set(terms("dinner in March 2026"))


def test_without_dates_the_terms_are_those_of_the_text():
    assert dated_query_terms("What did Ana eat at 8?", (), UTC) == query_terms("What did Ana eat at 8?")
    later = query_dates("dinner 3 days ago", NOW + timedelta(days=400))
    assert dated_query_terms("dinner 3 days ago", later, UTC) == ["dinner"]
