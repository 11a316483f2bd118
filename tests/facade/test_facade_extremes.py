"""Values that can hardly be written out, compared or asked for their truth are refused like any others."""

from datetime import datetime, tzinfo

import numpy as np
import pytest

from memcore import InvalidInputError, MemcoreError, Memory, OpenAIEmbedder, ParamsError, ProviderError, Settings


class Mute:
    """It cannot be written out, is neither true nor false, and equals nothing that it is compared with."""

    __hash__ = object.__hash__

    def __repr__(self):
        raise RuntimeError("no words")

    def __bool__(self):
        raise RuntimeError("no truth")

    def __eq__(self, other):
        raise RuntimeError("no comparison")


class NoPath:
    def __fspath__(self):
        raise RuntimeError("no path")


class NoZone(tzinfo):
    def utcoffset(self, _moment):
        raise RuntimeError("no offset")


def nested(wrap):
    value = 0
    for _ in range(50_000):
        value = wrap(value)
    return value


HUGE = 10**5000
EXTREME = {
    "huge integer": HUGE,
    "huge negative integer": -HUGE,
    "deep list": nested(lambda inner: [inner]),
    "deep dict": nested(lambda inner: {"a": inner}),
    "deep AND": nested(lambda inner: {"AND": [inner]}),
    "array": np.eye(2),
    "array of one word": np.array(["turn"]),
    "array of objects": np.array([Mute(), 1], dtype=object),
    "mute": Mute(),
    "list of mute": [Mute()],
    "dict of huge": {"importance": {"gte": HUGE}},
    "dict by mute": {Mute(): 1},
    "set of huge": {HUGE},
    "moment of no zone": datetime(2026, 5, 8, tzinfo=NoZone()),
    "no path": NoPath(),
    "class": Mute,
    "long key": {"k" * 100_000: Mute()},
    "message": [{"role": Mute(), "content": "x"}],
    "late message": [{"role": "user", "content": "x", "timestamp": HUGE}],
    "item": [{"content": "x", "importance": HUGE}],
}
FIELDS = "importance tags metadata event_time source_ref embedding"
CALLS = {
    "add": (
        lambda m, **given: m.add(**{"content": "Ana drinks tea", **given}),
        f"content embed user_id session_id {FIELDS} origin speaker entities kind idempotency_key",
    ),
    "add_many": (lambda m, **given: m.add_many(**{"items": [{"content": "tea"}], **given}), "items embed"),
    "update": (
        lambda m, **given: m.update(**{"id": 1, **given}),
        f"id user_id content {FIELDS}",
    ),
    "delete": (lambda m, **given: m.delete(**{"id": 99, **given}), "id user_id"),
    "mark_used": (lambda m, **given: m.mark_used(**{"ids": [1], **given}), "ids user_id"),
    "relate": (
        lambda m, **given: m.relate(**{"source_id": 1, "target_id": 2, **given}),
        "source_id target_id type strength user_id",
    ),
    "unrelate": (
        lambda m, **given: m.unrelate(**{"source_id": 1, "target_id": 2, **given}),
        "source_id target_id user_id",
    ),
    "search": (
        lambda m, **given: m.search(**{"query": "tea", **given}),
        "query user_id session_id limit kinds filters embedding now params",
    ),
    "context": (lambda m, **given: m.context(**{"query": "tea", **given}), "max_chars max_tokens mark_used"),
    "why_not": (lambda m, **given: m.why_not(**{"id": 1, "query": "tea", "user_id": "ana", **given}), "id query"),
    "get": (lambda m, **given: m.get(**{"id": 1, **given}), "id user_id"),
    "get_all": (lambda m, **given: m.get_all(**given), "user_id session_id kinds filters limit cursor"),
    "graph": (lambda m, **given: m.graph(**{"id": 1, **given}), "id hops user_id"),
    "maintain": (lambda m, **given: m.maintain(**given), "jobs progress"),
    "backup": (lambda m, **given: m.backup(**given), "path"),
    "explain": (lambda m, **given: m.search("tea", user_id="ana").explain(**given), "hit"),
    "result.why_not": (lambda m, **given: m.search("tea", user_id="ana").why_not(**given), "id"),
    "result.context": (lambda m, **given: m.search("tea", user_id="ana").context(**given), "max_chars max_tokens"),
    "a parameter": (lambda m, **given: m.search("tea", params=given), "fusion residual_topk enable_dpp bm25_b nothing"),
    "Memory": (
        lambda _m, **given: Memory(**{"database": ":memory:", "embedder": "none", **given}).close(),
        "database agent_id embedder params clock settings durability on_error",
    ),
    "Settings": (lambda _m, **given: Settings(**given), "memory_limit lock_timeout"),
    "OpenAIEmbedder": (
        lambda _m, **given: OpenAIEmbedder(**{"base_url": "http://127.0.0.1/v1", "model": "m", **given}),
        "base_url model api_key dimension batch timeout total_timeout query_prefix passage_prefix sleep",
    ),
}
ACCEPTED = {
    *(
        (call, budget, "huge integer")
        for call in ("context", "result.context")
        for budget in ("max_chars", "max_tokens")
    ),
    ("maintain", "progress", "class"),
    ("Memory", "clock", "class"),
    ("OpenAIEmbedder", "sleep", "class"),
}
"""A budget has no upper limit, and a class can be called."""


