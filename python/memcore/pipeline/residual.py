"""Step 4, sparse residual: what the query means beside its main themes.

When the novelty of step 3 passes its threshold (or step 3 did not run), the query is written as a sparse sum of atoms,
min ½‖q − Eᵀa‖² + λ‖a‖₁ by FISTA (Beck & Teboulle 2009). If enough of it is left over, ‖r‖ > θ, the rest r is searched
for by itself; memories that no channel had recalled join the pool with `residual` = discount · minmax(cos(r, v)) less
the relevance that they have already, at least 0: what the query itself gives a memory is not given twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import fresh_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Facts", "run"]


@dataclass(frozen=True, slots=True)
class Facts:
    """Why the second search ran or did not, what explained the query, and how many memories it brought."""

    outcome: str
    """`searched`, `no vector`, `no candidates`, `not novel`, `no atoms` or `explained`."""
    atoms: tuple[str, ...] = ()
    residual_norm: float = 0.0
    brought: int = 0


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with the memories that only the residual finds."""
    vector = retrieval.query.vector
    if vector is None:
        return retrieval, Facts("no vector")
    if not len(retrieval.pool):
        return retrieval, Facts("no candidates")
    projection = retrieval.projection
    if projection is not None and projection.novelty <= params.nmf_novelty_threshold:
        return retrieval, Facts("not novel")
    atoms = reader.atoms(params)
    if not atoms.names:
        return retrieval, Facts("no atoms")
    price, most = params.sparse_coding_lambda, params.sparse_coding_iterations
    code = atoms.dictionary.code(vector, lambda_=price, iterations=most)
    norm = float(np.linalg.norm(code.residual))
    strongest = np.argsort(-np.abs(code.coefficients), kind="stable")[:5]
    used = tuple(atoms.names[index] for index in strongest if code.coefficients[index] != 0.0)
    if norm <= params.residual_threshold:
        return retrieval, Facts("explained", used, norm)
    rows, values = _second_search((code.residual / norm).astype(np.float32), retrieval, reader, params)
    pool = retrieval.pool.with_signal("residual", rows, values)
    return retrieval.but(pool=pool), Facts("searched", used, norm, len(rows))


def _second_search(
    residual: NDArray[np.float32], retrieval: Retrieval, reader: Reader, params: RetrievalParams
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    cosines = reader.cosines(residual)
    if cosines is None:
        return np.empty(0, np.int64), np.empty(0)
    rows, low, high = fresh_rows(cosines, reader.allowed, retrieval.pool.rows, params.residual_topk)
    scaled = (cosines[rows] - low) / (high - low) if high > low else np.ones(len(rows))
    return rows, np.maximum(params.residual_discount * scaled - retrieval.relevance[rows], 0.0)
