"""A block that comes from an engine snapshot and was caught up shows exactly what a fresh one shows."""

import tempfile
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import given
from mirror_samples import AGENT, ARCS, a_mirror, open_memory, reader_of, sql, view
from test_mirror_follows import LOOKING, SCOPES, item, operation, perform, same_as_fresh

from memcore.errors import InvalidInputError, NotFoundError
from memcore.mirror.agent import AgentMirror
from memcore.storage import revisions
from memcore.storage.engine_file import EngineFile
from memcore.storage.identity import identity

ITEMS = [{"content": f"tea in the garden {number}", "user_id": "ana", "entities": ["Ana"]} for number in range(8)]


class Keeping:
    """Mirrors of one store, each of which begins with what another has kept."""

    def __init__(self, folder):
        path = Path(folder) / "a.db"
        path.touch()
        self.file = EngineFile(str(path))

    def mirror(self, limit=1 << 30):
        return AgentMirror(AGENT, limit, snapshot=self.file)

    def keep(self, memory, mirror):
        with memory._database.read() as connection:
            for scope in SCOPES:
                view(memory, mirror, connection, scope)
            return mirror.due(connection)()


def run(memory, operations):
    for what, *given_to in operations:
        try:
            perform(memory, what, *given_to)
        except (InvalidInputError, NotFoundError):
            continue


steps = st.lists(operation.filter(lambda one: one[0] != "look"), max_size=12)


@LOOKING
@given(st.lists(item, min_size=4, max_size=10), st.lists(steps, min_size=1, max_size=4))
def test_what_is_kept_and_caught_up_equals_a_fresh_mirror_after_any_writes(items, rounds):
    with tempfile.TemporaryDirectory() as folder, open_memory() as memory:
        keeping = Keeping(folder)
        perform(memory, "many", items, "now")
        for operations in rounds:
            keeping.keep(memory, keeping.mirror())
            run(memory, operations)
            same_as_fresh(memory, keeping.mirror())


def test_a_kept_block_is_used_and_not_read_from_the_rows(tmp_path, monkeypatch):
    keeping = Keeping(tmp_path)
    with open_memory() as memory:
        perform(memory, "many", ITEMS, "now")
        assert keeping.keep(memory, keeping.mirror()) == 1
        asked = []
        real = AgentMirror._load
        monkeypatch.setattr(AgentMirror, "_load", lambda *given: asked.append(given[2]) or real(*given))
        same_as_fresh(memory, keeping.mirror(), fresh=a_mirror())
        kept = len(asked)
        same_as_fresh(memory, a_mirror(), fresh=a_mirror())
        assert (kept, len(asked)) == (1, 3)  # the fresh ones alone


def test_with_room_for_no_block_each_search_takes_it_from_the_file(tmp_path):
    keeping = Keeping(tmp_path)
    with open_memory() as memory:
        perform(memory, "many", ITEMS, "now")
        keeping.keep(memory, keeping.mirror())
        mirror = keeping.mirror(limit=1)
        for number in range(4):
            perform(memory, "add", {"content": f"violin {number}", "user_id": "bob"}, "now")
            same_as_fresh(memory, mirror)
        assert mirror.loaded <= 3


def judged(memory, keeping):
    """Whether a partition is taken from the file."""
    with memory._database.read() as connection:
        mirror = keeping.mirror()
        used = []
        real = mirror._snapshots.load
        mirror._snapshots.load = lambda *given: used.append(real(*given)) or used[-1]
        reader_of(memory, mirror, connection, "ana")
        same_as_fresh(memory, mirror)
        return any(found is not None for found in used)


def test_a_log_that_was_trimmed_behind_it_lets_it_be(tmp_path):
    keeping = Keeping(tmp_path)
    with open_memory() as memory:
        perform(memory, "many", ITEMS, "now")
        keeping.keep(memory, keeping.mirror())
        perform(memory, "many", ITEMS[:2], "now")
        assert judged(memory, keeping)
        with memory._database.write() as connection:
            revisions.trim(connection, 1)
        assert not judged(memory, keeping)
        assert keeping.keep(memory, keeping.mirror()) == 1
        assert judged(memory, keeping)


