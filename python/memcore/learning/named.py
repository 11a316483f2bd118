"""The profiles that come with the package: the one place where they are gathered under their names."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from memcore.params import RetrievalParams

__all__ = ["NAMED"]

NAMED: Mapping[str, Mapping[str, Any] | RetrievalParams] = MappingProxyType({"defaults": {}})
"""By name, what a profile changes of the defaults, or a whole set of parameters."""
