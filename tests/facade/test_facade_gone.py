"""A search of what was known then answers as it did then, with all that it ranks by, whatever left since."""

from datetime import UTC, datetime, timedelta

import pytest

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAMES = ("Marin", "Ilse", "安娜")
PLACES = ("harbour", "garden", "archive", "厨房", "花园")
THINGS = ("cello", "lantern", "atlas", "kettle", "茶壶", "地图", "ladder")
QUERIES = ("Where is the cello of Marin?", "安娜 花园 茶壶", "lantern in the archive", "what does Ilse keep")


def filled(memory):
    """Events, facts and entities of a user and shared, joined by edges; the ids of the events and facts.

    Each is of another length, since what matches equally well is ordered by where it stands.
    """
    for name in NAMES:
        memory.add(name, kind="entity")
    ids = [
        memory.add_many(
            [
                {
                    "content": f"{NAMES[at % 3]} keeps the {THINGS[at % 7]} in the {PLACES[at % 5]}"
                    + "".join(f", as note {at}-{number} says" for number in range(at % 13)),
                    "user_id": None if at % 4 == 0 else "ana",
                    "kind": ("event", "fact", "knowledge")[at % 3],
                    "entities": [NAMES[at % 3], NAMES[at % 2]],
                    "event_time": START - timedelta(days=at),
                    "infer": False,
                }
            ]
        ).ids[0]
        for at in range(48)
    ]
    for at in range(0, 44, 3):
        memory.relate(ids[at], ids[at + 4], "causal", 0.9)
    return ids


def answers(memory, **given):
    """The hits of each query with what they were ranked by."""
    found = []
    for query in QUERIES:
        hits = memory.search(query, user_id="ana", known_at=START, now=START, limit=20, **given)
        found.append({hit.id: (pytest.approx(hit.score, abs=1e-5), hit.content) for hit in hits})
    return found


@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_what_is_retired_since_counts_in_everything_as_it_did(opened, embedder):
    clock = [START]
    memory = opened(embedder=embedder, clock=lambda: clock[0])
    ids = filled(memory)
    before, gone = answers(memory), ids[1::3]
    clock[0] += timedelta(days=1)
    for at, one in enumerate(gone):
        if at % 2:
            memory.retire(one)
        else:
            memory.feedback(one, wrong=True)
    after = answers(memory)
    assert after == before
    assert answers(memory) == before  # what left is remembered
    assert set().union(*before) & set(gone)
    memory.add("Marin keeps another cello.", user_id="ana")
    assert answers(memory) == before
    for query in QUERIES:
        assert not {hit.id for hit in memory.search(query, user_id="ana", limit=20)} & set(gone)
    memory.delete(gone[0])
    assert not any(gone[0] in found for found in answers(memory))


def test_what_left_is_found_only_by_those_whose_it_was(opened):
    clock = [START]
    memory = opened(clock=lambda: clock[0])
    hers = memory.add("The cello stands in the harbour.", user_id="ana").ids[0]
    shared = memory.add("A cello was lent to the archive.").ids[0]
    clock[0] += timedelta(days=1)
    memory.retire(hers)
    memory.retire(shared)

    def found(user, **given):
        return sorted(hit.id for hit in memory.search("cello", user_id=user, known_at=START, **given))

    assert (found("ana"), found("bo"), found(None)) == ([hers, shared], [shared], [shared])
    assert found("ana", kinds=["fact"]) == []
    block = memory.context("cello", user_id="ana", known_at=START)
    assert "harbour" in block
    assert memory.get(hers).ended_at is not None
    memory.purge_user("ana", confirm="ana")
    assert found("ana") == [shared]
