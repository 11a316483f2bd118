"""Parameters as a JSON document and back, and what is said about them: errors, schema, table."""

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memcore.errors import ParamsError, shown
from memcore.params.model import RetrievalParams
from memcore.params.regular import read_regular

__all__ = [
    "LONGEST_DOCUMENT",
    "default_document",
    "json_schema",
    "overridden",
    "params_from_text",
    "params_table",
    "read_params",
]

LONGEST_DOCUMENT = 1 << 20  # bytes
_LONGEST_NAME = 100  # of one that a parameter could be meant by


def read_params(path: Path | str) -> RetrievalParams:
    """The parameters in a file; keys that it leaves out have their defaults.

    Raises:
        ParamsError: it cannot be read, is not such a document, or a value is unknown or out of range.
    """
    try:
        document = read_regular(Path(path), LONGEST_DOCUMENT + 1)[1]
    except OSError as error:
        raise ParamsError(f"{path}: cannot be read ({error.strerror})") from error
    return params_from_text(document)


def params_from_text(document: bytes) -> RetrievalParams:
    """The parameters in a JSON document, UTF-8, of one object.

    Raises:
        ParamsError: it is not JSON (NaN, Infinity and repeated keys are not), or a value is unknown or out of range.
    """
    if len(document) > LONGEST_DOCUMENT:
        raise ParamsError(f"the document has {len(document)} bytes; at most {LONGEST_DOCUMENT} are read")
    try:
        values = json.loads(
            document.decode("utf-8-sig"), object_pairs_hook=_without_repeats, parse_constant=_refused_constant
        )
    except RecursionError as error:
        raise ParamsError("the document is nested too deeply; give an object of parameters") from error
    except ValueError as error:
        raise ParamsError(f"the document is not valid JSON: {error}") from error
    if not isinstance(values, dict):
        raise ParamsError(f"the document is a JSON {type(values).__name__}; give an object of parameters")
    return _validated(values)


def overridden(base: RetrievalParams, changes: "Mapping[str, Any] | RetrievalParams | None") -> RetrievalParams:
    """`base` with the values of `changes`, for one call; a whole set takes the place of `base`.

    Raises:
        ParamsError: a name is unknown, or a value has the wrong type or is out of range.
    """
    if changes is None:
        return base
    if isinstance(changes, RetrievalParams):
        return changes
    if not isinstance(changes, Mapping):
        raise ParamsError(f"params: {type(changes).__name__} is not accepted; give a mapping of names to values")
    return _validated({**base.model_dump(), **changes})


def default_document() -> str:
    """The text of `retrieval_params.json` with every default."""
    return json.dumps(RetrievalParams().model_dump(mode="json"), indent=2) + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON schema of `retrieval_params.json`."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **RetrievalParams.model_json_schema()}


def params_table() -> str:
    """The parameters as a Markdown table: name, default, accepted values, meaning."""
    rows = ["| parameter | default | values | meaning |", "|---|---|---|---|"]
    defaults = RetrievalParams().model_dump(mode="json")
    for name, field in RetrievalParams.model_fields.items():
        default = json.dumps(defaults[name], ensure_ascii=False)
        rows.append(f"| `{name}` | `{default}` | {_accepted(name)} | {field.description} |")
    return "\n".join(rows) + "\n"


def _validated(values: Mapping[Any, Any]) -> RetrievalParams:
    broken = [name for name in values if isinstance(name, str) and not _is_text(name)]
    if broken:  # the model would not say which one it was
        raise ParamsError(*map(_unknown, broken))
    try:
        return RetrievalParams.model_validate(dict(values))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
        raise ParamsError(*(_explained(problem["loc"], problem) for problem in problems)) from None


def _explained(location: tuple[int | str, ...], problem: Any) -> str:
    """One line for one problem: the field, the value given, what would do."""
    if not location:
        return str(problem["msg"]).removeprefix("Value error, ")
    name = str(location[0])
    if name in RetrievalParams.model_fields:
        return f"{name}: {shown(problem['input'])} is not accepted; give {_accepted(name)}"
    return _unknown(name)


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name[:_LONGEST_NAME], RetrievalParams.model_fields, n=1, cutoff=0.0)
    return f"{shown(name)} is not a parameter; the nearest one is '{near[0]}'"


def _is_text(name: str) -> bool:
    """Whether it has no lone surrogate."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _accepted(name: str) -> str:
    """The values that a parameter accepts, in words, from its schema."""
    schema = RetrievalParams.model_json_schema()
    field = schema["properties"][name]
    options = field.get("anyOf", [field])
    words = [
        _in_words(schema["$defs"][option["$ref"].rpartition("/")[2]] if "$ref" in option else option)
        for option in options
    ]
    return " or ".join(words)


def _in_words(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(f'"{value}"' for value in schema["enum"])
    kind = schema["type"]
    if kind in {"boolean", "null"}:
        return "true or false" if kind == "boolean" else "null"
    low = _bound(schema, minimum="from", exclusiveMinimum="above")
    high = _bound(schema, maximum="to", exclusiveMaximum="below")
    return f"{'an integer' if kind == 'integer' else 'a number'} {low} {high}"


def _bound(schema: Mapping[str, Any], **words: str) -> str:
    """The one limit of `schema` that `words` name; a parameter without a limit on this side is a fault of the model."""
    limit, word = next((limit, word) for limit, word in words.items() if limit in schema)
    value = schema[limit]
    return f"{word} {int(value) if value == int(value) else value}"


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {shown(repeated)} is there more than once")
    return values


def _refused_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a number of JSON")
