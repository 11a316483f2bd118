"""Removing one memory for good, what is kept of it, and texts that were removed and come again."""

from datetime import timedelta

import pytest

from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import Outcome
from memcore.scope import Partition
from memcore.writing.change import changes, update
from memcore.writing.echo import GivenBlocks
from memcore.writing.forgetting import delete, purge_user
from memcore.writing.forgotten import FORGOTTEN
from memcore.writing.reach import reach

HOUR = timedelta(hours=1)


def remove(store, memory_id, agent_id="a", user_id=None):
    return delete(store.database, memory_id, within=reach(agent_id, user_id), now=store.now, blocks=GivenBlocks())


def purge(store, user_id, *, salt=None):
    whose = Partition("a", user_id)
    return purge_user(store.database, whose, confirm=user_id, now=store.now, salt=salt, blocks=GivenBlocks())


def test_a_delete_takes_everything_that_hangs_on_a_memory_and_says_how_much(store):
    one, two, three = store.add(
        [{"role": "user", "content": text, "name": "Ana"} for text in ("one", "two", "three")], session_id="s"
    ).ids
    report = remove(store, two)
    assert (report.id, report.pending) == (two, False)
    assert {name: report.removed[name] for name in ("memories", "vectors", "mentions")} == {
        "memories": 1,
        "vectors": 1,
        "mentions": 1,
    }
    assert store.rows("SELECT id, prev_id, next_id FROM memory WHERE kind = 'turn'") == [
        (one, None, three),
        (three, one, None),
    ]
    with pytest.raises(NotFoundError):
        remove(store, two)


def test_a_delete_leaves_a_receipt_with_counts_and_neither_text_nor_name(store):
    [added] = store.add("the pancreas of Ana", user_id="ana")
    remove(store, added.id)
    [(agent, action, counts, pending)] = store.rows("SELECT agent_id, action, counts, pending FROM receipt")
    assert (agent, action, pending) == ("a", "delete", 0)
    assert counts == '{"memories": 1, "vectors": 1}'


@pytest.mark.parametrize("impossible", [True, -1, 0, 2**63, "7", 7.0, None])
def test_impossible_ids_are_refused(store, impossible):
    store.add("text")
    with pytest.raises(InvalidInputError, match=r"^id: "):
        remove(store, impossible)
    assert store.one("SELECT count(*) FROM memory") == 1


@pytest.mark.parametrize("owner", ["ana", None])
def test_a_named_user_deletes_only_its_own(store, owner):
    [added] = store.add("text", user_id=owner)
    with pytest.raises(NotFoundError):
        remove(store, added.id, user_id="ben")
    with pytest.raises(NotFoundError):
        remove(store, added.id, agent_id="another agent")
    assert store.rows("SELECT content FROM memory") == [("text",)]


def test_what_was_superseded_twice_is_joined_around_the_hole(store):
    first, second, third = (
        store.add(f"Ana lives in {city}", kind="fact").ids[0] for city in ("Porto", "Faro", "Lisbon")
    )
    with store.database.write() as connection:
        for old, new in ((first, second), (second, third)):
            connection.exec_driver_sql(
                "UPDATE claim SET valid_until = valid_from, closed_at = valid_from, superseded_by = ?"
                " WHERE memory_id = ?",
                (new, old),
            )
    remove(store, second)
    assert store.rows("SELECT memory_id, superseded_by FROM claim ORDER BY memory_id") == [
        (first, third),
        (third, None),
    ]
    remove(store, third)
    assert store.rows("SELECT memory_id, superseded_by FROM claim") == [(first, None)]


