"""Embedders: the port, the one that comes with the package, the optional ones, and the space that each writes to."""

from collections.abc import Callable
from inspect import getattr_static

from memcore.embedding.bundled import BundledEmbedder
from memcore.embedding.e5 import E5Embedder
from memcore.embedding.hashing import HashingEmbedder
from memcore.embedding.http import OpenAIEmbedder
from memcore.embedding.port import CheckedEmbedder, Embedder, checked
from memcore.embedding.space import SpaceIdentity, fingerprints_agree, identify
from memcore.errors import InvalidInputError, shown

__all__ = [
    "BundledEmbedder",
    "CheckedEmbedder",
    "E5Embedder",
    "Embedder",
    "HashingEmbedder",
    "OpenAIEmbedder",
    "SpaceIdentity",
    "checked",
    "fingerprints_agree",
    "identify",
    "open_embedder",
]

_NAMED: dict[str, Callable[[], Embedder]] = {"bundled": BundledEmbedder, "e5": E5Embedder, "hashing": HashingEmbedder}


def open_embedder(spec: object = None) -> Embedder | None:
    """The embedder that `spec` asks for; nothing is loaded and no endpoint is called.

    None or `"bundled"` is the one that comes with the package, `"none"` is None (lexical and graph search only),
    `"e5"` is multilingual-e5-small, `"hashing"` the stand-in for tests; an object with `embed`, `name` and
    `dimension` is returned as it is.

    Raises:
        InvalidInputError: it is none of these.
        ProviderError: the package that the embedder needs is not installed.
    """
    if spec is None:
        return BundledEmbedder()
    if isinstance(spec, str):
        if spec == "none":
            return None
        if spec in _NAMED:
            return _NAMED[spec]()
    elif not isinstance(spec, type) and all(_has(spec, field) for field in ("embed", "name", "dimension")):
        return spec  # type: ignore[return-value]  # it has the three attributes of the port
    raise InvalidInputError(
        f"embedder: {shown(spec) if isinstance(spec, str) else type(spec).__name__} is not accepted; give None, "
        '"bundled", "e5", "none", or an object with embed(texts, *, query=False), name and dimension'
    )


def _has(spec: object, field: str) -> bool:
    """Whether `spec` has `field`, without running a property: asking for a dimension may mean a call to an endpoint."""
    return getattr_static(spec, field, None) is not None or hasattr(spec, field)