def test_another_space_other_layers_and_another_store_let_it_be(tmp_path):
    keeping = Keeping(tmp_path)
    with open_memory() as memory:
        perform(memory, "many", ITEMS, "now")
        keeping.keep(memory, keeping.mirror())
        assert judged(memory, keeping)
        sql(memory, "UPDATE space SET model = 'another'")
        with memory._database.read() as connection:
            mirror = keeping.mirror()
            mirror.follow(connection, None)
            assert mirror._snapshots.load(connection, 1, mirror_owner(connection), None, mirror) is None
    with open_memory() as other:
        perform(other, "many", ITEMS, "now")
        assert not judged(other, keeping)
        assert keeping.keep(other, keeping.mirror()) == 1, "its own takes the place"
        assert judged(other, keeping)
        sql(other, "DELETE FROM store_identity")
        assert not judged(other, keeping)
        assert keeping.keep(other, keeping.mirror()) == 0


def mirror_owner(connection):
    from memcore.scope import Partition

    return Partition(*connection.exec_driver_sql("SELECT agent_id, user_id FROM partition WHERE id = 1").one())


def test_an_older_copy_that_was_written_to_is_another_past(tmp_path):
    keeping = Keeping(tmp_path)
    with open_memory() as memory:
        perform(memory, "many", ITEMS, "now")
        mirror = keeping.mirror()
        keeping.keep(memory, mirror)
        last = "(SELECT max(revision) FROM revision_log)"
        sql(memory, f"UPDATE revision_log SET row_id = row_id + 1 WHERE revision = {last}")
        assert not judged(memory, keeping)


def test_what_an_earlier_process_made_of_a_scope_is_not_made_again(tmp_path, monkeypatch):
    keeping = Keeping(tmp_path)
    texts = [f"the harbour of lisbon {number} and the violin of the garden" for number in range(40)]
    with open_memory() as memory:
        perform(memory, "many", [{"content": text, "user_id": "ana"} for text in texts], "now")
        keeping.keep(memory, keeping.mirror())
        before = view_of(memory, a_mirror())

        def unasked(*_, **__):
            raise AssertionError("made again")

        for name in ("concepts", "nmf", "_concept_atoms"):
            monkeypatch.setattr(f"memcore.mirror.atoms.{name}", unasked)
        mirror = keeping.mirror()
        assert view_of(memory, mirror) == before
        monkeypatch.undo()
        memory.delete(1)
        assert view_of(memory, mirror) == view_of(memory, a_mirror())


def view_of(memory, mirror):
    with memory._database.read() as connection:
        return view(memory, mirror, connection, "ana", ARCS)


def test_what_says_of_itself_what_nobody_writes_is_refused(tmp_path):
    keeping = Keeping(tmp_path)
    with open_memory() as memory:
        perform(memory, "many", ITEMS, "now")
        assert keeping.keep(memory, keeping.mirror()) == 1
        with memory._database.read() as connection:
            store = identity(connection)
        for about in ("", "[]", "{}", "not JSON", '{"made_of": 1, "moment": [], "counts": {}, "arcs": null}'):
            assert keeping.file.write(store, [(1, about, [("rows", b"x")])])
            assert not judged(memory, keeping)
            assert keeping.keep(memory, keeping.mirror()) == 1
            assert judged(memory, keeping)


def test_sections_that_nobody_writes_are_refused_and_the_file_is_written_whole(tmp_path):
    keeping = Keeping(tmp_path)
    with open_memory() as memory:
        perform(memory, "many", ITEMS, "now")
        keeping.keep(memory, keeping.mirror())
        with memory._database.read() as connection:
            store = identity(connection)
        about = keeping.file.kept(store)[1]
        names = keeping.file.open(store, 1).names
        for damaged in names:
            sections = keeping.file.read(keeping.file.open(store, 1), dict.fromkeys(names))
            whole = [(name, sections[name].array()) for name in names]
            keeping.file.write(store, [(1, about, [(name, b"7" if name == damaged else part) for name, part in whole])])
            assert not judged(memory, keeping), damaged
            assert keeping.keep(memory, keeping.mirror()) == 1
            assert judged(memory, keeping), damaged


def test_a_graph_of_other_numbers_is_written_anew(tmp_path):
    keeping = Keeping(tmp_path)
    with open_memory() as memory:
        perform(memory, "many", ITEMS, "now")
        keeping.keep(memory, keeping.mirror())
        with memory._database.read() as connection:
            mirror = keeping.mirror()
            reader_of(memory, mirror, connection, "ana", ARCS._replace(answer=0.9))
            assert mirror.due(connection)() == 1
            assert mirror.due(connection)() == 0
