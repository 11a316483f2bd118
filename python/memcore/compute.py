"""The compute core, usable alone: numpy arrays in, numpy arrays out, the interpreter's lock released meanwhile.

The classes and functions add the defaults; the work is done in Rust. Arrays have exactly the dtype that is named; what
is not finite, of another dtype or of another shape raises `InvalidInputError`, a vector of another dimension
`DimensionError`. Ids are integers from 0 to 2^63 - 1. Equal input gives equal bytes, whatever the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from memcore._core import (
    ANALYZER_VERSION,
    Dictionary,
    PageRank,
    Projection,
    SnapshotPartition,
    SnapshotSection,
    SparseCode,
    Topics,
    best_means,
    best_rows,
    bit_shares,
    bm25_document_frequencies,
    bm25_row_scores,
    bm25_scores,
    bm25_scores_of,
    candidates,
    concept_neighbours,
    concepts,
    fresh_rows,
    fused,
    hash_of,
    hashes,
    held_terms,
    joined_pool,
    nnls_project,
    pagerank,
    query_terms,
    rank_score,
    snapshot_erase,
    snapshot_kept,
    snapshot_open,
    snapshot_write,
    spread,
    sq8,
    telling_terms,
    terms_containing,
    token_stream,
    token_streams,
    tokenize,
)
from memcore._core import Bm25Index as _Bm25Index
from memcore._core import CognitiveGraphEngine as _CognitiveGraphEngine
from memcore._core import IntentEngine as _IntentEngine
from memcore._core import dpp_greedy as _dpp_greedy
from memcore._core import fista as _fista
from memcore._core import nmf as _nmf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ANALYZER_VERSION",
    "Bm25Index",
    "CognitiveGraphEngine",
    "Dictionary",
    "IntentEngine",
    "PageRank",
    "Projection",
    "SnapshotPartition",
    "SnapshotSection",
    "SparseCode",
    "Topics",
    "best_means",
    "best_rows",
    "bit_shares",
    "bm25_document_frequencies",
    "bm25_row_scores",
    "bm25_scores",
    "bm25_scores_of",
    "candidates",
    "concept_neighbours",
    "concepts",
    "dpp_greedy",
    "fista",
    "fresh_rows",
    "fused",
    "hash_of",
    "hashes",
    "held_terms",
    "joined_pool",
    "nmf",
    "nnls_project",
    "pagerank",
    "query_terms",
    "rank_score",
    "snapshot_erase",
    "snapshot_kept",
    "snapshot_open",
    "snapshot_write",
    "spread",
    "sq8",
    "telling_terms",
    "terms_containing",
    "token_stream",
    "token_streams",
    "tokenize",
]


class CognitiveGraphEngine(_CognitiveGraphEngine):
    """A directed graph of memory ids with typed, weighted edges; `max_degree` caps the edges of a node (None: no cap).

    `add_edges(sources, targets, strengths, types)` takes int64, int64, float32 in 0..1 and uint8 (`EdgeType`), all
    (n,), and sets the edge (source, target, type); `remove_edges(sources, targets)`, `remove_nodes(ids)`;
    `neighbors(id)`, `node_count`, `edge_count`, `memory_bytes`. `to_bytes()` is the graph as bytes, which
    `CognitiveGraphEngine.from_bytes` reads.

    Example:
        >>> import numpy as np
        >>> graph = CognitiveGraphEngine()
        >>> graph.add_edges(np.array([1]), np.array([2]), np.array([0.9], "f4"), np.array([0], "u1"))
        >>> ids, energies = graph.spread(np.array([1]), np.array([1.0], "f4"), steps=1)
        >>> ids.tolist(), [round(float(energy), 3) for energy in energies]
        ([1, 2], [1.0, 0.459])
    """

    __slots__ = ()

    def __new__(cls, max_degree: int | None = None) -> Self:
        """An empty graph; InvalidInputError for a `max_degree` of 0."""
        return super().__new__(cls, max_degree)

    @classmethod
    def from_bytes(cls, data: bytes | NDArray[np.uint8]) -> Self:
        """The graph whose `to_bytes` these are, with its `max_degree`.

        Raises:
            EngineError: bytes that are cut off, changed, or of another version.
        """
        return super().from_bytes(data)

    def spread(
        self,
        seed_ids: NDArray[np.int64],
        seed_energies: NDArray[np.float32],
        *,
        steps: int = 2,
        decay: float = 0.6,
        threshold: float = 0.05,
        teleport_alpha: float = 0.15,
        max_active: int = 10_000,
        allowed: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Ids and energies in -2..2 after `steps` of spreading, the greatest absolute energy first, then by id.

        A node whose energy reaches `threshold` gives E * w * decay * (1 - teleport_alpha) along each edge of strength
        w, and -|E| * w * decay * 2 along an inhibitory one; seeds are then drawn back to their own energy by
        `teleport_alpha`. At most `max_active` nodes give in a step. Energy never enters a node outside `allowed`.
        Constrained spreading activation (Collins & Loftus 1975; Crestani 1997).
        """
        return super().spread(
            seed_ids,
            seed_energies,
            steps=steps,
            decay=decay,
            threshold=threshold,
            teleport_alpha=teleport_alpha,
            max_active=max_active,
            allowed=allowed,
        )

    def pagerank(
        self,
        seed_ids: NDArray[np.int64],
        seed_weights: NDArray[np.float32],
        *,
        restart: float = 0.15,
        tolerance: float = 1e-6,
        max_visits: int = 5_000_000,
        allowed: NDArray[np.int64] | None = None,
    ) -> PageRank:
        """The personalised PageRank: `.ids`, `.scores` (float64), `.iterations`, `.converged`, `.fell_back`.

        v = (1 - restart) * A v + restart * u with u the seeds (Jeh & Widom 2003), without inhibitory edges, until a
        step changes v by less than `tolerance` in L1. After `max_visits` edges it falls back to bounded hops and says
        so in `.fell_back`.
        """
        return super().pagerank(
            seed_ids, seed_weights, restart=restart, tolerance=tolerance, max_visits=max_visits, allowed=allowed
        )


