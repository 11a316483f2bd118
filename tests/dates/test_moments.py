"""Moments of imported conversations, and the date words of the index."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.dates import parse_moment
from memcore.dates.moments import date_words
from memcore.errors import InvalidInputError

MOMENTS = {
    "2023-05-08": datetime(2023, 5, 8, tzinfo=UTC),
    "2023-05-08T13:56": datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    "2023-05-08 13:56:07": datetime(2023, 5, 8, 13, 56, 7, tzinfo=UTC),
    "2023-05-08T13:56:00Z": datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    "2023-05-08T13:56:00+08:00": datetime(2023, 5, 8, 5, 56, tzinfo=UTC),
    "20230508": datetime(2023, 5, 8, tzinfo=UTC),
    "2023/5/8 9:05": datetime(2023, 5, 8, 9, 5, tzinfo=UTC),
    "1:56 pm on 8 May, 2023": datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    "12:09 am on 13 September, 2023": datetime(2023, 9, 13, 0, 9, tzinfo=UTC),
    "12:30 PM on 1 Sept, 2023": datetime(2023, 9, 1, 12, 30, tzinfo=UTC),
    "8 May 2023": datetime(2023, 5, 8, tzinfo=UTC),
    "May 8th, 2023 at 1:56 pm": datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    "Dec 8, 2023, 23:56": datetime(2023, 12, 8, 23, 56, tzinfo=UTC),
    "2024年04月01日 周一 08:39": datetime(2024, 4, 1, 8, 39, tzinfo=UTC),
    "2024年4月1日": datetime(2024, 4, 1, tzinfo=UTC),
    "2024年4月1日下午3点20分": datetime(2024, 4, 1, 15, 20, tzinfo=UTC),
    "2024年4月1日 星期一 晚上8点": datetime(2024, 4, 1, 20, tzinfo=UTC),
    "1683554160": datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    "  2023-05-08  ": datetime(2023, 5, 8, tzinfo=UTC),
}


@pytest.mark.parametrize(("text", "moment"), MOMENTS.items())
def test_a_moment_is_read_in_each_of_its_forms(text: str, moment: datetime) -> None:
    assert parse_moment(text) == moment


def test_seconds_since_1970_may_be_a_number() -> None:
    assert parse_moment(0) == datetime(1970, 1, 1, tzinfo=UTC)
    assert parse_moment(1683554160.5) == datetime(2023, 5, 8, 13, 56, 0, 500_000, tzinfo=UTC)


def test_what_names_no_zone_is_in_the_default_zone_and_what_names_one_keeps_it() -> None:
    shanghai = ZoneInfo("Asia/Shanghai")
    assert parse_moment("2024年4月1日", default_zone=shanghai) == datetime(2024, 3, 31, 16, tzinfo=UTC)
    kept = parse_moment("2024-04-01T08:00:00+02:00", default_zone=shanghai)
    assert kept.utcoffset() == timedelta(hours=2)


REFUSED = [
    "", "yesterday", "8 May", "30 February 2023", "2023-13-01", "25:00 on 8 May, 2023", "13:00 pm on 8 May, 2023",
    "8 Foo 2023", "2024年13月1日", "x" * 1000, "1683554160000", 1683554160000, float("nan"), float("inf"), True, None,
    ["2023"], "٢٠٢٣-٠٥-٠٨", 10**400,
]  # fmt: skip


@pytest.mark.parametrize("value", REFUSED)
def test_anything_else_is_refused_with_the_forms_that_would_do(value: object) -> None:
    with pytest.raises(InvalidInputError, match=r"^time: .*2023-05-08"):
        parse_moment(value)  # type: ignore[arg-type]


@given(
    st.one_of(
        st.text(max_size=40), st.floats(), st.integers(), st.text(alphabet="0123456789年月日:/- apm", max_size=24)
    )
)
def test_every_value_is_read_or_refused(value: str | float) -> None:
    try:
        moment = parse_moment(value)
    except InvalidInputError as error:
        assert str(error).startswith("time: ")  # noqa: PT017 - either outcome is right
    else:
        assert moment.utcoffset() is not None


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(timedelta(hours=-3))])))
def test_iso_8601_comes_back_as_it_was_written(moment: datetime) -> None:
    assert parse_moment(moment.isoformat()) == moment


def test_the_date_words_are_in_the_language_of_the_text() -> None:
    moment = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert date_words(moment, "We met Ana.") == "8 May 2023 Monday"
    assert date_words(moment, "Ana 来了") == "2023年5月8日 5月8日 星期一 周一"
    assert date_words(moment, "") == "8 May 2023 Monday"


def test_the_date_words_follow_the_calendar_of_the_moments_own_zone() -> None:
    late = datetime(2023, 5, 7, 23, 30, tzinfo=UTC)
    assert date_words(late.astimezone(ZoneInfo("Asia/Shanghai")), "早") == "2023年5月8日 5月8日 星期一 周一"
    assert date_words(late, "early").endswith("Sunday")
