"""Feasts of the lunar calendar in a query, resolved against Monday, 30 November 2026, and the table behind them."""

from datetime import UTC, date, datetime, timedelta

import pytest

from memcore.dates import query_dates
from memcore.dates.lunar import FIRST_YEAR, LAST_YEAR, lunar_feast

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
YEARS = range(FIRST_YEAR, LAST_YEAR + 1)
A_NEW_MOON = datetime(2000, 1, 6, 14, 21, tzinfo=UTC)  # the mean one; Meeus (1998), Astronomical Algorithms, ch. 49
MONTH = timedelta(days=29.530588861)


def days(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    """The first and the last day of each span."""
    return [(str(span.start.date()), str((span.end - timedelta(days=1)).date())) for span in query_dates(text, now)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("春节去哪了？", "2026-02-17"),
        ("去年春节", "2025-01-29"),
        ("2024年春节", "2024-02-10"),
        ("明年春节", "2027-02-06"),
        ("除夕夜", "2026-02-16"),
        ("去年除夕", "2025-01-28"),
        ("大年初一", "2026-02-17"),
        ("元宵节", "2026-03-03"),
        ("端午", "2026-06-19"),
        ("2025年端午节", "2025-05-31"),
        ("中秋节吃了什么", "2026-09-25"),
        ("2023年中秋", "2023-09-29"),
        ("2033年中秋节", "2033-09-08"),
        ("at Chinese New Year", "2026-02-17"),
        ("during the Spring Festival of 2024", "2024-02-10"),
        ("during Spring Festival", "2026-02-17"),
        ("last Mid-Autumn Festival", "2026-09-25"),
        ("Dragon Boat Festival 2025", "2025-05-31"),
        ("Lantern Festival", "2026-03-03"),
    ],
)
def test_a_lunar_feast_is_its_day_of_the_year(text: str, day: str) -> None:
    assert days(text) == [(day, day)]


def test_the_holiday_of_a_feast_is_seven_days() -> None:
    assert days("去年春节假期") == [("2025-01-29", "2025-02-04")]


@pytest.mark.parametrize("text", ["她爱吃元宵", "1960年中秋节", "2080年春节", "春天的节奏"])
def test_what_names_no_feast_or_one_outside_the_table_is_no_day_of_it(text: str) -> None:
    assert all(span.grain != "day" for span in query_dates(text, NOW))


@pytest.mark.parametrize("year", [1950, 2090])
def test_a_feast_asked_about_outside_the_table_is_passed_over(year: int) -> None:
    assert query_dates("春节", datetime(year, 6, 1, tzinfo=UTC)) == ()


@pytest.mark.parametrize(("name", "day_of_month"), [("spring", 1), ("dragon boat", 5), ("mid-autumn", 15)])
def test_the_month_of_each_feast_begins_within_a_day_of_the_mean_new_moon(name: str, day_of_month: int) -> None:
    for year in YEARS:
        first = lunar_feast(name, days=1 - day_of_month)(year)
        noon_in_china = datetime(first.year, first.month, first.day, 4, tzinfo=UTC)
        away = (noon_in_china - A_NEW_MOON) / MONTH
        assert abs(away - round(away)) * MONTH < timedelta(days=1.2), first


def test_a_lunar_year_has_twelve_or_thirteen_months_and_the_feasts_keep_their_seasons() -> None:
    spring, boat, autumn = (lunar_feast(name) for name in ("spring", "dragon boat", "mid-autumn"))
    lengths = {(spring(year + 1) - spring(year)).days for year in YEARS[:-1]}
    assert lengths <= {353, 354, 355, 383, 384, 385}
    for year in YEARS:
        assert date(year, 1, 21) <= spring(year) <= date(year, 2, 20)
        assert date(year, 5, 27) <= boat(year) <= date(year, 6, 25)
        assert date(year, 9, 7) <= autumn(year) <= date(year, 10, 8)
        assert (autumn(year) - boat(year)).days in {98, 99, 127, 128, 129}
