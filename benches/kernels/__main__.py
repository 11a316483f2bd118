"""The command of `python -m benches.kernels`: the rows of a name, each module of this package having its own `main`.

`all` runs every one of them, at sizes that take minutes, not an hour. `--json FILE` appends the results to a file.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

from benches import results

ROWS = ("graph", "vectors", "texts", "models")
SHORT = {"vectors": ["--sizes", "100000x384,100000x1024", "--rounds", "21"], "models": ["--rounds", "21"]}
"""What `all` gives to the rows of a name; the others run as they come."""


def without_json(options: list[str]) -> list[str]:
    """The options of the rows; the file of results is noted for this process and those that it starts."""
    if "--json" not in options:
        return options
    at = options.index("--json")
    if at + 1 == len(options):
        raise SystemExit("--json: give a file")
    results.begin("kernels", {}, Path(options[at + 1]))
    return options[:at] + options[at + 2 :]


def main() -> int:
    there = [name for name in ROWS if importlib.util.find_spec(f"benches.kernels.{name}")]
    if len(sys.argv) < 2 or sys.argv[1] not in (*there, "all"):
        print(f"usage: python -m benches.kernels {'|'.join(there)}|all [--json FILE] [options]", file=sys.stderr)
        return 2
    options = without_json(sys.argv[2:])
    for name in there if sys.argv[1] == "all" else [sys.argv[1]]:
        given = SHORT.get(name, []) if sys.argv[1] == "all" else []
        importlib.import_module(f"benches.kernels.{name}").main([*given, *options])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
