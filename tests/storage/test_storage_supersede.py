"""Superseding ends an older claim, and never in a circle; conflicts are open until somebody decides."""

from itertools import pairwise

import pytest
from storage_samples import ANA, BOB, NOON, a_memory, minutes

from memcore.errors import InvalidInputError
from memcore.kinds import Kind, OperationAction
from memcore.storage import memories, neighbours, operations, partitions
from memcore.storage.conflicts import conflicting, open_pairs, partners, resolved
from memcore.storage.detail_rows import Claim, FactDetail
from memcore.storage.encoding import text_key, to_micros
from memcore.storage.neighbours import Sight
from memcore.storage.strength import strengthened
from memcore.storage.supersede import superseded

SIGHT = Sight.at(minutes(5), {})


@pytest.fixture
def conn(database):
    with database.write() as conn:
        yield conn


def facts(conn, count, **given):
    return memories.insert(conn, [a_memory(f"fact {number}", kind=Kind.FACT, **given) for number in range(count)])


def done(conn, *changes):
    number = partitions.ensure(conn, ANA)
    return operations.record(conn, number, OperationAction.SUPERSEDE, changes, now=NOON)


def test_the_old_claim_ends_where_the_new_one_begins_and_never_before_it_began(conn):
    old, new = facts(conn, 2)
    change = superseded(conn, old, new, minutes(9))
    assert change.values == {
        "valid_until": to_micros(NOON),
        "closed_at": to_micros(minutes(9)),
        "superseded_by": new,
    }
    [late] = memories.insert(conn, [a_memory(kind=Kind.FACT, claim=Claim(valid_from=minutes(3)))])
    assert superseded(conn, late, new, minutes(9)).values["valid_until"] == to_micros(minutes(3))
    assert superseded(conn, old, new, minutes(9), begins=minutes(7)).values["valid_until"] == to_micros(minutes(7))


def test_a_claim_that_is_over_before_the_new_one_begins_keeps_its_end(conn):
    claim = Claim(valid_from=NOON, valid_until=minutes(2))
    [over] = memories.insert(conn, [a_memory(kind=Kind.FACT, claim=claim)])
    [new] = memories.insert(conn, [a_memory(kind=Kind.FACT, claim=Claim(valid_from=minutes(5)))])
    values = superseded(conn, over, new, minutes(9)).values
    assert (values["valid_until"], values["superseded_by"]) == (to_micros(minutes(2)), new)


