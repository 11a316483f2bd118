"""What somebody says of a memory is a label, takes it out of the searches, or puts another text in its place."""

from datetime import timedelta

import pytest

from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import Category, Kind, Layer, Origin
from memcore.scope import Partition
from memcore.storage import memories
from memcore.storage.detail_rows import CaseDetail, ChunkDetail, Claim, FactDetail, LessonDetail
from memcore.storage.rows import NewMemory
from memcore.writing.feedback import feedback, said
from memcore.writing.history import history, selector, undo
from memcore.writing.reach import reach
from memcore.writing.rules import Rules

ALL = frozenset(Layer)


def say(store, memory_id, *, user_id=None, layers=ALL, helpful=None, wrong=False, corrected=None):
    return feedback(
        store.database,
        memory_id,
        said(helpful, wrong, corrected),
        within=reach(store.agent_id, user_id),
        vectors=store.vectors,
        rules=Rules(layers=layers),
        now=store.now,
    )


def take_back(store, operation_id):
    which = selector(operation_id, None, None, None)
    [operation] = undo(store.database, which, within=reach(store.agent_id), now=store.now).operations
    return operation.id


def operations(store, memory_id):
    return history(store.database, memory_id, within=reach(store.agent_id))


def labels(store):
    return store.rows("SELECT memory_id, helpful, wrong FROM feedback ORDER BY id")


@pytest.mark.parametrize("helpful", [True, False])
def test_helpful_or_not_is_a_label_and_changes_nothing_else(wordless, helpful):
    [added] = wordless.add("Ana likes tea.")
    before = wordless.rows("SELECT * FROM memory")
    assert say(wordless, added.id, helpful=helpful) is None
    assert labels(wordless) == [(added.id, int(helpful), 0)]
    assert wordless.rows("SELECT * FROM memory") == before
    assert operations(wordless, added.id) == []


def test_what_is_wrong_leaves_the_searches_and_an_undo_takes_the_label_back_too(wordless):
    [added] = wordless.add("Ana likes tea.")
    assert say(wordless, added.id, wrong=True) is None
    assert wordless.rows("SELECT ending FROM memory") == [("wrong",)]
    [operation] = operations(wordless, added.id)
    assert (operation.action, operation.reason) == ("wrong", "wrong")
    undone = take_back(wordless, operation.id)
    assert wordless.rows("SELECT ended_at, ending FROM memory") == [(None, None)]
    assert labels(wordless) == []
    take_back(wordless, undone)
    assert wordless.rows("SELECT ending FROM memory") == [("wrong",)]
    assert labels(wordless) == [(added.id, None, 1)]


def test_a_label_that_comes_back_meets_no_other_under_its_id(wordless):
    [added] = wordless.add("Ana likes tea.")
    say(wordless, added.id, wrong=True)
    undone = take_back(wordless, operations(wordless, added.id)[0].id)
    say(wordless, added.id, helpful=True)
    take_back(wordless, undone)
    assert labels(wordless) == [(added.id, None, 1), (added.id, 1, 0)]


def test_wrong_twice_ends_it_once(wordless):
    [added] = wordless.add("Ana likes tea.")
    say(wordless, added.id, wrong=True)
    moment = wordless.one("SELECT ended_at FROM memory")
    wordless.now += timedelta(days=1)
    say(wordless, added.id, wrong=True)
    assert wordless.one("SELECT ended_at FROM memory") == moment
    assert len(labels(wordless)) == 2


@pytest.mark.parametrize("kind", ["fact", "knowledge"])
def test_a_corrected_claim_is_superseded_from_its_beginning(store, kind):
    [old] = store.add("Ana lives in Lisbon.", kind=kind, event_time=store.now - timedelta(days=9), tags=["home"])
    new = say(store, old.id, corrected="Ana lives in Porto.")
    assert (new.kind, new.outcome, new.supersedes) == (kind, "accept", old.id)
    began = int((store.now - timedelta(days=9)).timestamp() * 1e6)
    learned = int(store.now.timestamp() * 1e6)
    assert store.rows("SELECT memory_id, valid_from, valid_until, closed_at, superseded_by FROM claim ORDER BY 1") == [
        (old.id, began, began, learned, new.id),
        (new.id, began, None, None, None),
    ]
    assert store.rows("SELECT content, tags, origin, ending FROM memory ORDER BY id") == [
        ("Ana lives in Lisbon.", '["home"]', "user", None),
        ("Ana lives in Porto.", '["home"]', "user", None),
    ]
    assert store.one("SELECT count(*) FROM memory_vector WHERE memory_id = ?", new.id) == 1
    assert [one.action for one in operations(store, old.id)] == ["supersede"]
    assert operations(store, old.id) == operations(store, new.id)


