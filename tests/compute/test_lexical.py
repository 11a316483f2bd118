"""Text analysis and BM25, through the bindings."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from memcore import compute
from memcore._core import DimensionError, EngineError, InvalidInputError

NEVER = [None, 7, b"text", "lone \ud800"]


def index_of(texts: dict[int, str], **constants: float) -> compute.Bm25Index:
    index = compute.Bm25Index(**constants)
    index.add(np.array(list(texts), dtype=np.int64), list(texts.values()))
    return index


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("时区", "用户的时区是上海"),
        ("上海", "用户的时区是上海"),
        ("喝酒", "他周末喜欢和朋友喝酒"),
        ("花名", "她在公司的花名是小飞侠"),
        ("GB/s", "The disk reads 3 GB/s."),
        ("gb", "The disk reads 3 GB/s."),
        ("what's up?", "So what's up with Ana?"),
        ("moving", "Ana moved to Lisbon"),
        ("CAFÉ", "the cafe at the corner"),
        ("10:30", "We meet at １０：３０"),
        ("5月", "5月3日去上海"),
        ("in May", "We met in May 2026"),
        ("한국", "한국어를 배워요"),
    ],
)
def test_a_text_is_found_by(query: str, text: str) -> None:
    index = index_of({1: "something else entirely 别的事情", 2: text})
    assert index.search(query)[0].tolist() == [2]


@pytest.mark.parametrize("query", ["qwxzv", "龘靐", "?!", '"', "*", "", "😀"])
def test_nonsense_finds_nothing(query: str) -> None:
    index = index_of({1: "DO NOT USE FIND /", 2: "用户的时区是上海 memory:safe a-b"})
    ids, scores = index.search(query)
    assert ids.dtype == np.int64
    assert scores.dtype == np.float64
    assert len(ids) == 0


def test_a_single_character_finds_the_words_that_hold_it() -> None:
    index = index_of({1: "他喜欢喝酒", 2: "红酒配牛排", 3: "茶"})
    assert compute.query_terms("酒") == ["酒"]
    terms = compute.terms_containing([index], "酒", 10)
    assert {"喝酒", "红酒"} <= set(terms)
    found = compute.bm25_scores([index], terms, k1=0.9, b=0.4)
    assert found[0][0].tolist() == [1, 2]
    assert sorted(index.search("酒？")[0].tolist()) == [1, 2]
    assert index.search("茶")[0].tolist() == [3]
    assert index.search("鱼")[0].tolist() == []


def test_the_score_is_the_formula() -> None:
    index = index_of({1: "tea tea cake", 2: "tea", 3: "rain"}, k1=1.2, b=0.75)
    ids, scores = index.search("tea")
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    average = 5 / 3
    expected = {d: idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * n / average)) for d, tf, n in [(1, 2, 3), (2, 1, 1)]}
    assert dict(zip(ids.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-15)
    assert list(ids) == sorted(expected, key=lambda d: -expected[d])


def test_two_blocks_score_as_one_collection() -> None:
    texts = {i: f"tea {'cake ' * (i % 3)} rain{i % 4}" for i in range(20)}
    whole = index_of(texts)
    halves = [index_of({i: t for i, t in texts.items() if i % 2 == part}) for part in (0, 1)]
    terms = ["tea", "cake", "rain1", "absent"]
    (ids, scores), *_ = compute.bm25_scores([whole], terms, k1=0.9, b=0.4)
    together = sorted(
        pair
        for block in compute.bm25_scores(halves, terms, k1=0.9, b=0.4)
        for pair in zip(block[0].tolist(), block[1].tolist(), strict=True)
    )
    assert together == list(zip(ids.tolist(), scores.tolist(), strict=True))
    frequencies = compute.bm25_document_frequencies(halves, terms)
    assert frequencies == compute.bm25_document_frequencies([whole], terms) == [20, 13, 5, 0]
    assert compute.bm25_scores([], terms, k1=0.9, b=0.4) == []


def test_a_stream_is_the_text_analysed_before() -> None:
    text = "Ana's 时区 is GB/s, v1.2.3"
    by_text, by_stream = index_of({1: text}), compute.Bm25Index()
    by_stream.add_streams(np.array([1]), [compute.token_stream(text)])
    assert by_text.terms_of(1) == by_stream.terms_of(1) == sorted(set(compute.tokenize(text)))


def test_a_stream_is_the_terms_with_one_space_between() -> None:
    texts = ["Running at 3 GB/s", "我养了一只猫", "的", "", "5月3日 한국어 テスト"]
    assert compute.token_streams(texts) == [" ".join(compute.tokenize(text)) for text in texts]
    assert [compute.token_stream(text) for text in texts] == compute.token_streams(texts)
    many = [f"{texts[at % 5]} {at}" for at in range(1_000)]
    assert compute.token_streams(many) == [compute.token_stream(text) for text in many]
    for wrong in ("one text", None, ["\ud800"], [1]):
        with pytest.raises(InvalidInputError):
            compute.token_streams(wrong)


def test_replaced_and_removed_texts_are_gone() -> None:
    index = index_of({1: "old tea", 2: "tea"})
    index.add(np.array([1]), ["new cake"])
    assert index.documents("old").tolist() == []
    assert index.documents("tea").tolist() == [2]
    assert index.remove(np.array([2, 99])) == 1
    assert (len(index), 1 in index, 2 in index, "1" in index) == (1, True, False, False)
    assert index.memory_bytes > 0


def test_only_allowed_ids_are_answered_and_ties_go_by_id() -> None:
    index = index_of(dict.fromkeys(range(10), "tea"))
    assert index.search("tea", k=3)[0].tolist() == [0, 1, 2]
    assert index.search("tea", allowed=np.array([7, 4]))[0].tolist() == [4, 7]
    assert index.search("tea", allowed=np.array([], dtype=np.int64))[0].tolist() == []


def test_concepts_are_shared_subjects() -> None:
    index = index_of({1: "Lisbon trams", 2: "Lisbon and the trams", 3: "the rain", 4: "2026 2026", 5: "2026"})
    bounds = {"min_documents": 2, "max_share": 0.5, "limit": 10}
    assert compute.concepts([index], newest=9, **bounds) == [("lisbon", 2), ("tram", 2)]
    assert compute.concept_neighbours([index], ["tram", "rain"], **bounds) == [[("lisbon", 2)], []]
    assert compute.concepts([index], min_documents=2, max_share=0.5, newest=9, limit=1) == [("lisbon", 2)]
    assert compute.concepts([index], min_documents=1, max_share=1.0, newest=1, limit=9) == [("lisbon", 1), ("tram", 1)]


@pytest.mark.parametrize("bad", NEVER)
def test_what_is_no_text_is_refused(bad: object) -> None:
    index = index_of({1: "tea"})
    for call in (
        lambda: compute.tokenize(bad),
        lambda: compute.token_stream(bad),
        lambda: compute.query_terms(bad),
        lambda: index.search(bad),
        lambda: index.add(np.array([2]), [bad]),
        lambda: compute.bm25_scores([index], [bad], k1=0.9, b=0.4),
    ):
        with pytest.raises(InvalidInputError, match="give"):
            call()
    assert len(index) == 1


def test_bad_ids_constants_and_counts_are_refused() -> None:
    index = compute.Bm25Index()
    with pytest.raises(InvalidInputError, match="ids"):
        index.add(np.array([1, -1]), ["a", "b"])
    with pytest.raises(DimensionError, match="texts"):
        index.add(np.array([1]), ["a", "b"])
    with pytest.raises(InvalidInputError, match="texts"):
        index.add(np.array([1, 2]), "ab")
    with pytest.raises(InvalidInputError, match="int64"):
        index.add(np.array([1.0]), ["a"])
    with pytest.raises(InvalidInputError, match="k"):
        index.search("a", k=-1)
    for constants in ({"k1": -1.0}, {"b": 1.5}, {"k1": math.nan}):
        with pytest.raises(InvalidInputError):
            compute.Bm25Index(**constants)
    with pytest.raises(InvalidInputError, match="max_share"):
        compute.concepts([index], min_documents=2, max_share=1.5, newest=9, limit=3)
    assert len(index) == 0


def test_the_version_of_the_analysis_is_known() -> None:
    assert compute.ANALYZER_VERSION >= 1


def test_what_is_hidden_has_no_score_and_counts_in_no_frequency():
    whole, left = compute.Bm25Index(), compute.Bm25Index()
    texts = ["tea and lisbon", "tea", "lisbon in the rain", "tea lisbon tram"]
    whole.add(np.arange(4), texts)
    left.add(np.array([0, 2]), [texts[0], texts[2]])
    hidden, terms = np.array([3, 1, 1, 99]), ["tea", "lisbon", "tram"]
    of_all, of_left = (
        compute.bm25_scores([index], terms, k1=0.9, b=0.4, hidden=outside)[0]
        for index, outside in ((whole, hidden), (left, None))
    )
    assert [column.tolist() for column in of_all] == [column.tolist() for column in of_left]
    assert compute.bm25_document_frequencies([whole], terms, hidden=hidden) == [1, 2, 0]
    assert compute.terms_containing([whole], "tr", 5, hidden=hidden) == []
    common = {"min_documents": 1, "max_share": 1.0, "limit": 9}
    assert compute.concepts([whole], newest=9, hidden=hidden, **common) == compute.concepts([left], newest=9, **common)
    beside = compute.concept_neighbours([left], ["tea"], **common)
    assert compute.concept_neighbours([whole], ["tea"], hidden=hidden, **common) == beside == [[("lisbon", 1)]]


def test_a_hidden_id_is_checked_like_any_id():
    with pytest.raises(InvalidInputError, match="hidden"):
        compute.bm25_document_frequencies([compute.Bm25Index()], ["tea"], hidden=np.array([-1]))


def test_an_index_comes_back_from_its_bytes_and_goes_on() -> None:
    index = compute.Bm25Index()
    index.add(np.array([1, 2, 3]), ["tea in Lisbon", "喝酒 and tea", "rain"])
    index.remove(np.array([3]))
    restored = compute.Bm25Index.from_bytes(index.to_bytes())
    for one in (index, restored):
        one.add(np.array([9]), ["tea tea"])
    assert [found.tolist() for found in restored.search("tea 喝酒")] == [
        found.tolist() for found in index.search("tea 喝酒")
    ]
    assert isinstance(restored, compute.Bm25Index)
    assert restored.to_bytes() == index.to_bytes()


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:0], lambda data: data[:20] + b"\xff" + data[21:]]
)
def test_bytes_that_are_no_index_are_refused(damage: Callable[[bytes], bytes]) -> None:
    index = compute.Bm25Index()
    index.add(np.array([1]), ["tea"])
    with pytest.raises(EngineError, match="text index"):
        compute.Bm25Index.from_bytes(damage(index.to_bytes()))
