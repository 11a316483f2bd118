"""A store with memories that a search may not see answers it as a store that never had them."""

from datetime import timedelta

import numpy as np
import pytest
from mirror_samples import ARCS, NAMES, NOW, PARAMS, WORDS, a_mirror, open_memory, reader_of, sql

from memcore.mirror.reader import MirrorReader
from memcore.mirror.visibility import View, hidden_from
from memcore.scope import read_scope
from memcore.storage.encoding import to_micros

HIDING = {
    "pending": "UPDATE memory SET review_state = 'pending' WHERE id IN {ids}",
    "rejected": "UPDATE memory SET review_state = 'rejected' WHERE id IN {ids}",
    "retired": "UPDATE memory SET ended_at = 5, ending = 'retired' WHERE id IN {ids}",
    "damaged": "UPDATE memory SET crc = 1 WHERE id IN {ids}",
    "expired": "UPDATE memory SET expires_at = 5 WHERE id IN {ids}",
    "superseded": "UPDATE claim SET valid_until = valid_from + 1, closed_at = valid_from + 2 WHERE memory_id IN {ids}",
    "dormant": "UPDATE fact_detail SET dormant = 1 WHERE memory_id IN {ids}",
    "private": "UPDATE memory SET channel = 'direct' WHERE id IN {ids}",
    "chunk": "UPDATE memory SET kind = 'chunk' WHERE id IN {ids}",
}
SECOND = 7
"""Every so many memories one is hidden."""


def items():
    """Facts of two partitions in two sessions, with entities; each a dict for `add_many`."""
    for number in range(60):
        words = [WORDS[(number * step + step) % len(WORDS)] for step in (1, 3, 5)]
        yield {
            "content": " ".join([*words, f"n{number % 9}"]) + ("?" if number % 5 == 0 else "."),
            "user_id": None if number % 4 == 0 else "ana",
            "kind": "fact",
            "entities": [NAMES[number % 5], NAMES[number % 7]],
            "event_time": NOW - timedelta(days=number),
        }


def is_hidden(number):
    return number % SECOND == 3


def filled(memory, chosen):
    """The numbers of the items that are stored, by id: all entities come first, so that a name has one id anywhere."""
    for name in NAMES[:7]:
        memory.add(name, kind="entity")
    by_id = {}
    for number, item in enumerate(items()):
        if chosen(number):
            by_id[memory.add_many([item | {"infer": False}]).ids[0]] = number
    ids = {number: key for key, number in by_id.items()}
    for one, other in [(0, 1), (2, 3), (3, 4), (9, 10), (10, 11), (4, 11), (16, 17), (17, 18)]:
        if one in ids and other in ids:
            memory.relate(ids[one], ids[other], "causal", 0.9)
    return by_id


def seen_through(memory, mirror, by_id, *, in_group=True):
    """All that a search in a group could learn, with the numbers of the items in place of ids and rows."""
    with memory._database.read() as connection:
        mirror.follow(connection, memory._calls.store.vectors.stored_space(connection))
        scope = mirror.scope(connection, read_scope("agent", ["ana"]), ARCS)
        hidden = hidden_from(scope.lives, scope.columns.ids, View(now=to_micros(NOW), in_group=in_group))
        plain = reader_of(memory, mirror, connection, ["ana"])
        reader = MirrorReader(mirror, scope, plain._space, None, hidden=hidden)
        shown = np.ones(len(scope), bool) if reader.allowed is None else reader.allowed
        numbers = {row: by_id[key] for row, key in enumerate(scope.columns.ids.tolist()) if shown[row]}

        def named(rows):
            return sorted(numbers[row] for row in rows.tolist() if row in numbers)

        def by_number(found):
            return {by_id.get(key, -key): value for key, value in zip(found.ids.tolist(), found.values, strict=True)}

        seeds = np.array([key for key, number in by_id.items() if number in (2, 9, 10, 16)] + [1, 2], np.int64)
        walk = reader.spread(np.sort(seeds), np.ones(len(seeds), np.float32), PARAMS)
        mass = reader.pagerank(np.sort(seeds), np.ones(len(seeds), np.float32), PARAMS)
        rows, shares = reader.concept_mass(WORDS, PARAMS)
        atoms, topics = reader.atoms(PARAMS), reader.topics(PARAMS)
        return {
            "rows": sorted(numbers.values()),
            "words": [
                {numbers[row]: value for row, value in enumerate(reader.lexical([word], PARAMS)) if row in numbers}
                for word in WORDS
            ],
            "widened": [reader.expanded(term) for term in (["n"], ["酒"], ["gard"], ["n3"])],
            "energy": by_number(walk),
            "mass": by_number(mass),
            "mentions": [named(reader.mentioning(entity)) for entity in range(1, 8)],
            "companions": [reader.entity_neighbours(entity, PARAMS) for entity in range(1, 8)],
            "concept companions": reader.concept_neighbours(WORDS, PARAMS),
            "concept mass": sorted(
                (numbers[row], share) for row, share in zip(rows.tolist(), shares.tolist(), strict=True)
            ),
            "concept rows": [named(reader.concept_rows(word)) for word in WORDS],
            "atoms": (atoms.names, atoms.of_concepts, atoms.matrix.tolist()),
            "topics": None if topics is None else topics.h.tolist(),
        }


