"""The parameters of a search, and the file in which they may be edited while memcore runs."""

from memcore.params.document import (
    LONGEST_DOCUMENT,
    default_document,
    json_schema,
    overridden,
    params_from_text,
    params_table,
    read_params,
)
from memcore.params.location import params_location
from memcore.params.model import RetrievalParams
from memcore.params.profiles import NAMED
from memcore.params.regular import read_regular
from memcore.params.watch import ParamsFile

__all__ = [
    "LONGEST_DOCUMENT",
    "NAMED",
    "ParamsFile",
    "RetrievalParams",
    "default_document",
    "json_schema",
    "overridden",
    "params_from_text",
    "params_location",
    "params_table",
    "read_params",
    "read_regular",
]