def test_a_correction_undone_leaves_the_old_text_alone_and_done_again_the_new(wordless):
    [old] = wordless.add("Ana lives in Lisbon.", kind="fact")
    new = say(wordless, old.id, corrected="Ana lives in Porto.")
    query = "SELECT id, ending, superseded_by FROM memory JOIN claim ON memory_id = id ORDER BY id"
    undone = take_back(wordless, operations(wordless, new.id)[0].id)
    assert wordless.rows(query) == [(old.id, None, None), (new.id, "retired", None)]
    take_back(wordless, undone)
    assert wordless.rows(query) == [(old.id, None, new.id), (new.id, None, None)]


def test_a_claim_that_is_wrong_and_corrected_leaves_the_past_too(wordless):
    [old] = wordless.add("Ana lives in Lisbon.", kind="fact")
    new = say(wordless, old.id, wrong=True, corrected="Ana lives in Porto.")
    assert wordless.rows("SELECT id, ending FROM memory ORDER BY id") == [(old.id, "wrong"), (new.id, None)]
    assert wordless.one("SELECT superseded_by FROM claim WHERE memory_id = ?", old.id) == new.id


@pytest.mark.parametrize("kind", ["event", "turn"])
@pytest.mark.parametrize("wrong", [True, False])
def test_what_claims_nothing_ends_as_wrong_beside_its_correction(wordless, kind, wrong):
    [old] = wordless.add("We met on Monday.", kind=kind, session_id="s", speaker="Ana")
    new = say(wordless, old.id, wrong=wrong, corrected="We met on Tuesday.")
    assert wordless.rows(
        "SELECT id, kind, ending, session_id, speaker FROM memory WHERE kind = ? ORDER BY id", kind
    ) == [
        (old.id, kind, "wrong", "s", "Ana"),
        (new.id, kind, None, None, "Ana"),
    ]
    [operation] = operations(wordless, old.id)
    assert (operation.action, operation.reason, set(operation.memory_ids)) == ("wrong", "corrected", {old.id, new.id})


def test_what_was_said_to_be_wrong_can_be_corrected_later(wordless):
    [old] = wordless.add("We met on Monday.")
    say(wordless, old.id, wrong=True)
    new = say(wordless, old.id, corrected="We met on Tuesday.")
    assert wordless.rows("SELECT id, ending FROM memory ORDER BY id") == [(old.id, "wrong"), (new.id, None)]


def insert(store, kind, detail=None, claim=None):
    new = NewMemory(
        partition=Partition(store.agent_id, "ana"),
        kind=Kind(kind),
        content="old text",
        tokens="old text",
        origin=Origin.USER,
        importance=5,
        event_time=store.now,
        recorded_at=store.now,
        detail=detail,
        claim=claim,
    )
    with store.database.write() as connection:
        return memories.insert(connection, [new])[0]


@pytest.mark.parametrize(
    ("kind", "detail", "query"),
    [
        (
            "fact",
            FactDetail(category=Category.PREFERENCE, slot="tea"),
            "SELECT category, slot, slot_key FROM fact_detail",
        ),
        ("lesson", LessonDetail(pattern="invoice"), "SELECT pattern FROM lesson_detail"),
        ("case", CaseDetail(question="q", answer="a"), "SELECT question, answer, result FROM case_detail"),
        ("episode", None, "SELECT started_at, ended_at, cues FROM episode_detail"),
        ("summary", None, "SELECT started_at, ended_at FROM summary_detail"),
    ],
)
def test_a_correction_has_the_details_of_what_it_corrects(wordless, kind, detail, query):
    old = insert(wordless, kind, detail)
    say(wordless, old, corrected="new text")
    first, second = wordless.rows(f"{query} ORDER BY memory_id")
    assert first == second


def test_a_correction_of_what_has_ended_in_the_world_has_ended_too(wordless):
    until = wordless.now + timedelta(days=9)
    old = insert(wordless, "fact", claim=Claim(confidence=0.4, valid_until=until))
    new = say(wordless, old, corrected="new text")
    rows = wordless.rows("SELECT confidence, valid_until FROM claim WHERE memory_id = ?", new.id)
    assert rows == [(1.0, int(until.timestamp() * 1e6))]


