"""What every embedder does, whatever stands behind it."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from memcore.embedding import (
    BundledEmbedder,
    CheckedEmbedder,
    E5Embedder,
    Embedder,
    HashingEmbedder,
    checked,
    identify,
)
from memcore.errors import InvalidInputError

TEXTS = [
    "Ana moved to Lisbon in May 2026.",
    "用户的时区是上海。",
    "The espresso machine needs descaling every month.",
    "他不喝酒，但喜欢喝茶。",
    "GB/s",
]
ODD_TEXTS = [
    "",
    " \n\t ",
    "\0",
    "before\0after",
    "\ud800",
    "half \udfff a pair",
    "😀🧑‍🚀🏳️‍🌈",
    "\u200b\u202e",
    "e\u0301" * 50,
    "?!… ——",
    "a" * 5_000,
    "The tram goes to work. 电车去上班。" * 3_125,
]


class PlainObject:
    """An embedder that somebody wrote: no base class, a list of lists of float, rows of any length."""

    name = "plain"
    dimension = 3

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:  # noqa: ARG002
        return [[1.0 + len(text.encode()), float(text.count("a")), 0.5] for text in texts]


@pytest.fixture(params=["bundled", "e5", "hashing", "plain object", "http"])
def embedder(request: pytest.FixtureRequest) -> CheckedEmbedder:
    made: dict[str, object] = {
        "bundled": BundledEmbedder,
        "e5": E5Embedder,
        "hashing": HashingEmbedder,
        "plain object": PlainObject,
    }
    if request.param == "http":
        return checked(request.getfixturevalue("remote"))
    return checked(made[request.param]())  # type: ignore[operator]


@pytest.fixture(params=["bundled", "e5"])
def semantic(request: pytest.FixtureRequest) -> CheckedEmbedder:
    return checked(BundledEmbedder() if request.param == "bundled" else E5Embedder())


def cosine(embedder: Embedder, question: str, text: str) -> float:
    return float(embedder.embed([question], query=True)[0] @ embedder.embed([text])[0])


def assert_unit_rows(rows: NDArray[np.float32], count: int, embedder: Embedder) -> None:
    assert rows.shape == (count, embedder.dimension)
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    np.testing.assert_allclose(np.linalg.norm(rows.astype(np.float64), axis=1), 1.0, atol=1e-6)


def test_each_text_gets_one_unit_row(embedder: CheckedEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.name
    assert_unit_rows(embedder.embed(TEXTS), len(TEXTS), embedder)
    assert_unit_rows(embedder.embed(TEXTS, query=True), len(TEXTS), embedder)


def test_no_texts_give_no_rows(embedder: CheckedEmbedder) -> None:
    for query in (False, True):
        assert embedder.embed([], query=query).shape == (0, embedder.dimension)


def test_the_same_text_gets_the_same_bytes_whatever_its_neighbours(embedder: CheckedEmbedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.vstack([embedder.embed([text]) for text in TEXTS])
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    among_many = embedder.embed(["x" * 40] * 70 + TEXTS)[70:]
    for other in (alone, backwards, among_many, embedder.embed(TEXTS)):
        assert other.tobytes() == together.tobytes()


def test_a_question_asked_again_gets_the_same_bytes(embedder: CheckedEmbedder) -> None:
    first = embedder.embed(TEXTS, query=True)
    kept = first.tobytes()
    first[:] = 0  # the caller's array is the caller's
    assert embedder.embed(TEXTS, query=True).tobytes() == kept


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: ascii(text[:12]))
def test_odd_text_gets_a_vector_like_any_other(embedder: CheckedEmbedder, text: str) -> None:
    assert_unit_rows(embedder.embed([text]), 1, embedder)
    assert_unit_rows(embedder.embed([text], query=True), 1, embedder)


def test_threads_get_what_one_caller_gets(embedder: CheckedEmbedder) -> None:
    alone = [embedder.embed([text]).tobytes() for text in TEXTS]
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda text: embedder.embed([text]).tobytes(), TEXTS * 4))
    assert answers == alone * 4


def test_what_is_no_list_of_strings_is_refused(embedder: CheckedEmbedder) -> None:
    for texts in ("one string", b"bytes", 7, None):
        with pytest.raises(InvalidInputError, match="give a list of strings"):
            embedder.embed(texts)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"texts\[1\]: int"):
        embedder.embed(["fine", 7])  # type: ignore[list-item]


def test_its_space_agrees_with_itself(embedder: CheckedEmbedder) -> None:
    space = identify(embedder)
    assert (space.name, space.dimension) == (embedder.name, embedder.dimension)
    assert space.agrees_with(identify(embedder))


@pytest.mark.parametrize(
    ("question", "paraphrase", "unrelated"),
    [
        ("Where does Ana live now?", "Ana moved to Lisbon in May.", "The espresso machine needs descaling."),
        ("What does he like to drink?", "His favourite beverage is green tea.", "The train to Porto leaves at nine."),
        ("他平时喜欢喝什么？", "绿茶是他最爱的饮料。", "去波尔图的火车九点出发。"),
        ("她现在住在哪个城市？", "安娜最近搬家到了里斯本。", "咖啡机每个月都要除垢。"),
        ("用户在哪个时区？", "The user's time zone is Shanghai.", "I like to eat grapes in summer."),
        ("Which city does she live in?", "她住在里斯本。", "咖啡机每个月都要除垢。"),
    ],
)
def test_a_paraphrase_is_nearer_than_something_unrelated(
    semantic: CheckedEmbedder, question: str, paraphrase: str, unrelated: str
) -> None:
    assert cosine(semantic, question, paraphrase) > cosine(semantic, question, unrelated)


def test_text_after_a_nul_counts(semantic: CheckedEmbedder) -> None:
    cut, whole = semantic.embed(["Ana\0", "Ana\0 moved to Lisbon"])
    assert not np.array_equal(cut, whole)


def test_what_a_text_says_far_past_the_limit_is_not_read(semantic: CheckedEmbedder) -> None:
    start = "The tram goes to work. " * 180
    assert semantic.embed([start]).tobytes() == semantic.embed([start + "x" * 100_000]).tobytes()
