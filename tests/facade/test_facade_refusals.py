"""What is not accepted is refused with a typed error that names the field, and the store is as it was."""

from datetime import UTC, date, datetime

import numpy as np
import pytest

from memcore import DimensionError, InvalidInputError, Memory, NotFoundError

NAN, INFINITY = float("nan"), float("inf")
NAIVE = datetime(2026, 5, 8)  # noqa: DTZ001 - a moment without a time zone is what is tested
NO_IDS = [-1, 0, 2**63, "7", True, 1.0, None, NAN, b"1", [1]]
NO_TEXTS = ["", "  \n\u3000", None, 5, b"text", {"a": 1}, "half \ud83d", "nul \0"]
NO_VECTORS = {
    "nan": [NAN] * 512,
    "infinite": [INFINITY] * 512,
    "beyond float32": [1e39] * 512,
    "all zero": [0.0] * 512,
    "zero as float32": [1e-50] * 512,
    "too short for float32": [1e-44] * 512,
    "empty": [],
    "text": "vector",
    "texts": ["a"] * 512,
    "booleans": [True] * 512,
    "complex": [1j] * 512,
    "two-dimensional": [[1.0] * 512],
    "scalar": 1.0,
    "object": object(),
}
NO_LIMITS = [0, -1, 1.0, True, "5", NAN, None, 10**6]
NO_MOMENTS = [NAIVE, "2026-05-08", "yesterday", 5, date(2026, 5, 8), datetime.max.replace(tzinfo=UTC)]
NO_NAMES = [5, b"ana", "half \ud83d", "nul \0", True, "x" * 513]
NO_NUMBERS = [-0.1, 10.1, NAN, INFINITY, "0.5", True, 1j, np.complex64(1)]
NO_KINDS = ["dream", "TURN", 5, ["turn"], True]
NO_TYPES = ["friend", "CAUSAL", "mention", "sequence", 5, 255, None, ["causal"]]


@pytest.fixture(scope="module")
def stored():
    """A store with the stand-in embedder and the ids 1 and 2, which belong to Ana."""
    with Memory(":memory:", embedder="hashing") as memory:
        memory.add_many([{"content": text, "user_id": "ana"} for text in ("Ana lives in Lisbon", "Ana drinks tea")])
        yield memory


@pytest.fixture
def refused(stored, everything_in):
    """Makes a call, expects the refusal to begin with the field, and compares the store before and after."""

    def check(call, field, error=InvalidInputError):
        before = everything_in(stored)
        with pytest.raises(error) as caught:
            call(stored)
        message = str(caught.value)
        assert message.startswith(field), message
        assert ";" in message, "the message says what would do"
        assert everything_in(stored) == before

    return check


def shown(value):
    return ascii(value)[:24]


@pytest.mark.parametrize("bad", NO_IDS, ids=shown)
@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda m, bad: m.get(bad), "id"),
        (lambda m, bad: m.update(bad, importance=3), "id"),
        (lambda m, bad: m.delete(bad), "id"),
        (lambda m, bad: m.graph(bad), "id"),
        (lambda m, bad: m.why_not(bad, "tea", user_id="ana"), "id"),
        (lambda m, bad: m.search("tea", user_id="ana").why_not(bad), "id"),
        (lambda m, bad: m.relate(bad, 1), "source_id"),
        (lambda m, bad: m.relate(1, bad), "target_id"),
        (lambda m, bad: m.unrelate(bad, 1), "source_id"),
        (lambda m, bad: m.unrelate(1, bad), "target_id"),
        (lambda m, bad: m.mark_used([1, bad]), "ids[1]"),
    ],
    ids=[
        "get",
        "update",
        "delete",
        "graph",
        "why_not",
        "result.why_not",
        "source",
        "target",
        "unsource",
        "untarget",
        "mark_used",
    ],
)
def test_what_is_no_id_is_refused(refused, call, field, bad):
    refused(lambda memory: call(memory, bad), field)


@pytest.mark.parametrize("bad", [bad for bad in NO_IDS if bad is not None], ids=shown)
def test_what_is_no_cursor_is_refused(refused, bad):
    refused(lambda memory: memory.get_all(cursor=bad), "cursor")


@pytest.mark.parametrize("ids", [5, "12", None, 1.5], ids=shown)
def test_what_is_no_list_of_ids_is_refused(refused, ids):
    refused(lambda memory: memory.mark_used(ids), "ids")


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.get(99),
        lambda m: m.update(99, importance=3),
        lambda m: m.delete(99),
        lambda m: m.graph(2**63 - 1),
        lambda m: m.why_not(99, "tea", user_id="ana"),
        lambda m: m.relate(1, 99),
        lambda m: m.unrelate(99, 1),
        lambda m: m.mark_used([1, 99]),
    ],
)
def test_an_id_that_nobody_has_is_not_found_and_nothing_is_changed(refused, call):
    refused(call, "", NotFoundError)


