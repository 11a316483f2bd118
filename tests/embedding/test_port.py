"""An embedder of somebody else is believed only as far as its answers are sound."""

import numpy as np
import pytest

from memcore import IntentEngine
from memcore.embedding import HashingEmbedder, checked
from memcore.embedding.port import LARGEST_DIMENSION, CheckedEmbedder
from memcore.errors import InvalidInputError, ProviderError

PRIVATE = "the user's secret sentence"


class Answering:
    """An embedder that gives a fixed answer, or raises it."""

    def __init__(self, answer: object, dimension: object = 3, name: object = "foreign") -> None:
        self.answer = answer
        self.dimension = dimension
        self.name = name
        self.asked: list[list[str]] = []

    def embed(self, texts: list[str], *, query: bool = False) -> object:  # noqa: ARG002
        self.asked.append(texts)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(texts) if callable(self.answer) else self.answer


def embedding(answer: object, **more: object) -> CheckedEmbedder:
    return checked(Answering(answer, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ([1.0, 2.0, 3.0], r"shape \(3,\); 1 texts need shape \(1, 3\)"),
        ([[1.0, 2.0]], r"shape \(1, 2\)"),
        ([[1.0, 2.0, 3.0]] * 2, r"shape \(2, 3\)"),
        (np.zeros((1, 1, 3)), r"shape \(1, 1, 3\)"),
        ([[1.0, float("nan"), 3.0]], "NaN or an infinite value for text 0"),
        ([[1.0, float("inf"), 3.0]], "NaN or an infinite value for text 0"),
        ([[0.0, 0.0, 0.0]], "all-zero vector for text 0"),
        ([["1", "2", "3"]], "convertible to float32"),
        ([[True, False, True]], "convertible to float32"),
        ([[1j, 0, 0]], "convertible to float32"),
        ([[None, 1, 2]], "convertible to float32"),
        ([[1.0], [1.0, 2.0]], "not an array of numbers"),
        (None, "convertible to float32"),
        ("text", "convertible to float32"),
    ],
)
def test_an_unusable_answer_is_named_and_the_text_is_not(answer: object, complaint: str) -> None:
    with pytest.raises(ProviderError, match=complaint) as raised:
        embedding(answer).embed([PRIVATE])
    assert "'foreign'" in str(raised.value)
    assert PRIVATE not in str(raised.value)


def test_the_place_of_a_bad_row_is_counted_from_the_first_text_not_from_the_batch() -> None:
    def bad_fifth(texts: list[str]) -> list[list[float]]:
        return [[0.0, 0.0, 0.0] if text == "4" else [1.0, 0.0, 0.0] for text in texts]

    with pytest.raises(ProviderError, match="text 4"):
        checked(Answering(bad_fifth), batch=2).embed([str(number) for number in range(7)])  # type: ignore[arg-type]


def test_texts_are_handed_over_in_batches_and_come_back_in_order() -> None:
    foreign = Answering(lambda texts: [[float(text), 1.0, 0.0] for text in texts])
    rows = checked(foreign, batch=3).embed([str(number) for number in range(8)])  # type: ignore[arg-type]
    assert [len(part) for part in foreign.asked] == [3, 3, 2]
    np.testing.assert_allclose(rows[:, 0] / rows[:, 1], range(8), rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_rows_of_any_length_are_brought_to_length_one(scale: float) -> None:
    rows = embedding([[3.0 * scale, 0.0, 4.0 * scale]]).embed(["x"])
    np.testing.assert_allclose(rows, [[0.6, 0.0, 0.8]], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint32])
def test_every_real_number_type_is_accepted(dtype: type) -> None:
    assert embedding(np.array([[3, 0, 4]], dtype=dtype)).embed(["x"]).dtype == np.float32


def test_the_answer_is_not_the_array_that_the_embedder_keeps() -> None:
    kept = np.array([[1.0, 0.0, 0.0]], dtype=np.float32)
    embedding(kept).embed(["x"])[:] = 9
    assert kept.tolist() == [[1.0, 0.0, 0.0]]


def test_a_foreign_exception_becomes_a_provider_error_with_its_cause() -> None:
    cause = RuntimeError(f"cannot embed {PRIVATE}")
    with pytest.raises(ProviderError, match="failed with RuntimeError") as raised:
        embedding(cause).embed([PRIVATE])
    assert raised.value.__cause__ is cause
    assert PRIVATE not in str(raised.value)


def test_a_provider_error_and_an_interrupt_pass_as_they_are() -> None:
    for error in (ProviderError("own words"), KeyboardInterrupt()):
        with pytest.raises(type(error)) as raised:
            embedding(error).embed(["x"])
        assert raised.value is error


@pytest.mark.parametrize("dimension", [0, -1, True, 3.0, "3", None, 65_537, 10**100])
def test_a_dimension_must_be_a_positive_integer(dimension: object) -> None:
    with pytest.raises(ProviderError, match="integer from 1 to 65536"):
        _ = embedding([[1.0]], dimension=dimension).dimension


def test_the_largest_dimension_is_the_engine_s() -> None:
    assert IntentEngine(dimension=LARGEST_DIMENSION).memory_bytes >= 0
    with pytest.raises(InvalidInputError, match="dimension"):
        IntentEngine(dimension=LARGEST_DIMENSION + 1)


def test_a_dimension_that_cannot_be_told_is_a_provider_error() -> None:
    class Unreachable:
        name = "unreachable"

        @property
        def dimension(self) -> int:
            raise OSError("no route")

    with pytest.raises(ProviderError, match="asked for its dimension"):
        _ = checked(Unreachable()).dimension  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "  ", None, 7])
def test_a_name_must_be_a_non_empty_string(name: object) -> None:
    with pytest.raises(InvalidInputError, match=r"embedder\.name"):
        embedding([[1.0]], name=name)


@pytest.mark.parametrize("batch", [0, -1, True, 2.5])
def test_a_batch_must_be_a_positive_integer(batch: object) -> None:
    with pytest.raises(InvalidInputError, match="batch"):
        checked(HashingEmbedder(), batch=batch)  # type: ignore[arg-type]


def test_checking_twice_is_checking_once() -> None:
    once = checked(HashingEmbedder())
    assert checked(once) is once
