from collections.abc import Sequence
from typing import Any, Self, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

__all__ = [
    "ANALYZER_VERSION",
    "Bm25Index",
    "CognitiveGraphEngine",
    "Dictionary",
    "DimensionError",
    "EngineError",
    "IntentEngine",
    "InvalidInputError",
    "MemcoreError",
    "PageRank",
    "Projection",
    "SnapshotPartition",
    "SnapshotSection",
    "SparseCode",
    "Topics",
    "__version__",
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
    "simd_level",
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

__version__: str

class MemcoreError(Exception): ...
class InvalidInputError(MemcoreError): ...
class DimensionError(InvalidInputError): ...
class EngineError(MemcoreError): ...

@final
class sq8:  # noqa: N801 - a namespace, called as `sq8.encode`
    @staticmethod
    def encode(vector: NDArray[np.float32]) -> bytes: ...
    @staticmethod
    def decode(blob: bytes) -> NDArray[np.float32]: ...
    @staticmethod
    def cosine(blob_a: bytes, blob_b: bytes) -> float: ...
    @staticmethod
    def largest(vector: NDArray[np.float32]) -> float: ...
    @staticmethod
    def encode_rows(matrix: NDArray[np.float32]) -> list[bytes]: ...
    @staticmethod
    def decode_rows(blobs: Sequence[bytes]) -> NDArray[np.float32]: ...

@disjoint_base
class CognitiveGraphEngine:
    def __new__(cls, max_degree: int | None) -> Self: ...
    def add_edges(
        self,
        sources: NDArray[np.int64],
        targets: NDArray[np.int64],
        strengths: NDArray[np.float32],
        types: NDArray[np.uint8],
    ) -> None: ...
    def remove_edges(self, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> int: ...
    def remove_nodes(self, ids: NDArray[np.int64]) -> int: ...
    def neighbors(self, id: int) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8]]: ...  # noqa: A002
    @property
    def node_count(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(cls, data: bytes | NDArray[np.uint8]) -> Self: ...
    def spread(
        self,
        seed_ids: NDArray[np.int64],
        seed_energies: NDArray[np.float32],
        *,
        steps: int,
        decay: float,
        threshold: float,
        teleport_alpha: float,
        max_active: int,
        allowed: NDArray[np.int64] | None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]: ...
    def pagerank(
        self,
        seed_ids: NDArray[np.int64],
        seed_weights: NDArray[np.float32],
        *,
        restart: float,
        tolerance: float,
        max_visits: int,
        allowed: NDArray[np.int64] | None,
    ) -> PageRank: ...

@final
class PageRank:
    @property
    def ids(self) -> NDArray[np.int64]: ...
    @property
    def scores(self) -> NDArray[np.float64]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def converged(self) -> bool: ...
    @property
    def fell_back(self) -> bool: ...

def spread(
    graphs: Sequence[CognitiveGraphEngine],
    seed_ids: NDArray[np.int64],
    seed_energies: NDArray[np.float32],
    *,
    steps: int,
    decay: float,
    threshold: float,
    teleport_alpha: float,
    max_active: int,
    max_outflow: float | None,
    allowed: NDArray[np.int64] | None,
    hidden: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32], int]: ...
def pagerank(
    graphs: Sequence[CognitiveGraphEngine],
    seed_ids: NDArray[np.int64],
    seed_weights: NDArray[np.float32],
    *,
    restart: float,
    tolerance: float,
    max_visits: int,
    allowed: NDArray[np.int64] | None,
    hidden: NDArray[np.int64] | None = None,
) -> PageRank: ...

ANALYZER_VERSION: int

def tokenize(text: str) -> list[str]: ...
def token_stream(text: str) -> str: ...
def token_streams(texts: Sequence[str]) -> list[str]: ...
def query_terms(text: str) -> list[str]: ...

