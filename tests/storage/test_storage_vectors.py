"""A vector belongs to a text and a space; whatever does not fit is passed over or refused, and never half written."""

import numpy as np
import pytest
from storage_samples import ANA, BOB, a_memory, some_vectors

from memcore.errors import DimensionError, InvalidInputError, NotFoundError
from memcore.scope import Partition
from memcore.storage import jobs, memories, spaces, vectors
from memcore.storage.rows import Job, JobKind, PendingText


@pytest.fixture
def filled(database):
    with database.write() as conn:
        texts = ["one", "two", "three"]
        ids = memories.insert(conn, [a_memory(text) for text in texts])
        yield conn, spaces.ensure(conn, "m", 16, "f"), ids, texts


def test_vectors_come_back_as_they_were_given(filled):
    conn, space, ids, texts = filled
    matrix = some_vectors(3)
    assert vectors.put(conn, space, ids, matrix, texts) == ids
    found, read = vectors.read(conn, space, [ids[2], 999, ids[0]])
    assert found.tolist() == [ids[0], ids[2]]
    np.testing.assert_array_equal(read, matrix[[0, 2]])
    assert read.dtype == np.float32
    found, read = vectors.read(conn, space, [])
    assert (found.shape, read.shape) == ((0,), (0, 16))


def test_putting_a_vector_again_replaces_it(filled):
    conn, space, ids, texts = filled
    vectors.put(conn, space, ids, some_vectors(3, seed=1), texts)
    vectors.put(conn, space, ids[:1], some_vectors(1, seed=9), texts[:1])
    np.testing.assert_array_equal(vectors.read(conn, space, ids[:1])[1], some_vectors(1, seed=9))


def test_a_vector_of_a_text_that_changed_or_went_is_passed_over(filled):
    conn, space, ids, _ = filled
    memories.remove(conn, ids[2:])
    written = vectors.put(conn, space, ids, some_vectors(3), ["one", "two as it was", "three"])
    assert written == ids[:1]
    assert vectors.read(conn, space, ids)[0].tolist() == ids[:1]
    assert vectors.put(conn, space, [], np.empty((0, 16), np.float32), []) == []
    assert vectors.put(conn, space, [999], some_vectors(1), ["x"]) == []


def test_what_is_pending_is_listed_in_pages_and_counted_for_each_space_and_agent(filled):
    conn, space, ids, texts = filled
    [elsewhere] = memories.insert(conn, [a_memory("theirs", Partition("other", None))])
    other = spaces.ensure(conn, "m2", 16, "f")
    vectors.put(conn, space, ids[1:2], some_vectors(1), texts[1:2])
    assert vectors.pending(conn, "agent", space, 9) == [
        PendingText(ids[0], "one"),
        PendingText(ids[2], "three"),
    ]
    assert [text.id for text in vectors.pending(conn, "agent", other, 2)] == ids[:2]
    assert [text.id for text in vectors.pending(conn, "agent", other, 2, after_id=ids[1])] == ids[2:]
    assert [vectors.count_pending(conn, agent, space) for agent in ("agent", "other", "none")] == [2, 1, 0]
    assert [text.id for text in vectors.without_vector(conn, space, [elsewhere, ids[1], ids[0]])] == [ids[0], elsewhere]


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_a_vector_without_a_direction_is_refused_and_no_other_of_the_batch_is_kept(filled, value):
    conn, space, ids, texts = filled
    matrix = some_vectors(3)
    matrix[1] = value
    with pytest.raises(InvalidInputError, match="matrix"):
        vectors.put(conn, space, ids, matrix, texts)
    assert vectors.count_pending(conn, "agent", space) == 3


def test_a_vector_of_another_dimension_is_refused(filled):
    conn, space, ids, texts = filled
    with pytest.raises(DimensionError, match="takes 16"):
        vectors.put(conn, space, ids, some_vectors(3, dimension=8), texts)


@pytest.mark.parametrize("shape", [(2, 16), (16,), (3, 4, 4)])
def test_a_matrix_of_another_shape_is_refused(filled, shape):
    conn, space, ids, texts = filled
    with pytest.raises(InvalidInputError, match="shape"):
        vectors.put(conn, space, ids, np.ones(shape, np.float32), texts)


def test_a_model_that_changed_under_its_name_gets_a_space_of_its_own(database):
    with database.write() as conn:
        old = spaces.ensure(conn, "m", 16, "before")
        assert spaces.ensure(conn, "m", 16, "before") == old == spaces.find(conn, "m", 16)
        new = spaces.ensure(conn, "m", 16, "after")
        assert new.id != old.id
        assert spaces.find(conn, "m", 16) == new
        assert spaces.find(conn, "m", 8) is None


def test_a_floor_is_kept_and_its_numbers_must_be_possible(database):
    with database.write() as conn:
        space = spaces.ensure(conn, "m", 16, "f")
        assert (space.floor_base, space.floor_slope) == (None, None)
        floored = spaces.set_floor(conn, space.id, 0.25, 0.05)
        assert (floored.floor_base, floored.floor_slope) == (0.25, 0.05)
        assert spaces.find(conn, "m", 16) == floored
        for base, slope, field in ((1.5, 0, "base"), (-2, 0, "base"), (float("nan"), 0, "base"), (0, -0.1, "slope")):
            with pytest.raises(InvalidInputError, match=f"floor_{field}"):
                spaces.set_floor(conn, space.id, base, slope)
        with pytest.raises(NotFoundError, match="99"):
            spaces.set_floor(conn, 99, 0.5, 0.1)
        with pytest.raises(InvalidInputError, match="dimension"):
            spaces.ensure(conn, "m", 0, "f")


def test_the_spaces_of_a_model_are_listed_oldest_first(database):
    with database.write() as conn:
        listed = [spaces.ensure(conn, "m", dimension, "f") for dimension in (16, 8)]
        spaces.ensure(conn, "another", 16, "f")
        assert spaces.named(conn, "m") == listed
        assert spaces.named(conn, "none") == []


def test_a_job_counts_its_failures_and_goes_when_the_vector_is_there(filled):
    conn, space, ids, texts = filled
    memories.insert(conn, [a_memory("theirs", BOB)])
    jobs.queue(conn, [*ids[:2], 999])
    jobs.fail(conn, ids[1:], "endpoint down")
    jobs.fail(conn, ids[1:2], "timeout")
    jobs.queue(conn, ids)
    assert jobs.of_agent(conn, ANA.agent_id) == [
        Job(JobKind.EMBED, ids[0], 0, None),
        Job(JobKind.EMBED, ids[1], 2, "timeout"),
        Job(JobKind.EMBED, ids[2], 1, "endpoint down"),
    ]
    vectors.put(conn, space, ids[:1], some_vectors(1), texts[:1])
    assert jobs.clear(conn, ids[:2]) == 1
    assert [job.memory_id for job in jobs.of_agent(conn, "agent")] == ids[2:]
    assert jobs.of_agent(conn, "other") == []
