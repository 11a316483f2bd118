"""Joining two memories by hand."""

import pytest

from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import EdgeType
from memcore.writing.reach import reach
from memcore.writing.relate import relate, unrelate


@pytest.fixture
def pair(wordless):
    return wordless.add("one", user_id="u").ids[0], wordless.add("two", user_id="u").ids[0]


def join(store, source, target, user_id=None, **given):
    return relate(store.database, source, target, within=reach("a", user_id), now=store.now, **given)


def part(store, source, target, user_id=None):
    return unrelate(store.database, source, target, within=reach("a", user_id), now=store.now)


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("causal", EdgeType.CAUSAL),
        ("inhibitory", EdgeType.INHIBITORY),
        ("inhibits", EdgeType.INHIBITORY),
        ("contradictory", EdgeType.INHIBITORY),
        (EdgeType.TEMPORAL, EdgeType.TEMPORAL),
    ],
)
def test_a_type_is_named_and_three_names_inhibit(wordless, pair, name, stored):
    edge = join(wordless, *pair, kind=name, strength=0.5)
    assert (edge.type, edge.strength) == (stored, 0.5)
    assert wordless.rows("SELECT source_id, target_id, type, strength FROM edge") == [(*pair, stored, 0.5)]
    assert edge.to_dict()["type"] == stored.label


def test_the_same_edge_again_is_set_and_another_type_stands_beside_it(wordless, pair):
    join(wordless, *pair)
    join(wordless, *pair, strength=1)
    join(wordless, *pair, kind="causal")
    assert wordless.rows("SELECT type, strength FROM edge ORDER BY type") == [(0, 1.0), (1, 0.35)]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("inhibitor", 'did you mean "inhibitory"'), ("mention", "give one of"), (255, "give one of"), ([], "")],
)
def test_an_unknown_type_is_an_error_and_never_an_association(wordless, pair, name, hint):
    with pytest.raises(InvalidInputError, match=f"^type: .*{hint}"):
        join(wordless, *pair, kind=name)
    assert wordless.rows("SELECT * FROM edge") == []


@pytest.mark.parametrize("strength", [-0.1, 1.1, float("nan"), "1", True, None])
def test_a_strength_outside_zero_to_one_is_refused(wordless, pair, strength):
    with pytest.raises(InvalidInputError, match=r"^strength"):
        join(wordless, *pair, strength=strength)


def test_a_memory_is_not_joined_to_itself(wordless, pair):
    with pytest.raises(InvalidInputError, match="another memory"):
        join(wordless, pair[0], pair[0])


@pytest.mark.parametrize("impossible", [True, -1, 0, 2**63, "7", 7.0, None])
def test_impossible_ids_are_named(wordless, pair, impossible):
    with pytest.raises(InvalidInputError, match=r"^source_id"):
        join(wordless, impossible, pair[0])
    with pytest.raises(InvalidInputError, match=r"^target_id"):
        part(wordless, pair[0], impossible)


def test_two_users_are_never_joined_and_what_is_shared_may_be(wordless, pair):
    other, shared = wordless.add("his", user_id="v").ids[0], wordless.add("shared").ids[0]
    with pytest.raises(InvalidInputError, match="one user"):
        join(wordless, pair[0], other)
    join(wordless, pair[0], shared, user_id="u")
    assert wordless.one("SELECT count(*) FROM edge") == 1


def test_a_named_user_joins_nothing_of_others_and_no_two_shared_memories(wordless, pair):
    shared, also = wordless.add("shared").ids[0], wordless.add("shared too").ids[0]
    with pytest.raises(NotFoundError):
        join(wordless, *pair, user_id="v")
    with pytest.raises(NotFoundError):
        join(wordless, shared, also, user_id="u")
    with pytest.raises(NotFoundError, match="target_id"):
        join(wordless, pair[0], also + 1)
    assert wordless.rows("SELECT * FROM edge") == []


def test_unrelate_removes_every_type_and_says_how_many(wordless, pair):
    join(wordless, *pair)
    join(wordless, *pair, kind="causal")
    with pytest.raises(NotFoundError):
        part(wordless, *pair, user_id="v")
    assert part(wordless, *pair) == 2
    assert part(wordless, *pair) == 0
