"""`context` gives the text that it made, also where the use of it cannot be noted."""

import logging

import pytest

from memcore import Memory, Settings, StorageBusyError
from memcore.storage.database import Database


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


@pytest.mark.parametrize("on_error", ["raise", "log"])
def test_the_text_is_given_although_its_use_cannot_be_noted_and_the_log_says_so(path, on_error, caplog):
    with Memory(path, embedder="none", settings=Settings(lock_timeout=0), on_error=on_error) as memory:
        (one,) = memory.add("The parcel is secret", user_id="ana").ids
        with Database(path) as other, other.write(), caplog.at_level(logging.WARNING):
            text = memory.context("parcel", user_id="ana")
        assert "The parcel is secret" in text
        assert memory.get(one).access_count == 0
        (said,) = [record.getMessage() for record in caplog.records]
        assert said.startswith("1 memories were used, which could not be noted: StorageBusyError")
        assert "secret" not in said
        memory.context("parcel", user_id="ana")
        assert memory.get(one).access_count == 1


def test_who_notes_a_use_by_name_is_told_that_it_failed(path):
    with Memory(path, embedder="none", settings=Settings(lock_timeout=0)) as memory, Database(path) as other:
        ids = memory.add("The parcel", user_id="ana").ids
        with other.write(), pytest.raises(StorageBusyError):
            memory.mark_used(ids)


def test_a_text_that_nobody_wants_noted_waits_for_nobody(path, caplog):
    with Memory(path, embedder="none") as memory, Database(path) as other:
        memory.add("The parcel", user_id="ana")
        with other.write():
            assert "The parcel" in memory.context("parcel", user_id="ana", mark_used=False)
    assert caplog.records == []
