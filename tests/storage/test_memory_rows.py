"""A stored row as a value: each field is there, though they are not set one by one."""

from dataclasses import fields, replace

import pytest
from storage_samples import a_memory

from memcore.storage import memories
from memcore.storage.rows import MemoryRow


def test_a_row_has_every_field_and_cannot_be_changed(database):
    with database.write() as conn:
        [memory_id] = memories.insert(conn, [a_memory(tags=("home",))])
    with database.read() as conn:
        [row], [again] = memories.fetch(conn, [memory_id]), memories.fetch(conn, [memory_id])
    assert set(vars(row)) == {one.name for one in fields(MemoryRow)}
    assert row == again == MemoryRow(**vars(row))
    assert replace(row, content="another").content == "another"
    with pytest.raises(AttributeError):
        row.content = "another"
