"""The one model of parameters, its document, and what is said when a value will not do."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from memcore.errors import ParamsError
from memcore.kinds import FusionForm, RankForm
from memcore.params import (
    RetrievalParams,
    default_document,
    json_schema,
    overridden,
    params_from_text,
    params_table,
    read_params,
)

SHIPPED = Path(__file__).parents[2] / "retrieval_params.json"
PUBLISHED = {
    "enable_sparse_coding": True,
    "enable_dpp": True,
    "enable_cooccurrence_boost": True,
    "sparse_coding_lambda": 0.1,
    "sparse_coding_iterations": 80,
    "residual_threshold": 0.3,
    "residual_topk": 5,
    "dpp_candidate_multiplier": 3,
    "dpp_quality_weight": 1.0,
    "cooccurrence_bonus_scale": 0.1,
    "cooccurrence_max_neighbors": 10,
    "teleport_alpha": 0.15,
    "nmf_n_topics": 15,
}


def test_the_shipped_file_is_the_models_defaults() -> None:
    hint = "write it anew: python -m memcore.params > retrieval_params.json"
    assert SHIPPED.read_text(encoding="utf-8") == default_document(), hint
    assert read_params(SHIPPED) == RetrievalParams()


def test_the_command_writes_the_shipped_file() -> None:
    ran = subprocess.run([sys.executable, "-m", "memcore.params"], capture_output=True, text=True, check=True)
    assert ran.stdout == default_document()


def test_published_names_keep_their_values() -> None:
    defaults = RetrievalParams().model_dump()
    assert {name: defaults[name] for name in PUBLISHED} == PUBLISHED


def test_the_one_published_step_that_gave_nothing_on_any_file_is_off() -> None:
    assert RetrievalParams().enable_nmf is False
    assert overridden(RetrievalParams(), {"enable_nmf": True}).enable_nmf is True


def test_every_parameter_has_a_meaning_a_range_and_a_row_in_the_table() -> None:
    rows = params_table().splitlines()
    assert len(rows) == 2 + len(RetrievalParams.model_fields)
    for row, name in zip(rows[2:], RetrievalParams.model_fields, strict=True):
        _, shown, default, values, meaning, _ = (cell.strip() for cell in row.split("|"))
        assert shown == f"`{name}`"
        assert json.loads(default.strip("`")) == json.loads(default_document())[name]
        assert values
        assert meaning.endswith(".")


def test_the_schema_says_types_ranges_and_meanings() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
    assert schema["properties"]["bm25_b"]["maximum"] == 1
    assert schema["properties"]["bm25_b"]["description"]
    assert set(schema["properties"]) == set(RetrievalParams.model_fields)


def test_a_set_of_parameters_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        RetrievalParams().bm25_b = 0.9


def test_what_a_document_leaves_out_has_its_default() -> None:
    params = params_from_text(b'{"bm25_b": 0.7, "fusion": "rrf", "recall_dense_floor": 0.2, "rank_form": "perocore"}')
    assert params.bm25_b == 0.7
    assert params.fusion is FusionForm.RRF
    assert params.rank_form is RankForm.PEROCORE
    assert params.recall_dense_floor == 0.2
    assert params.bm25_k1 == RetrievalParams().bm25_k1


def test_a_whole_number_will_do_for_a_fraction_and_a_byte_order_mark_is_no_fault() -> None:
    assert params_from_text(b'\xef\xbb\xbf{"bm25_b": 1}').bm25_b == 1.0


FORMS = '"blend", "perocore", "layers", "trove", "postgres", "diary"'
WRONG_VALUES = [
    ('{"enable_nmf": 1}', "enable_nmf: 1 is not accepted; give true or false"),
    ('{"enable_nmf": "true"}', "enable_nmf: 'true' is not accepted; give true or false"),
    ('{"enable_nmf": null}', "enable_nmf: None is not accepted; give true or false"),
    ('{"residual_topk": true}', "residual_topk: True is not accepted; give an integer from 1 to 1000"),
    ('{"residual_topk": 5.0}', "residual_topk: 5.0 is not accepted; give an integer from 1 to 1000"),
    ('{"residual_topk": 0}', "residual_topk: 0 is not accepted; give an integer from 1 to 1000"),
    ('{"bm25_b": "0.4"}', "bm25_b: '0.4' is not accepted; give a number from 0 to 1"),
    ('{"bm25_b": false}', "bm25_b: False is not accepted; give a number from 0 to 1"),
    ('{"bm25_b": 1.01}', "bm25_b: 1.01 is not accepted; give a number from 0 to 1"),
    ('{"bm25_b": 1e999}', "bm25_b: inf is not accepted; give a number from 0 to 1"),
    ('{"bm25_b": [0.4]}', "bm25_b: [0.4] is not accepted; give a number from 0 to 1"),
    ('{"teleport_alpha": 1}', "teleport_alpha: 1 is not accepted; give a number from 0 below 1"),
    ('{"sparse_coding_lambda": 0}', "sparse_coding_lambda: 0 is not accepted; give a number above 0 to 10"),
    ('{"spread_max_outflow": 0}', "spread_max_outflow: 0 is not accepted; give a number above 0 to 1000000 or null"),
    ('{"rank_form": "best"}', f"rank_form: 'best' is not accepted; give one of {FORMS}"),
    ('{"rank_form": 3}', f"rank_form: 3 is not accepted; give one of {FORMS}"),
    ('{"residual_treshold": 0.2}', "'residual_treshold' is not a parameter; the nearest one is 'residual_threshold'"),
    ('{"Enable_NMF": true}', "'Enable_NMF' is not a parameter; the nearest one is 'enable_nmf'"),
]


@pytest.mark.parametrize(("document", "complaint"), WRONG_VALUES)
def test_a_value_that_will_not_do_is_named_with_what_would(document: str, complaint: str) -> None:
    with pytest.raises(ParamsError) as raised:
        params_from_text(document.encode())
    assert str(raised.value) == complaint


@pytest.mark.parametrize(("document", "complaint"), WRONG_VALUES)
def test_a_call_is_held_to_the_same_rules_as_the_file(document: str, complaint: str) -> None:
    with pytest.raises(ParamsError) as raised:
        overridden(RetrievalParams(), json.loads(document))
    assert str(raised.value) == complaint


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b'{"bm25_b": 0.4', "not valid JSON"),
        (b'{"bm25_b": 0.4,}', "not valid JSON"),
        (b'{"bm25_b": NaN}', "NaN is not a number of JSON"),
        (b'{"bm25_b": -Infinity}', "-Infinity is not a number of JSON"),
        (b'{"bm25_b": 0.4, "rrf_k": 60, "bm25_b": 0.5}', "the key 'bm25_b' is there more than once"),
        (b'{"bm25_b": ' + b"9" * 5_000 + b"}", "not valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"\xff\xfe", "not valid JSON"),
        (b"null", "a JSON NoneType; give an object"),
        (b"[]", "a JSON list; give an object"),
        (b" " * (1 << 20) + b"{}", "bytes; at most"),
    ],
)
def test_what_is_no_document_of_parameters_is_refused(document: bytes, complaint: str) -> None:
    with pytest.raises(ParamsError, match=complaint):
        params_from_text(document)


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(ParamsError) as raised:
        params_from_text(b'{"bm25_b": 3, "nmf_seeed": 1, "residual_topk": 0}')
    assert str(raised.value).count(";") == 5
    assert all(name in str(raised.value) for name in ("bm25_b", "nmf_seed", "residual_topk"))


def test_a_search_that_could_recall_nothing_is_refused() -> None:
    nothing = {"enable_anchor": False, "enable_dense": False, "enable_lexical": False}
    with pytest.raises(ParamsError, match="leave one of them true"):
        overridden(RetrievalParams(), nothing)
    for name in nothing:
        assert overridden(RetrievalParams(), {**nothing, name: True})


def test_a_call_changes_what_it_names_and_nothing_else() -> None:
    base = RetrievalParams(bm25_b=0.7)
    changed = overridden(base, {"bm25_k1": 1.2, "fusion": FusionForm.WEIGHTED})
    assert (changed.bm25_b, changed.bm25_k1, changed.fusion) == (0.7, 1.2, FusionForm.WEIGHTED)
    assert base == RetrievalParams(bm25_b=0.7)
    assert overridden(base, None) is base
    assert overridden(base, {}) == base
    assert overridden(base, changed) is changed


@pytest.mark.parametrize("changes", [[("bm25_b", 0.4)], "bm25_b", 7])
def test_what_is_no_mapping_is_refused(changes: object) -> None:
    with pytest.raises(ParamsError, match="give a mapping"):
        overridden(RetrievalParams(), changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", [10**5_000, float("nan"), "x" * 10_000, object()], ids=["huge", "nan", "long", "object"]
)
def test_a_value_that_cannot_be_shown_whole_is_refused_in_a_short_message(value: object) -> None:
    with pytest.raises(ParamsError, match="bm25_b") as raised:
        overridden(RetrievalParams(), {"bm25_b": value})
    assert len(str(raised.value)) < 200


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(ParamsError, match="cannot be read"):
            read_params(path)
