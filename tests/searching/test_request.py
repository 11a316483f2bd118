"""Every argument of a search is checked before anything is read, and the message names it."""

import math
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from memcore.errors import DimensionError, InvalidInputError, ParamsError
from memcore.kinds import Kind
from memcore.searching.request import LARGEST_LIMIT, LONGEST_QUERY, request

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)


def asked(query="tea", **given):
    return request(query, agent_id="agent", clock=NOON, given=given)


def test_what_is_left_out_has_its_default():
    found = asked()
    assert (found.query, found.limit, found.kinds, found.filters, found.embedding, found.params) == (
        "tea",
        8,
        None,
        None,
        None,
        None,
    )
    assert found.now == NOON
    assert found.scope.user_ids == ()


@pytest.mark.parametrize("query", ["", "  \n", None, 7, b"tea", "a\0b", "\ud800", ["tea"], "x" * (LONGEST_QUERY + 1)])
def test_a_query_is_a_text(query):
    with pytest.raises(InvalidInputError, match="query"):
        asked(query)


@pytest.mark.parametrize(
    "query", ["memory:safe", "what's up?", "GB/s", '"', "*", "a-b", "DO NOT USE FIND /", "茶", "%", "'; --"]
)
def test_punctuation_and_query_languages_are_just_text(query, filled):
    assert asked(query).query == query
    filled.search(query, user_id="ana")


@pytest.mark.parametrize("limit", [0, -1, LARGEST_LIMIT + 1, 2**63, True, "7", 1.5, None, math.nan])
def test_a_limit_is_an_integer_from_1_to_1000(limit):
    with pytest.raises(InvalidInputError, match="limit"):
        asked(limit=limit)


@pytest.mark.parametrize("limit", [1, 8, LARGEST_LIMIT])
def test_a_limit_in_range_is_taken(limit):
    assert asked(limit=limit).limit == limit


@pytest.mark.parametrize("kinds", [[], ["poem"], "poem", ["turn", "entity"], "entity", 7, {"turn": 1}, [None]])
def test_kinds_are_known_and_none_of_them_is_entity(kinds):
    with pytest.raises(InvalidInputError, match="kinds"):
        asked(kinds=kinds)


def test_one_kind_may_stand_alone():
    assert asked(kinds="fact").kinds == {Kind.FACT}
    assert asked(kinds=["fact", Kind.TURN, "fact"]).kinds == {Kind.FACT, Kind.TURN}


@pytest.mark.parametrize("filters", ["kind", 7, [("kind", "fact")], [], True])
def test_filters_are_a_dict(filters):
    with pytest.raises(InvalidInputError, match="filters"):
        asked(filters=filters)


def test_an_operator_that_there_is_not_is_refused_when_the_filter_is_used(filled):
    with pytest.raises(InvalidInputError):
        filled.search("cello", user_id="ana", filters={"importance": {"near": 3}})


@pytest.mark.parametrize(
    "embedding", [[], [0.0, 0.0], [math.nan, 1], [math.inf, 1], [[1.0, 2.0]], "abc", ["a"], 7, [1e300, 0], object()]
)
def test_an_embedding_is_a_row_that_has_a_direction(embedding):
    with pytest.raises(InvalidInputError, match="embedding"):
        asked(embedding=embedding)


def test_an_embedding_of_another_dimension_is_refused(filled):
    with pytest.raises(DimensionError, match="embedding"):
        filled.search("cello", user_id="ana", embedding=[1.0, 2.0])
    assert filled.search("cello", user_id="ana", embedding=np.ones(64))


@pytest.mark.parametrize("now", [datetime(2026, 5, 8), "yesterday", 7, datetime(1, 1, 1, tzinfo=UTC)])  # noqa: DTZ001
def test_now_is_an_aware_moment(now):
    with pytest.raises(InvalidInputError, match="now"):
        asked(now=now)


def test_now_is_read_in_utc():
    assert asked(now=NOON.astimezone(timezone(timedelta(hours=8)))).now == NOON


@pytest.mark.parametrize("names", [7, "a\0b", "\ud800", ["ana", 7], "x" * 513, True, b"ana", [None], {"ana": 1}])
def test_users_and_sessions_are_names(names):
    with pytest.raises(InvalidInputError, match="user_id"):
        asked(user_id=names)
    with pytest.raises(InvalidInputError, match="session_id"):
        asked(session_id=names)


def test_several_users_may_be_named_and_the_empty_name_is_one():
    assert asked(user_id=["bob", "ana", "bob"]).scope.user_ids == ("ana", "bob")
    assert asked(user_id="").scope.user_ids == ("",)


@pytest.mark.parametrize("params", ["enable_dpp", 7, [("enable_dpp", False)]])
def test_params_are_a_dict(params):
    with pytest.raises(InvalidInputError, match="params"):
        asked(params=params)


@pytest.mark.parametrize("params", [{"enable_dp": False}, {"enable_dpp": "no"}, {"bm25_b": 2.0}, {3: 4}])
def test_params_of_one_search_are_known_and_in_range(filled, params):
    with pytest.raises(ParamsError):
        filled.search("cello", user_id="ana", params=params)


def test_an_unknown_keyword_is_refused_with_the_nearest_one():
    with pytest.raises(TypeError, match="limit"):
        asked(limits=3)


@pytest.mark.parametrize(
    "given", [{"max_chars": 0}, {"max_chars": "600"}, {"max_chars": True}, {"max_tokens": -5}, {"max_tokens": 1.5}]
)
def test_a_budget_is_a_whole_number_of_at_least_one(filled, given):
    with pytest.raises(InvalidInputError, match=next(iter(given))):
        filled.context("cello", user_id="ana", **given)


def test_two_budgets_are_one_too_many(filled):
    with pytest.raises(InvalidInputError, match="one of them"):
        filled.context("cello", user_id="ana", max_chars=600, max_tokens=100)
