"""The command of `python -m benches.kernels`: the rows of a name, each module of this package having its own `main`."""

from __future__ import annotations

import importlib
import importlib.util
import sys

ROWS = ("graph", "vectors", "texts", "models")


def main() -> int:
    there = [name for name in ROWS if importlib.util.find_spec(f"benches.kernels.{name}")]
    if len(sys.argv) < 2 or sys.argv[1] not in there:
        print(f"usage: python -m benches.kernels {'|'.join(there)} [options]", file=sys.stderr)
        return 2
    importlib.import_module(f"benches.kernels.{sys.argv[1]}").main(sys.argv[2:])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
