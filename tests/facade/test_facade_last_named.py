"""An entity that is there only because memories name it goes with the last of them, to the byte."""

import pytest
from facade_answers import NOW

from memcore import Memory

NAME = "Zoltan Kerekes"
CHINESE = "欧阳若兰"


def names(memory, user_id="ana"):
    return [one.content for one in memory.get_all(kinds=["entity"], user_id=user_id)]


def named(memory, text="They met in the park.", entities=(NAME,), user_id="ana", **given):
    return memory.add(text, user_id=user_id, entities=list(entities), **given)[0].id


def by_name(memory, name=NAME, user_id="ana"):
    [found] = [one.id for one in memory.get_all(kinds=["entity"], user_id=user_id) if one.content == name]
    return found


def rows(memory, query):
    with memory._database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


@pytest.fixture
def hashed(opened):
    return opened(embedder="hashing")


@pytest.mark.parametrize("name", [NAME, CHINESE, "Qx", "Ξ"])
def test_it_goes_with_the_memory_and_no_byte_of_the_name_is_left(hashed, name):
    memory = hashed
    one = named(memory, entities=[{"name": name, "aliases": ["Kiri the Tall"]}, "Second Person"], speaker="Third One")
    report = memory.delete(one, user_id="ana")
    assert names(memory) == []
    assert (report.removed["memories"], report.removed["vectors"], report.pending) == (4, 4, False)
    for table in ("memory", "entity", "entity_alias", "mention", "cooccurrence", "memory_vector", "job"):
        assert rows(memory, f"SELECT * FROM {table}") == []
    for gone in (name, "Kiri the Tall", "Second Person", "Third One"):
        assert memory.verify_absent(gone) == []


def test_it_stays_while_another_memory_names_it_be_it_retired(memory):
    first, second = named(memory), named(memory, "They met again.")
    memory.retire(second)
    memory.delete(first)
    assert names(memory) == [NAME]
    memory.delete(second)
    assert names(memory) == []


def test_it_goes_with_what_was_said_again_with_it(memory):
    first = named(memory, entities=())
    assert named(memory) == first
    memory.delete(first)
    assert names(memory) == []


def test_a_declared_one_stays(memory):
    memory.add(NAME, user_id="ana", kind="entity")
    memory.delete(named(memory))
    assert names(memory) == [NAME]


def test_one_that_is_declared_after_it_was_named_stays(memory):
    one = named(memory)
    memory.add(NAME.upper(), user_id="ana", kind="entity")
    memory.delete(one)
    assert names(memory) == [NAME]


def test_one_that_is_declared_and_named_in_one_call_stays(memory):
    items = [
        {"content": "They met.", "user_id": "ana", "entities": [NAME]},
        {"content": NAME, "user_id": "ana", "kind": "entity"},
    ]
    added = memory.add_many(items)
    memory.delete(added[0].id)
    assert names(memory) == [NAME]


@pytest.mark.parametrize(
    "hold",
    [
        lambda memory, one, _: memory.update(one, content="Zoltan K."),
        lambda memory, one, _: memory.update(one, tags=["friend"]),
        lambda memory, one, _: memory.pin(one),
        lambda memory, one, _: memory.feedback(one, helpful=True),
        lambda memory, one, other: memory.relate(one, other, "associative"),
        lambda memory, *_: memory.add(
            NAME, user_id="ana", kind="entity", entities=[{"name": NAME, "aliases": ["Kerek"]}]
        ),
    ],
    ids=["renamed", "updated", "pinned", "labelled", "joined", "alias"],
)
def test_one_that_a_call_of_its_own_holds_stays(memory, hold):
    one, other = named(memory), named(memory, "Bakeries close early.", entities=())
    entity = by_name(memory)
    hold(memory, entity, other)
    memory.delete(one)
    assert memory.get(entity).id == entity


def test_what_another_user_holds_stays(memory):
    shared = named(memory, user_id=None)
    ours = named(memory, "They met on Friday.", entities=[{"name": NAME, "aliases": ["Old Pal"]}])
    theirs = named(memory, "They met on Sunday.", user_id="bo")
    memory.delete(shared)
    memory.delete(ours)
    assert names(memory, None) == [NAME]
    assert memory.verify_absent("Old Pal") == rows(memory, "SELECT alias FROM entity_alias") == []
    memory.delete(theirs)
    assert names(memory, None) == []


def test_an_entity_of_the_same_name_of_another_user_stays(memory):
    ours = named(memory)
    named(memory, user_id="bo")
    memory.delete(ours)
    assert (names(memory), names(memory, "bo")) == ([], [NAME])


def test_the_others_keep_their_counts(memory):
    named(memory, "First.", entities=[NAME, "Ana", "Lisbon"])
    one = named(memory, "Second.", entities=[CHINESE, "Ana", "Lisbon"])
    memory.delete(one)
    assert names(memory) == [NAME, "Ana", "Lisbon"]
    ids = {name: by_name(memory, name) for name in (NAME, "Ana", "Lisbon")}
    assert rows(memory, "SELECT entity_a_id, entity_b_id, count FROM cooccurrence") == [
        (ids[NAME], ids["Ana"], 1),
        (ids[NAME], ids["Lisbon"], 1),
        (ids["Ana"], ids["Lisbon"], 1),
    ]


def test_it_goes_with_what_was_merged_into_the_memory(memory):
    given = {"user_id": "ana", "kind": "fact", "slot": "drink"}
    memory.add("Ana drinks tea.", **given, origin="web", confidence=0.4, entities=[NAME])
    kept = memory.add("Ana drinks tea.", **given)[0].id
    memory.delete(kept)
    assert names(memory) == []


def test_it_is_named_anew_when_somebody_names_it_again(memory):
    memory.delete(named(memory))
    again = named(memory)
    assert names(memory) == [NAME]
    memory.delete(again)
    assert memory.verify_absent(NAME) == []


def known_to(memory):
    """The names and the atoms that the engine of a handle has, once it has caught up."""
    found = memory.search("Who met?", user_id="ana")
    mirror = memory._calls.store.mirror
    atoms = mirror.atoms.atoms(found._evidence.reader._scope, found.trace.params, 256)
    names = {name for block in mirror._blocks.values() for named in block.entities.names.values() for name in named}
    return NAME in names, NAME in atoms.names


def test_another_handle_stops_anchoring_on_it(opened, path):
    first = opened(embedder="hashing")
    with Memory(path, embedder="hashing", clock=lambda: NOW) as second:
        others = [f"Person{number}" for number in range(40)]
        named(first, "Bakeries close early.", entities=others)
        one = named(first)
        assert known_to(first) == known_to(second) == (True, True)
        assert [hit.id for hit in second.search(f"Was {NAME} seen?", user_id="ana", limit=1)] == [one]
        first.delete(one)
        assert known_to(second) == known_to(first) == (False, False)
        assert len(second.search(f"Was {NAME} seen?", user_id="ana")) == 0


def test_an_undo_removes_nothing_and_the_entity_goes_with_the_delete(memory):
    one = named(memory, source_ref="letter")
    memory.undo(source_ref="letter")
    assert names(memory) == [NAME]
    memory.delete(one)
    assert names(memory) == []
    assert memory.verify_absent(NAME) == []
