"""Quarters, fortnights and "of last year" in a query, resolved against Monday, 30 November 2026."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.dates import query_dates

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
THIRD_OF_2025 = ("2025-07-01", "2025-09-30")
THIRD = ("2026-07-01", "2026-09-30")
FOURTH = ("2026-10-01", "2026-12-31")


def days(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    """The first and the last day of each span."""
    return [(str(span.start.date()), str((span.end - timedelta(days=1)).date())) for span in query_dates(text, now)]


NAMED = [
    "Q3 2025",
    "What did we ship in Q3 of 2025?",
    "q3, 2025",
    "2025 Q3",
    "2025-Q3",
    "2025Q3",
    "third quarter of 2025",
    "in the 3rd quarter 2025",
    "Q3 of last year",
    "the third quarter of last year",
    "Q3 last year",
    "2025年第三季度",
    "2025年的三季度我们做了什么？",
    "2025年3季度",
    "２０２５年第三季度",
    "二〇二五年第三季度",
    "25年第三个季度",
    "去年第三季度",
    "去年Q3的计划",
    "2025年Q3",
]


@pytest.mark.parametrize("text", NAMED)
def test_a_quarter_of_a_year_is_its_three_months(text: str) -> None:
    assert days(text) == [THIRD_OF_2025]
    (span,) = query_dates(text, NOW)
    assert (span.grain, span.certainty) == ("quarter", 1.0)


SPANS = {
    "in Q3": THIRD,
    "in the third quarter": THIRD,
    "last Q3": THIRD,
    "last quarter": THIRD,
    "during the last quarter of the year": FOURTH,
    "this quarter": FOURTH,
    "next quarter": ("2027-01-01", "2027-03-31"),
    "two quarters ago": ("2026-04-01", "2026-06-30"),
    "the quarter before last": ("2026-04-01", "2026-06-30"),
    "in the past two quarters": ("2026-05-30", "2026-11-30"),
    "the last quarter of 2025": ("2025-10-01", "2025-12-31"),
    "early Q3 2025": ("2025-07-01", "2025-07-30"),
    "the end of Q3 2025": ("2025-08-31", "2025-09-30"),
    "the first week of Q3 2025": ("2025-07-01", "2025-07-07"),
    "since Q3": ("2026-07-01", "2026-11-30"),
    "Q1 to Q3 2025": ("2025-01-01", "2025-09-30"),
    "between Q1 and Q3 2025": ("2025-01-01", "2025-09-30"),
    "from Q4 2024 to Q1 2025": ("2024-10-01", "2025-03-31"),
    "What will we ship in Q1?": ("2027-01-01", "2027-03-31"),
    "三季度": THIRD,
    "第三季度的销售": THIRD,
    "上个季度": THIRD,
    "上季度": THIRD,
    "本季度": FOURTH,
    "这个季度": FOURTH,
    "下季度": ("2027-01-01", "2027-03-31"),
    "上上个季度": ("2026-04-01", "2026-06-30"),
    "两个季度前": ("2026-04-01", "2026-06-30"),
    "最近两个季度": ("2026-05-30", "2026-11-30"),
    "2025年前三季度": ("2025-01-01", "2025-09-30"),
    "前两个季度": ("2026-01-01", "2026-06-30"),
    "2025年最后一个季度": ("2025-10-01", "2025-12-31"),
    "第三季度末": ("2026-08-31", "2026-09-30"),
    "2025年三季度初": ("2025-07-01", "2025-07-30"),
    "一季度到三季度": ("2026-01-01", "2026-09-30"),
    "a fortnight ago": ("2026-11-13", "2026-11-19"),
    "What did I say two fortnights ago?": ("2026-10-30", "2026-11-05"),
    "a fortnight from now": ("2026-12-11", "2026-12-17"),
    "over the past fortnight": ("2026-11-16", "2026-11-30"),
    "last fortnight": ("2026-11-16", "2026-11-30"),
    "a fortnight before August 11, 2023": ("2023-07-25", "2023-07-31"),
    "May of last year": ("2025-05-01", "2025-05-31"),
    "in May last year": ("2025-05-01", "2025-05-31"),
    "Dec. of this year": ("2026-12-01", "2026-12-31"),
}


@pytest.mark.parametrize(("text", "span"), SPANS.items())
def test_a_longer_expression_means_its_first_to_its_last_day(text: str, span: tuple[str, str]) -> None:
    assert days(text) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "Q1: what is it?",
        "answer Q3 first",
        "in the third quarter of the game",
        "the first quarter of the century",
        "in the last quarter of the match",
        "a quarter of the cake",
        "the quarterback and the quarterly report",
        "every quarter",
        "Fortnite",
        "每季度一次",
        "一季度一次",
        "三个季度",
        "四季如春",
        "第三季好看吗",
    ],
)
def test_words_that_only_look_like_a_quarter_are_none(text: str) -> None:
    assert query_dates(text, NOW) == ()


def test_certainty_falls_from_complete_to_inferred_to_vague() -> None:
    texts = ["Q3 2025", "in Q3", "before Q3 2025", "2025年三季度", "三季度", "三季度之前"]
    assert [query_dates(text, NOW)[0].certainty for text in texts] == [1.0, 0.8, 0.5, 1.0, 0.8, 0.5]


def test_a_quarter_begins_at_midnight_of_the_zone_of_now() -> None:
    (span,) = query_dates("本季度", datetime(2026, 10, 1, 0, 30, tzinfo=ZoneInfo("Asia/Shanghai")))
    assert (span.start, span.end) == (datetime(2026, 9, 30, 16, tzinfo=UTC), datetime(2026, 12, 31, 16, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "year"), [("two years ago", 2021), ("前年", 2021), ("两年前", 2021), ("last year", 2022)]
)
def test_years_count_from_the_moment_of_asking_and_not_from_the_clock_of_the_machine(text: str, year: int) -> None:
    asked = datetime(2023, 5, 8, 12, tzinfo=UTC)
    assert days(f"Where did I live {text}?", asked) == [(f"{year}-01-01", f"{year}-12-31")]


@given(day=st.dates(date(1950, 1, 1), date(2100, 12, 31)))
def test_the_quarters_of_a_year_follow_each_other_whatever_the_day_of_asking(day: date) -> None:
    now = datetime(day.year, day.month, day.day, tzinfo=UTC)
    spans = [query_dates(f"Q{number} 2025", now)[0] for number in range(1, 5)]
    assert [span.end for span in spans[:-1]] == [span.start for span in spans[1:]]
    this, last, after = (query_dates(f"{turn} quarter", now)[0] for turn in ("this", "last", "next"))
    assert last.end == this.start <= now < this.end == after.start


@pytest.mark.parametrize("unit", ["q", "Q3 ", "三季度", "quarter ", "第", "前三季度", "fortnight "])
def test_a_text_of_a_hundred_thousand_characters_is_read(unit: str) -> None:
    text = unit * (100_000 // len(unit)) + " on 8 May 2023"
    assert query_dates(text, NOW)[-1].text.endswith("8 May 2023")