@pytest.mark.parametrize("bad", NO_TEXTS, ids=shown)
@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda m, bad: m.add(bad), "content"),
        (lambda m, bad: m.add([{"role": "user", "content": "hello"}, {"role": "user", "content": bad}]), "content[1]"),
        (lambda m, bad: m.add_many([{"content": "fine"}, {"content": bad}]), "items[1].content"),
        (lambda m, bad: m.search(bad), "query"),
        (lambda m, bad: m.context(bad), "query"),
        (lambda m, bad: m.why_not(1, bad, user_id="ana"), "query"),
    ],
    ids=["add", "messages", "add_many", "search", "context", "why_not"],
)
def test_what_is_no_text_is_refused(refused, call, field, bad):
    refused(lambda memory: call(memory, bad), field)


@pytest.mark.parametrize("bad", [bad for bad in NO_TEXTS if bad is not None], ids=shown)
def test_a_memory_is_not_changed_to_what_is_no_text(refused, bad):
    refused(lambda memory: memory.update(1, content=bad), "content")


@pytest.mark.parametrize("bad", NO_VECTORS.values(), ids=NO_VECTORS)
@pytest.mark.parametrize(
    "call",
    [
        lambda m, bad: m.add("text", embedding=bad),
        lambda m, bad: m.update(1, embedding=bad),
        lambda m, bad: m.search("text", embedding=bad),
        lambda m, bad: m.context("text", embedding=bad),
        lambda m, bad: m.why_not(1, "text", embedding=bad, user_id="ana"),
    ],
    ids=["add", "update", "search", "context", "why_not"],
)
def test_a_vector_that_has_no_direction_is_refused(refused, call, bad):
    refused(lambda memory: call(memory, bad), "embedding")


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda m: m.add("text", embedding=[1.0] * 3), "embedding"),
        (lambda m: m.add_many([{"content": "a"}, {"content": "b", "embedding": [1.0] * 3}]), "items[1].embedding: 3"),
        (lambda m: m.update(1, embedding=[1.0] * 3), "embedding"),
        (lambda m: m.search("text", embedding=[1.0] * 3), "embedding"),
        (lambda m: m.context("text", embedding=[1.0] * 3), "embedding"),
    ],
    ids=["add", "add_many", "update", "search", "context"],
)
def test_a_vector_of_another_dimension_is_refused(refused, call, field):
    refused(call, field, DimensionError)


def test_of_vectors_that_do_not_fit_each_other_or_the_store_the_item_is_named(everything_in):
    def vectors(*lengths):
        return [{"content": "a"}, *({"content": f"{n}", "embedding": [1.0] * size} for n, size in enumerate(lengths))]

    with Memory(":memory:", embedder="none") as memory:
        with pytest.raises(DimensionError, match=r"^items\[3\]\.embedding: 4 numbers .* items\[1\]\.embedding has 3"):
            memory.add_many(vectors(3, 3, 4))
        memory.add_many(vectors(3))
        before = everything_in(memory)
        with pytest.raises(DimensionError, match=r"^items\[1\]\.embedding: 4 numbers .* given vectors has 3"):
            memory.add_many(vectors(4, 4))
        with pytest.raises(DimensionError, match=r"^embedding: 4 numbers .* given vectors has 3"):
            memory.add("text", embedding=[1.0] * 4)
        assert everything_in(memory) == before


@pytest.mark.parametrize("bad", NO_VECTORS.values(), ids=NO_VECTORS)
def test_an_item_whose_vector_has_no_direction_is_named(refused, bad):
    items = [{"content": "fine"}, {"content": "text", "embedding": bad}]
    refused(lambda memory: memory.add_many(items), "items[1].embedding")


@pytest.mark.parametrize(
    ("item", "named"),
    [
        ("text", "items[1]: 'text'"),
        ({}, "items[1].content"),
        ({"content": ["a"]}, "items[1].content"),
        ({"content": "x", "colour": "red"}, "items[1]: the field 'colour'"),
        ({"content": "x", 5: "red"}, "items[1]: the field 5"),
        ({"content": "x", "kind": "dream"}, "items[1].kind"),
        ({"content": "x", "origin": "nobody"}, "items[1].origin"),
        ({"content": "x", "importance": 11}, "items[1].importance"),
        ({"content": "x", "tags": "red"}, "items[1].tags"),
        ({"content": "x", "tags": [""]}, "items[1].tags[0]"),
        ({"content": "x", "entities": [5]}, "items[1].entities[0]"),
        ({"content": "x", "entities": [{"name": ""}]}, "items[1].entities[0].name"),
        ({"content": "x", "metadata": {"a": NAN}}, "items[1].metadata.a"),
        ({"content": "Ana", "kind": "entity", "speaker": "Bo"}, "items[1].speaker"),
        ({"content": "Ana", "kind": "entity", "entities": ["Bo"]}, "items[1].entities"),
    ],
    ids=lambda value: shown(value) if isinstance(value, dict) else None,
)
def test_whatever_is_wrong_with_an_item_its_index_is_named(refused, item, named):
    refused(lambda memory: memory.add_many([{"content": "fine"}, item]), named)