def test_a_correction_speaks_of_the_entities_that_it_names(wordless):
    [old] = wordless.add("Ana met Bo in Lisbon.", entities=["Ana", "Bo", "Lisbon"], user_id="ana")
    new = say(wordless, old.id, corrected="ana met Cy in Lisbon.")
    names = wordless.rows(
        "SELECT e.content FROM mention JOIN memory e ON e.id = entity_id WHERE memory_id = ? ORDER BY 1", new.id
    )
    assert names == [("Ana",), ("Lisbon",)]
    [old] = wordless.add("小明在上海见了小红。", entities=["小明", "小红", "上海"], user_id="ana")
    new = say(wordless, old.id, corrected="小明在上海见了小刚。")
    assert wordless.one("SELECT count(*) FROM mention WHERE memory_id = ?", new.id) == 2


def test_what_is_superseded_is_corrected_where_it_stands_now(wordless):
    [old] = wordless.add("Ana lives in Lisbon.", kind="fact")
    new = say(wordless, old.id, corrected="Ana lives in Porto.")
    with pytest.raises(InvalidInputError, match=f"id: {old.id} is superseded by memory {new.id}; correct that one"):
        say(wordless, old.id, corrected="Ana lives in Madrid.")
    assert wordless.one("SELECT count(*) FROM memory") == 2


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "feedback"),
        ({"helpful": None}, "feedback"),
        ({"helpful": 1}, "helpful"),
        ({"helpful": "yes"}, "helpful"),
        ({"wrong": 1}, "wrong"),
        ({"wrong": None}, "wrong"),
        ({"helpful": True, "wrong": True}, "helpful"),
        ({"corrected": ""}, "corrected"),
        ({"corrected": 7}, "corrected"),
        ({"corrected": "  ana LIKES\ttea. "}, "corrected"),
    ],
)
def test_what_says_nothing_or_too_much_is_refused_and_nothing_is_written(wordless, given, field):
    [added] = wordless.add("Ana likes tea.")
    with pytest.raises(InvalidInputError, match=rf"^{field}"):
        say(wordless, added.id, **given)
    assert (labels(wordless), operations(wordless, added.id)) == ([], [])
    assert wordless.one("SELECT count(*) FROM memory") == 1


def test_an_entity_can_be_helpful_but_neither_wrong_nor_corrected(wordless):
    [added] = wordless.add("Ana", kind="entity")
    for given in ({"wrong": True}, {"corrected": "Anna"}):
        with pytest.raises(InvalidInputError, match="an entity cannot be"):
            say(wordless, added.id, **given)
    say(wordless, added.id, helpful=True)
    assert labels(wordless) == [(added.id, 1, 0)]


def test_a_piece_of_a_file_is_corrected_in_the_file(wordless):
    chunk = insert(wordless, "chunk", ChunkDetail(path="a.md"))
    with pytest.raises(InvalidInputError, match="change the file"):
        say(wordless, chunk, corrected="new text")
    say(wordless, chunk, wrong=True)
    assert wordless.one("SELECT ending FROM memory") == "wrong"


def test_a_layer_that_is_off_takes_no_correction(wordless):
    [added] = wordless.add("Ana likes tea.", kind="fact")
    dropped = say(wordless, added.id, corrected="Ana likes coffee.", layers=ALL - {Layer.FACTS})
    assert (dropped.id, dropped.outcome) == (None, "drop")
    assert "facts is off" in dropped.reason
    assert (wordless.one("SELECT count(*) FROM memory"), labels(wordless)) == (1, [])


def test_a_named_user_labels_what_is_shared_but_changes_only_its_own(wordless):
    shared, hers = wordless.add("shared").ids[0], wordless.add("hers", user_id="ana").ids[0]
    say(wordless, shared, helpful=False, user_id="ben")
    for given in ({"wrong": True}, {"corrected": "other"}):
        for memory_id in (shared, hers):
            with pytest.raises(NotFoundError):
                say(wordless, memory_id, user_id="ben", **given)
    with pytest.raises(NotFoundError):
        say(wordless, hers, helpful=True, user_id="ben")
    assert labels(wordless) == [(shared, 0, 0)]
