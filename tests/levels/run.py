"""The kernels' Rust tests at every level of the processor, then all of it on an emulated old one: `make test-levels`.

The Rust tests compare each kernel with its slow twin at the level in use. On x86-64 Linux the same binary runs on a
processor without AVX (`core2duo`, by qemu-user), and the compiled module is imported, asked, and a store written,
searched, closed and opened again on the oldest one that numpy takes (`Nehalem`): the answers have the bits of this
processor's.

Where qemu-user is not installed that half is NOT RUN, which is the last thing said; with `--old-processor` it fails.
"""

import argparse
import json
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

from level_runs import EMULATOR, LEVELS, OLD, answers, difference, emulator, levels, ran

ROOT = Path(__file__).parents[2]
KERNELS = ("vectors::", "graph::pagerank", "nmf::", "fista::", "dpp::", "sq8")
BUILD = ("cargo", "test", "--locked", "--no-default-features", "--features", "snapshot", "--lib", "--no-run")
ALONE = ("--skip", "many_threads_and_one_give_the_same_bits")
"""Two hundred million products say nothing of a level that the whole run before this one did not."""
DRAWN = {"PROPTEST_CASES": "32"}
"""Fewer than in the run before, which draws all of them at the highest level."""
FEW_DRAWN = {"PROPTEST_CASES": "16"}
PASSED = re.compile(r"^test result: ok\. ([1-9]\d*) passed", re.MULTILINE)


def binary():
    """The test binary of the core, built where it is not."""
    built = subprocess.run(
        [*BUILD, "--message-format=json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    found = [json.loads(line) for line in built.splitlines() if line.startswith("{")]
    names = [one["executable"] for one in found if one.get("executable") and one["profile"]["test"]]
    if len(names) != 1:
        raise SystemExit(f"one test binary was expected, there are {names}")
    return names[0]


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def kernels_pass(said, command, **environment):
    """Runs the kernels' tests; says how many passed, or ends."""
    started = time.monotonic()
    found = ran([*command, *KERNELS, *ALONE], **environment)
    passed = PASSED.search(found.stdout)
    if found.returncode != 0 or passed is None:
        sys.stdout.write(found.stdout[-4000:] + found.stderr[-4000:])
        raise SystemExit(f"{said}: the kernels' tests failed")
    say(f"{said}: {passed[1]} kernel tests passed in {time.monotonic() - started:.0f} s")


def on_an_old_processor(tests):
    qemu = emulator()
    kernels_pass(f"old processor ({OLD['core']})", [qemu, "-cpu", OLD["core"], tests], **FEW_DRAWN)
    started = time.monotonic()
    found, here = answers(before=(qemu, "-cpu", OLD["wheel"])), answers("portable")
    if found["level"] != "portable":
        raise SystemExit(f"an old processor uses {found['level']}")
    names, apart = difference(found, here)
    if names or apart != 0.0:
        raise SystemExit(f"an old processor answers otherwise: {names or apart}")
    say(f"old processor ({OLD['wheel']}): wheel and store as here, in {time.monotonic() - started:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old-processor", action="store_true", help="fail where an old processor cannot be emulated")
    given = parser.parse_args()
    tests, there = binary(), levels()
    for level in LEVELS:
        if level in there:
            kernels_pass(level, [tests], MEMCORE_SIMD=level, **DRAWN)
        else:
            say(f"{level}: this processor does not have it")
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        say("old processor: NOT RUN, it is emulated on x86-64 Linux only")
    elif emulator() is not None:
        on_an_old_processor(tests)
    else:
        text = f"old processor: NOT RUN, there is no {EMULATOR}; install qemu-user (apt-get install qemu-user)"
        if given.old_processor:
            raise SystemExit(text)
        say(text)


if __name__ == "__main__":
    main()
