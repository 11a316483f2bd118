"""Marking memories as used."""

from datetime import timedelta

import pytest

from memcore.errors import InvalidInputError, NotFoundError
from memcore.writing.reach import reach
from memcore.writing.use import mark_used

IMPOSSIBLE = [True, -1, 0, 2**63, "7", 7.0, None]


def use(store, ids, user_id=None):
    return mark_used(store.database, ids, within=reach(store.agent_id, user_id), now=store.now + timedelta(days=1))


def edges(store):
    return store.rows("SELECT source_id, target_id, strength FROM edge ORDER BY 1, 2")


def test_use_counts_strengthens_and_dates(wordless):
    [added] = wordless.add("text", importance=5)
    use(wordless, [added.id, added.id])
    use(wordless, [added.id])
    [(count, base, importance, last)] = wordless.rows(
        "SELECT access_count, base_importance, importance, last_used_at FROM memory"
    )
    assert (count, base, importance) == (2, pytest.approx(5.2), 5)
    assert last == int((wordless.now + timedelta(days=1)).timestamp() * 1_000_000)


def test_base_importance_stops_at_ten(wordless):
    [added] = wordless.add("text", importance=9.95)
    use(wordless, [added.id])
    assert wordless.one("SELECT base_importance FROM memory") == 10.0


def test_memories_used_together_are_joined_and_each_time_more(wordless):
    one, two = wordless.add("one", user_id="u").ids + wordless.add("two", user_id="u").ids
    use(wordless, [two, one])
    assert edges(wordless) == [(one, two, 0.35)]
    use(wordless, [one, two])
    assert edges(wordless) == [(one, two, pytest.approx(0.35 + 0.35 * 0.65))]


def test_a_shared_memory_is_joined_to_a_users_and_two_users_never(wordless):
    shared = wordless.add("shared").ids[0]
    ana = wordless.add("hers", user_id="ana").ids[0]
    ben = wordless.add("his", user_id="ben").ids[0]
    use(wordless, [shared, ana, ben])
    assert [pair[:2] for pair in edges(wordless)] == [(shared, ana), (shared, ben)]


def test_at_most_ten_pairs_are_joined_those_named_first(wordless):
    ids = wordless.add_many([{"content": f"text {number}"} for number in range(8)]).ids
    use(wordless, ids)
    assert [pair[:2] for pair in edges(wordless)] == [
        (one, other) for at, one in enumerate(ids[:5]) for other in ids[at + 1 : 5]
    ]


@pytest.mark.parametrize("impossible", IMPOSSIBLE)
def test_an_impossible_id_is_refused_by_its_place(wordless, impossible):
    [added] = wordless.add("text")
    with pytest.raises(InvalidInputError, match=r"^ids\[1\]: "):
        use(wordless, [added.id, impossible])
    assert wordless.one("SELECT access_count FROM memory") == 0


@pytest.mark.parametrize("no_list", [7, "77", None])
def test_something_that_is_no_list_of_ids_is_refused(wordless, no_list):
    with pytest.raises(InvalidInputError, match="give a list of ids"):
        use(wordless, no_list)


def test_an_unknown_id_among_known_ones_marks_nothing(wordless):
    [added] = wordless.add("text")
    with pytest.raises(NotFoundError, match=f"ids: {added.id + 1} is no memory of this agent"):
        use(wordless, [added.id, added.id + 1])
    assert wordless.one("SELECT access_count FROM memory") == 0


def test_an_id_of_another_agent_or_user_is_as_unknown_as_one_that_never_was(wordless):
    hers = wordless.add("text", user_id="ana").ids[0]
    with pytest.raises(NotFoundError) as foreign:
        use(wordless, [hers], user_id="ben")
    with pytest.raises(NotFoundError) as unknown:
        use(wordless, [hers + 1000], user_id="ben")
    assert str(foreign.value).replace(str(hers), "N") == str(unknown.value).replace(str(hers + 1000), "N")
    wordless.agent_id = "b"
    with pytest.raises(NotFoundError):
        use(wordless, [hers])
    assert wordless.one("SELECT access_count FROM memory") == 0


def test_a_named_user_uses_what_is_shared_and_several_users_may_be_named(wordless):
    ids = [wordless.add("text", user_id=user).ids[0] for user in (None, "ana", "ben")]
    assert use(wordless, ids[:2], user_id="ana") == 2
    assert use(wordless, ids, user_id=["ana", "ben"]) == 3


def test_nothing_used_is_nothing_done(wordless):
    assert use(wordless, []) == 0
