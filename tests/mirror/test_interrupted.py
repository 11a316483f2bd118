"""A mirror that an interrupt stopped in the middle shows afterwards what a fresh one shows."""

import sys
from pathlib import Path

import pytest
from mirror_samples import ARCS, a_mirror, minutes, open_memory, sql, view

import memcore.mirror
from memcore.mirror.graphs import ArcWeights
from memcore.scope import read_scope

STRIDE = 6
FOLDER = str(Path(memcore.mirror.__file__).parent)
SORTING = ("_apply", "_let_go_of_moved", "rows_of", "speaker_code", "session_code", "_stream")
"""What goes over each change and holds nothing: of no interest, and hundreds of lines."""

SCOPE = ["ana", "bob"]
OTHER_ARCS = ArcWeights(0.5, 0.25, 0.1, 0.3)


class Interrupter:
    """Raises KeyboardInterrupt before a line of the mirror, counted from the start of the call."""

    def __init__(self, line):
        self.left = line

    def __call__(self, frame, event, _argument):
        code = frame.f_code
        if not code.co_filename.startswith(FOLDER) or code.co_name.startswith("<") or code.co_name in SORTING:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self


def was_interrupted(line, call):
    before = sys.gettrace()
    sys.settrace(Interrupter(line))
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def change(memory, at):
    """Something of each kind: new rows, in the middle too, other texts and vectors, names, mentions, edges, losses."""
    first, second, third = memory.add_many(
        [
            {"content": f"Tea {at} in the garden?", "user_id": "ana", "session_id": "s", "entities": ["Ana", f"N{at}"]},
            {"content": f"Harbour {at}.", "user_id": "ana", "session_id": "s", "speaker": "Bob"},
            {"content": f"Radio {at} 上海", "user_id": "bob", "event_time": minutes(at % 50)},
        ]
    ).ids
    memory.relate(first, second)
    memory.update(first, content=f"Violin {at} now.")
    assert sql(
        memory,
        "INSERT INTO memory (id, agent_id, user_id, kind, content, event_time, recorded_at, updated_at)"
        " VALUES (?, 'agent', 'ana', 'fact', 'cello in the middle', 3, 3, 3)",
        9_000_000 - at,
    )
    assert sql(memory, "DELETE FROM mention WHERE memory_id = ?", first)
    if at % 3 == 0:
        memory.delete(second)
    if at % 2 == 0:
        assert sql(memory, "DELETE FROM memory_vector WHERE memory_id = ?", third)


@pytest.mark.parametrize("first", range(1, 7))
def test_whatever_line_of_following_an_interrupt_stops_the_next_search_sees_what_is_stored(first):
    with open_memory() as memory:
        mirror, stopped = a_mirror(), 0
        change(memory, 0)
        for line in range(first, 300, STRIDE):
            with memory._database.read() as connection:
                view(memory, mirror, connection, SCOPE)
            change(memory, line)
            with memory._database.read() as connection:
                space = memory._calls.store.vectors.stored_space(connection)

                def follow(connection=connection, space=space):
                    mirror.follow(connection, space)
                    mirror.scope(connection, read_scope("agent", SCOPE), OTHER_ARCS)

                stopped += was_interrupted(line, follow)
                assert view(memory, mirror, connection, SCOPE) == view(memory, a_mirror(), connection, SCOPE)
        assert stopped > 20


@pytest.mark.parametrize("line", [3, 30, 90, 150, 300])
def test_whatever_line_of_loading_an_interrupt_stops_the_next_search_sees_what_is_stored(line):
    with open_memory() as memory:
        change(memory, 1)
        mirror = a_mirror()
        with memory._database.read() as connection:
            space = memory._calls.store.vectors.stored_space(connection)

            def load():
                mirror.follow(connection, space)
                mirror.scope(connection, read_scope("agent", SCOPE), ARCS)

            assert was_interrupted(line, load)
            assert view(memory, mirror, connection, SCOPE) == view(memory, a_mirror(), connection, SCOPE)


def no_room(*_given):
    raise MemoryError


def test_an_error_while_following_is_forgotten_with_all_that_was_half_done(monkeypatch):
    with open_memory() as memory:
        memory.add("Tea in the garden.", user_id="ana")
        assert len(memory.search("tea", user_id="ana")) == 1
        memory.add("Tea on the mountain.", user_id="ana", infer=False)  # so that nothing looks for near ones
        with monkeypatch.context() as patched:
            patched.setattr("memcore.mirror.block._put_vectors", no_room)
            with pytest.raises(MemoryError):
                memory.search("tea", user_id="ana")
        assert len(memory.search("tea", user_id="ana")) == 2
