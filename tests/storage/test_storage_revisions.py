"""Whoever follows the log sees every change, also one made by hand; whoever is damaged is named."""

import subprocess
import sys

import numpy as np
import pytest
from storage_samples import ANA, BOB, NOON, SHARED, a_memory, some_vectors

from memcore.errors import InvalidInputError
from memcore.kinds import EdgeType
from memcore.scope import Partition, Scope
from memcore.storage import (
    edges,
    engine_rows,
    entities,
    integrity,
    jobs,
    memories,
    partitions,
    revisions,
    spaces,
    strength,
    vectors,
)
from memcore.storage.database import Database
from memcore.storage.rows import ChangedTable, NewEdge, Operation


def seen(conn, after):
    return [(change.table, change.id, change.operation) for change in revisions.changes(conn, after)]


@pytest.fixture
def filled(database):
    with database.write() as conn:
        ids = memories.insert(conn, [a_memory("one"), a_memory("two")])
        space = spaces.ensure(conn, "m", 16, "f")
        vectors.put(conn, space, ids, some_vectors(2), ["one", "two"])
    return ids, space


def test_the_log_is_empty_at_first_and_its_number_only_rises(database):
    with database.write() as conn:
        assert (revisions.latest(conn), revisions.changes(conn, 0)) == (0, [])
        memories.insert(conn, [a_memory()])
        assert revisions.latest(conn) == 1
        assert revisions.trim(conn, 0) == 1
        assert revisions.latest(conn) == 1


def test_every_change_is_logged_with_its_partition(database):
    with database.write() as conn:
        a, b = memories.insert(conn, [a_memory("a"), a_memory("b", SHARED)])
        first = revisions.changes(conn, 0)
        assert [change.partition_id for change in first] == [partitions.find(conn, ANA), partitions.find(conn, SHARED)]
        assert seen(conn, 0) == [(ChangedTable.MEMORY, a, Operation.INSERT), (ChangedTable.MEMORY, b, Operation.INSERT)]
        mark = revisions.latest(conn)
        [lisbon] = entities.resolve(conn, ANA, [("Lisbon", ["Lisboa"])], NOON)
        assert seen(conn, mark) == [
            (ChangedTable.MEMORY, lisbon, Operation.INSERT),
            (ChangedTable.ENTITY, lisbon, Operation.INSERT),
            (ChangedTable.ALIAS, lisbon, Operation.INSERT),
        ]
        mark = revisions.latest(conn)
        entities.mention(conn, [(a, lisbon)])
        edges.put(conn, [NewEdge(b, a, EdgeType.CAUSAL, 0.5)])
        edges.put(conn, [NewEdge(b, a, EdgeType.CAUSAL, 0.6)])
        strength.use(conn, [a], NOON)
        assert seen(conn, mark) == [
            (ChangedTable.MENTION, a, Operation.INSERT),
            (ChangedTable.EDGE, b, Operation.INSERT),
            (ChangedTable.EDGE, a, Operation.UPDATE),  # the other end
            (ChangedTable.EDGE, b, Operation.UPDATE),
            (ChangedTable.EDGE, a, Operation.UPDATE),
            (ChangedTable.MEMORY, a, Operation.UPDATE),
            (ChangedTable.MEMORY, a, Operation.UPDATE),  # its stability
        ]
        mark = revisions.latest(conn)
        memories.remove(conn, [a])
        assert seen(conn, mark) == [
            (ChangedTable.EDGE, b, Operation.DELETE),
            (ChangedTable.MENTION, a, Operation.DELETE),
            (ChangedTable.MEMORY, a, Operation.DELETE),
        ]
        assert {change.partition_id for change in revisions.changes(conn, mark)} == {partitions.find(conn, ANA)}


