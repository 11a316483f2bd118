"""Topics, sparse codes, varied choices and the rank score, through the bindings."""

import itertools

import numpy as np
import pytest

from memcore import compute
from memcore._core import DimensionError, InvalidInputError


def some_rows(count: int, dimension: int, seed: int = 7) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_error_of_a_factorisation_is_the_distance_of_its_product() -> None:
    matrix = some_rows(30, 64)
    topics = compute.nmf(matrix)
    assert (topics.w.shape, topics.h.shape, topics.iterations) == ((30, 15), (15, 64), 100)
    assert topics.w.min() >= 0
    assert topics.h.min() >= 0
    assert np.linalg.norm(np.abs(matrix) - topics.w @ topics.h) == pytest.approx(topics.error, rel=1e-5)
    assert np.linalg.norm(topics.h, axis=1) == pytest.approx(np.ones(15), rel=1e-5)


def test_more_updates_never_raise_the_error_and_the_seed_decides() -> None:
    matrix = some_rows(12, 20)
    errors = [compute.nmf(matrix, k=4, iterations=n).error for n in (1, 2, 5, 20, 100)]
    assert errors == sorted(errors, reverse=True)
    assert np.array_equal(compute.nmf(matrix, seed=1).h, compute.nmf(np.asfortranarray(matrix), seed=1).h)
    assert not np.array_equal(compute.nmf(matrix, seed=1).h, compute.nmf(matrix, seed=2).h)


def test_hals_comes_to_the_error_of_a_hundred_updates_in_fewer() -> None:
    matrix = some_rows(200, 64)
    multiplied = compute.nmf(matrix, k=6)
    errors = [compute.nmf(matrix, k=6, iterations=n, updates="hals").error for n in (1, 2, 5, 25, 100)]
    assert errors == sorted(errors, reverse=True)
    assert errors[3] <= multiplied.error
    topics = compute.nmf(matrix, k=6, updates="hals")
    assert min(topics.w.min(), topics.h.min()) >= 0
    assert np.linalg.norm(np.abs(matrix) - topics.w @ topics.h) == pytest.approx(topics.error, rel=1e-5)


def test_a_query_made_of_one_topic_is_deep_and_one_outside_is_new() -> None:
    topics = np.eye(4, dtype=np.float32)[:3]
    deep = compute.nnls_project(topics, np.array([0, -2, 0, 0], np.float32))
    assert (deep.weights.tolist(), deep.depth, deep.coverage, deep.novelty) == ([0, 2, 0], 1.0, 1, 0.0)
    broad = compute.nnls_project(topics, np.array([1, 1, 1, 0], np.float32))
    assert (broad.depth, broad.coverage) == (pytest.approx(0, abs=1e-12), 3)
    new = compute.nnls_project(topics, np.array([0, 0, 0, 1], np.float32))
    assert (new.depth, new.coverage, new.novelty) == (0.0, 0, 1.0)
    assert compute.nnls_project(topics[:1], np.array([1, 1, 0, 0], np.float32)).depth == 1.0


def test_a_projection_is_optimal() -> None:
    topics = np.abs(some_rows(15, 40))
    query = np.abs(some_rows(1, 40, seed=3)[0])
    found = compute.nnls_project(topics, query)
    slopes = topics.astype(np.float64) @ (query - found.weights @ topics.astype(np.float64))
    assert slopes.max() < 1e-8
    assert np.abs(slopes[found.weights > 0]).max() < 1e-8


def test_a_sparse_code_is_optimal_and_leaves_its_residual() -> None:
    atoms, query = some_rows(64, 96), some_rows(1, 96, seed=5)[0]
    code = compute.fista(atoms, query, iterations=5_000)
    residual = query - code.coefficients @ atoms.astype(np.float64)
    assert code.residual.dtype == np.float32
    assert np.abs(code.residual - residual).max() < 1e-6
    assert code.objective == pytest.approx(0.5 * residual @ residual + 0.1 * np.abs(code.coefficients).sum())
    pulls = atoms.astype(np.float64) @ residual
    assert np.abs(pulls).max() < 0.1 + 1e-6
    used = code.coefficients != 0
    assert 0 < used.sum() < 64
    assert pulls[used] == pytest.approx(0.1 * np.sign(code.coefficients[used]), abs=1e-6)


def test_a_few_iterations_are_enough_for_the_optimum_among_many_atoms() -> None:
    atoms = some_rows(3_000, 96)
    query = (0.6 * atoms[5] - 0.5 * atoms[70] + 0.4 * atoms[2_000] + 0.2 * some_rows(1, 96, seed=5)[0]).astype("f4")
    code = compute.fista(atoms, query)
    assert code.iterations < 80
    pulls = atoms.astype(np.float64) @ (query - code.coefficients @ atoms.astype(np.float64))
    used = code.coefficients != 0
    assert np.abs(pulls).max() < 0.1 + 1e-9
    assert pulls[used] == pytest.approx(0.1 * np.sign(code.coefficients[used]), abs=1e-9)
    assert compute.fista(np.asfortranarray(atoms), query).coefficients.tolist() == code.coefficients.tolist()


def test_the_objective_never_rises_with_the_iterations() -> None:
    atoms, query = np.abs(some_rows(40, 32)), some_rows(1, 32, seed=5)[0]
    objectives = [compute.fista(atoms, query, iterations=n).objective for n in range(1, 60)]
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(objectives))


