"""Which vector space an embedder writes to, told by what it makes of two sentences.

A name does not say enough: the weights behind a URL or a package can change under it, and vectors of two models are
not comparable. So a space has a fingerprint. A hash of rounded numbers would change with the last bits, which differ
between processors and servers; the fingerprint lists the places of the largest components instead, with their signs,
and two fingerprints agree when most entries do. Different models agree on almost none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.embedding.port import checked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memcore.embedding.port import Embedder

__all__ = ["PROBES", "SpaceIdentity", "fingerprint_of", "fingerprints_agree", "identify"]

PROBES = ("The lighthouse keeper writes down every ship that passes.", "守灯塔的人把每一艘驶过的船都记下来。")
_LARGEST = 12
_AGREEING_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class SpaceIdentity:
    """A vector space: model, dimension, fingerprint. Spaces never mix."""

    name: str
    dimension: int
    fingerprint: str

    def agrees_with(self, other: SpaceIdentity) -> bool:
        """Whether vectors of both may be compared."""
        return (
            self.name == other.name
            and self.dimension == other.dimension
            and fingerprints_agree(self.fingerprint, other.fingerprint)
        )


def identify(embedder: Embedder) -> SpaceIdentity:
    """The space of `embedder`; embeds two sentences.

    Raises:
        ProviderError: the embedder failed, or answered with something unusable.
    """
    sound = checked(embedder)
    return SpaceIdentity(sound.name, sound.dimension, fingerprint_of(sound.embed(PROBES)))


def fingerprint_of(probes: NDArray[np.float32]) -> str:
    """The largest components of each row of (p, d): `+12-40/+7-99`, by place; 12 a row, or a quarter of d if fewer."""
    import numpy as np

    kept = max(1, min(_LARGEST, probes.shape[1] // 4))
    parts = []
    for row in probes:
        places = np.sort(np.argsort(-np.abs(row), kind="stable")[:kept])
        parts.append("".join(f"{'-' if row[place] < 0 else '+'}{place}" for place in places))
    return "/".join(parts)


def fingerprints_agree(one: str, other: str) -> bool:
    """Whether both come from the same model: at least 70 % of the entries of each probe are the same."""
    ours, theirs = one.split("/"), other.split("/")
    return len(ours) == len(theirs) and all(
        _agreement(first, second) >= _AGREEING_SHARE for first, second in zip(ours, theirs, strict=True)
    )


def _agreement(one: str, other: str) -> float:
    """The share of entries that two probes have in common, of the longer one."""
    ours, theirs = _entries(one), _entries(other)
    return len(ours & theirs) / max(len(ours), len(theirs), 1)


def _entries(part: str) -> frozenset[str]:
    return frozenset(part.replace("+", " +").replace("-", " -").split())
