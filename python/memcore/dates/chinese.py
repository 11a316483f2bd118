"""Chinese date expressions that name a calendar day, month, season, feast or year."""

from dataclasses import replace
from datetime import date, timedelta

from memcore.dates.holidays import CHINESE as HOLIDAYS
from memcore.dates.periods import VAGUE, Calendar, Period, add_months
from memcore.dates.rules import Rule, Words, from_now, rule

__all__ = ["DIGITS", "number_of", "rules"]

DIGITS = "零〇一二两三四五六七八九十廿"
_VALUES = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_YEAR_WORDS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_SEASONS = "春夏秋冬"
_TURNS = {"上": -1, "这": 0, "本": 0, "当": 0, "那": 0, "下": 1}


def number_of(text: str) -> int:
    """The number written in digits or in Chinese numerals (up to 99, or digit by digit: 二〇二四)."""
    if text.isdecimal():
        return int(text)
    if text.startswith("廿"):
        return 20 + (number_of(text[1:]) if text[1:] else 0)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (number_of(tens) if tens else 1) * 10 + (number_of(ones) if ones else 0)
    value = 0
    for character in text:
        value = value * 10 + _VALUES[character]
    return value


def _year_of(match: Words, calendar: Calendar) -> int | None:
    parts = match.groupdict()
    if parts.get("year_word"):
        return calendar.today.year + _YEAR_WORDS[parts["year_word"]]
    written = parts.get("year")
    if not written:
        return None
    year = number_of(written)
    return 2000 + year if len(written) == 2 else year


def _turn(word: str) -> int:
    """上个 is −1, 上上个 is −2, 这个 is 0, 下个 is 1."""
    return _TURNS[word[0]] * (2 if word[:2] in {"上上", "下下"} else 1)


def _day(match: Words, calendar: Calendar) -> Period:
    return calendar.day_in(number_of(match["month"]), number_of(match["day"]), _year_of(match, calendar))


def _days(match: Words, calendar: Calendar) -> Period | None:
    first = _day(match, calendar)
    month = number_of(match["last_month"] or match["month"])
    last = date(first.start.year, month, number_of(match["last"]))
    if last < first.start:
        last = last.replace(year=last.year + 1)
    return replace(first, end=last + timedelta(days=1), grain="range")


def _day_of_turned_month(match: Words, calendar: Calendar) -> Period:
    month = calendar.month_away(_turn(match["turn"]))
    return calendar.day(month.start.replace(day=number_of(match["day"])))


def _month(match: Words, calendar: Calendar) -> Period:
    return calendar.month(number_of(match["month"]), _year_of(match, calendar))


def _turned_month(match: Words, calendar: Calendar) -> Period:
    return calendar.month_away(_turn(match["turn"]))


def _quarter(match: Words, calendar: Calendar) -> Period:
    parts = match.groupdict()
    word = parts.get("quarter") or parts.get("number") or "四"
    return calendar.quarter(number_of(word), _year_of(match, calendar))


def _first_quarters(match: Words, calendar: Calendar) -> Period:
    """前三季度: the first so many quarters of a year."""
    first = calendar.quarter(1, _year_of(match, calendar))
    return replace(first, end=add_months(first.start, 3 * number_of(match["quarters"])), grain="range")


def _turned_quarter(match: Words, calendar: Calendar) -> Period:
    return calendar.quarter_away(_turn(match["turn"]))


def _season(match: Words, calendar: Calendar) -> Period:
    season, year = _SEASONS.index(match["season"]), _year_of(match, calendar)
    if year is None and match["turn"]:
        which = _turn(match["turn"])
        if match["turn"].startswith("那"):
            return calendar.season(season)
        return calendar.turn(lambda y: calendar.season(season, y), which)
    return calendar.season(season, year)


def _holiday(match: Words, calendar: Calendar) -> Period:
    of_year = HOLIDAYS[match["name"]]
    length = 7 if match["name"] in _WEEK_LONG and match["whole"] else 1

    def build(year: int) -> Period:
        first = of_year(year)
        return replace(calendar.day(first), end=first + timedelta(days=length), grain="day" if length == 1 else "range")

    if match["turn"]:
        return calendar.turn(build, _turn(match["turn"]))
    return calendar.in_year(build, _year_of(match, calendar))


def _year(match: Words, calendar: Calendar) -> Period | None:
    year = _year_of(match, calendar)
    return None if year is None else calendar.year(year)


def _day_of_month(match: Words, calendar: Calendar) -> Period:
    return replace(calendar.day_of_month(number_of(match["day"])), certainty=VAGUE)


def _edge(match: Words, calendar: Calendar) -> Period:
    period = calendar.month_away(0) if match["unit"] == "月" else calendar.year(calendar.today.year)
    return period.third({"初": 0, "中": 1}.get(match["edge"], 2))


