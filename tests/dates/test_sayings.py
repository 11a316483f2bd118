"""Whether the words of a text mean the same days whenever it is said."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.dates import means_other_days

TUESDAY = date(2026, 3, 3)
OF_THE_DAY = [
    "Ana is ill today.", "We met yesterday.", "It rained this morning.", "See you tomorrow!", "Dinner is tonight.",
    "Ana called just now.", "She took it two hours ago.", "He left half an hour ago", "Ana left 20  minutes ago.",
    "It is lovely today. What is her number?", "three days ago we met", "the past two weeks were hard",
    "安娜今天吃了药。", "昨天下雨了", "她刚才走了", "安娜两小时前吃了药", "前天见面", "今早跑步",
    "半小时前", "这几天很累",
]  # fmt: skip
OF_THE_WEEK = ["I meet Bo on Friday.", "It rained last week.", "next Monday", "上周很忙", "周五开会", "本周末爬山"]
OF_THE_YEAR = ["Two years ago she moved.", "We met on 3 February.", "去年她搬家了", "at Christmas", "2月3日见面"]
OF_ANY_DAY = [
    "I love sushi.", "Ana took her pill.", "We met on 3 May 2026.", "She was born on 3 May.", "Tea is at 5 o'clock.",
    "Ana lives here since 2020.", "She swims every Friday.", "She works on Mondays.", "in 2025", "刚刚好",
    "安娜吃了药。", "她的生日是5月3日", "2026年5月3日见面", "每周五游泳", "自2020年以来她住在这里",
    "", "Now Ana lives in Rome.",
]  # fmt: skip


def meant(text, *days):
    return [means_other_days(text, TUESDAY, TUESDAY + timedelta(days=number)) for number in days]


@pytest.mark.parametrize("text", OF_THE_DAY)
def test_what_counts_from_the_day_means_another_on_the_next(text):
    assert meant(text, 0, 1, 7, 400) == [False, True, True, True]


@pytest.mark.parametrize("text", OF_THE_WEEK)
def test_what_counts_from_the_week_means_the_same_on_its_days(text):
    assert meant(text, 0, 1, 7, 400) == [False, False, True, True]


@pytest.mark.parametrize("text", OF_THE_YEAR)
def test_what_counts_from_the_year_means_the_same_in_it(text):
    assert meant(text, 0, 1, 7, 400) == [False, False, False, True]


@pytest.mark.parametrize("text", OF_ANY_DAY)
def test_what_names_no_day_or_one_completely_means_the_same_whenever_it_is_said(text):
    assert meant(text, 0, 1, 7, 400) == [False] * 4


@given(st.sampled_from([*OF_THE_DAY, *OF_THE_WEEK, *OF_THE_YEAR, *OF_ANY_DAY]), st.dates(), st.dates())
def test_every_day_of_the_calendar_is_one_to_speak_on(text, one, other):
    assert means_other_days(text, one, other) == means_other_days(text, other, one)


@pytest.mark.parametrize("text", [*OF_THE_DAY, *OF_THE_WEEK, *OF_THE_YEAR])
def test_the_ends_of_the_calendar_are_days_too(text):
    for end in (date.min, date.max):
        assert means_other_days(text, end, end) is False
        assert isinstance(means_other_days(text, end, TUESDAY), bool)
