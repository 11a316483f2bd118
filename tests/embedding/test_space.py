"""A space is told by model, dimension and what the model makes of two sentences."""

from dataclasses import replace

import numpy as np
import pytest

from memcore.embedding import BundledEmbedder, E5Embedder, HashingEmbedder, fingerprints_agree, identify
from memcore.embedding.port import Embedder, checked
from memcore.embedding.space import PROBES, fingerprint_of


@pytest.fixture(params=[BundledEmbedder, E5Embedder, HashingEmbedder])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return request.param()  # type: ignore[no-any-return]


@pytest.mark.parametrize("model", [BundledEmbedder, E5Embedder])
def test_noise_of_another_processor_or_server_stays_in_the_space(model: type[BundledEmbedder | E5Embedder]) -> None:
    probes = checked(model()).embed(PROBES)
    generator = np.random.default_rng(7)
    for size in (1e-7, 1e-5, 1e-3):
        noisy = probes + generator.normal(0, size, probes.shape).astype(np.float32)
        assert fingerprints_agree(fingerprint_of(probes), fingerprint_of(noisy))


def test_the_bundled_embedder_has_the_fingerprint_of_its_published_weights() -> None:
    assert fingerprints_agree(
        identify(BundledEmbedder()).fingerprint,
        "+58-104+149-152+165+186-210+243+266-327+389+477/+27-80-122+149-152+236+266+302-327-408+472+478",
    )


def test_other_vectors_under_the_same_name_are_another_space(embedder: Embedder) -> None:
    space = identify(embedder)
    shuffled = np.roll(checked(embedder).embed(PROBES), 1, axis=1)
    flipped = -checked(embedder).embed(PROBES)
    for vectors in (shuffled, flipped):
        assert not space.agrees_with(replace(space, fingerprint=fingerprint_of(vectors)))


def test_another_name_or_dimension_is_another_space(embedder: Embedder) -> None:
    space = identify(embedder)
    assert space.agrees_with(space)
    assert not space.agrees_with(replace(space, name="another"))
    assert not space.agrees_with(replace(space, dimension=space.dimension + 1))


def test_two_models_agree_on_nothing() -> None:
    assert not fingerprints_agree(identify(BundledEmbedder()).fingerprint, identify(HashingEmbedder(512)).fingerprint)


@pytest.mark.parametrize("fingerprint", ["", "/", "+1", "nonsense", "+1/+2/+3"])
def test_a_fingerprint_that_is_none_agrees_with_no_real_one(fingerprint: str) -> None:
    assert not fingerprints_agree(identify(HashingEmbedder()).fingerprint, fingerprint)
    assert not fingerprints_agree(fingerprint, identify(HashingEmbedder()).fingerprint)


def test_short_vectors_have_a_fingerprint_too() -> None:
    assert fingerprint_of(np.array([[0.6, -0.8], [1.0, 0.0]], dtype=np.float32)) == "-1/+0"
