"""The same day of another year, month or week: a year ago today, this day last year, 去年今天, 三年前的今天."""

from dataclasses import replace
from datetime import timedelta

from memcore.dates.chinese_counts import COUNT, NO_NUMBER_BEFORE
from memcore.dates.chinese_counts import count_of as chinese_count
from memcore.dates.chinese_relative import UNIT as CHINESE_UNIT
from memcore.dates.chinese_relative import unit_of
from memcore.dates.counts import whole
from memcore.dates.english import which_turn
from memcore.dates.english_counts import NUMBER, START, cut_off, number_of
from memcore.dates.english_relative import UNIT
from memcore.dates.periods import VAGUE, Calendar, Period
from memcore.dates.rules import Rule, Words, rule

__all__ = ["chinese_rules", "english_rules"]

_AWAY = {"yesterday": -1, "tomorrow": 1, "昨": -1, "明": 1}
_AROUND = {"day": 0, "week": 2, "fortnight": 3, "month": 7, "quarter": 15, "year": 15}
"""How many days on both sides "this time last year" takes in."""
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_TURNS = {"上上": -2, "上": -1, "下": 1, "下下": 2}


def _english(match: Words, calendar: Calendar) -> Period | None:
    which = which_turn(match["turn"]) if match["turn"] else None
    if which is None:
        number = number_of(match["number"])
        if number is None or cut_off(match):
            return None
        which = -number
    parts, unit = match.groupdict(), match["unit"].lower()
    base = calendar.days_away(_AWAY.get((parts["base"] or "today").lower(), 0)).start
    day = calendar.day(calendar.stepped(base, which, unit))
    if not parts.get("time"):
        return day
    reach = timedelta(days=_AROUND[unit])
    return replace(day, start=day.start - reach, end=day.end + reach, grain="range", certainty=VAGUE)


def _chinese(match: Words, calendar: Calendar) -> Period:
    base = calendar.days_away(_AWAY.get(match["day"][0], 0)).start
    if match["year"]:
        return calendar.day(calendar.stepped(base, _YEARS[match["year"]], "year"))
    if match["turn"]:
        return calendar.day(calendar.stepped(base, _TURNS[match["turn"]], unit_of(match["turned"])))
    number = whole(chinese_count(match["number"]))
    if number is None:
        raise ValueError(match.group())
    return calendar.day(calendar.stepped(base, -number, unit_of(match["unit"])))


def english_rules() -> tuple[Rule, ...]:
    """The rules; they go before those of today and of last year alone."""
    end = r"(?![A-Za-z0-9_])"
    moved = rf"(?:(?P<turn>last|previous|next)|(?P<number>{NUMBER}))\s{UNIT}(?(number)\sago)"
    same = r"(?:on\s)?(?:this|(?:the|that)\s(?:very\s)?same|that)\s(?:very\s|same\s|exact\s)?(?:day|date)"
    return (
        rule(rf"{START}{moved}\s(?:(?P<base>today|yesterday|tomorrow)|{same}){end}(?!['’]s\b)", _english),
        rule(
            rf"{START}(?:{same}|(?P<base>today)|(?P<time>(?:at\s|around\s)?this\stime))\s(?:of\s)?{moved}{end}",
            _english,
        ),
    )


def chinese_rules() -> tuple[Rule, ...]:
    """The rules; they go before those of 今天 and 去年 alone."""
    years, turns = "|".join(_YEARS), "|".join(sorted(_TURNS, key=len, reverse=True))
    counted = rf"{NO_NUMBER_BEFORE}{COUNT}\s?个?\s?{CHINESE_UNIT}[以之]?前"
    turned = rf"(?P<turn>{turns})一?个?(?P<turned>月|周|星期|礼拜)"
    day = r"的?(?P<day>今[天日晚](?!头条)|昨[天日晚]|明[天日晚]|这一?天|同一天)"
    return (rule(rf"(?:(?P<year>{years})|{turned}|{counted}){day}", _chinese, ("今", "昨", "明", "这天", "一天")),)
