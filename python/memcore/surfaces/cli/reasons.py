"""Why a hit is there, in few words: the terms of its score, the largest first, with what each adds."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcore.pipeline.explanation import Explanation

__all__ = ["PHRASES", "in_few_words"]

PHRASES = {
    "graph": "linked memories",
    "pagerank": "well connected",
    "session": "same conversation",
    "date": "time asked about",
    "date_match": "words of that time",
    "speaker": "said by who is named",
    "cooccurrence": "named together",
    "expansion": "words of the best",
    "question": "asks itself",
    "residual": "rest of the question",
    "answer": "has what is asked for",
    "length": "says much",
    "window": "words in turns around",
    "cosine": "meaning",
    "lexical": "words",
    "recency": "recent",
}
_OF_THE_TEXT = ("relevance", "vector", "rrf")
_FAINT = 0.005  # what would be shown as 0.00 is no reason


def _phrase(name: str, matched: str) -> str:
    """A term in few words; that of the text says whether words, meaning or both matched."""
    if name in _OF_THE_TEXT:
        return matched or "text"
    return PHRASES.get(name, name)


def in_few_words(explanation: "Explanation", *, limit: int = 3) -> str:
    """The terms that add most to the score, each with what it adds; `memcore explain` shows all of them."""
    terms = sorted(explanation.terms, key=lambda term: (-term.contribution, term.name))
    return ", ".join(
        f"{_phrase(term.name, explanation.matched)} {term.contribution:.2f}"
        for term in terms[:limit]
        if term.contribution >= _FAINT
    )
