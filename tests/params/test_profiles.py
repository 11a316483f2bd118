"""The named profiles: valid changes of the shipped defaults, each with the form and the numbers of its system."""

import json

import pytest

from memcore.kinds import RankForm
from memcore.params import NAMED, RetrievalParams, overridden, params_from_text
from memcore.params.profiles import SOURCES

NUMBERS = {
    "perocore": {
        "anchor_energy": 2.0,
        "recall_candidates": 20,
        "spread_steps": 2,
        "spread_max_degree": 20,
        "teleport_alpha": 0.15,
    },
    "layers": {"fusion": "weighted", "layers_relevance_power": 1.0, "layers_retention_floor": 0.35},
    "trove": {"fusion": "or_gate", "or_gate_lexical": 0.5, "or_gate_cosine": 0.55},
    "postgres": {
        "fusion": "rrf",
        "rrf_k": 60.0,
        "postgres_offset_days": 180.0,
        "postgres_scale_days": 1825.0,
        "postgres_decay": 0.5,
        "postgres_use_weight": 0.2,
        "postgres_importance_weight": 0.25,
    },
    "diary": {"context_max_chars": 600},
}


def test_there_is_a_profile_for_each_published_form_and_each_says_where_it_is_from():
    assert set(NAMED) == set(SOURCES) == {str(form) for form in RankForm if form is not RankForm.BLEND}
    assert all(source.endswith(".") for source in SOURCES.values())


@pytest.mark.parametrize("name", NAMED)
def test_a_profile_is_a_valid_parameter_file_and_leaves_the_rest_as_it_ships(name):
    changes = dict(NAMED[name])
    params = overridden(RetrievalParams(), changes)
    assert params == params_from_text(json.dumps(changes).encode())
    shipped, changed = RetrievalParams().model_dump(mode="json"), params.model_dump(mode="json")
    assert {key for key in shipped if shipped[key] != changed[key]} <= set(changes)
    assert changed["rank_form"] == name
    assert {key: changed[key] for key in NUMBERS[name]} == NUMBERS[name]


def test_the_enhancers_are_on_where_the_system_has_them():
    steps = ("enable_nmf", "enable_sparse_coding", "enable_spread", "enable_cooccurrence_boost", "enable_dpp")
    for name, changes in NAMED.items():
        params = overridden(RetrievalParams(), changes)
        assert [getattr(params, step) for step in steps] == [name == "perocore"] * len(steps)


def test_a_profile_cannot_be_changed():
    with pytest.raises(TypeError):
        NAMED["trove"]["fusion"] = "rrf"
    with pytest.raises(TypeError):
        NAMED["mine"] = {}
