"""A term of a query that no memory has as it stands: the terms that it is the beginning, or a part, of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.compute import bm25_document_frequencies, terms_containing

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memcore.compute import Bm25Index

__all__ = ["completed"]

_LONGEST = 32
_MOST_LOOKED_THROUGH = 10_000
_SHORTEST_BEGINNING = 3
_LAST_WRITTEN_APART = "\u0700"  # Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic


def completed(indexes: Sequence[Bm25Index], terms: Sequence[str], hidden: NDArray[np.int64] | None) -> tuple[str, ...]:
    """`terms`; a single one that no memory has, or of one Chinese character, becomes the terms that contain it.

    A character is a word of its own in one sentence and a part of words in the next; a letter is not. Of words that
    are written apart three letters or more are the beginning of others; a part of a code may stand anywhere. Digits
    alone are not completed: each memory has those of its day. Memories `hidden`, by id, do not count.
    """
    if len(terms) != 1:
        return tuple(terms)
    [term] = terms
    known = bm25_document_frequencies(indexes, [term], hidden=hidden)[0] > 0
    if known and (len(term) > 1 or term.isascii()):
        return tuple(terms)
    apart = term.isalpha() and max(term) < _LAST_WRITTEN_APART
    if term.isdecimal() or len(term) < (_SHORTEST_BEGINNING if apart else 1 + term.isascii()):
        return ()
    wider = terms_containing(indexes, term, _MOST_LOOKED_THROUGH, hidden=hidden)
    wider = [one for one in wider if not apart or one.startswith(term)][:_LONGEST]
    return tuple(dict.fromkeys([term, *wider] if known else wider))
