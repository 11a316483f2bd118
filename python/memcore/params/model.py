"""Every number and switch of a search, and of deciding on a text that is added: name, type, default, meaning, range.

The README's table, the JSON schema, `retrieval_params.json` and the text of every error are made from these lines.
"""

from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from memcore.curves import GAUSSIAN_DECAY, GAUSSIAN_OFFSET_DAYS, GAUSSIAN_SCALE_DAYS
from memcore.kinds import FusionForm, RankForm

__all__ = ["RetrievalParams"]

Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0, le=10)]
Count = Annotated[int, Field(ge=1, le=100_000)]


def _name(value: object) -> object:
    """Lets a name pass, or what is one already; an Enum would write out anything else that it is asked for."""
    if not isinstance(value, str):
        raise ValueError("give a name")  # noqa: TRY004 - pydantic reports a ValueError, and passes a TypeError on
    return value


Fusion = Annotated[FusionForm, BeforeValidator(_name)]
Rank = Annotated[RankForm, BeforeValidator(_name)]


def _p(default: object, meaning: str, *, tuned: tuple[float, float] | None = None, **limits: Any) -> Any:
    """One parameter: its default, what it means, limits beyond those of its type, and within which a tuning moves it.

    A tuning moves what is on the white-list alone: what changes how a search that was recorded would have answered, and
    neither what it costs nor what is derived from the store for it.
    """
    extra: Any = None if tuned is None else {"tuned": {"from": tuned[0], "to": tuned[1]}}
    return Field(default=default, description=meaning, json_schema_extra=extra, **limits)


