"""Why a hit is there, in words: each signal of the ranking has one phrase."""

from collections.abc import Mapping

__all__ = ["reasons"]

_PHRASES = {
    "vector": "close in meaning",
    "lexical": "shares words",
    "graph": "linked to what matched",
    "cooccurrence": "named together with what was asked",
    "residual": "covers what the first matches left out",
    "date": "from the time asked about",
    "speaker": "said by the person asked about",
    "adjacency": "next to a match in the conversation",
    "importance": "important",
    "use": "used before",
}
_FAINT = 0.005  # a signal that is shown as 0.00 is no reason


def reasons(signals: Mapping[str, float], *, limit: int = 3) -> str:
    """The strongest signals in words with their values, strongest first; a signal without a phrase keeps its name."""
    strongest = sorted(
        ((name, value) for name, value in signals.items() if value >= _FAINT), key=lambda pair: (-pair[1], pair[0])
    )
    return ", ".join(f"{_PHRASES.get(name, name)} {value:.2f}" for name, value in strongest[:limit])
