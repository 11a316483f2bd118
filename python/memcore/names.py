"""Names and words as people mean them (two spellings of one are the same), and names that a file can have."""

import os
import unicodedata

__all__ = ["is_path", "name_key", "path_text", "without_end", "words_key"]


def name_key(name: str) -> str:
    """`name` in NFKC, case-folded, with runs of white space as one space and none at the ends.

    >>> name_key("  Ａna   MARÍA ")
    'ana maría'
    """
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return " ".join(plain.casefold().split())


def words_key(words: str) -> str:
    """Words without regard to case, width and space, and to the dot of the Turkish i.

    >>> words_key("Ｉn  İstanbul?")
    'in istanbul?'
    """
    key = name_key(words)
    return key if key.isascii() else unicodedata.normalize("NFKC", key).replace("i\u0307", "i").replace("ı", "i")


def without_end(words: str) -> str:
    """Words without what ends them and is no letter or digit; as they are where there is nothing else.

    >>> without_end("in istanbul ?!")
    'in istanbul'
    """
    end = len(words)
    while end and not words[end - 1].isalnum():
        end -= 1
    return words[:end] or words


def path_text(given: object) -> str | None:
    """The path that a string or a path-like object names; None where it is neither, or no file can have that path."""
    try:
        text = os.fspath(given)  # type: ignore[call-overload]  # what is no path raises
    except Exception:  # noqa: BLE001 - `__fspath__` is code of the caller's
        return None
    return text if isinstance(text, str) and is_path(text) else None


def is_path(text: str) -> bool:
    """Whether a file can have this path: not empty, no NUL, and nothing that the file system's encoding has not."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return bool(text) and "\0" not in text