def test_who_is_behind_what_was_trimmed_must_load_anew(database):
    with database.write() as conn:
        memories.insert(conn, [a_memory(str(n)) for n in range(5)])
        assert revisions.trim(conn, 2) == 3
        assert revisions.changes(conn, 2) is None
        assert [change.revision for change in revisions.changes(conn, 3)] == [4, 5]
        assert revisions.changes(conn, 5) == []
        assert revisions.changes(conn, 6) is None
        revisions.trim(conn, 0)
        assert revisions.changes(conn, 4) is None
        with pytest.raises(InvalidInputError, match="keep"):
            revisions.trim(conn, -1)


def test_a_text_edited_by_hand_is_unverified_loses_its_vector_and_is_queued(database, by_hand, filled):
    ids, _ = filled
    with database.read() as conn:
        mark = revisions.latest(conn)
    by_hand.execute("UPDATE memory SET content = 'edited' WHERE id = ?", (ids[0],))
    with database.read() as conn:
        changed = seen(conn, mark)
        assert (ChangedTable.MEMORY, ids[0], Operation.UPDATE) in changed
        assert (ChangedTable.VECTOR, ids[0], Operation.DELETE) in changed
        assert conn.exec_driver_sql("SELECT crc, tokens FROM memory WHERE id = ?", (ids[0],)).one() == (None, None)
        assert [job.memory_id for job in jobs.of_agent(conn, "agent")] == [ids[0]]
        [row] = memories.fetch(conn, ids[:1])
        assert (row.content, row.intact) == ("edited", True)
        report = integrity.check(conn)
        assert (report.sound, report.unverified_memories, report.memories_without_vector, report.pending_jobs) == (
            True,
            1,
            1,
            1,
        )


def test_an_edit_by_an_sql_shell_in_another_process_is_seen_too(database, path, filled):
    ids, _ = filled
    with database.read() as conn:
        mark = revisions.latest(conn)
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
        " c.execute(\"UPDATE memory SET content = 'x y'\"); c.commit(); c.close()"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    with database.read() as conn:
        assert {change[1] for change in seen(conn, mark)} == set(ids)
        assert len(jobs.of_agent(conn, "agent")) == 2


def test_a_row_inserted_by_hand_brings_its_partition_and_is_queued(database, by_hand):
    by_hand.execute(
        "INSERT INTO memory (agent_id, user_id, kind, content, event_time, recorded_at, updated_at)"
        " VALUES ('agent', 'new', 'fact', 'by hand', 0, 0, 0)"
    )
    with database.read() as conn:
        [row] = memories.page(conn, Scope("agent", ("new",)), limit=2)
        assert [job.memory_id for job in jobs.of_agent(conn, "agent")] == [row.id]
        columns = engine_rows.memory_columns(conn, partitions.find(conn, row.partition), None)
    assert (columns.contents, columns.tokens, columns.intact, columns.sq8) == (["by hand"], [None], [True], [None])


def test_a_row_deleted_by_hand_leaves_nothing_behind(database, by_hand, filled):
    ids, _ = filled
    by_hand.execute("DELETE FROM memory WHERE id = ?", (ids[0],))
    with database.read() as conn:
        assert conn.exec_driver_sql("SELECT memory_id FROM memory_vector").scalars().all() == [ids[1]]
        assert integrity.check(conn).sound


def test_an_edge_moved_by_hand_is_logged_where_it_left_and_where_it_came(database, by_hand, filled):
    (a, b), _ = filled
    with database.write() as conn:
        edges.put(conn, [NewEdge(a, b, EdgeType.CAUSAL, 0.5)])
        mark = revisions.latest(conn)
    by_hand.execute("UPDATE edge SET source_id = target_id, target_id = source_id")
    with database.read() as conn:
        assert seen(conn, mark) == [(ChangedTable.EDGE, a, Operation.DELETE), (ChangedTable.EDGE, b, Operation.UPDATE)]


