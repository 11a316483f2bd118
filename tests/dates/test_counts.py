"""How many days, weeks, months or years ago: numbers of every form, counted from Wednesday, 18 March 2026."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.dates import query_dates

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)

EXACT_DAYS = {
    "twenty-five days ago": 25,
    "twenty five days ago": 25,
    "nineteen days ago": 19,
    "thirty days ago": 30,
    "ninety-nine days ago": 99,
    "a hundred days ago": 100,
    "one hundred and five days ago": 105,
    "two hundred twenty-one days ago": 221,
    "2.0 days ago": 2,
    "2 weeks and 3 days ago": 17,
    "二十五天前": 25,
    "三十天前": 30,
    "一百天前": 100,
    "一百二十天前": 120,
    "一百零五天前": 105,
    "两百二天前": 220,
    "廿三天前": 23,
    "差不多三天前": 3,
    "两周零三天前": 17,
}
"""The days that lie behind, counted to one day."""

RANGES_OF_DAYS = {
    "3 or 4 days ago": (4, 3),
    "three or maybe four days ago": (4, 3),
    "3-4 days ago": (4, 3),
    "3 – 4 days ago": (4, 3),
    "3 to 4 days ago": (4, 3),
    "4 to 3 days ago": (4, 3),
    "between 3 and 4 days ago": (4, 3),
    "twenty-five to thirty days ago": (30, 25),
    "twenty–thirty days ago": (30, 20),
    "three days or four days ago": (4, 3),
    "a week or ten days ago": (10, 4),
    "a day or two ago": (2, 1),
    "3, 4 days ago": (4, 3),
    "two and three days ago": (3, 2),
    "a dozen days ago": (13, 11),
    "3 or 4 days from now": (-3, -4),
    "the last 3 or 4 days": (4, 0),
    "三四天前我们做了什么?": (4, 3),
    "两三天前": (3, 2),
    "一两天前": (2, 1),
    "三五天前": (5, 3),
    "十七八天前": (18, 17),
    "二三十天前": (30, 20),
    "两三百天前": (300, 200),
    "3到4天前": (4, 3),
    "3至4天前": (4, 3),
    "3-4 天前": (4, 3),
    "3~4天前": (4, 3),
    "三天或四天前": (4, 3),
    "三、四天前": (4, 3),
    "十几天前": (19, 11),
    "十多天前": (19, 10),
    "几十天前": (90, 20),
    "三四天后": (-3, -4),
    "最近三四天": (4, 0),
    "前两三天": (3, 1),
}
"""Counts that name no one number: how many days ago the span begins and ends."""

VAGUE_SPANS = {
    "五六年前": ("2020-01-01", "2021-12-31"),
    "七八年前": ("2018-01-01", "2019-12-31"),
    "二三十年前": ("1996-01-01", "2006-12-31"),
    "二十多年前": ("1997-01-01", "2006-12-31"),
    "两年多前": ("2023-01-01", "2024-12-31"),
    "三四个月前": ("2025-10-19", "2026-01-12"),
    "five or six years ago": ("2020-01-01", "2021-12-31"),
    "three or four months ago": ("2025-10-19", "2026-01-12"),
    "a year or two ago": ("2024-01-01", "2025-12-31"),
    "two or three Fridays ago": ("2026-02-27", "2026-03-06"),
    "3 or 4 days before 8 May 2025": ("2025-05-04", "2025-05-05"),
    "2025年5月8日前三四天": ("2025-05-04", "2025-05-07"),
}

FRACTIONS = {
    "1.5 years ago": ("2024-06-10", "2024-12-27"),
    "a year and a half ago": ("2024-06-10", "2024-12-27"),
    "one and a half years ago": ("2024-06-10", "2024-12-27"),
    "half a year ago": ("2025-08-09", "2025-10-28"),
    "0.5 years ago": ("2025-08-09", "2025-10-28"),
    "half a month ago": ("2026-02-28", "2026-03-06"),
    "2.5 days ago": ("2026-03-15", "2026-03-16"),
    "the past year and a half": ("2024-09-18", "2026-03-18"),
    "the last 1.5 years": ("2024-09-18", "2026-03-18"),
    "一年半前": ("2024-06-10", "2024-12-27"),
    "一点五年前": ("2024-06-10", "2024-12-27"),
    "半年前": ("2025-08-09", "2025-10-28"),
    "半个月前": ("2026-02-28", "2026-03-06"),
    "一个半月前": ("2026-01-16", "2026-02-21"),
    "三个半月前": ("2025-11-05", "2025-12-31"),
    "2.5天前": ("2026-03-15", "2026-03-16"),
    "半天前": ("2026-03-17", "2026-03-18"),
    "过去一年半": ("2024-09-18", "2026-03-18"),
}

TWO_UNITS = {
    "a year and three months ago": ("2024-11-23", "2025-01-12"),
    "1 year, 3 months ago": ("2024-11-23", "2025-01-12"),
    "一年零三个月前": ("2024-11-23", "2025-01-12"),
    "一年三个月前": ("2024-11-23", "2025-01-12"),
}

NOT_READ = [
    "a thousand and five days ago",
    "1,000 days ago",
    "1/2 years ago",
    "three quarters of a year ago",
    "two point five years ago",
    "two or three weeks ago on Tuesday",
    "Tuesday two or three weeks ago",
    "五三天前",
    "三千五天前",
    "1,000天前",
    "三四月前",
    "两三周前的周三",
    "百天前",
    "〇廿天前",
    "廿廿天前",
    "二百百天前",
]


def days(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    """The first and the last day of each span."""
    return [(str(one.start.date()), str((one.end - timedelta(days=1)).date())) for one in query_dates(text, now)]


def back(days_ago: int) -> str:
    return str((NOW - timedelta(days=days_ago)).date())


@pytest.mark.parametrize(("text", "number"), EXACT_DAYS.items())
def test_a_whole_number_of_days_is_read_whole_and_is_certain(text: str, number: int) -> None:
    assert days(text) == [(back(number), back(number))]
    assert [one.certainty for one in query_dates(text, NOW)] == [1.0]


@pytest.mark.parametrize(("text", "ends"), RANGES_OF_DAYS.items())
def test_a_count_of_two_numbers_takes_in_both_and_is_vague(text: str, ends: tuple[int, int]) -> None:
    assert days(text) == [(back(ends[0]), back(ends[1]))]
    assert [one.certainty for one in query_dates(text, NOW)] == [0.5]


@pytest.mark.parametrize(("text", "span"), VAGUE_SPANS.items())
def test_longer_units_of_two_numbers_take_in_both_and_are_vague(text: str, span: tuple[str, str]) -> None:
    assert days(text) == [span]
    assert [one.certainty for one in query_dates(text, NOW)] == [0.5]


@pytest.mark.parametrize(("text", "span"), FRACTIONS.items())
def test_a_fraction_is_a_span_around_its_moment_and_is_inferred(text: str, span: tuple[str, str]) -> None:
    assert days(text) == [span]
    assert [one.certainty for one in query_dates(text, NOW)] == [0.8]


@pytest.mark.parametrize(("text", "span"), TWO_UNITS.items())
def test_two_units_are_added(text: str, span: tuple[str, str]) -> None:
    assert days(text) == [span]


@pytest.mark.parametrize("text", NOT_READ)
def test_the_end_of_a_number_that_is_not_read_is_no_date(text: str) -> None:
    assert query_dates(text, NOW) == ()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("twenty-one years ago", "2005-01-01"),
        ("二十一年前", "2005-01-01"),
        ("two weeks ago on Tuesday", "2026-03-03"),
        ("twenty-five days before 8 May 2025", "2025-04-13"),
        ("in room 5 - 3 days ago", "2026-03-15"),
        ("in room 9, 3 days ago", "2026-03-15"),
        ("上周三三天前", "2026-03-11"),
    ],
)
def test_a_number_beside_other_words_begins_on_its_day(text: str, day: str) -> None:
    assert [first for first, _ in days(text)] == [day]


@pytest.mark.parametrize(
    "text",
    ["3 days  ago", "3\tdays\t ago", "3\ndays\r\nago", "3\u00a0days ago", "三　天 前", "3  天  前", "3 天　前"],
)
def test_white_space_of_any_kind_and_length_parts_words(text: str) -> None:
    asked = f"So,  what did I eat {text} ,  then?"
    (span,) = query_dates(asked, NOW)
    assert str(span.start.date()) == "2026-03-15"
    assert span.text == text
    assert asked[slice(*span.place)] == text


NUMERALS = st.text(st.sampled_from("零〇一二两三四五六七八九十廿百半几多点个到、-.0123"), min_size=1, max_size=8)
WORDS = st.lists(
    st.sampled_from(
        ["twenty", "-", " ", "five", "hundred", "and", "a", "half", "or", "to", "3", "1.5", "few", "days", "year"]
    ),
    max_size=9,
).map("".join)


@given(numeral=NUMERALS, unit=st.sampled_from(["天前", "个月前", "年前", "周后", "年半前", "周前的周三"]))
def test_no_chinese_numeral_raises(numeral: str, unit: str) -> None:
    assert all(one.start < one.end for one in query_dates(numeral + unit, NOW))


@given(words=WORDS, unit=st.sampled_from([" days ago", " years ago", " and a half ago", " Fridays ago", " of May"]))
def test_no_english_number_raises(words: str, unit: str) -> None:
    assert all(one.start < one.end for one in query_dates(words + unit, NOW))


@given(tens=st.integers(2, 9), ones=st.integers(1, 8))
def test_neighbouring_digits_never_are_one_number(tens: int, ones: int) -> None:
    digits = "零一二三四五六七八九"
    assert days(f"{digits[ones]}{digits[ones + 1]}天前") == [(back(ones + 1), back(ones))]
    assert days(f"{digits[tens]}十{digits[ones]}天前") == [(back(10 * tens + ones), back(10 * tens + ones))]


@pytest.mark.parametrize("unit", ["三四", "3 or ", "twenty-", "a hundred and ", "  \t", "3到", "一年零", "a year and "])
def test_a_long_text_of_numbers_is_read_to_its_end(unit: str) -> None:
    text = unit * (100_000 // len(unit)) + " on 8 May 2023"
    assert query_dates(text, NOW)[-1].text.endswith("8 May 2023")
