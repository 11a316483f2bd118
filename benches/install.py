"""Installs the peers of the extra `bench` into the environment that runs this; one that cannot be had is named.

    python -m benches.install

All of them together first; where that fails, one by one, and the others are installed all the same.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def peers() -> list[str]:
    """The requirements of the extra."""
    found: list[str] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]["bench"]
    return found


def install(requirements: list[str]) -> bool:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0


def main() -> int:
    wanted = peers()
    if not install(wanted):
        for one in wanted:
            if not install([one]):
                print(f"{one} cannot be installed here: its rows will be missing", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