def test_with_tombstones_an_old_text_of_the_user_does_not_come_back(store):
    store.add("Ana has a secret", user_id="ana")
    purge(store, "ana", salt=b"s" * 32)
    again = store.add_many(
        [
            {"content": " ana has  a SECRET", "user_id": "ana", "event_time": store.now - HOUR},
            {"content": "Ana has a secret", "user_id": "ana", "event_time": store.now + HOUR},
            {"content": "Ana has a secret", "user_id": "ana"},
            {"content": "Ana has a secret", "user_id": "bob", "event_time": store.now - HOUR},
            {"content": "Ana has another secret", "user_id": "ana", "event_time": store.now - HOUR},
        ]
    )
    assert [(added.outcome, added.reason) for added in again] == [
        (Outcome.DROP, FORGOTTEN),
        (Outcome.ACCEPT, ""),
        (Outcome.MERGE, "the same text is stored already"),
        *[(Outcome.ACCEPT, "")] * 2,
    ]
    assert again.ids[0] is None
    assert store.one("SELECT count(*) FROM memory WHERE kind = 'event'") == 3


def test_without_tombstones_nothing_of_the_user_is_kept_and_all_may_come_back(store):
    store.add("Ana has a secret", user_id="ana")
    purge(store, "ana")
    assert store.one("SELECT count(*) FROM tombstone") == store.one("SELECT count(*) FROM tombstone_salt") == 0
    [added] = store.add("Ana has a secret", user_id="ana", event_time=store.now - HOUR)
    assert added.outcome is Outcome.ACCEPT


def test_the_salt_is_made_once_and_a_later_purge_moves_the_moment_of_a_tombstone(store):
    for salt, later in ((b"s" * 32, 0), (b"t" * 32, 3)):
        store.now += later * HOUR
        store.add("Ana has a secret", user_id="ana")
        purge(store, "ana", salt=salt)
    assert store.one("SELECT salt FROM tombstone_salt") == b"s" * 32
    assert store.one("SELECT count(*) FROM tombstone") == 1
    [added] = store.add("Ana has a secret", user_id="ana", event_time=store.now - HOUR)
    assert added.outcome is Outcome.DROP


def updated(store, memory_id, content):
    update(
        store.database,
        memory_id,
        changes(content=content),
        within=reach("a", None),
        vectors=store.vectors,
        now=store.now,
    )


def come_again(store, texts, **given):
    said_at = store.now - HOUR
    return [store.add(text, **{"user_id": "ana", "event_time": said_at, **given})[0].outcome for text in texts]


def test_with_tombstones_the_texts_from_before_an_update_do_not_come_back_either(store):
    texts = ["first words of cranes", "鹤的第二句话", "third words of cranes"]
    [added] = store.add(texts[0], user_id="ana")
    for text in texts[1:]:
        updated(store, added.id, text)
    purge(store, "ana", salt=b"s" * 32)
    assert come_again(store, texts) == [Outcome.DROP] * 3
    assert come_again(store, texts, user_id="ben") == [Outcome.ACCEPT] * 3


def test_earlier_texts_are_buried_in_whichever_batch_their_changes_go(store, monkeypatch):
    monkeypatch.setattr("memcore.storage.purge.BATCH", 2)
    texts = [f"sentence {number} of the heron" for number in range(7)]
    [added] = store.add(texts[0], user_id="ana")
    for text in texts[1:]:
        updated(store, added.id, text)
    purge(store, "ana", salt=b"s" * 32)
    assert come_again(store, texts) == [Outcome.DROP] * 7


def test_without_tombstones_an_earlier_text_may_come_back(store):
    [added] = store.add("first words of cranes", user_id="ana")
    updated(store, added.id, "second words of cranes")
    purge(store, "ana")
    assert come_again(store, ["first words of cranes"]) == [Outcome.ACCEPT]


def test_the_earlier_text_of_a_memory_that_stays_is_not_buried(store):
    [shared] = store.add("first words of cranes")
    store.add("of ana alone", user_id="ana")
    updated(store, shared.id, "second words of cranes")
    with store.database.write() as connection:
        ana = connection.exec_driver_sql("SELECT id FROM partition WHERE user_id = 'ana'").scalar_one()
        connection.exec_driver_sql("UPDATE operation SET partition_id = ?", (ana,))
    purge(store, "ana", salt=b"s" * 32)
    assert store.one("SELECT count(*) FROM tombstone") == 1
    assert come_again(store, ["first words of cranes"]) == [Outcome.ACCEPT]
