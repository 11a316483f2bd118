"""What makes two texts speak of the same thing: numbers, names, quotations, denials, persons. It comes before likeness.

Two texts whose vectors are close may still say different things: 3 km and 5 km, Ana and Bo, liked and not liked. The
rules here are stricter than need be: a merge that is missed costs a row, a wrong one costs a memory.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memcore.kinds import Kind
from memcore.writing.words import (
    ALIKE,
    DENIALS,
    HAN,
    HAN_DENIALS,
    HAN_FILLERS,
    HAN_PARTICLES,
    LIMITS,
    NUMBER_WORDS,
    OPPOSITES,
    PERSONS,
    STOP_WORDS,
)

__all__ = ["Marks", "identity_key", "marks", "same_identity"]

_LETTER = rf"[^\W_{HAN}]"
_WORD = re.compile(rf"(?:(?<!\w)[-−+](?=\d))?{_LETTER}+(?:['’.,:/_+-]{_LETTER}+)*[%°+]?|[{HAN}]+|[^\w\s]|\n")
_QUOTED = re.compile(r"“([^”]+)”|\"([^\"]+)\"|「([^」]+)」|『([^』]+)』|《([^》]+)》|«([^»]+)»|`([^`]+)`")
_ENDING = re.compile(r"(n't|'(?:s|m|re|ve|ll|d))$")
_SENTENCE = frozenset('.!?;:\n…。！？；："“「『《(（-•*>')
_SIGNS = frozenset("<>=≤≥≠≈±")
_HAN_RUN = re.compile(f"[{HAN}]")
_NOT_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "ex")


@dataclass(frozen=True, slots=True)
class Marks:
    """What a text can be told apart by. `exact` in the order of the text: numbers, names, quotations and denials.

    `openings` are the capitalised words at the start of a sentence, which may be names; `words` all words, folded.
    """

    exact: tuple[str, ...]
    openings: frozenset[str]
    words: frozenset[str]
    persons: frozenset[str]
    limits: frozenset[str]
    han: str
    asks: bool


@lru_cache(maxsize=1024)
def marks(content: str) -> Marks:
    """The marks of a text; full width and half width, and both apostrophes, are one."""
    plain = unicodedata.normalize("NFKC", content).replace("’", "'")
    exact = [f'"{" ".join(_first(found).casefold().split())}"' for found in _QUOTED.finditer(plain)]
    openings: set[str] = set()
    words: list[str] = []
    for token, opens in _tokens(plain):
        word, ending = _parted(token)
        folded = word.casefold()
        if ending == "n't":
            exact.append("not")
        words.append("will" if ending == "'ll" else folded)
        words.append(folded)
        named = _exact(word, folded, opens=opens)
        if named is not None:
            exact.append(named)
        elif opens and word[0].isupper() and folded not in STOP_WORDS:
            openings.add(folded)
    han = "".join(_HAN_RUN.findall(plain))
    return Marks(
        exact=(*exact, *(one for one in _without_fillers(han) if one in HAN_DENIALS)),
        openings=frozenset(openings),
        words=frozenset(words),
        persons=frozenset(PERSONS[word] for word in words if word in PERSONS),
        limits=LIMITS.intersection(words),
        han=han,
        asks=plain.rstrip(" \"'”’)").endswith("?"),
    )


def _tokens(plain: str) -> Iterator[tuple[str, bool]]:
    """The words and signs that are not Chinese, and whether each is the first of a sentence or of a quotation."""
    opens = True
    for found in _WORD.finditer(plain):
        token = found[0]
        if _HAN_RUN.match(token):
            opens = False
        elif token[-1].isalnum() or len(token) > 1 or token in _SIGNS or unicodedata.category(token) == "Sc":
            yield token, opens
            opens = False
        elif token in _SENTENCE:
            opens = True


def _parted(token: str) -> tuple[str, str]:
    """A word and its ending such as `'s` or `n't`."""
    if token.casefold() == "can't":
        return "can", "n't"
    if token.casefold() == "won't":
        return "will", "n't"
    ending = _ENDING.search(token.casefold())
    return (token, "") if ending is None else (token[: ending.start()] or token, ending[1])


def _exact(word: str, folded: str, *, opens: bool) -> str | None:
    """The mark that a word is by itself: a number or code, a name, a denial; None for an ordinary word."""
    if any(character.isdigit() for character in word) or not word[-1].isalpha():
        return re.sub(r"(?<=\d),(?=\d{3})", "", folded)
    if folded in NUMBER_WORDS:
        return NUMBER_WORDS[folded]
    if folded in DENIALS:
        return DENIALS[folded]
    if not word.isascii() and folded == word.upper():
        return folded  # a script without capitals: any word may be a name
    capitals = sum(character.isupper() for character in word)
    if folded in STOP_WORDS or not capitals:
        return None
    return folded if capitals > 1 or (word[0].isupper() and not opens) else None


def _first(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)


def identity_key(kind: Kind, content: str) -> int:
    """64 bits, signed, of the exact marks of a text and its kind: texts with different keys are never one memory."""
    of_text = marks(content)
    told = "\0".join((kind.value, *of_text.exact, "?" if of_text.asks else "", *sorted(of_text.persons)))
    digest = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def same_identity(one: str, other: str) -> bool:
    """Whether nothing in two texts tells what they speak of apart; whether they are alike, vectors say.

    >>> same_identity("Ana runs 5 km.", "Ana runs 3 km.")
    False
    >>> same_identity("I prefer green tea over coffee.", "I prefer green tea to coffee")
    True
    """
    first, second = marks(one), marks(other)
    if (first.exact, first.asks, first.persons, first.limits) != (
        second.exact,
        second.asks,
        second.persons,
        second.limits,
    ):
        return False
    if not (first.openings <= second.words and second.openings <= first.words):
        return False
    only_first, only_second = first.words - second.words, second.words - first.words
    return not _opposed(only_first, only_second) and _plainest(first.han) == _plainest(second.han)


def _opposed(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a word of one side denies a word of the other: its opposite, or the word with a prefix such as `un`."""
    for word in one:
        for against in other:
            if (word, against) in OPPOSITES or _prefixed(word, against) or _prefixed(against, word):
                return True
    return False


def _prefixed(word: str, longer: str) -> bool:
    return len(word) > 2 and longer.endswith(word) and longer[: -len(word)] in _NOT_PREFIXES


@lru_cache(maxsize=1024)
def _plainest(text: str) -> str:
    """A Chinese text without particles, each word of `ALIKE` as the first of its meaning: what is left may name."""
    for words in ALIKE:
        chosen = min(words)
        pattern = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
        text = re.sub(pattern, chosen, text)
    return "".join(character for character in _without_fillers(text) if character not in HAN_PARTICLES)


def _without_fillers(han: str) -> str:
    return re.sub("|".join(HAN_FILLERS), "", han)
