"""What makes two texts say the same: the same words in the same order, but for wording. It comes before likeness.

Two texts whose vectors are close may still say different things: 3 km and 5 km, Ana and Bo, liked and not liked, who
owes whom, is and was. So only what surely says nothing may differ. A merge that is missed costs a row, a wrong one a
memory.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memcore.kinds import Kind
from memcore.storage.encoding import normalized
from memcore.writing.chinese import plain_run
from memcore.writing.words import DENIALS, ENGLISH, FILLERS, HAN, NUMBER_WORDS

__all__ = ["identity_key", "same_identity"]

_LETTER = rf"[^\W_{HAN}]"
_TOKEN = re.compile(rf"(?:(?<!\w)[-+](?=\d))?{_LETTER}+(?:['.,:/_+-]{_LETTER}+)*[%°+]?|[{HAN}]+|[^\w\s]|\n")
_ASCII_TOKEN = re.compile(r"(?:(?<!\w)[-+](?=\d))?[A-Za-z0-9]+(?:['.,:/_+-][A-Za-z0-9]+)*[%+]?|[^\w\s]|\n")
"""The same, as far as ASCII goes."""
_QUOTED = re.compile(r"“([^”]+)”|\"([^\"]+)\"|「([^」]+)」|『([^』]+)』|《([^》]+)》|«([^»]+)»|`([^`]+)`")
_ENDING = re.compile(r"(n't|'(?:s|m|re|ve|ll|d))$")
_SPACED_HAN = re.compile(rf"(?<=[{HAN}])[^\S\n]+(?=[{HAN}])")
_HAN_RUN = re.compile(f"[{HAN}]")
_SENTENCE = frozenset('.!?;:\n…。！？；："“「『《(（-•*>')
_SIGNS = frozenset("/&@#%")
_ENDINGS = {"n't": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}
_CUT = {"can't": "can", "won't": "will", "shan't": "shall"}
_IS_AFTER = frozenset(("he", "she", "it", "that", "this", "there", "here", "what", "who", "where"))
_BREAK = "\n"
_MOST_WORDS = 4_096
"""Words that are remembered, since most texts are made of the same few."""
_AFTER_A = frozenset(("few", "little", "lot"))
_GOING_ON = re.compile(r"(?!(?:any|every|no|some)thing$|morning$|evening$|going$|seeing$|dying$)[a-z]{2,}ing")
_PREFERS = frozenset(("prefer", "prefers", "preferred"))
_MOVED = frozenset(
    ("moved", "arrived", "returned", "decided", "started", "finished", "stopped", "ended", "joined", "graduated")
)
_A_LOT = re.compile(r"(\b(?:enjoy|like|love|hate|miss)s?(?: (?!to\b|\w+ing\b)\w+){1,3}) a lot\b(?! of)", re.IGNORECASE)
_DENIED = re.compile(rf"n't\b|\b(?:cannot|{'|'.join(sorted(DENIALS))})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it counts. `stem` is shared by `works` and `working`; `going_on`: it stood with `is` (is working)."""

    said: str
    stem: str
    going_on: bool = False

    def is_as(self, other: "Word") -> bool:
        """Whether two words are one: alike, or one of them the form of the other that goes on."""
        return self.stem == other.stem and (self.said == other.said or self.going_on != other.going_on)


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says: its words and breaks in their order, without fillers; its quotations; whether it asks."""

    words: tuple[Word, ...]
    quotations: tuple[str, ...]
    asks: bool


@lru_cache(maxsize=1024)
def said(content: str) -> Said:
    """What a text says; full width and half width, and both apostrophes, are one; m² and m2 are not."""
    plain = normalized(content).replace("’", "'").replace("−", "-")
    if not plain.isascii():
        plain = _SPACED_HAN.sub("", plain)
    if " a lot" in plain.casefold() and _DENIED.search(plain) is None:
        plain = _A_LOT.sub(r"\1", plain)
    quotations = (next(filter(None, found.groups())) for found in _QUOTED.finditer(plain))
    return Said(
        words=tuple(_counting(list(_trimmed(_written(plain))))),
        quotations=tuple(" ".join(one.casefold().split()) for one in quotations),
        asks=plain.rstrip(" \"'”)」』").endswith("?"),
    )


def _written(plain: str) -> Iterator[str]:
    """The words, signs and breaks of a text in their order, folded; a name begins with `^`."""
    tokens = (_ASCII_TOKEN if plain.isascii() else _TOKEN).findall(plain)
    opens = True
    for at, piece in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else _BREAK
        if not piece.isascii() and _HAN_RUN.match(piece):
            yield from plain_run(piece, ends=_is_break(following))
            opens = False
        elif _is_break(piece):
            opens = opens or piece in _SENTENCE
            yield "is" if piece == ":" and following[:1].isdigit() else _BREAK
        elif piece[-1].isalnum() or len(piece) > 1:
            yield from _parts(piece, opens)
            opens = False
        elif unicodedata.category(piece)[0] not in "CZ":
            yield piece


def _is_break(piece: str) -> bool:
    if len(piece) != 1 or piece.isalnum():
        return False
    return piece == _BREAK or (unicodedata.category(piece)[0] == "P" and piece not in _SIGNS)


@lru_cache(maxsize=_MOST_WORDS)
def _parts(token: str, opens: bool) -> tuple[str, ...]:
    """A word as it counts, and what its ending such as `n't` stands for; `opens`: it begins a sentence."""
    folded = token.casefold()
    ending = _ENDING.search(folded)
    if folded == "cannot":
        return "can", "not"
    if ending is None or not ending.start():
        return (_word(token, opens=opens),)
    word = _CUT.get(folded, folded[: ending.start()])
    return (
        word if folded in _CUT else _word(token[: ending.start()], opens=opens),
        "is" if ending[1] == "'s" and word in _IS_AFTER else _ENDINGS.get(ending[1], ending[1]),
    )


def _word(word: str, *, opens: bool) -> str:
    """A number by its digits, a name with its mark, any other word folded."""
    folded = word.casefold()
    if any(character.isdigit() for character in word) or not word[-1].isalpha():
        return re.sub(r"(?<=\d),(?=\d{3})", "", folded)
    if folded in NUMBER_WORDS:
        return NUMBER_WORDS[folded]
    capitals = sum(character.isupper() for character in word) if folded != "i" else 0
    if not word.isascii() and folded == word.upper():
        return folded
    return f"^{folded}" if capitals > 1 or (word[0].isupper() and capitals and not opens) else folded


def _trimmed(written: Iterator[str]) -> Iterator[str]:
    """What is written without fillers, breaks at both ends, and breaks after breaks."""
    words = list(written)
    english = not ENGLISH.isdisjoint(words)
    pending = begun = False
    for at, word in enumerate(words):
        if word == _BREAK:
            pending = begun
        elif not (english and word in FILLERS and _says_nothing(words, at)):
            if pending:
                yield _BREAK
            yield word
            pending, begun = False, True


def _says_nothing(words: Sequence[str], at: int) -> bool:
    """Whether a filler is one where it stands: not in `not very`, `a few`, or before a name, as a part of it."""
    before, after = words[at - 1] if at else _BREAK, words[at + 1] if at + 1 < len(words) else _BREAK
    return words[at] == "the" or not (before in DENIALS or after in _AFTER_A or after.startswith("^"))


def _counting(words: Sequence[str]) -> Iterator[Word]:
    """The words as they count: `is working` as `works`, `has moved` as `moved`, what is preferred over as to."""
    prefers: int | None = None
    passed = False
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else _BREAK
        prefers = at if word in _PREFERS else None if word == _BREAK else prefers
        if passed:
            passed = False
        elif word in ("am", "is", "are") and _GOING_ON.fullmatch(following):
            yield Word(following, _stem(following.removesuffix("ing")), going_on=True)
            passed = True
        elif word in ("has", "have") and following in _MOVED:
            continue
        elif word == "over" and prefers is not None and not any(one.endswith("ing") for one in words[prefers:at]):
            yield Word("to", "to")
        else:
            yield _as_it_is(word)


@lru_cache(maxsize=_MOST_WORDS)
def _as_it_is(word: str) -> Word:
    return Word(word, _stem(word[:-1] if len(word) > 3 and word.endswith("s") else word))


def _stem(word: str) -> str:
    """A rough stem: without `e` at its end, a doubled last letter once, `y` as `i`."""
    word = word.removesuffix("e") if len(word) > 2 else word
    if len(word) > 2 and word[-1] == word[-2]:
        word = word[:-1]
    return f"{word[:-1]}i" if word.endswith("y") else word


def identity_key(kind: Kind, content: str) -> int:
    """64 bits, signed, of what a text says and of its kind: texts with different keys are never one memory."""
    of_text = said(content)
    told = "\0".join(
        (
            kind.value,
            *(word.stem for word in of_text.words),
            "?" if of_text.asks else "",
            *(f'"{one}"' for one in of_text.quotations),
        )
    )
    digest = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def same_identity(one: str, other: str) -> bool:
    """Whether two texts say the same in the same order, but for wording; whether they are alike, vectors say.

    >>> same_identity("I owe her five euros.", "She owes me five euros.")
    False
    >>> same_identity("I prefer green tea over coffee.", "I prefer green tea to coffee")
    True
    """
    first, second = said(one), said(other)
    return (
        (first.quotations, first.asks, len(first.words)) == (second.quotations, second.asks, len(second.words))
        and all(word.is_as(against) for word, against in zip(first.words, second.words, strict=True))
    )  # fmt: skip