def test_itself_what_is_superseded_and_what_claims_nothing_are_refused(conn):
    old, new, third = facts(conn, 3)
    [event] = memories.insert(conn, [a_memory()])
    done(conn, superseded(conn, old, new, NOON))
    for pair, message in (
        ((old, old), "itself"),
        ((old, third), f"superseded by {new} already"),
        ((event, new), "use update instead"),
        ((third, event), "use update instead"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            superseded(conn, *pair, NOON)


def test_a_chain_never_closes_to_a_circle(conn):
    ids = facts(conn, 4)
    for old, new in pairwise(ids):
        done(conn, superseded(conn, old, new, NOON))
    with pytest.raises(InvalidInputError, match="took the place of"):
        superseded(conn, ids[-1], ids[0], NOON)


def test_an_open_conflict_is_seen_from_both_sides_until_it_is_decided_or_a_side_is_gone(conn):
    one, other, third = facts(conn, 3)
    done(conn, conflicting(other, one, NOON), conflicting(one, third, minutes(1)))
    assert partners(conn, one, SIGHT) == [other, third]
    assert open_pairs(conn, "agent", "ana", SIGHT, limit=9) == [
        (one, other, to_micros(NOON)),
        (one, third, to_micros(minutes(1))),
    ]
    assert open_pairs(conn, "agent", "ana", SIGHT, limit=1) == [(one, other, to_micros(NOON))]
    assert open_pairs(conn, "agent", "bob", SIGHT, limit=9) == open_pairs(conn, "other", "ana", SIGHT, limit=9) == []
    done(conn, resolved(one, other, NOON))
    assert partners(conn, other, SIGHT) == []
    conn.exec_driver_sql("UPDATE memory SET review_state = 'rejected' WHERE id = ?", (third,))
    assert partners(conn, one, SIGHT) == []


@pytest.mark.parametrize(
    ("statement", "is_open"),
    [
        ("UPDATE memory SET event_time = 1 WHERE id = 1", False),
        ("UPDATE memory SET content = 'Fact 1!' WHERE id = 1", False),
        ("INSERT INTO purge_mark (partition_id, doomed_id, last_id, recorded_at) VALUES (1, 1, 1, 1)", False),
        ("UPDATE claim SET valid_until = {now} + 9, closed_at = 1, superseded_by = 3 WHERE memory_id = 1", True),
        ("UPDATE claim SET valid_until = {now} + 9, closed_at = 1, valid_from = {now} WHERE memory_id = 1", True),
        ("UPDATE claim SET valid_from = {now} + 9 WHERE memory_id = 1", True),
        ("UPDATE claim SET valid_from = {now} + memory_id, valid_until = {now} + memory_id + 1, closed_at = 1", False),
    ],
)
def test_a_conflict_is_open_while_both_sides_are_kept_hold_together_and_differ(conn, statement, is_open):
    one, other, _ = facts(conn, 3)
    done(conn, conflicting(one, other, NOON))
    conn.exec_driver_sql(statement.format(now=SIGHT.now))
    sight = Sight.at(minutes(5), {Kind.FACT: 30})
    assert bool(open_pairs(conn, "agent", "ana", sight, limit=9)) == is_open
    assert bool(partners(conn, one, sight)) == bool(partners(conn, other, sight)) == is_open


def test_neighbours_are_of_one_partition_kind_and_text(conn):
    [here] = memories.insert(conn, [a_memory("Ａna  LIKES fado")])
    memories.insert(conn, [a_memory("Ana likes fado", BOB), a_memory("Ana likes fado", kind=Kind.FACT)])
    found = neighbours.with_text(conn, ANA, Kind.EVENT, "ana likes fado", SIGHT)
    assert [one.row.id for one in found] == [here]
    assert neighbours.with_text(conn, ANA, Kind.EVENT, "ana likes", SIGHT) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memory SET ended_at = 1, ending = 'wrong'",
        "UPDATE memory SET review_state = 'pending'",
        "UPDATE memory SET expires_at = 1",
        "UPDATE claim SET valid_until = valid_from, closed_at = 1",
        "INSERT INTO purge_mark (partition_id, doomed_id, last_id, recorded_at) SELECT id, id, 99, 1 FROM partition",
    ],
)
def test_what_searches_do_not_show_is_no_neighbour(conn, statement):
    [one] = memories.insert(conn, [a_memory(kind=Kind.FACT, detail=FactDetail(slot="Home"))])
    number = partitions.ensure(conn, ANA)
    assert [found.row.id for found in neighbours.in_slot(conn, number, "home", SIGHT)] == [one]
    conn.exec_driver_sql(statement)
    assert neighbours.in_slot(conn, number, "home", SIGHT) == []
    same = neighbours.with_text(conn, ANA, Kind.FACT, "Ana moved to Lisbon.", SIGHT)
    is_past = any(word in statement for word in ("purge", "expires", "valid_until"))
    assert [found.row.id for found in same] == ([] if is_past else [one])
    assert not neighbours.by_ids(conn, [one], SIGHT)[one].shown
    assert [found.shown for found in same if found.shown] == []
    assert [found.row.id for found in same if found.waits] == ([one] if "pending" in statement else [])
    assert [found.row.id for found in same if found.denied] == ([one] if "wrong" in statement else [])


def test_days_of_retention_count_from_the_event(conn):
    memories.insert(conn, [a_memory(event_time=minutes(-60 * 24 * 10)), a_memory("Later.")])

    def shown(days):
        sight = Sight.at(minutes(5), {Kind.EVENT: days})
        return [
            [one.shown for one in neighbours.with_text(conn, ANA, Kind.EVENT, text, sight)]
            for text in (a_memory().content, "Later.")
        ]

    assert shown(11) == [[True], [True]]
    assert shown(9) == [[False], [True]]


def test_the_lookups_of_a_write_use_their_indexes(conn):
    key = text_key("x")
    neighbours.known_keys(conn, ANA, [key], [key])
    plan = conn.exec_driver_sql(
        f"EXPLAIN QUERY PLAN {neighbours._KNOWN}", ("agent", "ana", f"[{key}]", "agent", "ana", f"[{key}]")
    ).fetchall()
    told = " ".join(row[3] for row in plan)
    assert "INDEX memory_text" in told
    assert "INDEX memory_identity" in told
    assert "SCAN memory" not in told


def test_a_use_strengthens_a_fact_by_what_is_missing_and_an_event_by_half(conn):
    [fact] = facts(conn, 1)
    [event] = memories.insert(conn, [a_memory()])
    conn.exec_driver_sql("UPDATE fact_detail SET strength = 0.5, dormant = 1")
    done(conn, *strengthened(conn, [fact, event], NOON))
    assert conn.exec_driver_sql("SELECT round(strength, 6), dormant FROM fact_detail").one() == (0.675, 0)
    assert conn.exec_driver_sql("SELECT stability_days FROM event_detail").scalar() == pytest.approx(30 * 1.5 * 1.5)
    rows = conn.exec_driver_sql("SELECT access_count, round(base_importance, 6), last_used_at FROM memory").fetchall()
    assert [tuple(row) for row in rows] == [(1, 5.1, to_micros(NOON))] * 2
