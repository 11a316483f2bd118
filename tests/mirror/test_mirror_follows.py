"""A mirror that follows the revision log shows exactly what one shows that is loaded from the store as it is now."""

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings
from mirror_samples import NAMES, WORDS, a_mirror, ids_of, minutes, open_memory, sql, view

from memcore.errors import InvalidInputError, NotFoundError
from memcore.storage import revisions

SCOPES = (None, "ana", ["ana", "bob"])
users = st.sampled_from([None, "ana", "bob"])
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
sentences = st.tuples(texts, st.booleans()).map(lambda one: one[0] + ("?" if one[1] else "."))
names = st.lists(st.sampled_from(NAMES), max_size=3, unique=True)
some = st.integers(0, 40)
embedding = st.sampled_from(["now", "later"])
item = st.fixed_dictionaries(
    {"content": sentences, "user_id": users, "entities": names},
    optional={
        "session_id": st.sampled_from(["s1", "s2"]),
        "speaker": st.sampled_from(NAMES[:3]),
        "kind": st.sampled_from(["turn", "event", "fact"]),
        "importance": st.integers(0, 10),
        "event_time": st.integers(0, 9).map(minutes),
    },
)
INSERTED = "agent_id, user_id, kind, content, event_time, recorded_at, updated_at"
EDITS = (
    "UPDATE memory SET content = 'edited tea now?' WHERE id = ?",
    "UPDATE memory SET content = 'Renamed' WHERE id = ? AND kind = 'entity'",
    "UPDATE memory SET base_importance = 1, access_count = 7 WHERE id = ?",
    "UPDATE memory SET crc = 1 WHERE id = ?",
    "UPDATE memory SET crc = NULL WHERE id = ?",
    "UPDATE memory SET kind = 'fact' WHERE id = ?",
    "UPDATE memory SET kind = 'entity' WHERE id = ?",
    "UPDATE memory SET speaker = 'Zoe', session_id = 's9', event_time = 5 WHERE id = ?",
    "UPDATE memory SET tokens = 'tea tea 上海' WHERE id = ?",
    "UPDATE memory SET next_id = NULL WHERE id = ?",
    "UPDATE memory SET review_state = 'pending' WHERE id = ?",
    "UPDATE memory SET review_state = 'active' WHERE id = ?",
    "UPDATE memory SET ended_at = 7, ending = 'retired' WHERE id = ?",
    "UPDATE memory SET ended_at = NULL, ending = NULL WHERE id = ?",
    "UPDATE memory SET channel = 'direct', expires_at = 9, pinned = 1, last_used_at = 8 WHERE id = ?",
    "UPDATE claim SET valid_until = 4000000000000000, closed_at = 5 WHERE memory_id = ?",
    "UPDATE fact_detail SET dormant = 1, strength = 0.3, category = 'state' WHERE memory_id = ?",
    "UPDATE event_detail SET stability_days = 3 WHERE memory_id = ?",
    "DELETE FROM memory WHERE id = ?",
    "DELETE FROM memory_vector WHERE memory_id = ?",
    "UPDATE memory_vector SET crc = 1 WHERE memory_id = ?",
    "DELETE FROM mention WHERE memory_id = ?",
    "UPDATE mention SET entity_id = (SELECT max(memory_id) FROM entity) WHERE memory_id = ?",
    "DELETE FROM edge WHERE source_id = ?",
    "UPDATE edge SET type = (type + 1) % 4 WHERE source_id = ?",
    "UPDATE edge SET strength = 0.9 WHERE target_id = ?",
    "UPDATE edge SET type = 255 WHERE source_id = ?",
    "DELETE FROM entity_alias WHERE memory_id = ?",
    "UPDATE cooccurrence SET count = 9 WHERE entity_b_id = ?",
    f"INSERT INTO memory (id, {INSERTED}) VALUES (? + 1000, 'agent', 'bob', 'event', 'garden by hand now', 3, 3, 3)",
    f"INSERT INTO memory ({INSERTED}) VALUES ('agent', 'ana', 'fact', 'radio by hand ' || ?, 3, 3, 3)",
)
operation = st.one_of(
    st.tuples(st.just("add"), item, embedding),
    st.tuples(st.just("many"), st.lists(item, min_size=2, max_size=6), embedding),
    st.tuples(st.just("chat"), st.lists(sentences, min_size=2, max_size=4), users),
    st.tuples(st.just("update"), some, sentences),
    st.tuples(st.just("delete"), some),
    st.tuples(st.just("relate"), some, some, st.sampled_from(["associative", "causal", "inhibitory"]), st.floats(0, 1)),
    st.tuples(st.just("unrelate"), some, some),
    st.tuples(st.just("use"), st.lists(some, min_size=1, max_size=3)),
    st.tuples(st.just("embed")),
    st.tuples(st.just("sql"), st.sampled_from(EDITS), some),
    st.tuples(st.just("look"), st.sampled_from(SCOPES)),
)


