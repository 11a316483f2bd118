"""What a call of `add` may say, and how a mistake in it is answered."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.errors import InvalidInputError
from memcore.kinds import Kind, Origin
from memcore.writing.fields import LEAST_LENGTH
from memcore.writing.proposal import from_call, from_item

NAIVE = datetime(2026, 5, 8)  # noqa: DTZ001 (the mistake under test)


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"in": value}
    return value


def test_a_plain_string_is_an_event_of_the_user():
    proposal = from_call("Ana likes fado.", agent_id="a", user_id="ana")
    assert (proposal.kind, proposal.origin, proposal.importance) == (Kind.EVENT, Origin.USER, None)
    assert proposal.partition.user_id == "ana"


@pytest.mark.parametrize("content", ["", " \n\t", None, 7, b"bytes", ["list"], "a\0b", "\ud800", "x\udfff"])
def test_content_that_no_layer_could_store_is_refused_by_name(content):
    with pytest.raises(InvalidInputError, match=r"^content: "):
        from_call(content, agent_id="a")


@pytest.mark.parametrize(
    ("field", "value", "remedy"),
    [
        ("kind", "evnt", 'did you mean "event"'),
        ("kind", 3, "give one of turn, event"),
        ("origin", "assistent", 'did you mean "assistant"'),
        ("importance", 10.01, "0 to 10"),
        ("importance", -1, "0 to 10"),
        ("importance", True, "0 to 10"),
        ("importance", float("nan"), "0 to 10"),
        ("importance", "5", "0 to 10"),
        ("importance", 10**400, "0 to 10"),
        ("event_time", NAIVE, "time zone"),
        ("event_time", "2026-05-08", "time zone"),
        ("event_time", "yesterday", "ISO 8601"),
        ("event_time", 1_700_000_000, "timezone-aware"),
        ("event_time", datetime(9999, 12, 31, tzinfo=UTC), "years 1000 to 8999"),
        ("event_time", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))), "years 1000 to 8999"),
        ("entities", "Ana", "give a list"),
        ("entities", [" "], "not blank"),
        ("entities", [3], "give a list of names"),
        ("entities", [{"alias": ["A"]}], "give a list of names"),
        ("entities", [{"name": "Ana", "alias": ["A"]}], 'did you mean "aliases"'),
        ("entities", [{"name": "Ana", "aliases": "A"}], "give a list of strings"),
        ("tags", "work", "give a list"),
        ("tags", ["ok", ""], "not blank"),
        ("metadata", [1], "string keys"),
        ("metadata", {1: 2}, "keys that are strings"),
        ("metadata", {"a": float("inf")}, "finite"),
        ("metadata", {"a": object()}, "what JSON can hold"),
        ("metadata", {"a": "\ud800"}, "lone surrogates"),
        ("metadata", {"a": 2**63}, "as a string"),
        ("metadata", deep(17), "nest at most 16"),
        ("speaker", " ", "not blank"),
        ("user_id", 7, "give a string"),
        ("session_id", "s\0", "NUL"),
        ("idempotency_key", "", "not blank"),
        ("source_ref", 1, "give a string"),
        ("embedding", [[1.0, 2.0]], "one-dimensional"),
        ("embedding", [1.0, float("nan")], "finite"),
        ("embedding", [1e300], "finite"),
        ("embedding", [0.0, 0.0], "not all zero"),
        ("embedding", [], "one-dimensional"),
        ("embedding", ["a"], "one-dimensional"),
        ("embedding", [[1], [1, 2]], "one-dimensional"),
        ("embedding", [True], "one-dimensional"),
    ],
)
def test_an_error_names_the_field_and_what_would_do(field, value, remedy):
    with pytest.raises(InvalidInputError) as error:
        from_call("text", agent_id="a", **{field: value})
    assert str(error.value).startswith(field)
    assert remedy in str(error.value)
    assert len(str(error.value)) < 320


def test_a_dict_that_contains_itself_is_refused_and_not_followed_for_ever():
    endless = {}
    endless["again"] = endless
    with pytest.raises(InvalidInputError, match="nest at most"):
        from_call("text", agent_id="a", metadata=endless)


def test_metadata_is_copied_so_that_a_later_change_does_not_reach_it():
    metadata = {"list": [1]}
    proposal = from_call("text", agent_id="a", metadata=metadata)
    metadata["list"].append(2)
    assert proposal.metadata == {"list": [1]}


def test_an_entity_named_twice_appears_once_with_all_its_aliases():
    proposal = from_call("x", agent_id="a", entities=["Ana", "Ben", {"name": "ANA ", "aliases": ["Anita", "ana"]}])
    assert [(entity.name, entity.aliases) for entity in proposal.entities] == [("Ana", ("Anita",)), ("Ben", ())]


def test_a_memory_of_kind_entity_declares_itself_and_nothing_else():
    proposal = from_call("Ana", agent_id="a", kind="entity", entities=[{"name": "ana", "aliases": ["Anita"]}])
    assert [(entity.name, entity.aliases) for entity in proposal.entities] == [("Ana", ("Anita",))]
    with pytest.raises(InvalidInputError, match="the entity itself"):
        from_call("Ana", agent_id="a", kind="entity", entities=["Ben"])


def test_none_is_the_same_as_leaving_a_field_out():
    given = from_item(
        {"content": "text", "kind": None, "origin": None, "entities": None, "tags": None}, 0, agent_id="a"
    )
    assert given == from_call("text", agent_id="a")


def test_an_item_of_many_names_its_index():
    with pytest.raises(InvalidInputError, match=r"^items\[3\]\.importance: 11"):
        from_item({"content": "text", "importance": 11}, 3, agent_id="a")
    with pytest.raises(InvalidInputError, match=r'^items\[4\]: the field .*did you mean "user_id"'):
        from_item({"content": "text", "user": "ana"}, 4, agent_id="a")
    with pytest.raises(InvalidInputError, match=r"^items\[5\]: "):
        from_item("text", 5, agent_id="a")
    with pytest.raises(InvalidInputError, match=r"^items\[6\]\.content: "):
        from_item({"kind": "event"}, 6, agent_id="a")


@given(st.text())
def test_any_text_is_stored_as_it_is_or_refused(content):
    storable = bool(content.strip()) and "\0" not in content
    if storable:
        assert from_call(content, agent_id="a").content == content
    else:
        with pytest.raises(InvalidInputError):
            from_call(content, agent_id="a")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text("abc"), JSON, max_size=3))
def test_any_json_object_is_kept_as_it_is(metadata):
    assert from_call("text", agent_id="a", metadata=metadata).metadata == metadata


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_a_vector_is_kept_unless_it_has_no_direction(values):
    if any(abs(value) >= LEAST_LENGTH for value in values):
        assert np.array_equal(from_call("x", agent_id="a", embedding=values).embedding, np.array(values, np.float32))
    else:
        with pytest.raises(InvalidInputError):
            from_call("x", agent_id="a", embedding=values)


DAY = datetime(2026, 5, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"confidence": 0.5}, r"^confidence: 0\.5 .*kind event has none; kinds with it: fact, knowledge, lesson"),
        ({"valid_from": DAY}, r"^valid_from: .*kind event has none"),
        ({"supersedes": 3, "kind": "turn"}, r"^supersedes: 3 .*kind turn has none"),
        ({"slot": "home", "kind": "knowledge"}, r"^slot: 'home' .*kind knowledge has none; kinds with it: fact"),
        ({"category": "date", "kind": "episode"}, r"^category: 'date' .*kind episode has none"),
        ({"details": {"path": "p"}}, r"^details: .*kind event has none; kinds with it: episode, chunk"),
        ({"details": {"slot": "s"}, "kind": "fact"}, r"^details: .*give category and slot by themselves"),
        ({"details": {"path": "p"}, "kind": "case"}, r"^details: the key 'path' .*give question, answer"),
        ({"details": ["p"], "kind": "chunk"}, r"^details: \['p'\] .*give a dict"),
        ({"kind": "chunk"}, r"^details: a memory without details .*kind chunk needs them; give \{\"path\""),
        ({"kind": "case", "details": {"question": "q"}}, r"^details: details without 'answer'"),
        ({"kind": "case", "details": {"question": "q", "answer": "a", "result": "suces"}}, r'did you mean "success"'),
        ({"kind": "chunk", "details": {"path": "p", "first_line": 0}}, r"^details\.first_line: 0 .*counted from 1"),
        ({"kind": "chunk", "details": {"path": "p", "first_line": 5, "last_line": 4}}, r"^details\.last_line: 4"),
        (
            {"kind": "episode", "details": {"started_at": DAY, "ended_at": DAY}},
            r"^details\.ended_at: .*after started_at",
        ),
        ({"kind": "lesson", "details": {"pattern": " "}}, r"^details\.pattern: .*not blank"),
        ({"kind": "fact", "confidence": 1.01}, r"^confidence: 1\.01 .*0 to 1"),
        ({"kind": "fact", "confidence": True}, r"^confidence: True .*0 to 1"),
        ({"kind": "fact", "category": "hobby"}, r"^category: 'hobby' .*give one of identity"),
        ({"kind": "fact", "slot": " "}, r"^slot: .*not blank"),
        ({"kind": "fact", "supersedes": 0}, r"^supersedes: 0 .*ids run from 1"),
        ({"kind": "fact", "supersedes": "3"}, r"^supersedes: '3' .*integer id"),
        ({"kind": "fact", "valid_from": DAY, "valid_until": DAY}, r"^valid_until: .*after valid_from"),
        ({"kind": "fact", "valid_until": NAIVE}, r"^valid_until: .*time zone"),
        ({"channel": "room"}, r"^channel: 'room' .*direct, group"),
        ({"expires_at": "soon"}, r"^expires_at: 'soon' .*ISO 8601"),
        ({"infer": 1}, r"^infer: 1 .*True or False"),
        ({"kind": "entity", "channel": "direct"}, r"^channel: "),
    ],
)
def test_a_field_that_the_kind_does_not_have_or_a_value_that_does_not_fit_is_refused(given, message):
    with pytest.raises(InvalidInputError, match=message):
        from_call("Ana moved to Lisbon.", agent_id="a", **given)


def test_an_item_of_many_names_its_index_for_them_too():
    with pytest.raises(InvalidInputError, match=r"^items\[2\]\.slot: "):
        from_item({"content": "x", "slot": "home"}, 2, agent_id="a")
    with pytest.raises(InvalidInputError, match=r"^items\[2\]\.details\.first_line: "):
        from_item({"content": "x", "kind": "chunk", "details": {"path": "p", "first_line": "1"}}, 2, agent_id="a")


def test_a_fact_has_a_claim_and_a_category_and_a_chunk_of_one_line_ends_where_it_begins():
    fact = from_call("x", agent_id="a", kind="fact", slot="Home City", confidence=0.8, valid_from=DAY, category="date")
    assert (fact.slot, fact.detail.category, fact.claim.confidence, fact.claim.valid_from) == (
        "Home City",
        "date",
        0.8,
        DAY,
    )
    chunk = from_call("x", agent_id="a", kind="chunk", details={"path": "notes.md", "first_line": 7})
    assert (chunk.detail.first_line, chunk.detail.last_line) == (7, 7)
    assert from_call("x", agent_id="a").claim is None
