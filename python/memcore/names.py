"""Names as people mean them (two spellings of one name are the same), and names that a file can have."""

import os
import unicodedata

__all__ = ["is_path", "name_key"]


def name_key(name: str) -> str:
    """`name` in NFKC, case-folded, with runs of white space as one space and none at the ends.

    >>> name_key("  Ａna   MARÍA ")
    'ana maría'
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def is_path(text: str) -> bool:
    """Whether a file can have this path: not empty, no NUL, and nothing that the file system's encoding has not."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return bool(text) and "\0" not in text
