"""Reading one memory, and what it is joined to."""

import pytest

from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import EdgeType
from memcore.writing.reach import reach
from memcore.writing.reading import get, graph_around
from memcore.writing.relate import relate


def test_a_memory_is_read_by_its_user_by_everyone_when_shared_and_by_no_one_else(wordless):
    hers, shared = wordless.add("hers", user_id="ana").ids[0], wordless.add("shared").ids[0]
    assert get(wordless.database, hers, within=reach("a", "ana")).content == "hers"
    assert get(wordless.database, hers, within=reach("a")).content == "hers"
    assert get(wordless.database, shared, within=reach("a", "ben")).content == "shared"
    for elsewhere in (reach("a", "ben"), reach("b"), reach("b", "ana"), reach("a", [])):
        with pytest.raises(NotFoundError, match=f"id: {hers}"):
            get(wordless.database, hers, within=elsewhere)


@pytest.mark.parametrize("impossible", [True, -1, 0, 2**63, "7", 7.0, None])
def test_impossible_ids_are_refused(wordless, impossible):
    with pytest.raises(InvalidInputError, match=r"^id: "):
        get(wordless.database, impossible, within=reach("a"))
    with pytest.raises(InvalidInputError, match=r"^id: "):
        graph_around(wordless.database, impossible, within=reach("a"))


def test_users_whose_names_look_alike_are_different_users(wordless):
    names = ["john_doe", "john-doe", "a", "a.b", "%", "", " "]
    ids = {name: wordless.add(f"of {name!r}", user_id=name).ids[0] for name in names}
    for name, one in ids.items():
        assert get(wordless.database, one, within=reach("a", name)).user_id == name
        for other in names:
            if other != name:
                with pytest.raises(NotFoundError):
                    get(wordless.database, one, within=reach("a", other))


def test_a_graph_shows_edges_and_mentions_within_the_hops(wordless):
    one, two, three = (wordless.add(text, user_id="u").ids[0] for text in ("one", "two", "three"))
    [named] = wordless.add("Ana", user_id="u", kind="entity").ids
    [mentioning] = wordless.add("four", user_id="u", entities=["Ana"]).ids
    for pair in ((one, two), (two, three), (one, mentioning)):
        relate(wordless.database, *pair, within=reach("a"), now=wordless.now)
    near = graph_around(wordless.database, one, within=reach("a", "u"), hops=1)
    assert [node.id for node in near.nodes] == sorted([one, two, mentioning])
    far = graph_around(wordless.database, one, within=reach("a", "u"), hops=2)
    assert {node.id for node in far.nodes} == {one, two, three, mentioning, named}
    assert (mentioning, named, EdgeType.MENTION) in {(edge.source_id, edge.target_id, edge.type) for edge in far.edges}


def test_a_graph_does_not_reach_through_what_another_user_has(wordless):
    shared = wordless.add("shared").ids[0]
    hers, his = (wordless.add("x", user_id=user).ids[0] for user in ("ana", "ben"))
    relate(wordless.database, shared, hers, within=reach("a"), now=wordless.now)
    relate(wordless.database, shared, his, within=reach("a"), now=wordless.now)
    view = graph_around(wordless.database, hers, within=reach("a", "ana"), hops=3)
    assert {node.id for node in view.nodes} == {shared, hers}


@pytest.mark.parametrize("hops", [0, 7, True, 1.5, "2", None])
def test_hops_out_of_range_are_refused(wordless, hops):
    [one] = wordless.add("one").ids
    with pytest.raises(InvalidInputError, match=r"^hops"):
        graph_around(wordless.database, one, within=reach("a"), hops=hops)