class IntentEngine(_IntentEngine):
    """Vectors of one dimension by id, searched by cosine; `precision` is "sq8" (a byte a component) or "f32".

    "sq8" finds the nearest by their bytes (.98 of the true ten), "f32" the nearest exactly, in nearly the same time: it
    keeps both, and reads those rows alone that by their bytes could be among them.

    `add(ids, vectors)` takes int64 (n,) and float32 (n, d), normalises, and replaces an id that is there;
    `add_blobs(ids, blobs)` takes blobs of `sq8` instead; `remove(ids)` returns how many were there; `ids()`,
    `cosines(query)` and `vectors(ids)` read all or some rows. `to_bytes()` is an index of sq8 as bytes, which
    `IntentEngine.from_bytes` reads.

    Example:
        >>> import numpy as np
        >>> index = IntentEngine(dimension=2, precision="f32")
        >>> index.add(np.array([7, 8]), np.array([[1, 0], [0, 1]], "f4"))
        >>> ids, cosines = index.search(np.array([2, 0], "f4"), k=1)
        >>> ids.tolist(), cosines.tolist()
        ([7], [1.0])
    """

    __slots__ = ()

    def __new__(cls, dimension: int, precision: Literal["sq8", "f32"] = "sq8") -> Self:
        """An empty index; InvalidInputError for a `dimension` of 0 or another `precision`."""
        return super().__new__(cls, dimension, precision)

    def search(
        self, query: NDArray[np.float32], k: int = 20, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The `k` rows nearest to `query` (d,) as (k,) ids and cosines, best first, then by id; (q, k) for (q, d).

        Only ids in `allowed` are answered, and there are fewer than `k` where fewer are allowed.
        """
        return super().search(query, k, allowed)


class Bm25Index(_Bm25Index):
    """Texts by id, searched by BM25 over the terms of `tokenize`; `k1` of at least 0, `b` from 0 to 1.

    Sum over the query's terms of ln(1 + (N - df + 0.5)/(df + 0.5)) * tf * (k1 + 1)/(tf + k1 * (1 - b + b * len/avg))
    (Robertson & Zaragoza 2009, with Lucene's idf, which is never negative).

    `add(ids, texts)` takes int64 (n,) and n strings, and replaces an id that is there; `add_streams(ids, streams)`
    takes texts that were analysed before, their terms joined with one space; `remove(ids)` returns how many were
    there; `documents(term)`, `terms_of(id)`, `memory_bytes`. `to_bytes()` is the index as bytes, which
    `Bm25Index.from_bytes` reads.

    Example:
        >>> import numpy as np
        >>> index = Bm25Index()
        >>> index.add(np.array([1, 2]), ["Ana moved to Lisbon", "用户的时区是上海"])
        >>> index.search("Where did Ana move?")[0].tolist(), index.search("时区")[0].tolist()
        ([1], [2])
    """

    __slots__ = ()

    def __new__(cls, k1: float = 1.2, b: float = 0.75) -> Self:
        """An empty index; InvalidInputError for constants out of range."""
        return super().__new__(cls, k1, b)

    def search(
        self, query: str, k: int = 20, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The `k` best ids with their scores above 0, best first, then by id; only ids in `allowed` are answered."""
        return super().search(query, k, allowed)

    @classmethod
    def from_bytes(cls, data: bytes | NDArray[np.uint8], k1: float = 1.2, b: float = 0.75) -> Self:
        """The index whose `to_bytes` these are, with these constants.

        Raises:
            EngineError: bytes that are cut off, changed, or of another version.
            InvalidInputError: constants out of range.
        """
        return super().from_bytes(data, k1, b)


def nmf(
    matrix: NDArray[np.float32], k: int = 15, iterations: int = 100, seed: int = 42, updates: str = "multiplicative"
) -> Topics:
    """Topics of the rows of |matrix| (m, d): `.w` (m, k), `.h` (k, d) of rows of length 1, `.iterations`, `.error`.

    Minimises ||V - W H||_F over W, H >= 0; `.error` is that norm. At most one topic a row is made. The start is drawn
    from `seed`. `updates` are `multiplicative` (Lee & Seung 2001), or `hals` (Cichocki, Zdunek & Amari 2007), which
    come to the same error in far fewer iterations.

    Raises:
        InvalidInputError: the matrix is empty or not finite, a row so long that its weight is no float32, or unknown
            updates.

    Example:
        >>> import numpy as np
        >>> topics = nmf(np.array([[1, 1, 0], [2, 2, 0], [0, 0, 3]], "f4"), k=2)
        >>> topics.h.shape, round(topics.error, 3)
        ((2, 3), 0.0)
    """
    return _nmf(matrix, k=k, iterations=iterations, seed=seed, updates=updates)


def fista(
    atoms: NDArray[np.float32], query: NDArray[np.float32], lambda_: float = 0.1, iterations: int = 80
) -> SparseCode:
    """`query` (d,) as few of the `atoms` (m, d): `.coefficients` (m,), `.residual` (d,), `.objective`, `.iterations`.

    Minimises 1/2 ||q - E^T a||^2 + lambda_ * ||a||_1 by FISTA (Beck & Teboulle 2009), restarted where it would rise, on
    a working set of atoms that grows until the duality gap is closed; `.residual` is q - E^T a in float32. `iterations`
    is the most for all working sets together; mostly a few are enough.

    Example:
        >>> import numpy as np
        >>> code = fista(np.eye(2, dtype="f4"), np.array([0.5, 0.05], "f4"))
        >>> code.coefficients.round(3).tolist(), code.residual.round(3).tolist()
        ([0.4, 0.0], [0.10000000149011612, 0.05000000074505806])
    """
    return _fista(atoms, query, lambda_=lambda_, iterations=iterations)


def dpp_greedy(
    vectors: NDArray[np.float32], quality: NDArray[np.float64], k: int = 8, similarity_power: int = 1
) -> NDArray[np.int64]:
    """The indices of min(k, n) rows of `vectors` (n, d) that are good and unlike each other, in the order of picking.

    Greedy maximum of det L with L_ij = q_i * cos(v_i, v_j)^p * q_j + 1e-8 * [i = j] (Chen, Zhang & Zhou 2018),
    `quality` (n,) of at least 0, p = `similarity_power` from 1 to 255: the higher, the closer two rows must be to count
    as alike. What the picked rows already span comes last, by quality. A row of zeros is like no other.

    Example:
        >>> import numpy as np
        >>> dpp_greedy(np.array([[1, 0], [1, 0], [0, 1]], "f4"), np.array([0.9, 0.8, 0.1]), k=2).tolist()
        [0, 2]
    """
    return _dpp_greedy(vectors, quality, k, similarity_power)