class RetrievalParams(BaseModel):
    """One immutable, valid set of parameters; a search uses one set from its first step to its last."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, validate_default=True)

    # 0 decide: what becomes of a text that is added
    enable_near_merge: bool = _p(True, "Merge a text into one that says nearly the same, by their vectors.")
    decide_near_cosine: float = _p(0.95, "Least cosine of two texts that may be one.", ge=0.5, le=1)
    decide_near_candidates: int = _p(50, "Nearest memories that are looked at for it.", ge=1, le=1_000)
    decide_fact_confidence: Share = _p(0.7, "Confidence below which a fact waits for review.")
    decide_knowledge_confidence: Share = _p(0.5, "Confidence below which knowledge waits for review.")
    decide_lesson_confidence: Share = _p(0.5, "Confidence below which a lesson waits for review.")

    # 1 anchor
    enable_anchor: bool = _p(True, "Find entities, speakers and dates that the query names.")
    anchor_energy: float = _p(2.0, "Energy with which a named entity starts spreading.", ge=0, le=2)

    # 2 recall
    enable_dense: bool = _p(True, "Recall by the cosine of vectors.")
    enable_lexical: bool = _p(True, "Recall by BM25.")
    bm25_k1: float = _p(0.9, "How slowly repeats of a term stop counting.", ge=0, le=10)
    bm25_b: Share = _p(0.4, "How much long texts are held back.")
    recall_candidates: Count = _p(50, "Least number of candidates of each channel.")
    recall_multiplier: int = _p(5, "Candidates of each channel for each hit asked for.", ge=1, le=100)
    recall_dense_floor: float | None = _p(
        None, "Least cosine of a dense candidate; null is the embedding space's calibrated floor.", ge=-1, le=1
    )
    fusion: Fusion = _p(FusionForm.NORMALIZED, "How lexical and dense score become one relevance.", strict=False)
    fusion_dense_weight: Share = _p(0.4, "Share of the dense score in `normalized`.", tuned=(0, 1))
    dialogue_last_line: Weight = _p(
        0.8, "What the last line of a query of several lines counts beside the whole, by words and by meaning."
    )
    dialogue_dense_weight: Share = _p(0.6, "Share of the dense channel in `normalized` for a query of several lines.")
    fusion_dense_low: Share = _p(
        0.5, "Quantile of the scope's cosines that counts as 0 in `normalized`.", tuned=(0, 0.9)
    )
    fusion_parts: Share = _p(
        0.8,
        "What each question of a query that asks several counts beside the whole; 0 is the whole alone.",
    )
    rrf_k: float = _p(60.0, "Rank offset of `rrf`.", ge=0, le=10_000)
    or_gate_lexical: Share = _p(0.5, "Lexical score that lets a candidate through `or_gate`.")
    or_gate_cosine: float = _p(0.55, "Cosine that lets a candidate through `or_gate`.", ge=-1, le=1)

    enable_expansion: bool = _p(True, "Look up the telling words of the best matches too.")
    expansion_memories: Count = _p(5, "Best matches whose words are looked up.")
    expansion_terms: Count = _p(15, "Most of their words that are looked up, the most telling first.")

    # 3 topics
    enable_nmf: bool = _p(False, "Factorise entity vectors into topics and measure the query's novelty.")
    nmf_n_topics: int = _p(15, "Most topics.", ge=1, le=256)
    nmf_iterations: int = _p(100, "Multiplicative updates of the factorisation.", ge=1, le=10_000)
    nmf_seed: int = _p(42, "Seed of the factorisation's start.", ge=0, le=2**32 - 1)
    nmf_novelty_threshold: Share = _p(0.575, "Novelty above which the residual step runs, with topics on.")
    concept_min_documents: Count = _p(2, "Least memories that hold a term for it to be a concept.")
    concept_max_share: float = _p(0.05, "Largest share of memories that hold a concept.", gt=0, le=1)
    concept_limit: int = _p(64, "Most atoms: entities, or the concepts that stand in for them.", ge=1, le=10_000)

    # 4 residual
    enable_sparse_coding: bool = _p(True, "Search again with what the entities do not explain of the query.")
    sparse_coding_lambda: float = _p(0.1, "Weight of the L1 term in FISTA.", gt=0, le=10)
    sparse_coding_iterations: int = _p(80, "Iterations of FISTA.", ge=1, le=10_000)
    residual_threshold: float = _p(0.3, "Norm of the residual above which it is searched with.", ge=0, le=2)
    residual_topk: int = _p(5, "Most memories that the residual adds.", ge=1, le=1_000)
    residual_discount: Share = _p(0.8, "Factor on the cosine of what the residual adds; its relevance is taken off.")

    # 5 spread
    enable_spread: bool = _p(True, "Spread energy through the memory graph.")
    spread_steps: int = _p(2, "Steps of spreading activation.", ge=1, le=16)
    spread_decay: Share = _p(0.6, "Share of energy that an edge passes on.", tuned=(0.2, 0.95))
    spread_threshold: float = _p(0.05, "Least energy that spreads; half of it is the least that arrives.", ge=0, le=2)
    spread_max_active: int = _p(10_000, "Most nodes that emit in one step.", ge=1, le=10_000_000)
    spread_seeds: Count = _p(40, "Most candidates that start spreading, by relevance.")
    spread_answer_weight: Share = _p(0.65, "Strength of the arc from a turn that ends in a question to the next turn.")
    spread_next_weight: Share = _p(0.15, "Strength of the arc from any other turn to the next turn.")
    spread_previous_weight: Share = _p(0.2, "Strength of the arc from a turn to the one before it.")
    spread_mention_weight: Share = _p(0.2, "Strength of the edges between a memory and the entities it mentions.")
    spread_max_outflow: float | None = _p(
        2.0, "Bound on the sum of a node's outgoing weights; null is none.", gt=0, le=1_000_000
    )
    spread_max_degree: int | None = _p(
        None, "Strongest edges of a node that walks follow; null is all of them.", ge=1, le=1_000_000
    )
    teleport_alpha: float = _p(
        0.15, "Share of its first energy that a seed gets back in each step.", ge=0, lt=1, tuned=(0, 0.5)
    )
    enable_pagerank: bool = _p(False, "Add personalised PageRank to the graph score.")
    pagerank_restart: float = _p(0.15, "Probability that the walk restarts at the seeds.", gt=0, lt=1)
    pagerank_tolerance: float = _p(1e-6, "L1 change at which the walk has converged.", gt=0, le=1)
    pagerank_max_visits: int = _p(5_000_000, "Edge visits after which it falls back to bounded hops.", ge=1, le=10**12)

    # 6 co-occurrence
    enable_cooccurrence_boost: bool = _p(True, "Boost entities that were often met with the anchors.")
    cooccurrence_bonus_scale: Weight = _p(0.1, "Scale of the bonus score · ln(1 + count).")
    cooccurrence_max_neighbors: int = _p(10, "Most partners of one anchor, by count.", ge=1, le=1_000)

    # 7 rank
    rank_form: Rank = _p(RankForm.BLEND, "How relevance and signals become the final score.", strict=False)
    weight_graph: Weight = _p(0.9, "Weight of the energy that a memory receives, in `blend`.", tuned=(0, 2))
    weight_graph_when: Share = _p(0.3, "Factor on that weight when the query asks for a time.")
    weight_pagerank: Weight = _p(0.2, "Weight of PageRank in `blend`.")
    weight_date: Weight = _p(
        0.3, "Weight of a memory's being of the time that the query means, in `blend`.", tuned=(0, 1)
    )
    weight_date_match: Weight = _p(
        0.5, "Weight of how well the words match a memory of the time that the query means, in `blend`.", tuned=(0, 1.5)
    )
    weight_question: Weight = _p(
        0.3,
        "Weight of what a turn loses that ends in a question, its answer being in the next turn, in `blend`.",
        tuned=(0, 1),
    )
    weight_answer: Weight = _p(
        0.1,
        "Weight of a memory's having what the query asks for (a name, a title, a number), in `blend`.",
        tuned=(0, 0.5),
    )
    weight_length: Weight = _p(
        0.1,
        "Weight of the logarithm of a memory's length against the mean of its kind, in `blend`.",
        tuned=(0, 0.5),
    )
    weight_window: Weight = _p(
        0.2, "Weight of the query's words that the turns around a memory have, in `blend`.", tuned=(0, 1)
    )
    weight_speaker: Weight = _p(
        0.4, "Weight of a memory's being said by, or about, whom the query names, in `blend`.", tuned=(0, 1.5)
    )
    weight_session: Weight = _p(0.35, "Weight of how well the memory's conversation matches, in `blend`.", tuned=(0, 1))
    weight_cooccurrence: Weight = _p(0.05, "Weight of the co-occurrence bonus in `blend`.")
    weight_expansion: Weight = _p(
        0.3, "Weight of sharing the telling words of the best matches, in `blend`.", tuned=(0, 1)
    )
    weight_residual: Weight = _p(0.3, "Weight of what the residual gives beyond the query, in `blend`.")
    blend_multiplier_cap: float = _p(1.15, "Largest ratio that all multipliers of `blend` make together.", ge=1, le=10)

    blend_retention_share: Share = _p(
        0.2, "Share of retention in those multipliers; importance and use have the rest in halves.", tuned=(0, 1)
    )
    layers_relevance_power: float = _p(1.0, "Power of the relevance in `layers`.", gt=0, le=10)
    layers_retention_floor: Share = _p(0.35, "What `layers` multiplies with where nothing is retained.")
    postgres_offset_days: float = _p(GAUSSIAN_OFFSET_DAYS, "Days without loss in `postgres`.", ge=0, le=1_000_000)
    postgres_scale_days: float = _p(
        GAUSSIAN_SCALE_DAYS, "Days beyond those after which `postgres_decay` is left.", ge=1, le=1_000_000
    )
    postgres_decay: float = _p(GAUSSIAN_DECAY, "What is left in `postgres` when those days are over.", gt=0, le=1)
    postgres_use_weight: Weight = _p(0.2, "What ten times as many uses add to the factor of use in `postgres`.")
    postgres_importance_weight: Share = _p(
        0.25, "Share of importance in its factor in `postgres`; a larger one outweighs ranks."
    )

    # 8 diversify
    enable_dpp: bool = _p(True, "Choose a diverse set by a determinantal point process.")
    dpp_candidate_multiplier: int = _p(3, "Candidates for each hit asked for.", ge=1, le=100)
    dpp_similarity_power: int = _p(
        4, "Power of the cosine; higher lets only closer ones count as alike.", ge=1, le=64, tuned=(1, 16)
    )
    dpp_unrelated: float = _p(
        0.01,
        "Most that two unrelated texts may count as alike; the power rises until they do not; 1 leaves it.",
        gt=0,
        le=1,
    )
    dpp_quality_weight: Weight = _p(1.0, "Exponent of the score against diversity.", tuned=(0.25, 4))

    confidence_low: Share = _p(0.3, "Probability of an answer from which on the confidence of a search is `low`.")
    confidence_good: Share = _p(0.7, "Probability of an answer from which on it is `good`.")

    # 9 reconstruct
    context_max_chars: int = _p(
        600, "Most characters of the context block, unless the call says otherwise.", ge=1, le=10**7
    )

    @model_validator(mode="after")
    def _something_is_recalled(self) -> Self:
        if not (self.enable_anchor or self.enable_dense or self.enable_lexical):
            raise ValueError("enable_anchor, enable_dense and enable_lexical are all false; leave one of them true")
        return self

    @model_validator(mode="after")
    def _low_is_below_good(self) -> Self:
        low, good = self.confidence_low, self.confidence_good
        if low > good:
            raise ValueError(f"confidence_low: {low} is above confidence_good: {good}; give at most that, or raise it")
        return self
