"""What the public calls give back."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from memcore.errors import InvalidInputError
from memcore.kinds import EdgeType, Kind, OperationAction, Origin, Outcome
from memcore.records import (
    Added,
    AddResult,
    DeleteReport,
    Edge,
    GraphView,
    JobReport,
    Operation,
    Page,
    RowChanged,
    checked_id,
)
from memcore.storage import memories
from memcore.writing.reading import record_of

MOMENT = datetime(2026, 5, 8, tzinfo=UTC)


def stored(store, **given):
    [added] = store.add("text", **given)
    with store.database.read() as connection:
        return record_of(memories.fetch(connection, [added.id])[0])


def test_a_record_says_all_that_was_given(wordless):
    record = stored(
        wordless,
        user_id="u",
        session_id="s",
        kind="fact",
        speaker="Ana",
        origin="tool",
        tags=["a"],
        metadata={"b": [1]},
        importance=3,
        event_time=MOMENT,
        source_ref="file",
    )
    assert (record.user_id, record.session_id, record.kind, record.speaker) == ("u", "s", Kind.FACT, "Ana")
    assert (record.origin, record.tags, record.metadata, record.importance) == (Origin.TOOL, ("a",), {"b": [1]}, 3.0)
    assert (record.event_time, record.recorded_at, record.source_ref, record.position) == (
        MOMENT,
        wordless.now,
        "file",
        0,
    )


def test_every_record_becomes_json(wordless):
    record = stored(wordless)
    edge = Edge(1, 2, EdgeType.INHIBITORY, 0.5)
    for value in (
        record,
        Page((record,), next_cursor=7),
        AddResult((Added(1, Kind.FACT, Outcome.ACCEPT),)),
        GraphView(1, (record,), (edge,)),
        DeleteReport(1, {"vectors": 1}),
        JobReport("embed", 3),
        Operation(1, OperationAction.PIN, MOMENT, "", (1,), (RowChanged("memory", 1, {"pinned": 0}, None),)),
    ):
        assert json.loads(json.dumps(value.to_dict())) == value.to_dict()
    assert edge.to_dict() == {"source_id": 1, "target_id": 2, "type": "inhibitory", "strength": 0.5}
    assert record.to_dict()["event_time"] == "2026-11-30T12:00:00+00:00"


def test_results_are_sequences():
    result = AddResult(tuple(Added(one, Kind.EVENT, Outcome.ACCEPT) for one in (5, 6, None)))
    assert (len(result), result[0].id, result[-1].id, result.ids) == (3, 5, None, [5, 6, None])
    assert [added.id for added in result] == [5, 6, None]
    assert result[:1] == (result[0],)
    assert list(Page()) == []


@pytest.mark.parametrize("impossible", [True, False, -1, 0, 2**63, "7", 7.0, None])
def test_what_is_no_id_is_refused_by_name(impossible):
    with pytest.raises(InvalidInputError, match=r"^memory_id: "):
        checked_id("memory_id", impossible)


def test_the_largest_id_is_one():
    assert checked_id("id", 2**63 - 1) == 2**63 - 1


def test_the_records_load_neither_numpy_nor_sqlalchemy():
    code = (
        "import sys, memcore.records; print(sorted({'numpy', 'sqlalchemy', 'sqlmodel', 'pydantic'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
