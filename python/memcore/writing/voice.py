"""Whose words a text is: a person's, or what a model or a tool said. The part in a chat counts before a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.kinds import Origin
from memcore.names import name_key
from memcore.writing.names import ROLES

if TYPE_CHECKING:
    from memcore.writing.proposal import Proposal

__all__ = ["answers", "is_persons", "may_think_aloud"]

_ANSWERING = ROLES - {"user"}
_INSTRUCTING = frozenset({"system", "developer"})
_ANSWERS = frozenset({Origin.ASSISTANT, Origin.TOOL})


def _part(proposal: Proposal) -> str | None:
    """The part that its speaker has in a chat; None where none is known."""
    if proposal.role is not None:
        return proposal.role
    key = None if proposal.speaker is None else name_key(proposal.speaker)
    return key if key in ROLES else None


def is_persons(proposal: Proposal) -> bool:
    """Whether somebody said it: it comes from a user, or from a transcript in which its part is none that answers."""
    return proposal.origin in (Origin.USER, Origin.IMPORT) and _part(proposal) not in _ANSWERING


def answers(proposal: Proposal) -> bool:
    """Whether a model or a tool said it just now: what was imported was said before, pages and jobs answer nobody."""
    if proposal.origin is Origin.USER:
        return _part(proposal) in _ANSWERING
    return proposal.origin in _ANSWERS


def may_think_aloud(proposal: Proposal) -> bool:
    """Whether a model made the text, so that tags in it may hold its thinking; instructions to a model do not."""
    part = _part(proposal)
    if part in _INSTRUCTING:
        return False
    return part in _ANSWERING or proposal.origin in _ANSWERS or proposal.origin is Origin.JOB