@pytest.mark.parametrize("how", HIDING)
def test_what_is_hidden_counts_in_no_statistic_and_carries_no_energy(how):
    with open_memory() as memory, open_memory() as without:
        by_id, mirror = filled(memory, lambda _: True), a_mirror()
        seen_through(memory, mirror, by_id)
        ids = ", ".join(str(key) for key, number in by_id.items() if is_hidden(number))
        assert sql(memory, HIDING[how].format(ids=f"({ids})"))
        expected = seen_through(without, a_mirror(), filled(without, lambda number: not is_hidden(number)))
        assert len(expected["rows"]) == 51
        assert expected["energy"]
        assert seen_through(memory, mirror, by_id) == expected
        assert seen_through(memory, a_mirror(), by_id) == expected


@pytest.mark.parametrize("how", ["pending", "retired", "expired", "dormant", "superseded", "private"])
def test_what_is_shown_again_counts_as_before(how):
    back = {
        "pending": "UPDATE memory SET review_state = 'active'",
        "retired": "UPDATE memory SET ended_at = NULL, ending = NULL",
        "expired": "UPDATE memory SET expires_at = NULL",
        "dormant": "UPDATE fact_detail SET dormant = 0",
        "superseded": "UPDATE claim SET valid_until = NULL, closed_at = NULL",
        "private": "UPDATE memory SET channel = NULL",
    }
    with open_memory() as memory:
        by_id, mirror = filled(memory, lambda _: True), a_mirror()
        before = seen_through(memory, mirror, by_id)
        ids = ", ".join(str(key) for key, number in by_id.items() if is_hidden(number))
        assert sql(memory, HIDING[how].format(ids=f"({ids})"))
        assert seen_through(memory, mirror, by_id) != before
        assert sql(memory, back[how])
        assert seen_through(memory, mirror, by_id) == before


def test_energy_does_not_pass_through_a_shared_memory_that_is_hidden():
    with open_memory() as memory:
        ids = [
            memory.add(text, user_id=user).ids[0] for text, user in [("tea", "ana"), ("cello", None), ("radio", "ana")]
        ]
        memory.relate(ids[0], ids[1], "causal", 0.9)
        memory.relate(ids[1], ids[2], "causal", 0.9)
        mirror = a_mirror()

        def reached():
            with memory._database.read() as connection:
                reader = reader_of(memory, mirror, connection, ["ana"])
                walk = reader.spread(np.array(ids[:1]), np.ones(1, np.float32), PARAMS)
            return sorted(walk.ids.tolist())

        assert reached() == ids
        assert sql(memory, "UPDATE memory SET ended_at = 5, ending = 'archived' WHERE id = ?", ids[1])
        assert reached() == ids[:1]


def test_an_entity_that_ended_is_named_by_nothing_and_carries_no_energy():
    with open_memory() as memory:
        memory.add("tea", user_id="ana", entities=["Lin"])
        memory.add("cello", user_id="ana", entities=["Lin"])
        [entity] = [record.id for record in memory.get_all(user_id="ana", kinds=["entity"])]
        one = memory.get_all(user_id="ana", kinds=["event"])[0].id
        mirror = a_mirror()

        def known():
            with memory._database.read() as connection:
                reader = reader_of(memory, mirror, connection, ["ana"])
                walk = reader.spread(np.array([one]), np.full(1, 2.0, np.float32), PARAMS)
            return [named.id for named in reader.named_in("Lin")], walk.ids.tolist()

        assert known() == ([entity], [one, entity])
        assert sql(memory, "UPDATE memory SET ended_at = 5, ending = 'retired' WHERE id = ?", entity)
        assert known() == ([], [one])
        assert sql(memory, "UPDATE memory SET ended_at = NULL, ending = NULL WHERE id = ?", entity)
        assert known() == ([entity], [one, entity])