def one_of(ids, number):
    return ids[number % len(ids)]


def perform(memory, what, *given):
    """One operation; what the facade refuses (an edge between two users, …) is not done."""
    ids = ids_of(memory)
    if what in CREATIONS:
        CREATIONS[what](memory, *given)
    elif ids:
        CHANGES[what](memory, ids, *given)


def chat(memory, texts_said, user_id):
    messages = [{"role": "user", "name": NAMES[at % 2], "content": text} for at, text in enumerate(texts_said)]
    memory.add(messages, user_id=user_id, session_id="chat")


CREATIONS = {
    "add": lambda memory, fields, embed: memory.add(embed=embed, **fields),
    "many": lambda memory, items, embed: memory.add_many(items, embed=embed),
    "chat": chat,
    "embed": lambda memory: memory.maintain(["embed"]),
}
CHANGES = {
    "update": lambda memory, ids, one, text: memory.update(one_of(ids, one), content=text),
    "delete": lambda memory, ids, one: memory.delete(one_of(ids, one)),
    "relate": lambda memory, ids, one, other, *how: memory.relate(one_of(ids, one), one_of(ids, other), *how),
    "unrelate": lambda memory, ids, one, other: memory.unrelate(one_of(ids, one), one_of(ids, other)),
    "use": lambda memory, ids, several: memory.mark_used({one_of(ids, number) for number in several}),
    "sql": lambda memory, ids, statement, one: sql(memory, statement, one_of(ids, one)),
}


def same_as_fresh(memory, mirror, scopes=SCOPES, fresh=None):
    with memory._database.read() as connection:
        for scope in scopes:
            followed = view(memory, mirror, connection, scope)
            assert followed == view(memory, fresh or a_mirror(), connection, scope)


def run_all(operations, *mirrors):
    with open_memory() as memory:
        for what, *given_to in operations:
            if what == "look":
                for mirror in mirrors:
                    same_as_fresh(memory, mirror, given_to)
                continue
            try:
                perform(memory, what, *given_to)
            except (InvalidInputError, NotFoundError):
                continue
        for mirror in mirrors:
            same_as_fresh(memory, mirror)


LOOKING = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


@LOOKING
@given(st.lists(item, min_size=4, max_size=10), st.lists(operation, min_size=8, max_size=24))
def test_after_any_sequence_of_writes_a_followed_mirror_equals_a_fresh_one(items, operations):
    run_all([("many", items, "now"), ("look", ["ana", "bob"]), *operations], a_mirror())


@settings(LOOKING, max_examples=15)
@given(st.lists(item, min_size=4, max_size=8), st.lists(operation, max_size=12))
def test_with_room_for_no_block_at_all_every_search_still_sees_the_same(items, operations):
    looks = [("many", items, "now"), *(step for one in operations for step in (one, ("look", "ana"), ("look", None)))]
    run_all(looks, a_mirror(limit=0), a_mirror())


@LOOKING
@given(
    st.lists(item, min_size=6, max_size=12), st.lists(st.tuples(st.sampled_from(EDITS), some), min_size=1, max_size=6)
)
def test_a_mirror_that_looks_after_every_edit_by_hand_sees_it(items, edits):
    steps = [("many", items, "now"), ("look", ["ana", "bob"])]
    for edit in edits:
        steps += [("sql", *edit), ("look", ["ana", "bob"])]
    run_all(steps, a_mirror())


def test_a_turn_that_becomes_a_question_counts_for_whatever_still_follows_it():
    with open_memory() as memory:
        mirror = a_mirror()
        memory.add_many([{"content": f"Lisbon {number}.", "kind": "turn", "session_id": "s"} for number in range(3)])
        same_as_fresh(memory, mirror)
        for edit in ("next_id = NULL", "content = 'Tea now?'", "content = 'Tea now.'"):
            with memory._database.write() as connection:
                connection.exec_driver_sql(f"UPDATE memory SET {edit} WHERE id = 1")
            same_as_fresh(memory, mirror)


def test_a_log_that_was_trimmed_has_the_mirror_load_all_anew():
    with open_memory() as memory:
        mirror = a_mirror()
        memory.add("Tea in the garden.", user_id="ana", entities=["Ana"])
        same_as_fresh(memory, mirror)
        memory.add("Tea on the mountain.", user_id="ana", entities=["Bob"])
        memory.delete(1)
        with memory._database.write() as connection:
            revisions.trim(connection, keep=1)
        same_as_fresh(memory, mirror)


def test_more_changes_than_a_block_has_rows_are_read_as_a_whole_block():
    with open_memory(embedder="none") as memory:
        mirror = a_mirror()
        memory.add("Tea in the garden.", user_id="ana")
        same_as_fresh(memory, mirror)
        memory.add_many([{"content": f"Radio {number}.", "user_id": "ana"} for number in range(1_100)])
        same_as_fresh(memory, mirror, ["ana"])
