"""Feast days of the Chinese lunar calendar, 1970 to 2070: a table, since its months follow the true moon and sun.

Dates in China, as the Hong Kong Observatory gives them in its Gregorian-Lunar conversion tables; the new moons were
computed a second time from an ephemeris.
"""

from collections.abc import Callable
from datetime import date, timedelta

__all__ = ["FIRST_YEAR", "LAST_YEAR", "lunar_feast"]

FIRST_YEAR, LAST_YEAR = 1970, 2070

_SPRING = (  # day 1 of month 1; month and day of each year
    "206 127 215 203 123 211 131 218 207 128 216 205 125 213 202 220 209 129 217 206 "
    "127 215 204 123 210 131 219 207 128 216 205 124 212 201 122 209 129 218 207 126 "
    "214 203 123 210 131 219 208 128 216 205 125 212 201 122 210 129 217 206 126 213 "
    "203 123 211 131 219 208 128 215 204 124 212 201 122 210 130 217 206 126 214 202 "
    "123 211 201 219 208 128 215 204 124 212 202 121 209 129 217 205 126 214 203 123 211"
)
_DRAGON_BOAT = (  # day 5 of month 5
    "608 528 615 605 624 614 602 621 610 530 617 606 625 615 604 622 611 531 618 608 "
    "528 616 605 624 613 602 620 609 530 618 606 625 615 604 622 611 531 619 608 528 "
    "616 606 623 612 602 620 609 530 618 607 625 614 603 622 610 531 619 609 528 616 "
    "605 624 612 601 620 610 530 618 607 527 614 603 622 611 531 619 608 529 615 604 "
    "623 613 601 620 610 530 617 606 625 614 603 622 611 601 619 608 528 616 604 623 613"
)
_MID_AUTUMN = (  # day 15 of month 8
    "915 1003 922 911 930 920 908 927 917 1005 923 912 1001 921 910 929 918 1007 925 914 "
    "1003 922 911 930 920 909 927 916 1005 924 912 1001 921 911 928 918 1006 925 914 1003 "
    "922 912 930 919 908 927 915 1004 924 913 1001 921 910 929 917 1006 925 915 1003 922 "
    "912 1001 919 908 927 916 1004 924 913 1002 920 910 928 917 1005 925 915 1004 922 911 "
    "930 919 907 926 916 1005 924 913 1002 921 909 928 917 1006 925 915 1003 923 911 929 919"
)
_TABLES = {
    name: tuple(divmod(int(day), 100) for day in days.split())
    for name, days in (("spring", _SPRING), ("dragon boat", _DRAGON_BOAT), ("mid-autumn", _MID_AUTUMN))
}


def lunar_feast(name: str, *, days: int = 0) -> Callable[[int], date]:
    """The day of a year that is so many days after the feast: "spring", "dragon boat" or "mid-autumn".

    What is given back raises ValueError for a year outside 1970 to 2070.
    """
    table = _TABLES[name]

    def of_year(year: int) -> date:
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise ValueError(f"year: {year} is outside the table, {FIRST_YEAR} to {LAST_YEAR}")
        month, day = table[year - FIRST_YEAR]
        return date(year, month, day) + timedelta(days=days)

    return of_year
