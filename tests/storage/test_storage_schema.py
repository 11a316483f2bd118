"""The table classes say what the file holds, and a file of every released schema still opens."""

import runpy
import shutil
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlmodel import SQLModel

from memcore.kinds import Kind, TaskState
from memcore.scope import Scope
from memcore.storage import (
    history_tables,
    integrity,
    learning_tables,
    life_tables,
    memories,
    tables,
    tasks,
    work_tables,
)
from memcore.storage.database import Database
from memcore.storage.driver import sqlite_driver
from memcore.storage.migrations import LATEST, MIGRATIONS, schema_version

DATA = Path(__file__).parent.parent / "data"


def shape(conn):
    rows = conn.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL"
        " AND name NOT LIKE 'sqlite_%'"
    )
    return {name: "".join(sql.split()) for name, sql in rows}


def triggers(conn):
    rows = conn.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    return {name: "".join(sql.split()) for name, sql in rows}


def test_the_migrations_make_the_tables_that_the_classes_describe(database):
    engine = create_engine("sqlite://", module=sqlite_driver())
    ours = [
        SQLModel.metadata.tables[getattr(module, name).__tablename__]
        for module in (tables, life_tables, history_tables, work_tables, learning_tables)
        for name in module.__all__
    ]
    SQLModel.metadata.create_all(engine, tables=ours)
    with engine.connect() as described, database.read() as migrated:
        assert shape(described) == shape(migrated)
    engine.dispose()


@pytest.mark.parametrize("released", sorted(DATA.glob("schema-*.db")), ids=lambda file: file.stem)
def test_a_database_of_every_released_schema_opens_with_its_rows(released, tmp_path):
    copy = tmp_path / "agent.db"
    shutil.copyfile(released, copy)
    with Database(copy) as database, database.read() as conn:
        rows = memories.page(conn, Scope("agent", ("ana",)), limit=10)
        assert [row.content for row in rows] == ["Ana moved to Lisbon.", "上海见", "Lisbon", "Ana"]
        assert all(row.intact for row in rows)
        assert integrity.check(conn).sound


def test_there_is_a_database_of_every_schema():
    versions = [migration.version for migration in MIGRATIONS]
    assert [file.stem for file in sorted(DATA.glob("schema-*.db"))] == [f"schema-{version:04}" for version in versions]


def test_the_newest_database_is_of_the_schema_that_the_migrations_make(database, tmp_path):
    copy = tmp_path / "newest.db"
    shutil.copyfile(DATA / f"schema-{LATEST:04}.db", copy)
    engine = create_engine(f"sqlite:///{copy}", module=sqlite_driver())
    with engine.connect() as stored, database.read() as migrated:
        assert schema_version(stored) == LATEST
        assert shape(stored) == shape(migrated), "run: python tests/data/make_schema_db.py"
        assert triggers(stored) == triggers(migrated), "run: python tests/data/make_schema_db.py"
    engine.dispose()


@pytest.fixture
def newest(tmp_path):
    """A path at which the script makes a database of the present schema anew."""
    target = tmp_path / "newest.db"
    runpy.run_path(str(DATA / "make_schema_db.py"))["make"](target)
    return target


@pytest.mark.parametrize("made", ["on disk", "anew"])
def test_the_newest_database_has_a_row_in_every_table_and_every_kind_with_its_details(made, newest, tmp_path):
    copy = tmp_path / "agent.db"
    shutil.copyfile(newest if made == "anew" else DATA / f"schema-{LATEST:04}.db", copy)
    assert copy.stat().st_size < 200_000
    with Database(copy) as database, database.read() as conn:
        names = [name for name in shape(conn) if is_table(conn, name)]
        assert [name for name in names if conn.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one() == 0] == []
        kinds = conn.exec_driver_sql("SELECT DISTINCT kind FROM memory").scalars().all()
        assert set(kinds) == set(Kind)
        rows = memories.page(conn, Scope("agent", ("bo",)), limit=100)
        assert all(row.intact for row in rows)
        assert [task.state for task in tasks.page(conn, Scope("agent", ("bo",)), states=None, after_id=0, limit=9)] == [
            *TaskState
        ]
        assert integrity.check(conn).sound