@pytest.fixture(scope="module")
def stored():
    with Memory(":memory:", embedder="none") as memory:
        memory.add_many([{"content": text, "user_id": "ana"} for text in ("Ana lives in Lisbon", "Ana drinks tea")])
        yield memory


@pytest.mark.parametrize("label", EXTREME)
@pytest.mark.parametrize(
    ("call", "argument"), [(call, argument) for call, (_, named) in CALLS.items() for argument in named.split()]
)
def test_an_extreme_value_is_refused_with_a_typed_error_of_a_bounded_message(
    stored, everything_in, call, argument, label
):
    before = everything_in(stored)
    run = CALLS[call][0]
    if (call, argument, label) in ACCEPTED:
        run(stored, **{argument: EXTREME[label]})
        return
    with pytest.raises(MemcoreError) as caught:
        run(stored, **{argument: EXTREME[label]})
    message = str(caught.value)
    assert len(message) < 600
    assert message.encode()
    assert everything_in(stored) == before


@pytest.mark.parametrize("flag", [1, 0, "no", None, np.True_], ids=ascii)
def test_a_flag_is_true_or_false_and_nothing_that_counts_as_one_of_them(stored, flag):
    with pytest.raises(InvalidInputError, match=r"^mark_used: .*; give True or False"):
        stored.context("tea", user_id="ana", mark_used=flag)


@pytest.mark.parametrize("hit", ["1", None, 1.0, True], ids=ascii)
def test_only_a_hit_or_an_id_is_explained(stored, hit):
    with pytest.raises(InvalidInputError, match=r"^hit: "):
        stored.search("tea", user_id="ana").explain(hit)


def test_the_order_of_a_set_of_tags_does_not_depend_on_what_else_is_in_it(stored):
    with pytest.raises(InvalidInputError, match=r"^tags\[1\]: an integer of 16610 bits"):
        stored.add("text", tags={"a", HUGE})


def test_a_parameter_that_cannot_be_written_out_is_a_parameter_error(stored):
    with pytest.raises(ParamsError, match=r"^fusion: a Mute is not accepted"):
        stored.search("tea", params={"fusion": Mute()})


class Named:
    dimension = 4

    def __init__(self, name):
        self._name = name

    @property
    def name(self):
        if isinstance(self._name, Exception):
            raise self._name
        return self._name

    def embed(self, texts, *, query=False):
        raise AssertionError((texts, query))


@pytest.mark.parametrize(
    "name",
    ["half \ud83d", "nul \0", " ", "x" * 513, 5, HUGE],
    ids=lambda name: ascii(name)[:16] if isinstance(name, str) else type(name).__name__,
)
def test_an_embedder_whose_name_cannot_be_stored_is_refused_before_anything_is_opened(tmp_path, name):
    with pytest.raises(InvalidInputError, match=r"^embedder\.name: "):
        Memory(tmp_path / "agent.db", embedder=Named(name))
    assert not list(tmp_path.iterdir())


def test_an_embedder_that_cannot_say_its_name_is_a_provider_error(tmp_path):
    with pytest.raises(ProviderError, match="a Named failed with ZeroDivisionError when asked for its name"):
        Memory(tmp_path / "agent.db", embedder=Named(ZeroDivisionError()))
    assert not list(tmp_path.iterdir())