def test_the_choice_is_always_full_and_duplicates_come_last() -> None:
    vectors = np.repeat(some_rows(4, 16), 5, axis=0)
    quality = np.linspace(1.0, 0.5, 20)
    order = compute.dpp_greedy(vectors, quality, k=30)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(20))
    assert {index // 5 for index in order[:4].tolist()} == {0, 1, 2, 3}
    assert order[4:].tolist() == sorted(order[4:].tolist())
    assert compute.dpp_greedy(vectors, quality).tolist() == order[:8].tolist()
    assert compute.dpp_greedy(vectors, quality, k=0).tolist() == []
    assert compute.dpp_greedy(vectors[:0], quality[:0]).tolist() == []


def topics_or_refusal(matrix):
    try:
        return compute.nmf(matrix, k=2, iterations=5)
    except InvalidInputError as error:
        return str(error)


def test_topics_of_the_greatest_numbers_are_finite_or_refused_with_the_limit() -> None:
    greatest = np.finfo("f4").max
    refused = 0
    for values in itertools.product((0.0, 1e-45, 1.0, greatest / 2, greatest), repeat=4):
        matrix = np.array(values, "f4").reshape(2, 2)
        found = topics_or_refusal(matrix)
        if isinstance(found, str):
            refused += 1
            assert "3.4028234663852886e38, the greatest float32" in found
            assert np.linalg.norm(matrix.astype("f8"), axis=1).max() > greatest / 2
        else:
            assert all(np.isfinite(part).all() for part in (found.w, found.h, found.error))
    assert 0 < refused < 100


@pytest.mark.parametrize(
    ("graph", "relevance", "importance", "days", "score"),
    [(1, 0.5, 5, 0, 1.275), (1, 0.5, 5, 30, 1.07751), (2, 1, 10, 0, 3.4), (0, 0, 10, 0, 0)],
)
def test_the_rank_score_has_its_golden_values(graph, relevance, importance, days, score) -> None:
    assert compute.rank_score(graph, relevance, importance, days) == pytest.approx(score, abs=1e-5)


def test_the_rank_score_takes_numbers_and_arrays_together() -> None:
    graph = np.array([1, 2, 0], np.float32)
    scores = compute.rank_score(graph, np.array([0.5, 1.0, 0.0]), np.array([5.0, 10.0, 10.0]), 0)
    assert scores == pytest.approx([1.275, 3.4, 0.0])
    assert isinstance(compute.rank_score(np.float64(1), 0.5, 5, -4), float)
    assert compute.rank_score(1.0, 0.5, 5.0, np.array([])).shape == (0,)


def test_bad_input_is_refused_with_its_name() -> None:
    eye, bad = np.eye(2, dtype=np.float32), np.array([[1, np.nan]], np.float32)
    refused = [
        (lambda: compute.nmf(bad), "matrix: row 0"),
        (lambda: compute.nmf(eye[:0]), "at least one row"),
        (lambda: compute.nmf(eye, k=0), "k: 0"),
        (lambda: compute.nmf(eye, updates="newton"), "updates: 'newton'.*'hals'"),
        (lambda: compute.nmf(eye, updates=None), "updates: None"),  # type: ignore[arg-type]
        (lambda: compute.nmf(eye.astype(np.float64)), "matrix.*float32"),
        (lambda: compute.nnls_project(eye, bad[0]), "query: NaN at 1"),
        (lambda: compute.fista(bad, eye[0]), "atoms: row 0"),
        (lambda: compute.fista(eye, eye[0], lambda_=-1.0), "lambda_: -1"),
        (lambda: compute.fista(eye, eye[0], iterations=0), "iterations: 0"),
        (lambda: compute.dpp_greedy(eye, np.array([1.0, -1.0])), "quality: -1 at 1"),
        (lambda: compute.dpp_greedy(eye, np.array([1.0, 1.0]), k=-1), "k: -1"),
        (lambda: compute.rank_score(float("nan"), 0, 0, 0), "graph"),
        (lambda: compute.rank_score(0, 0, 11, 0), "importance: 11"),
        (lambda: compute.rank_score("1", 0, 0, 0), "graph"),
    ]
    for call, message in refused:
        with pytest.raises(InvalidInputError, match=message):
            call()
    with pytest.raises(DimensionError, match="query"):
        compute.nnls_project(eye, np.ones(3, np.float32))
    with pytest.raises(DimensionError, match="quality"):
        compute.dpp_greedy(eye, np.ones(3))
    with pytest.raises(DimensionError, match="days"):
        compute.rank_score(np.ones(2), 0, 0, np.ones(3))


def test_a_dictionary_codes_as_fista_and_keeps_its_atoms_whoever_writes_to_what_it_was_given() -> None:
    atoms, queries = some_rows(300, 160), some_rows(8, 160, seed=8)
    dictionary = compute.Dictionary(atoms)
    wanted = [compute.fista(atoms, query) for query in queries]
    atoms[:] = 0.0
    for query, code in zip(queries, wanted, strict=True):
        found = dictionary.code(query, lambda_=0.1, iterations=80)
        assert found.objective == pytest.approx(code.objective, rel=1e-12)
        assert found.coefficients == pytest.approx(code.coefficients, abs=1e-9)
        assert found.residual == pytest.approx(code.residual, abs=1e-6)
    assert not dictionary.atoms.flags.writeable
    assert dictionary.memory_bytes >= 300 * 160


def test_a_dictionary_shares_atoms_that_nobody_can_write_to_and_copies_a_view_of_others() -> None:
    fixed = some_rows(4, 3)
    fixed.flags.writeable = False
    assert np.shares_memory(compute.Dictionary(fixed).atoms, fixed)
    base = some_rows(4, 3)
    view = base[:2]
    view.flags.writeable = False
    assert not np.shares_memory(compute.Dictionary(view).atoms, base)
    with pytest.raises(InvalidInputError, match="atoms"):
        compute.Dictionary(np.array([[np.nan, 1.0]], np.float32))
    with pytest.raises(DimensionError, match="query"):
        compute.Dictionary(fixed).code(np.ones(2, np.float32), lambda_=0.1, iterations=9)