@disjoint_base
class Bm25Index:
    def __new__(cls, k1: float, b: float) -> Self: ...
    def add(self, ids: NDArray[np.int64], texts: Sequence[str]) -> None: ...
    def add_streams(self, ids: NDArray[np.int64], streams: Sequence[str]) -> None: ...
    def remove(self, ids: NDArray[np.int64]) -> int: ...
    def search(
        self, query: str, k: int, allowed: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def documents(self, term: str) -> NDArray[np.int64]: ...
    def terms_of(self, id: int) -> list[str]: ...  # noqa: A002
    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(cls, data: bytes | NDArray[np.uint8], k1: float, b: float) -> Self: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: object, /) -> bool: ...
    @property
    def memory_bytes(self) -> int: ...

def bm25_scores(
    indexes: Sequence[Bm25Index],
    terms: Sequence[str],
    *,
    k1: float,
    b: float,
    hidden: NDArray[np.int64] | None = None,
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]: ...
def bm25_document_frequencies(
    indexes: Sequence[Bm25Index], terms: Sequence[str], *, hidden: NDArray[np.int64] | None = None
) -> list[int]: ...
def terms_containing(
    indexes: Sequence[Bm25Index], fragment: str, limit: int, *, hidden: NDArray[np.int64] | None = None
) -> list[str]: ...
def concepts(
    indexes: Sequence[Bm25Index],
    *,
    min_documents: int,
    max_share: float,
    newest: int,
    limit: int,
    hidden: NDArray[np.int64] | None = None,
) -> list[tuple[str, int]]: ...
def concept_neighbours(
    indexes: Sequence[Bm25Index],
    terms: Sequence[str],
    *,
    min_documents: int,
    max_share: float,
    limit: int,
    hidden: NDArray[np.int64] | None = None,
) -> list[list[tuple[str, int]]]: ...

@disjoint_base
class IntentEngine:
    def __new__(cls, dimension: int, precision: str) -> Self: ...
    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None: ...
    def add_blobs(self, ids: NDArray[np.int64], blobs: list[bytes]) -> None: ...
    def remove(self, ids: NDArray[np.int64]) -> int: ...
    def search(
        self, query: NDArray[np.float32], k: int, allowed: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]: ...
    def ids(self) -> NDArray[np.int64]: ...
    def cosines(self, query: NDArray[np.float32]) -> NDArray[np.float32]: ...
    def vectors(self, ids: NDArray[np.int64]) -> NDArray[np.float32]: ...
    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(cls, data: bytes | NDArray[np.uint8]) -> Self: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: object, /) -> bool: ...
    @property
    def dimension(self) -> int: ...
    @property
    def precision(self) -> str: ...
    @property
    def memory_bytes(self) -> int: ...

def simd_level() -> str: ...

@final
class SnapshotSection:
    def array(self) -> NDArray[np.uint8]: ...
    def __len__(self) -> int: ...

@final
class SnapshotPartition:
    @property
    def about(self) -> str: ...
    @property
    def names(self) -> list[str]: ...
    def read(self, sections: Sequence[tuple[str, type | None]]) -> dict[str, Any] | tuple[bool, str]: ...

def snapshot_open(path: str, store: str, partition: int) -> SnapshotPartition | tuple[bool, str]: ...
def snapshot_kept(path: str, store: str) -> dict[int, str] | tuple[bool, str]: ...
def snapshot_write(
    path: str, store: str, partitions: Sequence[tuple[int, str, Sequence[tuple[str, object]]]]
) -> tuple[bool, str] | None: ...
def snapshot_erase(path: str) -> bool: ...
def hashes(values: Sequence[str | bytes | None]) -> NDArray[np.int64]: ...
def hash_of(parts: Sequence[bytes | NDArray[np.uint8]]) -> int: ...

@final
class Topics:
    def __new__(cls, w: NDArray[np.float32], h: NDArray[np.float32], iterations: int, error: float) -> Self: ...
    @property
    def w(self) -> NDArray[np.float32]: ...
    @property
    def h(self) -> NDArray[np.float32]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def error(self) -> float: ...

