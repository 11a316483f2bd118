"""Chinese date expressions that count from today: 昨天, 三天前, 上周三, 过去两个月."""

from dataclasses import replace

from memcore.dates.chinese import DIGITS
from memcore.dates.chinese_counts import COUNT, NO_NUMBER_BEFORE, count_of
from memcore.dates.counts import Count, ago, past, whole
from memcore.dates.periods import INFERRED, Calendar, Period
from memcore.dates.rules import Rule, Words, rule

__all__ = ["UNIT", "counted_of", "rules", "unit_of", "weekday_number"]

UNIT = r"(?P<unit>天|日|周|星期|礼拜|月|(?<=个)季度|年)"
_DAY_WORDS = {
    "大前天": -3,
    "前天": -2,
    "前晚": -2,
    "昨": -1,
    "今": 0,
    "明": 1,
    "大后天": 3,
    "后天": 2,
}
_WEEKDAYS = "一二三四五六日天"
_WEEKS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_PARTS = {("year", "month"), ("year", "week"), ("year", "day"), ("month", "week"), ("month", "day"), ("week", "day")}
_LATELY = {"两": Count(1, 4), "一两": Count(1, 2), "两三": Count(1, 3), "三四": Count(1, 4), "三五": Count(1, 5)}


def unit_of(word: str) -> str:
    """The English name that the calendar uses."""
    return {"天": "day", "日": "day", "月": "month", "季度": "quarter", "年": "year"}.get(word, "week")


def weekday_number(character: str) -> int:
    """Monday is 0."""
    return min(_WEEKDAYS.index(character), 6)


def _day_word(match: Words, calendar: Calendar) -> Period:
    word = match.group()
    return calendar.days_away(_DAY_WORDS[word if word in _DAY_WORDS else word[0]])


def counted_of(match: Words) -> tuple[Count | None, str]:
    """The count and the unit that the words name; 半 behind the unit is half of one more, 多 up to one more.

    Raises:
        ValueError: The number is none, or is two numbers before 月 without 个, which names months of the calendar.
    """
    count, unit = count_of(match["number"]), unit_of(match["unit"])
    parts = match.groupdict()
    if match["unit"] == "月" and not parts.get("measure") and count and count.least != count.most:
        raise ValueError(match["number"])
    if parts.get("more") and count:
        count = Count(count.least, count.most + 1)
    if parts.get("half") and count:
        count = Count(count.least + 0.5, count.most + 0.5)
    return count, unit


def _ago(match: Words, calendar: Calendar) -> Period:
    count, unit = counted_of(match)
    return ago(calendar, count, unit, ahead=match["way"].endswith("后"))


def _two_units_ago(match: Words, calendar: Calendar) -> Period:
    """一年零三个月前: the smaller unit says how near the moment is."""
    count, smaller = counted_of(match)
    larger, number = unit_of(match["larger"]), whole(count_of(match["first"]))
    if count is None or number is None:
        raise ValueError(match.group())
    if (larger, smaller) not in _PARTS:
        raise ValueError(match.group())
    ahead = match["way"].endswith("后")
    start = calendar.stepped(calendar.today, number if ahead else -number, larger)
    return ago(replace(calendar, today=start), count, smaller, ahead=ahead)


def _past(match: Words, calendar: Calendar) -> Period:
    count, unit = counted_of(match)
    return past(calendar, count, unit)


def _lately(match: Words, calendar: Calendar) -> Period:
    """前两天 and 前几天: the days just before today."""
    unit = unit_of(match["unit"])
    count = _LATELY.get(match["number"])
    return calendar.back_to(int(count.most), unit, from_units=int(count.least)) if count else ago(calendar, None, unit)


def _week(match: Words, calendar: Calendar) -> Period:
    weeks, part = _WEEKS[match["turn"]], match["part"]
    if part is None:
        return calendar.week(weeks)
    return calendar.weekend(weeks) if part == "末" else calendar.weekday_of_week(weekday_number(part), weeks)


def _weekday_ago(match: Words, calendar: Calendar) -> Period:
    """A weekday of the week so many weeks ago."""
    number = whole(count_of(match["number"]))
    if number is None:
        raise ValueError(match.group())
    return calendar.weekday_of_week(weekday_number(match["part"]), -number)


def _weekday(match: Words, calendar: Calendar) -> Period:
    return calendar.weekday(weekday_number(match["part"]))


def _weekend(_: Words, calendar: Calendar) -> Period:
    return replace(calendar.latest_weekend(), certainty=INFERRED, cycle="week")


def rules() -> tuple[Rule, ...]:
    """The rules, the more telling first."""
    measure = r"\s?(?P<measure>个多|多个|个)?\s?"
    way = r"(?P<way>以前|之前|前|以后|之后|后)(?!天|年|面|辈|锋|卫|景)"
    first = COUNT.replace("<number>", "<first>")
    two_units = first + r"\s?个?(?P<larger>年|月|周|星期|礼拜)[零又和]?\s?" + COUNT + measure + UNIT
    week = r"(?:周|星期|礼拜)"
    no_count = r"(?<![每整半双单隔个几0-9" + DIGITS + r"])"
    not_around = r"(?![围到岁年边刊长转报期密全折旋游])"
    return (
        rule(
            r"(?<!十)大前天|大后天|(?<![天日周月年期拜])前天(?!气)|(?<![天日周月年期拜])前晚|(?<!["
            + DIGITS
            + r"0-9今])后天(?![气天])",
            _day_word,
        ),
        rule(r"昨[天日晚夜儿早]|今[天日晚夜儿早晨](?!头条)|明[天日晚早儿](?!方舟)", _day_word),
        rule(
            NO_NUMBER_BEFORE + COUNT + r"\s?个?" + week + r"[之以]?前的?" + week + r"(?P<part>[" + _WEEKDAYS + r"])",
            _weekday_ago,
            ("前",),
        ),
        rule(NO_NUMBER_BEFORE + two_units + r"\s?" + way, _two_units_ago, ("前", "后")),
        rule(
            NO_NUMBER_BEFORE + COUNT + measure + UNIT + r"(?:(?P<more>多)|(?P<half>半))?\s?" + way, _ago, ("前", "后")
        ),
        rule(r"(?:过去|最近|近)的?这?\s?" + COUNT + measure + UNIT + r"(?P<half>半)?", _past),
        rule(r"这(?P<number>两三|两|几)" + UNIT.replace("年", "年(?!级)"), _past),
        rule(r"前(?P<number>一两|两三|三[四五]|两|几|些)个?" + UNIT.replace("|(?<=个)季度", ""), _lately),
        rule(
            r"(?<![晚早马路街身以加网地一])(?P<turn>上上|上|这|本|下下|下)一?个?"
            + week
            + r"(?:(?P<part>[末"
            + _WEEKDAYS
            + r"])|"
            + not_around
            + ")",
            _week,
        ),
        rule(no_count + r"(?:星期|礼拜|周(?!天))(?P<part>[" + _WEEKDAYS + r"])(?![次回遍趟般\"”」]|直|个)", _weekday),
        rule(r"(?<![每个双])周末", _weekend),
    )
