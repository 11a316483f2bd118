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

from memcore.kinds import Kind
from memcore.pipeline.reconstruct import CONFLICT_MARK, FRAME_CLOSE, FRAME_OPEN
from memcore.writing.voice import answers, is_persons

if TYPE_CHECKING:
    from datetime import datetime

    from memcore.writing.proposal import Proposal

__all__ = ["GivenBlocks", "carries_frame", "is_echo", "without_frame"]

MOST_BLOCKS = 32
LONGEST_BLOCK = 8_000
"""Letters of a block that are remembered."""
SHINGLE = 8
SHORTEST_REPETITION = 60
"""Letters below which a repetition may be an answer: one sentence that the block had too."""
REPEATED_SHARE = 0.75

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
    if _NAME not in content.casefold() and not ("-" in content and _DAY.search(content)):
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
    given_at: datetime
    shingles: frozenset[str]


@dataclass(slots=True)
class GivenBlocks:
    """The context blocks that a store gave lately, by whom, where and when they were asked for. Safe to share."""

    _blocks: deque[_Given] = field(default_factory=lambda: deque(maxlen=MOST_BLOCKS))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, text: str, user_ids: tuple[str, ...], session_id: str | None, given_at: datetime) -> None:
        """Remembers a block that was given to somebody; the oldest makes room."""
        if not user_ids:
            return
        body = _OPENING.sub("", text[:LONGEST_BLOCK])
        given = _Given(user_ids, session_id, given_at, _shingles(_letters(body)))
        with self._lock:
            self._blocks.append(given)

    def forget(self, user_id: str | None) -> None:
        """Forgets the blocks that were given to a user; None: all, since a shared memory may stand in any of them."""
        with self._lock:
            kept = [one for one in self._blocks if user_id is not None and user_id not in one.user_ids]
            self._blocks.clear()
            self._blocks.extend(kept)

    def repeated_by(self, proposal: Proposal) -> bool:
        """Whether a text is for the most part out of a block that was given to its user, in its session, before it.

        Where a block was asked for without a session, its answer may come in any.
        """
        with self._lock:
            blocks = tuple(self._blocks)
        said_at = proposal.event_time
        wanted = [
            given.shingles
            for given in blocks
            if proposal.partition.user_id in given.user_ids
            and given.session_id in (None, proposal.session_id)
            and (said_at is None or said_at >= given.given_at.replace(second=0, microsecond=0))
        ]
        if not wanted:
            return False
        letters = _letters(proposal.content)
        if len(letters) < SHORTEST_REPETITION:
            return False
        own = _shingles(letters)
        return any(len(own & shingles) >= REPEATED_SHARE * len(own) for shingles in wanted)


def is_echo(proposal: Proposal, blocks: GivenBlocks | None) -> bool:
    """Whether a text is our own block coming back.

    A person's words are where nothing but the block is left; a block that a program put before them is cut from them
    instead (`without_frame`). Anything else is where it carries the frame. What a model or a tool answers is also where
    it repeats a block without its frame, unless the caller says by name what the text takes the place of.
    """
    if is_persons(proposal):
        return not without_frame(proposal.content) and carries_frame(proposal.content)
    if carries_frame(proposal.content):
        return True
    return blocks is not None and answers(proposal) and not proposal.explicit and blocks.repeated_by(proposal)
