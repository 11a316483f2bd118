"""Ctrl-C at every step of a read and of a write: the next one works, other threads too, and no file stays open."""

import dis
import gc
import inspect
import os
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from memcore.errors import StorageError
from memcore.storage.database import Database
from memcore.storage.handles import KEPT, Handles

WATCHED = (f"memcore{os.sep}storage", f"sqlalchemy{os.sep}pool", f"sqlalchemy{os.sep}engine", "contextlib.py")
DESCRIPTORS = Path("/proc/self/fd")


def noted(database, text):
    with database.read() as conn:
        return conn.exec_driver_sql("SELECT count(*) FROM noted WHERE text = ?", (text,)).scalar_one()


def add(database, text="kept"):
    with database.write() as conn:
        conn.exec_driver_sql("INSERT INTO noted VALUES (?)", (text,))


def fail_to_add(database):
    """A write that is taken back, because something was wrong with it, and then one that the database refuses."""
    with suppress(ZeroDivisionError), database.write() as conn:
        conn.exec_driver_sql("INSERT INTO noted VALUES ('taken back')")
        raise ZeroDivisionError
    with suppress(StorageError), database.write() as conn:
        conn.exec_driver_sql("INSERT INTO nowhere VALUES ('refused')")


class Interrupt:
    """Raises when the `at`th call in the watched files begins or has come back; `reached`: there were so many.

    The interpreter looks for interrupts there (and at a loop's turn), and not between a lock and its `with`.
    """

    def __init__(self, at):
        self.left, self.reached = at, False

    def __call__(self, frame, event, _argument):
        if event in ("call", "return", "c_return") and can_clean_up(frame, event) and is_watched(frame):
            self.left -= 1
            if self.left == 0:
                self.reached = True
                sys.setprofile(None)
                raise KeyboardInterrupt

    def __enter__(self):
        self.outer = sys.getprofile()
        sys.setprofile(self)

    def __exit__(self, *_exception):
        sys.setprofile(self.outer)


def can_clean_up(frame, event):
    """Whether what is raised here comes to the frame's own `finally`: not where a generator waits or is thrown into."""
    if not frame.f_code.co_flags & inspect.CO_GENERATOR or event == "c_return":
        return True
    waits = frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == dis.opmap["YIELD_VALUE"]
    return event == "call" and not waits


def is_watched(frame):
    """Whether the frame is of the watched files, and what it raises is raised to somebody: `__del__` has no caller."""
    if not any(part in frame.f_code.co_filename for part in WATCHED):
        return False
    while frame is not None and frame.f_code.co_name not in ("__del__", "_finalize_fairy"):
        frame = frame.f_back
    return frame is None


def in_another_thread(act):
    """What `act` gives in a thread of its own; None when that waits for ever."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(act()), daemon=True)
    thread.start()
    thread.join(30)
    return answers[0] if answers else None


def every_interrupt_of(act):
    """Calls `act` again and again, interrupted one step later each time, until it comes through; yields between."""
    for at in range(1, 10_000):
        interrupt = Interrupt(at)
        try:
            with interrupt:
                act()
        except KeyboardInterrupt:
            pass
        if not interrupt.reached:
            return
        yield at
    raise AssertionError


@contextmanager
def opened_beside(database):
    """Another one who has the file open: the last who closes it would write it back each time."""
    beside = None if database.path == ":memory:" else Database(database.path, durability="relaxed")
    yield
    if beside is not None:
        beside.close()


def opened(where):
    database = Database(where, durability="relaxed")
    with database.write() as conn:
        conn.exec_driver_sql("CREATE TABLE noted (text TEXT)")
    return database


@pytest.mark.parametrize("where", ["file", "memory"])
@pytest.mark.parametrize("kind", ["read", "write", "failing write"])
def test_an_interrupt_at_any_step_leaves_the_database_usable_by_every_thread(path, where, kind):
    with opened(path if where == "file" else ":memory:") as database, opened_beside(database):
        acts = {
            "read": lambda: noted(database, ""),
            "write": lambda: add(database, "interrupted"),
            "failing write": lambda: fail_to_add(database),
        }
        act = acts[kind]
        act()
        steps = 0
        for at in every_interrupt_of(act):
            steps += 1
            assert in_another_thread(lambda: add(database, "from a thread") or "added") == "added", at
            add(database, "from here")
        assert steps > 50
        assert noted(database, "from a thread") == noted(database, "from here") == steps
        assert noted(database, "taken back") == 0


def open_files(path):
    """The names of the open files at `path` and beside it, one for each time that one is open."""
    found = []
    for descriptor in DESCRIPTORS.iterdir():
        with suppress(FileNotFoundError):  # the one by which the folder is read
            found.append(os.readlink(descriptor))  # noqa: PTH115 - a path need not exist
    return sorted(Path(name).name for name in found if name.startswith(str(path)))


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="this system does not list open files")
def test_an_interrupt_at_any_step_leaves_no_file_open(path):
    with opened(
        path
    ) as database:  # alone: SQLite keeps what it closed for the next who opens it, while others are there
        add(database)
        before = open_files(path)
        for _ in every_interrupt_of(lambda: add(database, "interrupted")):
            pass
        gc.collect()
        add(database)
        assert open_files(path) == before


def test_a_connection_is_used_again_and_no_more_than_a_few_wait(path):
    with Database(path, durability="relaxed") as database:
        with database.read() as first:
            pass
        with database.read() as second:
            pass
        assert first is second
        blocks = [database.read() for _ in range(KEPT + 3)]
        for block in blocks:
            block.__enter__()
        for block in blocks:
            block.__exit__(None, None, None)
        assert len(database._handles._idle) == KEPT


def test_a_connection_that_comes_back_after_closing_is_closed(path):
    database = Database(path, durability="relaxed")
    with database.read() as conn:
        below = conn.connection.dbapi_connection
        database.close()
        assert conn.exec_driver_sql("SELECT 1").scalar_one() == 1
    with pytest.raises(Exception, match="closed"):
        below.execute("SELECT 1")
    assert isinstance(database._handles, Handles)