@final
class Projection:
    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def depth(self) -> float: ...
    @property
    def coverage(self) -> int: ...
    @property
    def novelty(self) -> float: ...

@final
class SparseCode:
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
    @property
    def residual(self) -> NDArray[np.float32]: ...
    @property
    def objective(self) -> float: ...
    @property
    def iterations(self) -> int: ...

def nmf(matrix: NDArray[np.float32], *, k: int, iterations: int, seed: int, updates: str) -> Topics: ...
def nnls_project(h: NDArray[np.float32], query: NDArray[np.float32]) -> Projection: ...
def fista(atoms: NDArray[np.float32], query: NDArray[np.float32], *, lambda_: float, iterations: int) -> SparseCode: ...

@final
class Dictionary:
    @property
    def atoms(self) -> NDArray[np.float32]: ...
    @property
    def memory_bytes(self) -> int: ...
    def __new__(cls, atoms: NDArray[np.float32]) -> Dictionary: ...
    def code(self, query: NDArray[np.float32], *, lambda_: float, iterations: int) -> SparseCode: ...

def dpp_greedy(
    vectors: NDArray[np.float32], quality: NDArray[np.float64], k: int, similarity_power: int
) -> NDArray[np.int64]: ...
@overload
def rank_score(  # type: ignore[overload-overlap]
    graph: float, relevance: float, importance: float, days: float
) -> float: ...
@overload
def rank_score(
    graph: float | NDArray[np.floating],
    relevance: float | NDArray[np.floating],
    importance: float | NDArray[np.floating],
    days: float | NDArray[np.floating],
) -> NDArray[np.float64]: ...
def best_rows(values: NDArray[np.float64], among: NDArray[np.bool_], count: int) -> NDArray[np.int64]: ...
def fused(
    lexical: NDArray[np.float64],
    cosines: NDArray[np.float64],
    allowed: NDArray[np.bool_] | None,
    *,
    share: float,
    low_quantile: float,
    least: float,
) -> NDArray[np.float64]: ...
def candidates(
    lexical: NDArray[np.float64],
    cosines: NDArray[np.float64] | None,
    relevance: NDArray[np.float64],
    anchored: NDArray[np.bool_] | None,
    allowed: NDArray[np.bool_] | None,
    *,
    floor: float,
    each: int,
) -> tuple[NDArray[np.int64], int, int, int]: ...
def fresh_rows(
    values: NDArray[np.float64], allowed: NDArray[np.bool_] | None, taken: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], float, float]: ...
def joined_pool(
    rows: NDArray[np.int64],
    columns: Sequence[NDArray[np.float64]],
    new_rows: NDArray[np.int64],
    values: NDArray[np.float64],
) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]: ...
def best_means(groups: NDArray[np.int32], values: NDArray[np.float64], best: int) -> NDArray[np.float64]: ...
def bit_shares(bits: NDArray[np.uint64], weights: NDArray[np.float64]) -> NDArray[np.float64]: ...
def telling_terms(
    indexes: Sequence[Bm25Index],
    ids: NDArray[np.int64],
    weights: NDArray[np.float64],
    known: Sequence[str],
    *,
    documents: int,
    max_share: float,
    limit: int,
    hidden: NDArray[np.int64] | None = None,
) -> list[str]: ...
def bm25_row_scores(
    indexes: Sequence[Bm25Index],
    terms: Sequence[str],
    rows: Sequence[NDArray[np.int64]],
    *,
    k1: float,
    b: float,
    hidden: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]: ...
def held_terms(indexes: Sequence[Bm25Index], terms: Sequence[str], ids: NDArray[np.int64]) -> NDArray[np.uint64]: ...
def bm25_scores_of(
    indexes: Sequence[Bm25Index],
    terms: Sequence[str],
    ids: NDArray[np.int64],
    *,
    k1: float,
    b: float,
    hidden: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]: ...
