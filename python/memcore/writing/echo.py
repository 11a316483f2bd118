"""Telling our own context block from what somebody said: the block comes back with what a model or a tool answers.

The frame is known by its opening and by each of its lines: quoted, indented, escaped or wrapped anew. Beyond that, the
blocks that were given lately are known by their letters.
"""

from __future__ import annotations

import html
import re
import threading
import unicodedata
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memcore.kinds import Kind, Origin
from memcore.names import name_key
from memcore.pipeline.reconstruct import CONFLICT_MARK, FRAME_CLOSE, FRAME_OPEN

if TYPE_CHECKING:
    from memcore.writing.proposal import Proposal

__all__ = ["GivenBlocks", "carries_frame", "is_echo", "without_frame"]

MOST_BLOCKS = 32
LONGEST_BLOCK = 8_000
"""Letters of a block that are remembered."""
SHINGLE = 8
SHORTEST_REPETITION = 60
"""Letters below which a repetition may be an answer: one sentence that the block had too."""
REPEATED_SHARE = 0.75

_ANSWERING = frozenset({"assistant", "tool", "function", "system", "developer"})
_NAME, _NOTE = (FRAME_OPEN.strip("<>").partition(" note=")[at].strip('"') for at in (0, 2))
_GAP = r"[\s\\>|*#]*"
_WORDS_OF_NOTE = _GAP.join(re.escape(word) for word in re.findall(r"\w+|[^\w\s]", _NOTE)).replace(",", ",?")
_OPENING = re.compile(
    rf"<?{_GAP}{_NAME}\s{_GAP}note{_GAP}=?{_GAP}[\"'“”‘’]?{_GAP}{_WORDS_OF_NOTE}[\\\"'”’]*{_GAP}>?", re.IGNORECASE
)
_CLOSING = re.compile(rf"<{_GAP}/{_GAP}{re.escape(FRAME_CLOSE.strip('</>'))}{_GAP}>", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_KINDS = "|".join(kind.value for kind in Kind)
_MARK = _GAP.join(re.escape(word) for word in re.findall(r"\w+|[^\w\s]", CONFLICT_MARK))
_LINE = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b[^\n:]{{0,90}}?\({_GAP}(?:{_KINDS})(?:{_GAP}{_MARK})?{_GAP}\){_GAP}:{_GAP}[\\]*[\"“”'‘]"
)


def carries_frame(content: str) -> bool:
    """Whether a text has our frame in it, whole or in part; a text that only says "memories" has not."""
    if _NAME not in content.casefold() and not _DAY.search(content):
        return False
    return any(_has_frame(form) for form in _forms(content))


def _has_frame(text: str) -> bool:
    return _OPENING.search(text) is not None or _LINE.search(text) is not None


def _forms(content: str) -> tuple[str, ...]:
    """The text as it may have been before somebody escaped, quoted or wrapped it."""
    plain = unicodedata.normalize("NFKC", html.unescape(content))
    unquoted = re.sub(r"(?m)^[ \t]*(?:[>|#*•][ \t]*)+", "", plain)
    return plain, " ".join(unquoted.replace("\\n", " ").replace('\\"', '"').split())


def without_frame(content: str) -> str:
    """`content` without the blocks of ours that it carries; one without its end goes to the last of its lines."""
    while _NAME in content.casefold() and (start := _OPENING.search(content)) is not None:
        closing = _CLOSING.search(content, start.end())
        if closing is not None:
            end = closing.end()
        else:
            lines = list(_LINE.finditer(content, start.end()))
            after = content.find("\n", lines[-1].end()) if lines else start.end()
            end = len(content) if after < 0 else after
        content = f"{content[: start.start()].rstrip()}\n{content[end:].lstrip()}".strip()
    return content


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in plain if character.isalnum())


def _shingles(letters: str) -> frozenset[str]:
    return frozenset(letters[at : at + SHINGLE] for at in range(len(letters) - SHINGLE + 1))


@dataclass(frozen=True, slots=True)
class _Given:
    user_ids: tuple[str, ...]
    session_id: str | None
    shingles: frozenset[str]


@dataclass(slots=True)
class GivenBlocks:
    """The context blocks that a store gave lately, by whom and where they were asked for. Safe to share."""

    _blocks: deque[_Given] = field(default_factory=lambda: deque(maxlen=MOST_BLOCKS))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, text: str, user_ids: tuple[str, ...], session_id: str | None) -> None:
        """Remembers a block; the oldest makes room."""
        body = _OPENING.sub("", text[:LONGEST_BLOCK])
        given = _Given(user_ids, session_id, _shingles(_letters(body)))
        with self._lock:
            self._blocks.append(given)

    def repeated_by(self, proposal: Proposal) -> bool:
        """Whether a text is for the most part out of a block that was given to its user, in its session or in none."""
        with self._lock:
            blocks = tuple(self._blocks)
        user_id, session_id = proposal.partition.user_id, proposal.session_id
        wanted = [
            given.shingles
            for given in blocks
            if (user_id is None or user_id in given.user_ids) and given.session_id in (None, session_id)
        ]
        if not wanted:
            return False
        letters = _letters(proposal.content)
        if len(letters) < SHORTEST_REPETITION:
            return False
        own = _shingles(letters)
        return any(len(own & shingles) >= REPEATED_SHARE * len(own) for shingles in wanted)


def is_echo(proposal: Proposal, blocks: GivenBlocks | None) -> bool:
    """Whether a text is our own block coming back: from a model or a tool in whole or in part, from a user alone.

    What a user says again is no echo; a block that a program put before a user's words is cut from them instead
    (`without_frame`).
    """
    if _is_users(proposal):
        return not without_frame(proposal.content) and carries_frame(proposal.content)
    return carries_frame(proposal.content) or (blocks is not None and blocks.repeated_by(proposal))


def _is_users(proposal: Proposal) -> bool:
    answering = proposal.speaker is not None and name_key(proposal.speaker) in _ANSWERING
    return proposal.origin is Origin.USER and not answering
