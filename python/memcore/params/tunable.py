"""The white-list: the parameters that a tuning may move, and how far; it is read from the model."""

from typing import NamedTuple

from memcore.params.model import RetrievalParams

__all__ = ["TUNABLE", "Range", "tunable_table"]


class Range(NamedTuple):
    """From where to where a parameter is moved, both included."""

    low: float
    high: float
    whole: bool

    def value(self, share: float) -> float:
        """The value at a share of the way, 0 to 1, to three digits behind the point."""
        found = self.low + min(max(share, 0.0), 1.0) * (self.high - self.low)
        return round(found) if self.whole else round(found, 3)

    def share(self, value: float) -> float:
        """How far along the way a value is; one beyond the range is at its end."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def _tunable() -> dict[str, Range]:
    found = {}
    for name, field in RetrievalParams.model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and isinstance(bounds := extra.get("tuned"), dict):
            low, high = float(str(bounds["from"])), float(str(bounds["to"]))
            found[name] = Range(low, high, whole=field.annotation is int)
    return found


TUNABLE = _tunable()
"""By name, in the order of the model."""


def tunable_table() -> str:
    """The white-list as a Markdown table: name, default, range."""
    defaults = RetrievalParams().model_dump(mode="json")
    rows = ["| parameter | default | tuned from | to |", "|---|---|---|---|"]
    rows += [f"| `{name}` | {defaults[name]:g} | {at.low:g} | {at.high:g} |" for name, at in TUNABLE.items()]
    return "\n".join(rows) + "\n"
