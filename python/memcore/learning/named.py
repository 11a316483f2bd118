"""The profiles that come with the package, under their names."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from memcore import params

__all__ = ["NAMED"]

NAMED: Mapping[str, Mapping[str, Any]] = MappingProxyType({"defaults": {}, **params.NAMED})
"""By name, what a profile changes of the defaults."""
