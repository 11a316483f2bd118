"""What a query means by a date, in English and Chinese, resolved against Monday, 30 November 2026."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
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


ENGLISH_DAYS = {
    "What happened on 8 May 2023?": "2023-05-08",
    "on May 8th, 2023": "2023-05-08",
    "May 8th": "2026-05-08",
    "on the 8th of May": "2026-05-08",
    "8 May": "2026-05-08",
    "December 1,2023": "2023-12-01",
    "on 9th December 2023": "2023-12-09",
    "on Dec. 24": "2025-12-24",
    "2023-05-08": "2023-05-08",
    "2023/5/8": "2023-05-08",
    "5/8/2023": "2023-05-08",
    "25/8/2023": "2023-08-25",
    "08.05.2023": "2023-05-08",
    "what did I say on 30 November?": "2026-11-30",
    "on 1 December": "2025-12-01",
    "29 February": "2024-02-29",
    "What did I eat yesterday?": "2026-11-29",
    "the day before yesterday": "2026-11-28",
    "last night": "2026-11-29",
    "this morning": "2026-11-30",
    "today": "2026-11-30",
    "tomorrow": "2026-12-01",
    "the day after tomorrow": "2026-12-02",
    "3 days ago": "2026-11-27",
    "three days ago": "2026-11-27",
    "two days from now": "2026-12-02",
    "last Friday": "2026-11-27",
    "last Monday": "2026-11-23",
    "this Friday": "2026-12-04",
    "next Tuesday": "2026-12-01",
    "on Monday": "2026-11-30",
    "on Sunday": "2026-11-29",
    "last Sat": "2026-11-28",
    "at Christmas": "2025-12-25",
    "last Christmas": "2025-12-25",
    "next Christmas": "2026-12-25",
    "Christmas 2022": "2022-12-25",
    "on New Year's Eve": "2025-12-31",
    "Thanksgiving": "2026-11-26",
    "Easter 2024": "2024-03-31",
    "Mother’s Day": "2026-05-10",
    "what about the 8th?": "2026-11-08",
    "the day after May 3": "2026-05-04",
    "the last day of May": "2026-05-31",
    "on the 13th of last month": "2026-10-13",
    "on Sunday, 8 May 2022": "2022-05-08",
    "8 May 2022 (Sunday)": "2022-05-08",
    "the Friday before May 8 2023": "2023-05-05",
    "What will we do on Friday?": "2026-12-04",
    "What are we going to cook on 2 December?": "2026-12-02",
}

CHINESE_DAYS = {
    "2024年4月1日我在哪里？": "2024-04-01",
    "4月1日": "2026-04-01",
    "在4月27号那天你推荐了什么": "2026-04-27",
    "四月一日": "2026-04-01",
    "十一月二十三号": "2026-11-23",
    "二〇二四年十二月三十一日": "2024-12-31",
    "２０２３年５月８日": "2023-05-08",
    "在2023-05-08那天": "2023-05-08",
    "24年4月1日": "2024-04-01",
    "去年5月8号": "2025-05-08",
    "昨天": "2026-11-29",
    "昨晚吃了什么": "2026-11-29",
    "前天": "2026-11-28",
    "大前天": "2026-11-27",
    "今天": "2026-11-30",
    "明天": "2026-12-01",
    "后天": "2026-12-02",
    "大后天": "2026-12-03",
    "三天前": "2026-11-27",
    "3天之前": "2026-11-27",
    "两天后": "2026-12-02",
    "上周三": "2026-11-25",
    "上个星期五": "2026-11-27",
    "上上周五": "2026-11-20",
    "下周一": "2026-12-07",
    "下下周三下午两点": "2026-12-16",
    "本周四": "2026-12-03",
    "星期三": "2026-11-25",
    "礼拜天": "2026-11-29",
    "周一上午": "2026-11-30",
    "8号": "2026-11-08",
    "上个月8号": "2026-10-08",
    "元旦": "2026-01-01",
    "圣诞节": "2025-12-25",
    "去年情人节": "2025-02-14",
    "国庆节": "2026-10-01",
    "去年国庆": "2025-10-01",
    "双十一买了什么": "2026-11-11",
    "5月3日前一天": "2026-05-02",
    "2023年5月8日星期一": "2023-05-08",
    "5月8日（周五）": "2026-05-08",
    "5月3日的第二天": "2026-05-04",
    "我打算周五去": "2026-12-04",
}


@pytest.mark.parametrize(("text", "day"), [*ENGLISH_DAYS.items(), *CHINESE_DAYS.items()])
def test_an_expression_of_one_day_means_that_day(text: str, day: str) -> None:
    assert one_day(text) == day


ENGLISH_SPANS = {
    "in May 2023": ("2023-05-01", "2023-05-31"),
    "in May": ("2026-05-01", "2026-05-31"),
    "in december": ("2025-12-01", "2025-12-31"),
    "last May": ("2026-05-01", "2026-05-31"),
    "last November": ("2025-11-01", "2025-11-30"),
    "next June": ("2027-06-01", "2027-06-30"),
    "2023": ("2023-01-01", "2023-12-31"),
    "in 2022": ("2022-01-01", "2022-12-31"),
    "last week": ("2026-11-23", "2026-11-29"),
    "this week": ("2026-11-30", "2026-12-06"),
    "last month": ("2026-10-01", "2026-10-31"),
    "last year": ("2025-01-01", "2025-12-31"),
    "the week before last": ("2026-11-16", "2026-11-22"),
    "last weekend": ("2026-11-28", "2026-11-29"),
    "the weekend before last": ("2026-11-21", "2026-11-22"),
    "over the weekend": ("2026-11-28", "2026-11-29"),
    "two weeks ago": ("2026-11-13", "2026-11-19"),
    "a month ago": ("2026-10-15", "2026-11-14"),
    "4 years ago": ("2022-01-01", "2022-12-31"),
    "a few days ago": ("2026-11-23", "2026-11-28"),
    "a couple of days ago": ("2026-11-27", "2026-11-29"),
    "in the past two weeks": ("2026-11-16", "2026-11-30"),
    "in the last year": ("2025-11-30", "2026-11-30"),
    "the first week of June": ("2026-06-01", "2026-06-07"),
    "the second week of November 2023": ("2023-11-08", "2023-11-14"),
    "the last weekend of May": ("2026-05-30", "2026-05-31"),
    "the first half of 2024": ("2024-01-01", "2024-06-30"),
    "in the summer of 2022": ("2022-06-01", "2022-08-31"),
    "last summer": ("2026-06-01", "2026-08-31"),
    "in winter 2022": ("2022-12-01", "2023-02-28"),
    "the end of summer 2023": ("2023-08-01", "2023-08-31"),
    "end of last year": ("2025-09-01", "2025-12-31"),
    "early May": ("2026-05-01", "2026-05-10"),
    "mid-August 2023": ("2023-08-11", "2023-08-20"),
    "late May": ("2026-05-21", "2026-05-31"),
    "between 3 and 7 May": ("2026-05-03", "2026-05-07"),
    "from May 3 to May 7": ("2026-05-03", "2026-05-07"),
    "May 3-7, 2023": ("2023-05-03", "2023-05-07"),
    "between August 11 and August 15 2023": ("2023-08-11", "2023-08-15"),
    "from Dec 20 to Jan 5": ("2025-12-20", "2026-01-05"),
    "from May to July": ("2026-05-01", "2026-07-31"),
    "from Monday to Friday": ("2026-11-30", "2026-12-04"),
    "the week before August 3, 2023": ("2023-07-27", "2023-08-02"),
    "the week of May 8": ("2026-05-04", "2026-05-10"),
    "two weeks before August 11, 2023": ("2023-07-25", "2023-07-31"),
    "last weekend before April 10, 2023": ("2023-04-08", "2023-04-09"),
    "since 2022": ("2022-01-01", "2026-11-30"),
    "What will we do in December?": ("2026-12-01", "2026-12-31"),
}

OPEN_SPANS = {
    "before 2025": (None, "2024-12-31"),
    "prior to 2025": (None, "2024-12-31"),
    "earlier than 2025": (None, "2024-12-31"),
    "earlier than May 2025": (None, "2025-04-30"),
    "before May 2025": (None, "2025-04-30"),
    "What did I do before 8 May 2025?": (None, "2025-05-07"),
    "before the summer of 2025": (None, "2025-05-31"),
    "before last week": (None, "2026-11-22"),
    "until 2025": (None, "2025-12-31"),
    "up to 2025": (None, "2025-12-31"),
    "by May 2025": (None, "2025-05-31"),
    "no later than 8 May 2025": (None, "2025-05-08"),
    "after 2024": ("2025-01-01", None),
    "later than May 2025": ("2025-06-01", None),
    "after 8 May 2025": ("2025-05-09", None),
    "since 2022": ("2022-01-01", "2026-11-30"),
    "since May 2025": ("2025-05-01", "2026-11-30"),
    "since early May 2025": ("2025-05-01", "2026-11-30"),
    "from May 2025 on": ("2025-05-01", "2026-11-30"),
    "from 2025 onwards": ("2025-01-01", "2026-11-30"),
    "2025年之前": (None, "2024-12-31"),
    "2025年以前": (None, "2024-12-31"),
    "2025年前": (None, "2024-12-31"),
    "2025年5月之前我去过哪里？": (None, "2025-04-30"),
    "5月3日以前": (None, "2026-05-02"),
    "上周之前": (None, "2026-11-22"),
    "2024年之后": ("2025-01-01", None),
    "2024年以后": ("2025-01-01", None),
    "2024年后": ("2025-01-01", None),
    "自从2025年": ("2025-01-01", "2026-11-30"),
    "自2025年以来": ("2025-01-01", "2026-11-30"),
    "从2025年开始": ("2025-01-01", "2026-11-30"),
    "从5月起": ("2026-05-01", "2026-11-30"),
    "2025年以来": ("2025-01-01", "2026-11-30"),
    "截至2025年": (None, "2025-12-31"),
    "直到2025年5月": (None, "2025-05-31"),
    "到2025年为止": (None, "2025-12-31"),
}
SINGLE_DAYS = {
    "Monday last week": "2026-11-23",
    "on Monday of last week": "2026-11-23",
    "last week on Tuesday": "2026-11-24",
    "Friday this week": "2026-12-04",
    "2 weeks ago on Tuesday": "2026-11-17",
    "two weeks ago, on Tuesday": "2026-11-17",
    "Tuesday two weeks ago": "2026-11-17",
    "上周二": "2026-11-24",
    "两周前的周二": "2026-11-17",
    "两个星期前的星期二": "2026-11-17",
    "2周之前周二": "2026-11-17",
}
CLOSED_SPANS = {
    "from 2022 until 2024": ("2022-01-01", "2024-12-31"),
    "from 2022 to 2024": ("2022-01-01", "2024-12-31"),
    "2022年到2024年": ("2022-01-01", "2024-12-31"),
    "the week before May 8 2023": ("2023-05-01", "2023-05-07"),
    "from May 2025": ("2025-05-01", "2025-05-31"),
    "从2025年的记录里": ("2025-01-01", "2025-12-31"),
    "今年前半年": ("2026-01-01", "2026-12-31"),
    "2025年开始学琴": ("2025-01-01", "2025-12-31"),
    "5月3日前一天": ("2026-05-02", "2026-05-02"),
}

CHINESE_SPANS = {
    "二〇二四年": ("2024-01-01", "2024-12-31"),
    "去年": ("2025-01-01", "2025-12-31"),
    "今年": ("2026-01-01", "2026-12-31"),
    "前年": ("2024-01-01", "2024-12-31"),
    "5月": ("2026-05-01", "2026-05-31"),
    "去年五月": ("2025-05-01", "2025-05-31"),
    "五月初": ("2026-05-01", "2026-05-10"),
    "十月中旬": ("2026-10-11", "2026-10-20"),
    "月底": ("2026-11-21", "2026-11-30"),
    "去年年底": ("2025-09-01", "2025-12-31"),
    "2023年上半年": ("2023-01-01", "2023-06-30"),
    "去年夏天": ("2025-06-01", "2025-08-31"),
    "六月的第一周": ("2026-06-01", "2026-06-07"),
    "上个月": ("2026-10-01", "2026-10-31"),
    "这个月": ("2026-11-01", "2026-11-30"),
    "上周": ("2026-11-23", "2026-11-29"),
    "本周": ("2026-11-30", "2026-12-06"),
    "下周": ("2026-12-07", "2026-12-13"),
    "这周末": ("2026-12-05", "2026-12-06"),
    "上个周末": ("2026-11-28", "2026-11-29"),
    "周末": ("2026-11-28", "2026-11-29"),
    "两周前": ("2026-11-13", "2026-11-19"),
    "一个多月前": ("2026-10-15", "2026-11-14"),
    "2026年的第一周": ("2026-01-01", "2026-01-07"),
    "半年前": ("2026-04-20", "2026-07-09"),
    "三年前": ("2023-01-01", "2023-12-31"),
    "前几天": ("2026-11-23", "2026-11-28"),
    "最近一周": ("2026-11-23", "2026-11-30"),
    "过去两个月": ("2026-09-30", "2026-11-30"),
    "5月3日到7日": ("2026-05-03", "2026-05-07"),
    "5月30日至6月2日": ("2026-05-30", "2026-06-02"),
    "3月到5月": ("2026-03-01", "2026-05-31"),
    "国庆假期": ("2026-10-01", "2026-10-07"),
    "5月3日前三天": ("2026-04-30", "2026-05-02"),
    "4月27日那周": ("2026-04-27", "2026-05-03"),
    "4月以来": ("2026-04-01", "2026-11-30"),
}


@pytest.mark.parametrize(("text", "span"), [*ENGLISH_SPANS.items(), *CHINESE_SPANS.items()])
def test_a_longer_expression_means_its_first_to_its_last_day(text: str, span: tuple[str, str]) -> None:
    assert days(text) == [span]


NO_DATES = [
    "",
    "I may go and you may 2 of them take",
    "we march forward, march 3 times",
    "May I ask something?",
    "the second one",
    "the cat sat in the sun",
    "back in 5 minutes",
    "version v2.3.2023 of 1.2.3.4",
    "it costs $2023",
    "call 138-2023-0508",
    "in 2000 words",
    "1984 the book",
    "April said hi to June",
    "30 February",
    "in the year 3500",
    "on the 8th floor",
    "her 18th birthday",
    "What do I do on Mondays?",
    "What do I do every Friday?",
    "When did he start one job or another?",
    "2月30日",
    "二月三十日",
    "住在二十号楼",
    "坐8号线",
    "每周一都去",
    "一周一次",
    "公司周围",
    "4个月大",
    "赵国庆和李明谁更高",
    "三天两头",
    "第3周",
    "我喜欢什么颜色的花",
]


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
