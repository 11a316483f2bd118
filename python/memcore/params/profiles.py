"""Named profiles: the parameters with which memcore ranks as one of five published systems does.

A profile changes the shipped defaults: `overridden(RetrievalParams(), NAMED["trove"])`. It sets how what was recalled
is fused, weighed and picked, and switches off what its system does not have. Text analysis, who is seen by whom, and
the floor below which a cosine is no match stay memcore's: nonsense finds nothing in any profile, and without vectors
words decide. `SOURCES` says where the numbers of each come from.
"""

from collections.abc import Mapping
from types import MappingProxyType

from memcore.kinds import FusionForm, RankForm

__all__ = ["NAMED", "SOURCES"]

_BARE: Mapping[str, object] = {
    "dialogue_last_line": 0.0,
    "fusion_parts": 0.0,
    "enable_expansion": False,
    "enable_nmf": False,
    "enable_sparse_coding": False,
    "enable_spread": False,
    "enable_cooccurrence_boost": False,
    "enable_dpp": False,
}
"""Two channels and a score: what is more is a system's own."""


def _profile(form: RankForm, base: Mapping[str, object], **changes: object) -> Mapping[str, object]:
    """A profile as plain values, as a parameter file has them."""
    plain = {name: str(value) if isinstance(value, FusionForm) else value for name, value in changes.items()}
    return MappingProxyType({**base, "rank_form": str(form), **plain})


NAMED: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "perocore": _profile(
            RankForm.PEROCORE,
            {},
            # recall: the twenty nearest by meaning start with their cosine, min-max'ed; without a vector words do
            fusion=FusionForm.NORMALIZED,
            fusion_dense_weight=1.0,
            fusion_dense_low=0.0,
            dialogue_last_line=0.0,
            dialogue_dense_weight=1.0,
            fusion_parts=0.0,
            recall_candidates=20,
            recall_multiplier=1,
            enable_expansion=False,
            enable_nmf=True,
            # spreading: neighbours in time weigh .2 both ways; a node passes on along twenty edges, unbounded
            spread_seeds=20,
            spread_answer_weight=0.2,
            spread_next_weight=0.2,
            spread_previous_weight=0.2,
            spread_max_outflow=None,
            spread_max_degree=20,
            # diversity: the plain cosine
            dpp_similarity_power=1,
            dpp_unrelated=1.0,
        ),
        "layers": _profile(
            RankForm.LAYERS,
            _BARE,
            enable_anchor=False,
            fusion=FusionForm.WEIGHTED,
            # each channel offers three for each hit
            recall_candidates=1,
            recall_multiplier=3,
            layers_relevance_power=1.0,
            layers_retention_floor=0.35,
        ),
        "trove": _profile(
            RankForm.TROVE,
            _BARE,
            enable_anchor=False,
            fusion=FusionForm.OR_GATE,
            or_gate_lexical=0.5,
            or_gate_cosine=0.55,
        ),
        "postgres": _profile(
            RankForm.POSTGRES,
            _BARE,
            fusion=FusionForm.RRF,
            rrf_k=60.0,
            # the third channel: a walk from the named entities, along relations and mentions, that loses nothing
            spread_threshold=0.0,
            spread_max_outflow=None,
            spread_answer_weight=0.0,
            spread_next_weight=0.0,
            spread_previous_weight=0.0,
            postgres_offset_days=180.0,
            postgres_scale_days=1_825.0,
            postgres_decay=0.5,
            postgres_use_weight=0.2,
            postgres_importance_weight=0.25,
        ),
        "diary": _profile(RankForm.DIARY, _BARE, enable_anchor=False, context_max_chars=600),
    }
)
"""What each profile changes, by its name, as `retrieval_params.json` would have it."""

SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "perocore": "The description of a search in eight steps over a graph: anchors at 2.0, the twenty nearest, "
        "topics, residual, two steps of spreading with teleport, co-occurrence, its score, diversity; "
        "at most twenty edges of a node.",
        "layers": "The description of a memory in three layers: two channels weighed 0.4 and 0.6, three candidates of "
        "each for a hit, a floor of 0.35 under what is retained. It spreads only when asked to.",
        "trove": "The description of a memory of questions and answers: either gate lets a memory through, 0.6 of the "
        "cosine and 0.4 of the words, 0.2 of a recency that halves in thirty days.",
        "postgres": "The description of a memory in one database: three channels of equal weight in reciprocal ranks "
        "(k = 60), and its table of tuned numbers (180 days, 1,825 days, 0.5, 0.2, 0.25). How its walk orders what it "
        "reaches is not told; here by energy.",
        "diary": "The description of the memory of a diary: relevance times importance times e^(-t/S), nothing without "
        "relevance, a block of 600 characters. How it joins its two channels is not told; here as by default.",
    }
)
"""Where the numbers of each profile come from, and what of its system is left out or open."""