_ANY = f"[0-9{DIGITS}]"
_NO_NUMBER_BEFORE = f"(?<!{_ANY})"
_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
_DAY = r"(?P<day>[0-3]?[0-9]|[二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[一二三四五六七八九])"
_LAST_DAY = rf"\s?[到至~～—–-]\s?(?:(?P<last_month>{_ANY}{{1,2}})月)?" + _DAY.replace("<day>", "<last>") + "[日号]"
_WRITTEN_YEAR = r"(?:1[0-9]|2[01])[0-9]{2}|[一二][零〇一二三四五六七八九]{3}"
_YEAR_WORD = rf"{_NO_NUMBER_BEFORE}(?P<year_word>大前年|前年(?!纪)|去年|今年|本年(?!度)|明年|后年)"
_YEAR = rf"(?:{_NO_NUMBER_BEFORE}(?P<year>{_WRITTEN_YEAR})年|{_YEAR_WORD})"
_YEAR_OF_MONTH = rf"(?:{_NO_NUMBER_BEFORE}(?P<year>[0-9]{{2}}|{_WRITTEN_YEAR})年|{_YEAR_WORD})的?\s?"
_TURNED_MONTH = r"(?P<turn>上上个?|上一?个?|这一?个?|本|当|下下个?|下一?个?)月(?![亮光球])"
_TURNED_QUARTER = r"(?P<turn>上上个?|上一?个?|这一?个?|本|当|下下个?|下一?个?)季度"
_QUARTER = r"(?:第?(?P<quarter>[一二三四1-4])季度|第(?P<number>[一二三四1-4])个季度)"
_FIRST_QUARTERS = r"前(?P<quarters>[两二三2-3])个?季度"
_WEEK_LONG = ("国庆", "春节")
_NEEDS_MORE = ("国庆", "五一", "六一", "跨年", "元宵", "黑五")
"""Feasts whose names are also parts of other words or of people's names."""
_HOLIDAY = (
    "(?P<name>"
    + "|".join(name for name in HOLIDAYS if name not in _NEEDS_MORE)
    + "|国庆(?=节|假|期间|长假|黄金|那|当天|的时候)|(?<=[年的])国庆|黑五(?!类)"
    + "|跨年(?=夜|那|晚|的时候)|元宵(?=节|那|当天|晚)"
    + f"|(?<![周期拜初0-9{DIGITS}])(?:五一|六一)(?![起个些直样下点定共日月号年{DIGITS}]))"
    + "节?(?P<whole>假期|长假|期间|黄金周)?"
)
_NO_ADDRESS = r"(?![楼线店门院馆选球桌厅房机码员车库公社仓床位台井坑桥路])"


def _with_month(before: str) -> tuple[Rule, ...]:
    return (
        rule(rf"{before}{_MONTH}\s?{_DAY}[日号]?{_LAST_DAY}", _days),
        rule(rf"{before}{_MONTH}\s?{_DAY}[日号]", _day),
        rule(rf"{before}{_MONTH}份?(?!{_ANY})", _month),
    )


def rules() -> tuple[Rule, ...]:
    """The rules, the more telling first."""
    return (
        *_with_month(_YEAR_OF_MONTH),
        *_with_month(_NO_NUMBER_BEFORE),
        rule(rf"{_TURNED_MONTH}的?{_DAY}[日号]", _day_of_turned_month),
        from_now(rf"{_TURNED_MONTH}份?", _turned_month),
        rule(rf"{_YEAR_OF_MONTH}{_QUARTER}", _quarter),
        rule(rf"{_YEAR_OF_MONTH}(?:Q(?P<number>[1-4])(?![A-Za-z0-9])|最后一?个?季度)", _quarter),
        rule(rf"{_YEAR_OF_MONTH}{_FIRST_QUARTERS}", _first_quarters),
        rule(rf"(?<![每几前后头个0-9{DIGITS}]){_QUARTER}(?![一两几0-9]次)", _quarter),
        rule(_FIRST_QUARTERS, _first_quarters),
        from_now(_TURNED_QUARTER, _turned_quarter),
        rule(rf"(?:{_YEAR}的?|(?P<turn>上上个|上个|这个|那个|下个))(?P<season>[{_SEASONS}])[天季]", _season),
        rule(rf"(?:{_YEAR}的?|(?P<turn>上上个?|上个?|这个|下个))?{_HOLIDAY}", _holiday),
        from_now(rf"{_YEAR_WORD}(?![级薪龄纪轻])", _year),
        rule(rf"{_YEAR}(?![级薪龄纪轻])", _year),
        rule(rf"(?<![年月个的0-9{DIGITS}])(?P<unit>[年月])(?P<edge>初|中(?!国|秋)|底|末)(?!{_ANY})", _edge),
        rule(rf"(?<![0-9{DIGITS}第月#A-Za-z.-]){_DAY}号{_NO_ADDRESS}", _day_of_month),
    )
