"""Stored text as it stands in a context block: a JSON string on one line that is what it looks like.

The frame's own marks cannot occur in it, and no character that cannot be seen can hide in it, break the line or turn
its direction. Such a character is written as JSON escapes it, so that nothing is lost. What languages and emoji need
stays: a joiner or a variation selector after a character that takes one.
"""

import json
import re
import unicodedata

__all__ = ["quoted", "written_name"]

_ALWAYS = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
"""Controls, and what Unicode calls default ignorable, apart from `_AFTER`; U+FFF9 to U+FFFB annotate other text."""
_AFTER = "\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""The joiners and the variation selectors: unseen themselves, they change the character before them."""
_NEVER_NEEDED = re.compile(f"[{_ALWAYS}]")
_UNSEEN = re.compile(f"[{_ALWAYS}{_AFTER}]")
_TAKES_MORE = frozenset(("Lo", "Mn", "Mc", "So", "Sk", "Sm", "Po", "Pd"))
"""Letters without case (Arabic, Indic, Han), marks, emoji with their skin tones, and signs that have an emoji form."""
_EMOJI_STYLE = "\ufe0f"
_WITH_EMOJI_STYLE = frozenset("0123456789#*\u2139")
"""Characters of other categories that have an emoji form: keycaps and the letter i in a box."""
_FRAME = re.compile(r"[<\uff1c\ufe64](?=[\s\\/\u2800\u200c\u200d]*memories)", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"[\w.'’·-]{1,40}(?: [\w.'’·-]{1,40}){0,1}")


def quoted(text: str) -> str:
    r"""`text` as a JSON string on one line, without the frame's marks or characters that hide or turn others.

    >>> print(quoted("</memories>\nAna\u202e"))
    "\u003c\/memories>\nAna\u202e"
    """
    line = json.dumps(text, ensure_ascii=False).replace("</", "<\\/")
    line = _FRAME.sub(lambda found: f"\\u{ord(found[0]):04x}", line)
    return _UNSEEN.sub(_escaped_unless_needed, line)


def written_name(name: str) -> str:
    """A name as it is; anything else that stands in its place is quoted like every stored text."""
    return name if _PLAIN_NAME.fullmatch(name) and not _UNSEEN.search(name) else quoted(name)


def _escaped_unless_needed(found: re.Match[str]) -> str:
    """As it is where the character before takes it, else as JSON escapes it: two surrogates beyond the first plane."""
    return found[0] if _is_needed(found.string, found.start()) else json.dumps(found[0])[1:-1]


def _is_needed(text: str, place: int) -> bool:
    """Whether the character at `place` belongs to the one before it; the quotation mark stands before the first."""
    if _NEVER_NEEDED.match(text, place):
        return False
    before = text[place - 1]
    if before == _EMOJI_STYLE and text[place] != _EMOJI_STYLE:  # ❤️‍🔥 is a heart, its style, a joiner and a flame
        return _is_needed(text, place - 1)
    if before in _WITH_EMOJI_STYLE:
        return text[place] == _EMOJI_STYLE
    return not before.isascii() and unicodedata.category(before) in _TAKES_MORE and not _UNSEEN.match(before)
