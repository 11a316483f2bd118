"""Why a hit is there, in few words: the terms of its score, the largest first, with what each adds."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcore.pipeline.trace import Explanation

__all__ = ["PHRASES", "in_few_words"]

PHRASES = {
    "relevance": "words and meaning",
    "vector": "meaning",
    "graph": "linked memories",
    "pagerank": "well connected",
    "session": "same conversation",
    "date": "time asked about",
    "speaker": "said by who is named",
    "cooccurrence": "named together",
    "residual": "rest of the question",
}
_FAINT = 0.005  # what would be shown as 0.00 is no reason


def in_few_words(explanation: "Explanation", *, limit: int = 3) -> str:
    """The terms that add most to the score, each with what it adds; `memcore explain` shows all of them."""
    terms = sorted(explanation.terms, key=lambda term: (-term.contribution, term.name))
    return ", ".join(
        f"{PHRASES.get(term.name, term.name)} {term.contribution:.2f}"
        for term in terms[:limit]
        if term.contribution >= _FAINT
    )
