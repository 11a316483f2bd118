"""The processor's levels, and the program that asks the kernels at one of them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

LEVELS = ("scalar", "portable", "avx2", "avx512")
"""Lowest first, as MEMCORE_SIMD names them; the highest has VNNI."""
EMULATOR = "qemu-x86_64"
OLD = {"core": "core2duo", "wheel": "Nehalem"}
"""Both without AVX. numpy's own wheel asks for SSE4.2, the core for no more than every x86-64 has."""
PROGRAM = Path(__file__).with_name("kernel_answers.py")


def ran(command, **environment):
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


def highest(level):
    """Which level is in use where this one is the highest that is wanted."""
    program = "from memcore._core import simd_level; print(simd_level())"
    found = ran([sys.executable, "-c", program], MEMCORE_SIMD=level)
    return found.stdout.strip()


def levels():
    """Those that this processor has."""
    return [level for level in LEVELS if highest(level) == level]


def answers(level=None, before=()):
    """What the kernels answer; what they say where an answer is not that of the slow twin."""
    found = ran([*before, sys.executable, str(PROGRAM)], MEMCORE_SIMD=level or "")
    if found.returncode != 0:
        raise AssertionError(f"{level or ' '.join(before)}: {found.stderr[-2000:]}")
    return json.loads(found.stdout)


def difference(one, other):
    """Where two answers differ: the names of kernels with other bits, and how far the others lie apart."""
    names = [of[0] for of, with_ in zip(one["same"], other["same"], strict=True) if of != with_]
    pairs = zip(*([x for of in answer["close"] for x in of] for answer in (one, other)), strict=True)
    return names, max(abs(left - right) for left, right in pairs)


def emulator():
    """Where the emulator is, or None."""
    return shutil.which(EMULATOR)
