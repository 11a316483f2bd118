"""Writes the tables that are made from the code, of the README and docs/tuning.md: `make tables` after a change."""

import re
from pathlib import Path

from memcore.params import params_table
from memcore.params.tunable import tunable_table

README = Path(__file__).parents[1] / "README.md"
TUNING = Path(__file__).parent / "tuning.md"


def with_tables(page: str) -> str:
    """`page` with the table of parameters, and that of the tunable ones, between their markers."""
    for name, table in (("params", params_table()), ("tunable", tunable_table())):
        marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", flags=re.DOTALL)
        page = marked.sub(lambda found, table=table: found[1] + table + found[2], page, count=1)
    return page


if __name__ == "__main__":
    for path in (README, TUNING):
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
