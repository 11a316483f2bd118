"""The vector engine through the bindings: exact, scoped, and strict about what it takes."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from memcore._core import DimensionError, EngineError, IntentEngine, InvalidInputError, simd_level, sq8

PRECISIONS = pytest.mark.parametrize("precision", ["f32", "sq8"])


def some_rows(count: int, dimension: int = 384) -> np.ndarray:
    return np.random.default_rng(11).normal(size=(count, dimension)).astype(np.float32)


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def engine_of(rows: np.ndarray, precision: str, ids: np.ndarray | None = None) -> IntentEngine:
    engine = IntentEngine(rows.shape[1], precision)
    engine.add(np.arange(len(rows)) if ids is None else ids, rows)
    return engine


@PRECISIONS
def test_a_search_is_the_plain_sort_of_the_cosines(precision: str) -> None:
    rows = some_rows(300)
    engine = engine_of(rows, precision, np.random.default_rng(2).permutation(300))
    cosines = engine.cosines(rows[5])
    order = np.lexsort((engine.ids(), -cosines))[:20]
    ids, found = engine.search(rows[5], 20, None)
    assert ids.dtype == np.int64
    assert np.array_equal(ids, engine.ids()[order])
    assert np.array_equal(found, cosines[order])
    assert np.array_equal(engine.ids(), np.arange(300))


@PRECISIONS
def test_cosines_are_those_of_numpy(precision: str) -> None:
    rows = some_rows(200)
    exact = unit(rows) @ unit(rows[7])
    assert np.abs(engine_of(rows, precision).cosines(rows[7]) - exact).max() < (1e-5 if precision == "f32" else 0.01)


def test_rows_loaded_from_blobs_have_the_cosines_of_the_blobs() -> None:
    blobs = sq8.encode_rows(some_rows(30))
    engine = engine_of(sq8.decode_rows(blobs), "sq8")
    cosines = engine.cosines(sq8.decode(blobs[3]))
    assert cosines.tolist() == [np.float32(sq8.cosine(blob, blobs[3])) for blob in blobs]


@PRECISIONS
def test_a_small_scope_among_many_rows_is_found_whole(precision: str) -> None:
    engine = engine_of(some_rows(5000, 16), precision)
    allowed = np.array([4999, 17, 17, 1_000_000, 2500])
    ids, cosines = engine.search(some_rows(1, 16)[0], 5, allowed)
    assert sorted(ids.tolist()) == [17, 2500, 4999]
    assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)
    wide = np.arange(10, 5000)
    assert engine.search(some_rows(1, 16)[0], 5000, wide)[0].size == 4990


@PRECISIONS
def test_a_batch_is_its_queries_one_by_one(precision: str) -> None:
    rows = some_rows(40)
    engine = engine_of(rows, precision)
    ids, cosines = engine.search(rows[:3], 7, None)
    assert ids.shape == cosines.shape == (3, 7)
    for i in range(3):
        alone = engine.search(rows[i], 7, None)
        assert np.array_equal(ids[i], alone[0])
        assert np.array_equal(cosines[i], alone[1])
    assert engine.search(rows[:0], 7, None)[0].shape == (0, 0)
    assert engine.search(rows[:2], 7, np.arange(3))[0].shape == (2, 3)


@PRECISIONS
def test_rows_are_replaced_removed_and_given_back_as_unit_vectors(precision: str) -> None:
    rows = some_rows(10)
    engine = engine_of(rows, precision)
    engine.add(np.array([3]), rows[:1])
    assert (len(engine), 3 in engine, 10 in engine, "3" in engine) == (10, True, False, False)
    assert np.array_equal(engine.vectors(np.array([3])), engine.vectors(np.array([0])))
    assert np.abs(engine.vectors(np.array([9, 1])) - unit(rows[[9, 1]])).max() < 0.01
    assert engine.remove(np.array([0, 5, 77])) == 2
    assert engine.ids().tolist() == [1, 2, 3, 4, 6, 7, 8, 9]
    with pytest.raises(InvalidInputError, match="ids: 5"):
        engine.vectors(np.array([5]))
    assert (engine.dimension, engine.precision) == (384, precision)
    assert engine.memory_bytes > 8 * 384


@pytest.mark.parametrize(
    ("vectors", "error", "text"),
    [
        (np.ones((2, 3), np.float32), DimensionError, "vectors: dimension 3 given, 4 expected"),
        (np.ones((3, 4), np.float32), InvalidInputError, "vectors: 3 rows"),
        (np.ones((2, 4), np.float64), InvalidInputError, "float32"),
        (np.ones(8, np.float32), InvalidInputError, "2 axes"),
        (np.array([[1, 1, 1, 1], [0, 0, 0, 0]], np.float32), InvalidInputError, "row 1: a vector of zeros"),
        (np.array([[1, 1, 1, 1], [0, np.nan, 0, 0]], np.float32), InvalidInputError, "row 1: NaN at 1"),
        (np.array([[1, np.inf, 1, 1], [1, 0, 0, 0]], np.float32), InvalidInputError, "row 0: inf at 1"),
        ([[1.0] * 4] * 2, InvalidInputError, "list"),
    ],
)
def test_bad_rows_are_refused_and_nothing_is_added(vectors: Any, error: type[Exception], text: str) -> None:
    engine = IntentEngine(4, "sq8")
    with pytest.raises(error, match=text):
        engine.add(np.array([1, 2]), vectors)
    assert len(engine) == 0


@pytest.mark.parametrize(
    ("query", "k", "text"),
    [
        (np.zeros(4, np.float32), 1, "query: a vector of zeros"),
        (np.array([1, 2, np.nan, 4], np.float32), 1, "query: NaN at 2"),
        (np.ones(5, np.float32), 1, "query: dimension 5"),
        (np.ones((1, 5), np.float32), 1, "query: dimension 5"),
        (np.ones(4, np.float32), 0, "k: 0"),
        (np.ones(4, np.float32), -2, "k: -2"),
        (np.ones(4, np.float32), True, "k: True"),
    ],
)
def test_bad_queries_are_refused(query: np.ndarray, k: Any, text: str) -> None:
    with pytest.raises(InvalidInputError, match=text):
        IntentEngine(4, "f32").search(query, k, None)


@pytest.mark.parametrize(
    ("dimension", "precision"), [(0, "f32"), (-1, "f32"), (70_000, "sq8"), (4, "f16"), (4, None), (True, "f32")]
)
def test_an_engine_that_cannot_be_is_refused(dimension: Any, precision: str) -> None:
    with pytest.raises(InvalidInputError):
        IntentEngine(dimension, precision)


def in_another_process(program: str, **environment: str) -> list[str]:
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_the_level_of_simd_may_be_lowered_and_bytes_give_the_same_cosines() -> None:
    program = (
        "import numpy as np; from memcore._core import IntentEngine, simd_level\n"
        "rows = np.random.default_rng(11).normal(size=(50, 391)).astype(np.float32)\n"
        "engine = IntentEngine(391, 'sq8'); engine.add(np.arange(50), rows)\n"
        "print(simd_level(), engine.cosines(rows[0]).tobytes().hex())"
    )
    levels = ("scalar", "portable", "avx2", "avx512", "nonsense")
    answers = {level: in_another_process(program, MEMCORE_SIMD=level) for level in levels}
    assert answers["scalar"][0] == "scalar"
    assert answers["portable"][0] == "portable"
    assert answers["nonsense"][0] == answers["avx512"][0]
    assert len({cosines for _, cosines in answers.values()}) == 1
    assert simd_level() in levels[:4]


def test_numbers_of_numpy_are_numbers() -> None:
    engine = IntentEngine(np.int64(2), "f32")
    engine.add(np.array([1]), np.ones((1, 2), np.float32))
    assert engine.search(np.ones(2, np.float32), np.int32(5), None)[0].tolist() == [1]
    assert np.int64(1) in engine


@PRECISIONS
def test_one_thread_and_two_give_the_same_bytes(precision: str) -> None:
    program = (
        "import numpy as np; from memcore._core import IntentEngine\n"
        "rows = np.random.default_rng(11).normal(size=(9000, 256)).astype(np.float32)\n"
        f"engine = IntentEngine(256, {precision!r}); engine.add(np.arange(9000), rows)\n"
        "ids, cosines = engine.search(rows[0], 9000, None)\n"
        "import hashlib; print(hashlib.sha256(ids.tobytes() + cosines.tobytes()).hexdigest())"
    )
    assert in_another_process(program, RAYON_NUM_THREADS="1") == in_another_process(program, RAYON_NUM_THREADS="2")


def test_blobs_are_added_as_what_they_stand_for() -> None:
    rows = np.random.default_rng(9).standard_normal((700, 24)).astype(np.float32)
    ids, blobs = np.arange(700), sq8.encode_rows(rows)
    one, other = (IntentEngine(24, "sq8") for _ in range(2))
    one.add(ids, sq8.decode_rows(blobs))
    other.add(ids[:9], rows[9:18])
    other.add_blobs(ids, blobs)
    assert other.to_bytes() == one.to_bytes()
    with pytest.raises(EngineError, match="row 1: "):
        other.add_blobs(ids[:2], [blobs[0], blobs[1][:-1]])
    for wrong in (blobs[:1], [blobs[0], sq8.encode(rows[0, :5])]):
        with pytest.raises(DimensionError):
            other.add_blobs(ids[:2], wrong)
    with pytest.raises(InvalidInputError, match="f32"):
        IntentEngine(24, "f32").add_blobs(ids[:1], blobs[:1])
    assert other.to_bytes() == one.to_bytes()
