"""How much the word of an origin weighs: who says something comes before how sure it is."""

from __future__ import annotations

from memcore.kinds import Origin

__all__ = ["rank"]

_RANKS: dict[str, int] = {
    Origin.USER: 3,
    Origin.ASSISTANT: 2,
    Origin.JOB: 2,
    Origin.IMPORT: 2,
    Origin.TOOL: 1,
    Origin.WEB: 1,
}


def rank(origin: str) -> int:
    """How much the word of an origin weighs: 3 the user's, 1 that of a tool; 0 of what is none."""
    return _RANKS.get(origin, 0)
