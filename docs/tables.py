"""Writes the tables of the README that are made from the code: `make tables` after a parameter was changed."""

import re
from pathlib import Path

from memcore.params import params_table

README = Path(__file__).parents[1] / "README.md"


def with_tables(page: str) -> str:
    """`page` with the table of parameters between its markers."""
    marked = re.compile(r"(<!-- params -->\n).*?(<!-- /params -->)", flags=re.DOTALL)
    return marked.sub(lambda found: found[1] + params_table() + found[2], page, count=1)


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
