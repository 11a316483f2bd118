"""Filters choose what a plain reading of them says, NOT is the complement, and no text becomes SQL."""

from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from storage_samples import NOON, a_memory, minutes

from memcore.errors import InvalidInputError
from memcore.kinds import Kind
from memcore.scope import Scope
from memcore.storage import memories
from memcore.storage.database import Database
from memcore.storage.filters import condition

SCOPE = Scope("agent", ("ana",))
ROWS = {
    "fact": a_memory(
        "Ana lives in Lisbon", kind=Kind.FACT, importance=8, tags=("home", "Über"), metadata={"n": 1, "ok": True}
    ),
    "turn": a_memory(
        "100% of it", speaker="Ana", event_time=minutes(60), metadata={"n": 2.5, "who": "Bob", "ok": False}
    ),
    "text": a_memory("上海的天气", speaker="ÄNNE", metadata={"n": "1", "list": ["a", 2, True], "null": None}),
    "bare": a_memory("a_b 'quoted' \"x\" \\", source_ref="file:1", metadata={"k\"]'--": "v", "speaker": "in metadata"}),
}
INJECTIONS = [
    "' OR 1=1 --",
    '" OR ""="',
    "x'; DROP TABLE memory; --",
    "$.n",
    "%",
    "_",
    ":value",
    "?",
    "n') OR ('1'='1",
    "speaker, (SELECT content FROM memory)",
]


@pytest.fixture(scope="module")
def conn():
    with Database(":memory:") as database:
        with database.write() as writing:
            memories.insert(writing, list(ROWS.values()))
        with database.read() as reading:
            yield reading


def chosen(conn, filters):
    ids = memories.matching_ids(conn, SCOPE, condition(filters)).tolist()
    return {list(ROWS)[memory_id - 1] for memory_id in ids}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {"fact", "turn", "text", "bare"}),
        ({"kind": "fact"}, {"fact"}),
        ({"kind": Kind.FACT, "importance": {"gte": 8}}, {"fact"}),
        ({"kind": ["fact", "turn"]}, {"fact"}),
        ({"kind": {"nin": ["fact"]}}, {"turn", "text", "bare"}),
        ({"id": {"in": [1, 3]}}, {"fact", "text"}),
        ({"importance": {"gt": 5}}, {"fact"}),
        ({"importance": {"lt": 8, "gte": 5}}, {"turn", "text", "bare"}),
        ({"importance": {"lte": 5.0}}, {"turn", "text", "bare"}),
        ({"event_time": {"gt": NOON}}, {"turn"}),
        ({"event_time": {"eq": NOON}}, {"fact", "text", "bare"}),
        ({"last_used_at": None}, {"fact", "turn", "text", "bare"}),
        ({"speaker": None}, {"fact", "bare"}),
        ({"speaker": {"ne": "Ana"}}, {"fact", "text", "bare"}),
        ({"speaker": {"in": ["Ana", None]}}, {"fact", "turn", "bare"}),
        ({"speaker": {"nin": ["Ana"]}}, {"fact", "text", "bare"}),
        ({"speaker": {"icontains": "änn"}}, {"text"}),
        ({"speaker": {"contains": "änn"}}, set()),
        ({"content": {"contains": "%"}}, {"turn"}),
        ({"content": {"contains": "_"}}, {"bare"}),
        ({"content": {"contains": "海"}}, {"text"}),
        ({"content": {"icontains": "LISBON"}}, {"fact"}),
        ({"tags": {"contains": "home"}}, {"fact"}),
        ({"tags": {"contains": "hom"}}, set()),
        ({"tags": {"icontains": "über"}}, {"fact"}),
        ({"tags": ["home", "none"]}, {"fact"}),
        ({"tags": {"ne": "home"}}, {"turn", "text", "bare"}),
        ({"n": 1}, {"fact"}),
        ({"n": "1"}, {"text"}),
        ({"n": {"gte": 1}}, {"fact", "turn"}),
        ({"n": {"gt": "0"}}, {"text"}),
        ({"n": {"ne": 1}}, {"turn", "text", "bare"}),
        ({"n": None}, {"bare"}),
        ({"n": {"ne": None}}, {"fact", "turn", "text"}),
        ({"null": None}, {"fact", "turn", "text", "bare"}),
        ({"ok": True}, {"fact"}),
        ({"ok": {"ne": True}}, {"turn", "text", "bare"}),
        ({"ok": 1}, set()),
        ({"who": {"icontains": "BO"}}, {"turn"}),
        ({"who": {"contains": "BO"}}, set()),
        ({"list": {"contains": "a"}}, {"text"}),
        ({"list": {"contains": 2}}, {"text"}),
        ({"list": {"contains": True}}, {"text"}),
        ({"list": {"icontains": "A"}}, {"text"}),
        ({"metadata.n": 1}, {"fact"}),
        ({"metadata.speaker": "in metadata"}, {"bare"}),
        ({"k\"]'--": "v"}, {"bare"}),
        ({"OR": [{"n": 1}, {"speaker": "Ana"}]}, {"fact", "turn"}),
        ({"AND": [{"n": {"gte": 1}}, {"speaker": "Ana"}]}, {"turn"}),
        ({"NOT": {"n": {"gte": 1}}}, {"text", "bare"}),
        ({"NOT": [{"n": 1}, {"speaker": "Ana"}]}, {"text", "bare"}),
        ({"OR": []}, set()),
        ({"AND": []}, {"fact", "turn", "text", "bare"}),
        ({"kind": {"in": []}}, set()),
        ({"n": []}, set()),
        ({"user_id": "bob"}, set()),
    ],
)
def test_a_filter_chooses_what_it_says(conn, filters, expected):
    assert chosen(conn, filters) == expected
    assert chosen(conn, {"NOT": filters}) == ROWS.keys() - expected


