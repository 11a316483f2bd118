"""Whatever is done in whatever order, the store holds what a plain dictionary would, and every chain is whole."""

import contextlib
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from storage_samples import ANA, BOB, SHARED, a_memory, minutes

from memcore.errors import StorageError
from memcore.scope import Scope
from memcore.storage import integrity, memories, revisions
from memcore.storage.database import Database
from memcore.storage.rows import ChangedTable, Operation

_OWNERS = st.sampled_from([ANA, BOB, SHARED])
_SESSIONS = st.sampled_from([None, "s", "t", "", "%"])
_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip)
_BATCHES = st.lists(st.tuples(_OWNERS, _SESSIONS, _TEXTS), max_size=4)


@dataclass
class Plain:
    """What the store should hold: rows by id, and the ids of each session in their order."""

    rows: dict = field(default_factory=dict)
    sessions: dict = field(default_factory=dict)
    used: set = field(default_factory=set)


class StoreAgainstDictionary(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.database = Database(":memory:")
        self.plain = Plain()

    def teardown(self):
        self.database.close()

    @rule(batch=_BATCHES)
    def insert(self, batch):
        new = [a_memory("x" + text, owner, session_id=session) for owner, session, text in batch]
        with self.database.write() as conn:
            ids = memories.insert(conn, new)
        assert len(ids) == len(batch)
        assert self.plain.used.isdisjoint(ids)
        assert ids == sorted(ids)
        self.plain.used.update(ids)
        for memory_id, memory in zip(ids, new, strict=True):
            self.plain.rows[memory_id] = [memory.partition, memory.content, 5.0]
            if memory.session_id is not None:
                self.plain.sessions.setdefault((memory.partition, memory.session_id), []).append(memory_id)

    @rule(data=st.data(), text=_TEXTS, importance=st.floats(0, 10))
    def update(self, data, text, importance):
        if not self.plain.rows:
            return
        memory_id = data.draw(st.sampled_from(sorted(self.plain.rows)))
        with self.database.write() as conn:
            memories.update(conn, memory_id, updated_at=minutes(1), content="y" + text, importance=importance)
        self.plain.rows[memory_id][1:] = ["y" + text, importance]

    @rule(data=st.data())
    def remove(self, data):
        if not self.plain.used:
            return
        ids = data.draw(st.lists(st.sampled_from(sorted(self.plain.used)), max_size=4))
        with self.database.write() as conn:
            removed = memories.remove(conn, ids)
        assert removed.memories == len(self.plain.rows.keys() & set(ids))
        for memory_id in ids:
            self.plain.rows.pop(memory_id, None)
        for members in self.plain.sessions.values():
            members[:] = [memory_id for memory_id in members if memory_id not in ids]

    @rule(data=st.data())
    def a_failed_write_changes_nothing(self, data):
        with self.database.read() as conn:
            before = revisions.latest(conn)
        ids = data.draw(st.lists(st.sampled_from(sorted(self.plain.used) or [1]), max_size=3))
        with contextlib.suppress(StorageError), self.database.write() as conn:
            memories.insert(conn, [a_memory("gone", session_id="s")])
            memories.remove(conn, ids)
            memories.insert(conn, [a_memory("no memory has such an importance", importance=99)])
        with self.database.read() as conn:
            assert revisions.latest(conn) == before

    @rule(limit=st.integers(1, 5), users=st.sampled_from([(), ("ana",), ("ana", "bob")]))
    def page(self, limit, users):
        scope = Scope("agent", users)
        seen, cursor = [], 0
        with self.database.read() as conn:
            while rows := memories.page(conn, scope, after_id=cursor, limit=limit):
                assert len(rows) <= limit
                seen += rows
                cursor = rows[-1].id
        visible = {memory_id: row for memory_id, row in self.plain.rows.items() if row[0] in scope.partitions}
        assert [row.id for row in seen] == sorted(visible)
        assert [[row.partition, row.content, row.importance] for row in seen] == [visible[row.id] for row in seen]

    @invariant()
    def every_chain_is_whole(self):
        with self.database.read() as conn:
            for (partition, session), members in self.plain.sessions.items():
                rows = memories.fetch(conn, members)
                assert [row.id for row in rows] == members
                assert [row.prev_id for row in rows] == [None, *members][: len(members)]
                assert [row.next_id for row in rows] == [*members[1:], None][: len(members)]
                assert sorted({row.position for row in rows}) == [row.position for row in rows]
                assert {(row.partition, row.session_id) for row in rows} <= {(partition, session)}

    @invariant()
    def the_log_tells_what_is_there(self):
        there = set()
        with self.database.read() as conn:
            for change in revisions.changes(conn, 0):
                if change.table is ChangedTable.MEMORY:
                    (there.discard if change.operation is Operation.DELETE else there.add)(change.id)
            assert integrity.check(conn).sound
        assert there == self.plain.rows.keys()


StoreAgainstDictionary.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestStore = StoreAgainstDictionary.TestCase