@pytest.mark.parametrize("bad", NO_LIMITS, ids=shown)
@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda m, bad: m.search("tea", limit=bad), "limit"),
        (lambda m, bad: m.context("tea", limit=bad), "limit"),
        (lambda m, bad: m.get_all(limit=bad), "limit"),
        (lambda m, bad: m.graph(1, hops=bad), "hops"),
    ],
    ids=["search", "context", "get_all", "hops"],
)
def test_what_is_no_limit_is_refused(refused, call, field, bad):
    refused(lambda memory: call(memory, bad), field)


@pytest.mark.parametrize("bad", [bad for bad in NO_LIMITS if bad not in (None, 10**6)], ids=shown)
@pytest.mark.parametrize("field", ["max_chars", "max_tokens"])
def test_what_is_no_budget_is_refused(refused, field, bad):
    refused(lambda memory: memory.context("tea", user_id="ana", **{field: bad}), field)
    refused(lambda memory: memory.search("tea", user_id="ana").context(**{field: bad}), field)


@pytest.mark.parametrize("bad", NO_MOMENTS, ids=shown)
@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda m, bad: m.add("text", event_time=bad), "event_time"),
        (lambda m, bad: m.add_many([{"content": "text", "event_time": bad}]), "items[0].event_time"),
        (lambda m, bad: m.update(1, event_time=bad), "event_time"),
        (lambda m, bad: m.search("tea", now=bad), "now"),
    ],
    ids=["add", "add_many", "update", "search"],
)
def test_what_is_no_moment_or_has_no_time_zone_is_refused(refused, call, field, bad):
    refused(lambda memory: call(memory, bad), field)


@pytest.mark.parametrize("bad", NO_NAMES, ids=shown)
@pytest.mark.parametrize("field", ["user_id", "session_id", "speaker", "source_ref", "idempotency_key"])
def test_what_is_no_name_is_refused(refused, field, bad):
    refused(lambda memory: memory.add("text", **{field: bad}), field)
    refused(lambda memory: memory.add_many([{"content": "text", field: bad}]), f"items[0].{field}")


@pytest.mark.parametrize("bad", NO_NAMES, ids=shown)
@pytest.mark.parametrize(
    "call",
    [
        lambda m, bad: m.search("tea", user_id=bad),
        lambda m, bad: m.search("tea", user_id=["ana", bad]),
        lambda m, bad: m.get(1, user_id=bad),
        lambda m, bad: m.get_all(user_id=bad),
        lambda m, bad: m.update(1, importance=2, user_id=bad),
        lambda m, bad: m.delete(1, user_id=bad),
        lambda m, bad: m.relate(1, 2, user_id=bad),
        lambda m, bad: m.unrelate(1, 2, user_id=bad),
        lambda m, bad: m.mark_used([1], user_id=bad),
        lambda m, bad: m.graph(1, user_id=bad),
    ],
    ids=["search", "users", "get", "get_all", "update", "delete", "relate", "unrelate", "mark_used", "graph"],
)
def test_what_is_no_user_is_refused(refused, call, bad):
    refused(lambda memory: call(memory, bad), "user_id")


@pytest.mark.parametrize("bad", NO_KINDS, ids=shown)
def test_an_unknown_kind_origin_or_job_is_refused(refused, bad):
    refused(lambda memory: memory.add("text", kind=bad), "kind")
    refused(lambda memory: memory.add("text", origin=bad), "origin")
    refused(lambda memory: memory.add("text", embed=bad), "embed")
    refused(lambda memory: memory.search("tea", kinds=[bad]), "kinds[0]")
    refused(lambda memory: memory.get_all(kinds=[bad]), "kinds[0]")
    refused(lambda memory: memory.maintain([bad]), "jobs[0]")


@pytest.mark.parametrize("bad", [np.array([1, 2]), np.array(["user", "user"]), [np.array([1, 2])]], ids=shown)
def test_an_array_where_one_value_is_asked_for_is_refused(refused, bad):
    refused(lambda memory: memory.purge_user("ana", confirm=bad), "confirm")
    refused(lambda memory: memory.tasks.start(1, bad), "note")
    refused(lambda memory: memory.add([{"role": "user", "content": "tea"}], origin=bad), "origin")


@pytest.mark.parametrize("bad", NO_TYPES, ids=shown)
def test_an_unknown_edge_type_is_refused(refused, bad):
    refused(lambda memory: memory.relate(1, 2, type=bad), "type")


@pytest.mark.parametrize("bad", [1.1 if bad == 10.1 else bad for bad in NO_NUMBERS] + [None], ids=shown)
def test_a_strength_outside_0_to_1_is_refused(refused, bad):
    refused(lambda memory: memory.relate(1, 2, strength=bad), "strength")


@pytest.mark.parametrize("bad", NO_NUMBERS, ids=shown)
def test_an_importance_outside_0_to_10_is_refused(refused, bad):
    refused(lambda memory: memory.add("text", importance=bad), "importance")
    refused(lambda memory: memory.update(1, importance=bad), "importance")