def is_table(conn, name):
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
    return conn.exec_driver_sql(query, (name,)).scalar_one() == 1


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE memory SET kind = 'dream'", "kind"),
        ("UPDATE memory SET origin = 'nobody'", "origin"),
        ("UPDATE memory SET importance = 99", "memory_importance"),
        ("UPDATE memory SET content = '  '", "memory_content"),
        ("UPDATE memory SET content = ''", "memory_content"),
        ("UPDATE memory SET content = char(10, 12288, 9)", "memory_content"),
        ("UPDATE memory SET tags = '{}'", "memory_tags"),
        ("UPDATE memory SET tags = '[} '", "memory_tags"),
        ("UPDATE memory SET metadata = '[]'", "memory_metadata"),
        ("UPDATE memory SET event_time = 'yesterday'", "cannot store TEXT"),
        ("UPDATE memory SET user_id = 'bob'", "keeps its id"),
        ("UPDATE memory SET agent_id = 'other'", "keeps its id"),
        ("UPDATE edge SET strength = 1.5", "edge_strength"),
        ("UPDATE edge SET type = 77", "type"),
        ("UPDATE revision_log SET operation = 9", "operation"),
        ("UPDATE revision_log SET changed_table = 0", "changed_table"),
        ("UPDATE cooccurrence SET count = 0", "cooccurrence_count"),
        ("UPDATE cooccurrence SET entity_a_id = 99", "cooccurrence_order"),
    ],
)
def test_the_file_itself_refuses_what_cannot_be(tmp_path, version, statement, reason):
    copy = tmp_path / "agent.db"
    shutil.copyfile(DATA / f"schema-{version:04}.db", copy)
    connection = sqlite_driver().connect(str(copy))
    with pytest.raises(sqlite_driver().IntegrityError, match=reason):
        connection.execute(statement)
    connection.close()


STREAMS = {
    "8 may 2023 monday we met ana in room 8": "---08 may 2023 monday we met ana in room 8",
    "ana 31 decemb 2025 wednesday on 31 decemb 2025 wednesday": (
        "ana ---31 decemb 2025 wednesday on 31 decemb 2025 wednesday"
    ),
    "老王 2023 2023年 5 5月 8 8日 5 5月 8 8日 星期一 期一 周一 周一 5 5月 天气": (
        "老王 2023 2023年 --05 5月 ---08 8日 --05 5月 ---08 8日 星期一 期一 周一 周一 5 5月 天气"
    ),
    "2023 2023年 12 12月 12 12日 12 12月 12 12日 星期二 期二 周二 周二 12": (
        "2023 2023年 --12 12月 ---12 12日 --12 12月 ---12 12日 星期二 期二 周二 周二 12"
    ),
    "no date of its own 8": "no date of its own 8",
}


def test_streams_of_version_1_get_the_terms_of_days_of_version_2(tmp_path):
    copy = tmp_path / "agent.db"
    shutil.copyfile(DATA / "schema-0001.db", copy)
    connection = sqlite_driver().connect(str(copy))
    for number, stream in enumerate(STREAMS, 100):
        connection.execute(
            "INSERT INTO memory"
            " (id, agent_id, user_id, kind, content, tokens, event_time, recorded_at, updated_at, crc)"
            " SELECT ?, agent_id, user_id, kind, content, ?, event_time, recorded_at, updated_at, 1 FROM memory"
            " WHERE id = 1",
            (number, stream),
        )
    connection.commit()
    connection.close()
    with Database(copy) as database, database.read() as conn:
        found = conn.exec_driver_sql("SELECT tokens FROM memory WHERE id >= 100 ORDER BY id").scalars().all()
        crcs = conn.exec_driver_sql("SELECT DISTINCT crc FROM memory WHERE id >= 100").scalars().all()
    assert found == list(STREAMS.values())
    assert crcs == [1]


def test_what_version_1_stored_gets_the_details_of_its_kind(tmp_path):
    copy = tmp_path / "agent.db"
    shutil.copyfile(DATA / "schema-0001.db", copy)
    with Database(copy) as database, database.read() as conn:
        for kind, table in (("event", "event_detail"), ("fact", "fact_detail"), ("knowledge", "knowledge_detail")):
            there = conn.exec_driver_sql("SELECT id FROM memory WHERE kind = ? ORDER BY 1", (kind,)).scalars().all()
            with_details = conn.exec_driver_sql(f"SELECT memory_id FROM {table} ORDER BY 1").scalars().all()
            assert with_details == there
        assert conn.exec_driver_sql("SELECT count(*) FROM memory WHERE kind = 'event'").scalar_one() > 0
        unkeyed = "SELECT count(*) FROM memory WHERE text_key IS NULL AND kind IN ('event', 'fact', 'knowledge')"
        assert conn.exec_driver_sql(unkeyed).scalar_one() == 0
