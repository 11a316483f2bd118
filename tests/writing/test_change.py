"""Changing a stored memory."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memcore.errors import DimensionError, InvalidInputError, NotFoundError, ProviderError
from memcore.kinds import Embed
from memcore.writing.change import changes, update
from memcore.writing.reach import reach

LATER = timedelta(hours=1)


def change(store, memory_id, *, user_id=None, embed=Embed.NOW, **given):
    return update(
        store.database,
        memory_id,
        changes(**given),
        within=reach(store.agent_id, user_id),
        vectors=store.vectors,
        now=store.now + LATER,
        embed=embed,
    )


def test_a_new_content_is_analysed_and_embedded_as_by_add(store):
    [added] = store.add("Ana lives in Porto.")
    record = change(store, added.id, content="Ana lives in Lisbon.")
    assert (record.content, record.updated_at) == ("Ana lives in Lisbon.", store.now + LATER)
    assert "lisbon" in store.one("SELECT tokens FROM memory").split(" ")
    assert store.embedder.asked[-1] == ["Ana lives in Lisbon."]
    assert store.one("SELECT count(*) FROM memory_vector") == 1
    assert store.one("SELECT count(*) FROM job") == 0


def test_a_failing_embedder_leaves_the_new_text_and_a_job(store):
    [added] = store.add("old")
    store.embedder.error = OSError("down")
    assert change(store, added.id, content="new").content == "new"
    assert store.one("SELECT count(*) FROM memory_vector") == 0
    assert store.rows("SELECT memory_id, last_error FROM job") == [(added.id, "OSError")]


def test_later_means_the_job_does_it(store):
    [added] = store.add("old")
    asked = len(store.embedder.asked)
    change(store, added.id, content="new", embed=Embed.LATER)
    assert len(store.embedder.asked) == asked
    assert store.rows("SELECT memory_id FROM job") == [(added.id,)]


def test_the_same_content_again_keeps_its_vector(store):
    [added] = store.add("same")
    asked = len(store.embedder.asked)
    change(store, added.id, content="same", tags=["x"])
    assert len(store.embedder.asked) == asked
    assert store.one("SELECT count(*) FROM memory_vector") == 1


def test_a_vector_may_be_given_with_or_without_a_content(store):
    [added] = store.add("old")
    before = store.one("SELECT f32 FROM memory_vector")
    change(store, added.id, embedding=np.arange(1, 27))
    with_old = store.one("SELECT f32 FROM memory_vector")
    change(store, added.id, content="new", embedding=np.arange(2, 28))
    assert len({before, with_old, store.one("SELECT f32 FROM memory_vector")}) == 3
    with pytest.raises(DimensionError):
        change(store, added.id, content="newer", embedding=[1.0])
    assert store.one("SELECT content FROM memory") == "new"


def test_a_given_vector_that_cannot_be_placed_changes_nothing(store):
    store.embedder.error = OSError("down")
    [added] = store.add("old")
    with pytest.raises(ProviderError):
        change(store, added.id, content="new", embedding=np.ones(26))
    assert store.one("SELECT content FROM memory") == "old"


def test_a_new_date_changes_the_date_words(store):
    [added] = store.add("text")
    change(store, added.id, event_time=datetime(2019, 3, 4, tzinfo=UTC))
    assert "2019" in store.one("SELECT tokens FROM memory").split(" ")


def test_a_new_importance_keeps_what_use_has_earned(store):
    [added] = store.add("text", importance=5)
    with store.database.write() as connection:
        connection.exec_driver_sql("UPDATE memory SET base_importance = 5.5")
    record = change(store, added.id, importance=2)
    assert (record.importance, record.base_importance) == (2.0, 2.5)


def test_tags_and_metadata_replace_what_was_there(store):
    [added] = store.add("text", tags=["a"], metadata={"a": 1})
    record = change(store, added.id, tags=[], metadata={"b": [1.5, None]})
    assert (record.tags, record.metadata) == ((), {"b": [1.5, None]})


def test_an_entity_is_found_by_its_new_name(store):
    store.add("x", entities=["Ana"])
    entity = store.one("SELECT memory_id FROM entity")
    change(store, entity, content="Beatriz")
    store.add("y", entities=["beatriz"])
    assert store.one("SELECT count(*) FROM entity") == 1
    with pytest.raises(InvalidInputError, match="content"):
        change(store, entity, content="B" * 600)


@pytest.mark.parametrize(
    ("field", "value"), [("content", " "), ("importance", 11), ("metadata", []), ("event_time", "soon"), ("tags", "x")]
)
def test_a_bad_value_is_refused_by_name(store, field, value):
    [added] = store.add("text")
    with pytest.raises(InvalidInputError, match=field):
        change(store, added.id, **{field: value})


def test_a_change_of_nothing_is_refused(store):
    [added] = store.add("text")
    with pytest.raises(InvalidInputError, match="give one of content"):
        change(store, added.id, content=None)


@pytest.mark.parametrize("impossible", [True, -1, 0, 2**63, "7", 7.0, None])
def test_impossible_ids_are_refused(store, impossible):
    store.add("text")
    with pytest.raises(InvalidInputError, match=r"^id: "):
        change(store, impossible, tags=["x"])
    assert store.one("SELECT count(*) FROM memory") == 1


@pytest.mark.parametrize("owner", ["ana", None])
def test_a_named_user_changes_only_its_own(store, owner):
    [added] = store.add("text", user_id=owner)
    with pytest.raises(NotFoundError, match=r"ben"):
        change(store, added.id, user_id="ben", content="new")
    assert store.rows("SELECT content FROM memory") == [("text",)]


@pytest.mark.parametrize("origin", ["tool", "web", "job"])
@pytest.mark.parametrize("content", ["Ana likes tea.", "安娜喜欢喝茶。"])
def test_what_nobody_said_is_never_made_important_but_may_become_less_so(wordless, origin, content):
    [added] = wordless.add(content, origin=origin)
    with pytest.raises(
        InvalidInputError, match=rf"^importance: 5\.1 is not accepted, memory {added.id} comes from origin"
    ):
        change(wordless, added.id, importance=5.1, tags=["tea"])
    assert wordless.rows("SELECT importance, tags FROM memory") == [(5.0, "[]")]
    assert change(wordless, added.id, importance=2).importance == 2.0
    assert change(wordless, added.id, importance=5).importance == 5.0


def test_what_a_page_said_with_a_number_in_it_may_keep_the_importance_of_that(wordless):
    [added] = wordless.add("The pass closes at 8.", origin="web")
    assert change(wordless, added.id, importance=6, tags=["alps"]).tags == ("alps",)
    with pytest.raises(InvalidInputError, match=r"give at most 6"):
        change(wordless, added.id, importance=6.5)


@pytest.mark.parametrize("origin", ["user", "assistant", "import"])
def test_what_somebody_said_is_made_important(wordless, origin):
    [added] = wordless.add("Ana likes tea.", origin=origin)
    assert change(wordless, added.id, importance=9).importance == 9.0


def test_a_page_that_describes_an_entity_makes_it_no_more_important_than_usual(wordless):
    wordless.add("Ana", kind="entity")
    wordless.add("Bo", kind="entity", origin="web", importance=9)
    hers, his = wordless.rows("SELECT importance FROM memory ORDER BY id")
    assert his == hers


@pytest.mark.parametrize("no", ["review_state = 'rejected'", "ended_at = 1, ending = 'wrong'"])
def test_what_somebody_said_no_to_keeps_its_words(store, no):
    [added] = store.add("Ana lives in Kiel.")
    with store.database.write() as connection:
        connection.exec_driver_sql(f"UPDATE memory SET {no} WHERE id = {added.id}")
    with pytest.raises(
        InvalidInputError, match=rf"^content: 'Ana lives in Wien\.' is not accepted; memory {added.id} is"
    ):
        change(store, added.id, content="Ana lives in Wien.")
    assert store.one("SELECT content FROM memory") == "Ana lives in Kiel."
    assert change(store, added.id, tags=["old"]).tags == ("old",)
