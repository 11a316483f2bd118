"""Chinese date expressions that count from today: 昨天, 三天前, 上周三, 过去两个月."""

from dataclasses import replace

from memcore.dates.chinese import DIGITS, number_of
from memcore.dates.periods import INFERRED, VAGUE, Calendar, Period
from memcore.dates.rules import Rule, Words, rule

__all__ = ["UNIT", "rules", "unit_of"]

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
_FEW = {"day": (2, 7), "week": (2, 5), "month": (2, 7), "quarter": (2, 5), "year": (2, 5)}


def unit_of(word: str) -> str:
    """The English name that the calendar uses."""
    return {"天": "day", "日": "day", "月": "month", "季度": "quarter", "年": "year"}.get(word, "week")


def _weekday_number(character: str) -> int:
    return min(_WEEKDAYS.index(character), 6)


def _day_word(match: Words, calendar: Calendar) -> Period:
    word = match.group()
    return calendar.days_away(_DAY_WORDS[word if word in _DAY_WORDS else word[0]])


def _ago(match: Words, calendar: Calendar) -> Period:
    number, unit = match["number"], unit_of(match["unit"])
    sign = -1 if match["way"].endswith("后") else 1
    if number in {"几", "好几"}:
        near, far = _FEW[unit]
        return (
            calendar.back_to(sign * far, unit, from_units=sign * near)
            if sign > 0
            else _ahead(calendar, near, far, unit)
        )
    if number == "半":
        return calendar.ago(sign * 6, "month") if unit == "year" else calendar.ago(sign * 2, "week")
    return calendar.ago(sign * number_of(number), unit)


def _ahead(calendar: Calendar, near: int, far: int, unit: str) -> Period:
    start, end = calendar.stepped(calendar.today, near, unit), calendar.stepped(calendar.today, far, unit)
    return Period(start, end, "range", VAGUE)


def _past(match: Words, calendar: Calendar) -> Period:
    unit = unit_of(match["unit"])
    if match["number"] == "几":
        return calendar.back_to(_FEW[unit][1], unit)
    return replace(calendar.back_to(number_of(match["number"]), unit), certainty=INFERRED)


def _lately(match: Words, calendar: Calendar) -> Period:
    """前两天 and 前几天: the days just before today."""
    unit = unit_of(match["unit"])
    near, far = (1, 4) if match["number"] == "两" else _FEW[unit]
    return calendar.back_to(far, unit, from_units=near)


def _week(match: Words, calendar: Calendar) -> Period:
    weeks, part = _WEEKS[match["turn"]], match["part"]
    if part is None:
        return calendar.week(weeks)
    return calendar.weekend(weeks) if part == "末" else calendar.weekday_of_week(_weekday_number(part), weeks)


def _weekday_ago(match: Words, calendar: Calendar) -> Period:
    """A weekday of the week so many weeks ago."""
    return calendar.weekday_of_week(_weekday_number(match["part"]), -number_of(match["number"]))


def _weekday(match: Words, calendar: Calendar) -> Period:
    return calendar.weekday(_weekday_number(match["part"]))


def _weekend(_: Words, calendar: Calendar) -> Period:
    return replace(calendar.latest_weekend(), certainty=INFERRED, cycle="week")


def rules() -> tuple[Rule, ...]:
    """The rules, the more telling first."""
    number = r"(?P<number>[0-9]{1,3}|[" + DIGITS + r"]{1,3}|半|好?几)"
    counted = r"(?<![第0-9" + DIGITS + r"])" + number + r"\s?(?:个多|多个|个)?" + UNIT
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
            r"(?<![第0-9"
            + DIGITS
            + r"])(?P<number>[0-9]{1,3}|["
            + DIGITS
            + r"]{1,3})\s?个?"
            + week
            + r"[之以]?前的?"
            + week
            + r"(?P<part>["
            + _WEEKDAYS
            + r"])",
            _weekday_ago,
        ),
        rule(counted + r"多?(?P<way>以前|之前|前|以后|之后|后)(?!天|年|面|辈|锋|卫|景)", _ago),
        rule(r"(?:过去|最近|近)的?这?(?P<number>[0-9]{1,3}|[" + DIGITS + r"]{1,3}|几)个?" + UNIT, _past),
        rule(r"这(?P<number>两|几)" + UNIT.replace("年", "年(?!级)"), _past),
        rule(r"前(?P<number>两|几|些)个?" + UNIT.replace("|(?<=个)季度", ""), _lately),
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