def test_a_partition_is_loaded_in_columns_by_id_and_some_ids_alone(database, filled):
    ids, space = filled
    with database.write() as conn:
        memories.insert(conn, [a_memory("bob's", BOB), a_memory("theirs", Partition("other", "ana"))])
        new = memories.insert(conn, [a_memory(text, session_id="s", speaker="Ana") for text in ("three", "four")])
        number = partitions.find(conn, ANA)
        columns = engine_rows.memory_columns(conn, number, space.id)
        some = engine_rows.memory_columns(conn, number, space.id, [new[0], ids[1], 999])
        none = engine_rows.memory_columns(conn, 999, space.id)
    assert columns.ids == [*ids, *new]
    assert columns.contents == ["one", "two", "three", "four"] == columns.tokens
    assert (columns.prev_ids, columns.next_ids) == ([None, None, None, new[0]], [None, None, new[1], None])
    assert (columns.speakers[2], columns.session_ids[2], columns.kinds[2]) == ("Ana", "s", "event")
    assert columns.event_times == [int(NOON.timestamp() * 1e6)] * 4
    assert [blob is None for blob in columns.sq8] == [False, False, True, True]
    assert some.ids == [ids[1], new[0]]
    assert none.ids == none.sq8 == none.intact == []


@pytest.mark.parametrize("damaged", ["text", "sq8", "f32"])
def test_one_damaged_byte_in_the_file_is_found_and_shuts_out_no_other_row(path, damaged):
    marker = "find this text in the file"
    matrix = some_vectors(3, dimension=64)
    with Database(path) as database, database.write() as conn:
        ids = memories.insert(conn, [a_memory("before"), a_memory(marker, tokens=None), a_memory("after")])
        space = spaces.ensure(conn, "m", 64, "f")
        vectors.put(conn, space, ids, matrix, ["before", marker, "after"])
        sq8 = conn.exec_driver_sql("SELECT sq8 FROM memory_vector WHERE memory_id = ?", (ids[1],)).scalar_one()
    wanted = {"text": marker.encode(), "sq8": sq8[16:], "f32": matrix[1].tobytes()}[damaged]
    stored = bytearray(path.read_bytes())
    at = stored.index(wanted)
    stored[at + 5] ^= 0x80
    path.write_bytes(stored)
    with Database(path) as database, database.read() as conn:
        report = integrity.check(conn)
        columns = engine_rows.memory_columns(conn, partitions.find(conn, ANA), space.id)
        rows = memories.fetch(conn, ids)
        readable = vectors.read(conn, space, ids)[0].tolist()
    in_text = damaged == "text"
    assert not report.sound
    assert report.damaged_memories == ((ids[1],) if in_text else ())
    assert report.damaged_vectors == (ids[1],)
    assert columns.intact == [row.intact for row in rows] == [True, not in_text, True]
    assert [blob is None for blob in columns.sq8] == [False, True, False]
    assert readable == [ids[0], ids[2]]


@pytest.mark.usefixtures("filled")
def test_a_sound_database_is_called_sound(database):
    with database.read() as conn:
        report = integrity.check(conn)
    assert report.sound
    assert (report.file_errors, report.damaged_memories, report.damaged_vectors) == ((), (), ())
    assert (report.unverified_memories, report.memories_without_vector, report.pending_jobs) == (0, 0, 0)


@pytest.mark.usefixtures("filled")
def test_what_refers_to_nothing_is_reported(database, by_hand):
    by_hand.execute("INSERT INTO entity (memory_id, partition_id, name_key) VALUES (999, 1, 'nobody')")
    with database.read() as conn:
        assert integrity.check(conn).file_errors == ("entity row 999 refers to no memory",)


def test_the_engine_forms_match_the_vectors(database, filled):
    _, space = filled
    from memcore._core import sq8

    with database.read() as conn:
        blobs = engine_rows.memory_columns(conn, partitions.find(conn, ANA), space.id).sq8
    np.testing.assert_allclose(sq8.decode_rows(blobs), some_vectors(2), atol=0.02)
