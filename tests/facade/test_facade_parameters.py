"""The parameters are edited while a memory is open: good ones count at the next search, bad ones change nothing."""

import json
import logging

import pytest


@pytest.fixture
def document(path):
    return path.parent / "retrieval_params.json"


@pytest.fixture
def stored(memory):
    memory.add_many({"content": f"The parcel number {number} came", "importance": number} for number in range(10))
    return memory


def first_scores(memory):
    found = memory.search("parcel")
    return found.trace.params.blend_multiplier_cap, [round(hit.score, 6) for hit in found]


def parameters_check(memory):
    return {check.name: check for check in memory.doctor().checks}["parameters"]


def test_an_edit_between_two_searches_changes_the_second(stored, document):
    cap, before = first_scores(stored)
    assert cap == 1.15
    document.write_text('{"blend_multiplier_cap": 3.0}')
    cap, after = first_scores(stored)
    assert cap == 3.0
    assert after != before
    document.write_text('{"blend_multiplier_cap": 1.15}')
    assert first_scores(stored) == (1.15, before)
    assert parameters_check(stored).ok


BAD = {
    "half-written": ('{"blend_multiplier_cap": 2.0, "weight_gr', "not valid JSON"),
    "empty": ("", "not valid JSON"),
    "a list": ("[1, 2]", "list"),
    "wrong type": ('{"blend_multiplier_cap": "two"}', "blend_multiplier_cap"),
    "a truth for a number": ('{"spread_steps": true}', "spread_steps"),
    "unknown key": ('{"blend_multiplier_cup": 2.0}', "blend_multiplier_cap"),
    "out of range": ('{"blend_multiplier_cap": 0.5}', "blend_multiplier_cap"),
    "NaN": ('{"blend_multiplier_cap": NaN}', "NaN"),
    "repeated key": ('{"spread_steps": 1, "spread_steps": 2}', "spread_steps"),
    "unknown name": ('{"fusion": "sum"}', "fusion"),
    "all channels off": ('{"enable_anchor": false, "enable_dense": false, "enable_lexical": false}', "enable_lexical"),
    "not UTF-8": (b'{"\xff": 1}', "JSON"),
}


@pytest.mark.parametrize(("text", "named"), BAD.values(), ids=BAD)
def test_a_file_that_cannot_be_used_keeps_the_last_good_values_warns_once_and_shows_in_doctor(
    stored, document, caplog, text, named
):
    document.write_text('{"blend_multiplier_cap": 3.0, "spread_steps": 1}')
    good = first_scores(stored)
    document.write_bytes(text if isinstance(text, bytes) else text.encode())
    caplog.set_level(logging.WARNING)
    assert [first_scores(stored) for _ in range(3)] == [good] * 3
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == 1
    assert named in warnings[0]
    assert "the last good values stay" in warnings[0]
    check = parameters_check(stored)
    assert not check.ok
    assert named in check.detail
    assert not stored.doctor().ok
    document.write_text('{"blend_multiplier_cap": 2.0}')
    assert first_scores(stored)[0] == 2.0
    assert parameters_check(stored).ok


def test_a_bad_file_at_the_start_leaves_the_defaults(opened, document):
    document.write_text("{")
    memory = opened()
    memory.add("The parcel came")
    assert first_scores(memory)[0] == 1.15
    assert not parameters_check(memory).ok


def test_parameters_may_lie_elsewhere_and_appear_later(opened, tmp_path):
    elsewhere = tmp_path / "other" / "mine.json"
    memory = opened(params=elsewhere)
    memory.add("The parcel came")
    assert first_scores(memory)[0] == 1.15
    elsewhere.parent.mkdir()
    elsewhere.write_text(json.dumps({"blend_multiplier_cap": 1.5}))
    assert first_scores(memory)[0] == 1.5
    elsewhere.unlink()
    assert first_scores(memory)[0] == 1.5
    assert not parameters_check(memory).ok


def test_the_values_of_one_call_go_before_those_of_the_file(stored, document):
    document.write_text('{"blend_multiplier_cap": 2.0}')
    found = stored.search("parcel", params={"blend_multiplier_cap": 1.0})
    assert found.trace.params.blend_multiplier_cap == 1.0
    assert len({round(hit.score, 9) for hit in found}) == 1
    assert first_scores(stored)[0] == 2.0