@pytest.mark.parametrize("injection", INJECTIONS)
@pytest.mark.parametrize("place", ["field", "value", "contains", "list", "tag", "metadata"])
def test_a_piece_of_sql_is_just_a_text_that_is_not_there(conn, injection, place):
    filters = {
        "field": {injection: "x"},
        "value": {"speaker": injection},
        "contains": {"speaker": {"contains": injection}},
        "list": {"source_ref": {"in": [injection]}},
        "tag": {"tags": injection},
        "metadata": {f"metadata.{injection}": injection},
    }[place]
    assert chosen(conn, filters) == set()
    assert chosen(conn, {}) == ROWS.keys()


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ([], "give a dict"),
        ({"speaker": {"like": "A"}}, "'like' is not an operator"),
        ({"speaker": {"like": "A", "eq": "A"}}, "'like'"),
        ({1: "x"}, "not a field"),
        ({"a\0b": "x"}, "not a field"),
        ({"OR": "x"}, "give a dict"),
        ({"OR": [{"n": 1}, 7]}, "give a dict"),
        ({"id": "7"}, "finite number"),
        ({"id": True}, "finite number"),
        ({"id": 2**63}, "finite number"),
        ({"importance": {"gt": float("nan")}}, "finite number"),
        ({"importance": {"contains": 5}}, "gt, lt or eq"),
        ({"importance": {"gt": None}}, "finite number"),
        ({"event_time": "2026-05-08"}, "aware datetime"),
        ({"event_time": datetime(2026, 5, 8)}, "time zone"),  # noqa: DTZ001
        ({"speaker": 7}, "a string"),
        ({"speaker": "a\0"}, "a string"),
        ({"speaker": "\ud800"}, "a string"),
        ({"tags": {"gt": "a"}}, "name of a tag"),
        ({"tags": 7}, "name of a tag"),
        ({"n": {"eq": {"x": 1}}}, "a string, a finite number or a boolean"),
        ({"n": {"gt": float("inf")}}, "a string, a finite number or a boolean"),
        ({"n": {"gt": True}}, "for a boolean"),
        ({"n": {"gt": None}}, "a string, a finite number"),
        ({"n": {"gt": NOON}}, "a string, a finite number"),
        ({"n": {"in": 7}}, "a list"),
        ({"id": {"in": list(range(10_001))}}, "at most 10000"),
        ({"n": list(range(101))}, "at most 100"),
        ({"OR": [{"n": 1}] * 101}, "at most 100"),
    ],
)
def test_what_no_filter_means_is_refused_with_what_would_do(filters, message):
    with pytest.raises(InvalidInputError, match=message):
        condition(filters)


def test_filters_too_deep_are_refused_instead_of_overflowing():
    filters = {"n": 1}
    for _ in range(200):
        filters = {"NOT": filters}
    with pytest.raises(InvalidInputError, match="deeper"):
        condition(filters)


def test_ten_thousand_ids_and_a_hundred_alternatives_are_no_trouble(conn):
    assert chosen(conn, {"id": list(range(10_000))}) == ROWS.keys()
    assert chosen(conn, {"OR": [{"n": number} for number in range(100)]}) == {"fact"}


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(-3, 3), st.sampled_from(["1", "Ana", "a", "%", ""])
)
_FIELDS = st.sampled_from(["n", "ok", "who", "list", "speaker", "missing"])
_LEAF = st.dictionaries(_FIELDS, _VALUES.filter(lambda value: value is None or isinstance(value, str)), max_size=2)
_FILTERS = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"AND": parts}, st.lists(inner, max_size=3)),
        st.builds(lambda parts: {"OR": parts}, st.lists(inner, max_size=3)),
        st.builds(lambda part: {"NOT": part}, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filters=_FILTERS)
def test_not_is_the_complement_and_or_the_union(conn, filters):
    everything = ROWS.keys()
    found = chosen(conn, filters)
    assert chosen(conn, {"NOT": filters}) == everything - found
    assert chosen(conn, {"OR": [filters, {"n": 1}]}) == found | {"fact"}
    assert chosen(conn, {"AND": [filters, {"n": 1}]}) == found & {"fact"}


def test_parts_that_are_shared_or_cyclic_are_refused_without_counting_all_of_them():
    shared = {"speaker": "Ana"}
    for _ in range(19):
        shared = {"AND": [shared] * 8}
    cyclic = {"speaker": "Ana"}
    cyclic["AND"] = [cyclic, cyclic]
    for filters in (shared, cyclic):
        with pytest.raises(InvalidInputError, match=r"more than 200 conditions|nested deeper"):
            condition(filters)
    empty = {"AND": []}
    for _ in range(15):
        empty = {"AND": [empty] * 8}
    with pytest.raises(InvalidInputError, match="more than 200"):
        condition(empty)
