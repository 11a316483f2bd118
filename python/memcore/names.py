"""Names as people mean them: the one form in which two spellings of a name are the same name."""

import unicodedata

__all__ = ["name_key"]


def name_key(name: str) -> str:
    """`name` in NFKC, case-folded, with runs of white space as one space and none at the ends.

    >>> name_key("  Ａna   MARÍA ")
    'ana maría'
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
