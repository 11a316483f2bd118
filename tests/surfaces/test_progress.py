"""The bar: after a second, on a terminal, and nowhere else."""

import io

import pytest

from memcore.surfaces.cli import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TimerThatFires:
    """A timer for which the second has passed as soon as it is started."""

    def __init__(self, _seconds, act):
        self.start = act
        self.daemon = False

    def cancel(self):
        return


class TimerThatNeverFires(TimerThatFires):
    def __init__(self, _seconds, _act):
        super().__init__(_seconds, lambda: None)


def on_a_terminal(monkeypatch, timer):
    """Standard error as a terminal, from inside the test: what a fixture sets, pytest's capture takes back."""
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress, "Timer", timer)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_after_a_second_a_terminal_shows_what_was_done_of_how_much(monkeypatch):
    terminal = on_a_terminal(monkeypatch, TimerThatFires)
    with progress.working("Embedding [1]") as advance:
        advance(3, 8)
    assert "Embedding [1]" in terminal.getvalue()
    assert "3/8" in terminal.getvalue()


def test_what_is_done_within_a_second_shows_nothing(monkeypatch):
    terminal = on_a_terminal(monkeypatch, TimerThatNeverFires)
    with progress.working("Embedding") as advance:
        advance(3, 8)
    assert terminal.getvalue() == ""


def test_without_a_terminal_there_is_no_bar(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress, "Timer", TimerThatFires)
    with progress.working("Embedding") as advance:
        advance(3, 8)
    assert stream.getvalue() == ""


def test_the_bar_goes_away_when_the_work_fails(monkeypatch):
    terminal = on_a_terminal(monkeypatch, TimerThatFires)
    with pytest.raises(ValueError, match="planted"), progress.working("Embedding"):
        raise ValueError("planted")
    assert terminal.getvalue().endswith("\x1b[2K")
