"""The gate: what it runs, in which order, and that it cannot pass without having tested anything."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUST = "test result: ok. 41 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s"
PYTHON = "212 passed in 9.10s"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the gate is a bash script")


def gate(tmp_path, *lines, code=0):
    """How `.ci/run` ends where `make check` prints these lines and ends with this code."""
    for tool in ("cargo", "cc", "qemu-x86_64"):
        executable(tmp_path / tool, "exit 0")
    printed = "\n".join(f"echo '{line}'" for line in lines)
    executable(tmp_path / "make", f"{printed}\nexit {code}")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHON": sys.executable}
    return subprocess.run([ROOT / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False)


def executable(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_the_gate_passes_and_ends_with_the_closing_lines_of_both_runners(tmp_path):
    ran = gate(tmp_path, RUST, PYTHON)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-4:] == ["Rust tests:", RUST, "Python tests:", PYTHON]


@pytest.mark.parametrize(
    "lines",
    [(), (RUST,), (PYTHON,), (RUST.replace("41", "0"), PYTHON), (RUST, "no tests ran in 0.01s")],
    ids=["nothing ran", "no Python tests", "no Rust tests", "no Rust test in the crate", "no Python test found"],
)
def test_the_gate_fails_where_a_runner_ran_no_test(tmp_path, lines):
    ran = gate(tmp_path, *lines)
    assert ran.returncode != 0
    assert "ran no Rust tests or no Python tests" in ran.stderr


def test_the_gate_fails_when_the_check_fails_whatever_was_printed(tmp_path):
    assert gate(tmp_path, RUST, PYTHON, code=2).returncode != 0


def last_words(tmp_path):
    """What `make check` says after everything passed, with the programs of this folder alone."""
    command = [shutil.which("make"), "--no-print-directory", "-o", "lint", "-o", "test", "check"]
    return subprocess.run(
        command, cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.skipif((platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="x86-64 Linux only")
def test_the_check_says_when_no_old_processor_was_emulated(tmp_path):
    for tool in ("uname", "find"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    assert "NOT RUN: the emulated old processor" in last_words(tmp_path)
    executable(tmp_path / "qemu-x86_64", "exit 0")
    assert "NOT RUN" not in last_words(tmp_path)


def test_the_gate_does_not_pass_without_an_old_processor():
    assert "OLD_PROCESSOR=required" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    command = ["make", "--dry-run", "OLD_PROCESSOR=required", "test-levels"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "tests/levels/run.py --old-processor" in ran.stdout


def test_the_check_runs_every_tool_cheap_ones_first():
    ran = subprocess.run(
        ["make", "--dry-run", "--always-make", "check"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    steps = [
        "cargo fmt",
        "ruff check",
        "ruff format --check",
        "maturin develop --release",
        "lint-imports",
        "bin/mypy",
        "cargo clippy --locked --all-targets --",
        "cargo clippy --locked --all-targets --features python",
        "stubtest memcore._core",
        "cargo test --locked --no-default-features",
        "tests/levels/run.py",
        "python -m pytest",
    ]
    places = [ran.stdout.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
