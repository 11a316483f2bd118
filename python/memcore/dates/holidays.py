"""Feast days by their English and Chinese names: those with a rule in the Gregorian calendar, and lunar ones."""

from collections.abc import Callable
from datetime import date, timedelta

from memcore.dates.lunar import lunar_feast
from memcore.dates.periods import nth_weekday

__all__ = ["CHINESE", "ENGLISH"]

_SUNDAY, _THURSDAY = 6, 3


def _fixed(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


def _nth(month: int, weekday: int, nth: int) -> Callable[[int], date]:
    return lambda year: nth_weekday(year, month, weekday, nth)


def _easter(year: int) -> date:
    """Easter Sunday: the Sunday after the first ecclesiastical full moon of spring, by the Gregorian computus."""
    golden, century = year % 19, year // 100
    lost_leap_days = century - century // 4
    moon_correction = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + lost_leap_days - moon_correction + 15) % 30
    full_moon = epact - (golden + 11 * epact) // 319
    to_sunday = (2 * (century % 4) + 2 * (year % 100 // 4) - year % 100 % 4 - full_moon + 32) % 7
    return date(year, 3, 22) + timedelta(days=full_moon + to_sunday)


def _from_easter(days: int) -> Callable[[int], date]:
    return lambda year: _easter(year) + timedelta(days=days)


def _after_thanksgiving(days: int) -> Callable[[int], date]:
    return lambda year: nth_weekday(year, 11, _THURSDAY, 4) + timedelta(days=days)


ENGLISH: dict[str, Callable[[int], date]] = {
    "christmas eve": _fixed(12, 24),
    "christmas day": _fixed(12, 25),
    "christmas": _fixed(12, 25),
    "boxing day": _fixed(12, 26),
    "new year's eve": _fixed(12, 31),
    "new years eve": _fixed(12, 31),
    "new year's day": _fixed(1, 1),
    "new year's": _fixed(1, 1),
    "valentine's day": _fixed(2, 14),
    "valentines day": _fixed(2, 14),
    "st. patrick's day": _fixed(3, 17),
    "st patrick's day": _fixed(3, 17),
    "shrove tuesday": _from_easter(-47),
    "ash wednesday": _from_easter(-46),
    "palm sunday": _from_easter(-7),
    "maundy thursday": _from_easter(-3),
    "good friday": _from_easter(-2),
    "easter monday": _from_easter(1),
    "whit monday": _from_easter(50),
    "easter sunday": _easter,
    "easter": _easter,
    "mother's day": _nth(5, _SUNDAY, 2),
    "father's day": _nth(6, _SUNDAY, 3),
    "fourth of july": _fixed(7, 4),
    "halloween": _fixed(10, 31),
    "thanksgiving": _nth(11, _THURSDAY, 4),
    "black friday": _after_thanksgiving(1),
    "cyber monday": _after_thanksgiving(4),
    "giving tuesday": _after_thanksgiving(5),
    "chinese new year": lunar_feast("spring"),
    "lunar new year": lunar_feast("spring"),
    "spring festival": lunar_feast("spring"),
    "lantern festival": lunar_feast("spring", days=14),
    "dragon boat festival": lunar_feast("dragon boat"),
    "mid-autumn festival": lunar_feast("mid-autumn"),
    "mid autumn festival": lunar_feast("mid-autumn"),
}

CHINESE: dict[str, Callable[[int], date]] = {
    "元旦": _fixed(1, 1),
    "情人节": _fixed(2, 14),
    "妇女节": _fixed(3, 8),
    "植树节": _fixed(3, 12),
    "愚人节": _fixed(4, 1),
    "劳动节": _fixed(5, 1),
    "五一": _fixed(5, 1),
    "母亲节": _nth(5, _SUNDAY, 2),
    "儿童节": _fixed(6, 1),
    "六一": _fixed(6, 1),
    "父亲节": _nth(6, _SUNDAY, 3),
    "教师节": _fixed(9, 10),
    "国庆": _fixed(10, 1),
    "万圣节": _fixed(10, 31),
    "双十一": _fixed(11, 11),
    "双11": _fixed(11, 11),
    "光棍节": _fixed(11, 11),
    "感恩节": _nth(11, _THURSDAY, 4),
    "黑色星期五": _after_thanksgiving(1),
    "黑五": _after_thanksgiving(1),
    "网络星期一": _after_thanksgiving(4),
    "耶稣受难日": _from_easter(-2),
    "平安夜": _fixed(12, 24),
    "圣诞": _fixed(12, 25),
    "跨年": _fixed(12, 31),
    "除夕": lunar_feast("spring", days=-1),
    "大年三十": lunar_feast("spring", days=-1),
    "大年初一": lunar_feast("spring"),
    "春节": lunar_feast("spring"),
    "元宵": lunar_feast("spring", days=14),
    "端午": lunar_feast("dragon boat"),
    "中秋": lunar_feast("mid-autumn"),
}
