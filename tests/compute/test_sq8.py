"""Vectors as one byte a component, through the bindings."""

import numpy as np
import pytest

from memcore._core import DimensionError, EngineError, InvalidInputError, sq8


def some_rows(count: int, dimension: int = 384) -> np.ndarray:
    return np.random.default_rng(7).normal(size=(count, dimension)).astype(np.float32)


def test_a_round_trip_moves_no_component_by_more_than_half_a_step() -> None:
    vector = some_rows(1)[0]
    blob = sq8.encode(vector)
    back = sq8.decode(blob)
    assert len(blob) == 16 + 384
    assert back.dtype == np.float32
    assert np.abs(back - vector).max() <= np.abs(vector).max() / 127 * 0.501


def test_many_rows_are_the_rows_one_by_one() -> None:
    rows = some_rows(5)
    blobs = sq8.encode_rows(rows)
    assert blobs == [sq8.encode(row) for row in rows]
    assert sq8.encode_rows(np.asfortranarray(rows)) == blobs
    assert np.array_equal(sq8.decode_rows(blobs), np.stack([sq8.decode(blob) for blob in blobs]))
    assert sq8.encode_rows(rows[:0]) == []
    assert sq8.decode_rows([]).shape == (0, 0)


def test_a_view_with_gaps_is_read_as_what_it_shows() -> None:
    wide = some_rows(1, 20)[0]
    assert sq8.encode(wide[::2]) == sq8.encode(wide[::2].copy())


def test_the_cosine_is_within_a_hundredth_of_the_exact_one() -> None:
    rows = some_rows(40)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    blobs = sq8.encode_rows(rows)
    for i in range(39):
        assert abs(sq8.cosine(blobs[i], blobs[i + 1]) - unit[i] @ unit[i + 1]) < 0.01
        assert sq8.cosine(blobs[i], blobs[i]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "vector",
    [
        np.zeros(4, np.float32),
        np.zeros(0, np.float32),
        np.array([1, np.nan], np.float32),
        np.array([np.inf, 1], np.float32),
        np.ones(4, np.float64),
        np.ones((2, 2), np.float32),
        [1.0, 2.0],
        "text",
        None,
    ],
)
def test_what_is_not_a_finite_vector_with_a_direction_is_refused(vector: object) -> None:
    with pytest.raises(InvalidInputError, match="vector"):
        sq8.encode(vector)


def test_the_largest_component_is_told_unless_one_is_not_finite() -> None:
    assert sq8.largest(np.array([1.0, -3.5, 2.0], "f4")) == 3.5
    assert sq8.largest(np.zeros(3, "f4")) == sq8.largest(np.zeros(0, "f4")) == 0.0
    assert sq8.largest(np.arange(9, dtype="f4")[::-2]) == 8.0
    for broken in (np.nan, np.inf, -np.inf):
        assert np.isnan(sq8.largest(np.array([1.0, broken], "f4")))


def test_a_bad_row_is_named() -> None:
    rows = some_rows(3)
    rows[1, 5] = np.nan
    with pytest.raises(InvalidInputError, match="row 1"):
        sq8.encode_rows(rows)


def test_damaged_bytes_are_an_engine_error_that_names_the_row() -> None:
    blobs = sq8.encode_rows(some_rows(2))
    for bad in (b"", blobs[0][:15], blobs[0][:-1], b"XXXX" + blobs[0][4:], blobs[0] + b"\0"):
        with pytest.raises(EngineError, match="sq8 blob"):
            sq8.decode(bad)
    with pytest.raises(EngineError, match="row 1"):
        sq8.decode_rows([blobs[0], blobs[1][:-1]])


def test_two_dimensions_do_not_mix() -> None:
    short, long = sq8.encode(some_rows(1, 3)[0]), sq8.encode(some_rows(1, 4)[0])
    with pytest.raises(DimensionError):
        sq8.cosine(short, long)
    with pytest.raises(DimensionError):
        sq8.decode_rows([short, long])
