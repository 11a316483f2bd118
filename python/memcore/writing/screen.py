"""What is cut from a text before anything is decided, and how it then looks as a row."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memcore.compute import token_streams
from memcore.kinds import Kind
from memcore.storage.encoding import text_key
from memcore.storage.memory_rows import KEYED
from memcore.storage.rows import NewMemory
from memcore.writing.analysis import token_stream
from memcore.writing.decide import may_be_near
from memcore.writing.echo import without_frame
from memcore.writing.identity import identity_key
from memcore.writing.importance import importance_of
from memcore.writing.proposal import Proposal
from memcore.writing.thinking import without_thinking
from memcore.writing.voice import is_persons, may_think_aloud

__all__ = ["new_memories", "new_memory", "screened"]


def screened(proposal: Proposal) -> Proposal:
    """A proposal without a model's thinking aloud or, a person's, without the context block put before the words.

    Its content is empty where nothing is left. What is stored as it is, and an entity's name, stay untouched.
    """
    if not proposal.infer or proposal.kind is Kind.ENTITY:
        return proposal
    content = without_thinking(proposal.content) if may_think_aloud(proposal) else proposal.content
    if is_persons(proposal):
        content = without_frame(content) or content
    return proposal if content == proposal.content else replace(proposal, content=content)


def new_memories(proposals: Sequence[Proposal], now: datetime) -> list[NewMemory | None]:
    """The rows of proposals, in their order; None where nothing is left of the text."""
    words = token_streams([proposal.content for proposal in proposals])
    return [
        new_memory(proposal, now, of_content) if proposal.content else None
        for proposal, of_content in zip(proposals, words, strict=True)
    ]


def new_memory(proposal: Proposal, now: datetime, words: str | None = None) -> NewMemory:
    """The row of a proposal, which is said now unless it says when; `words` are the tokens of its content, if known."""
    event_time = proposal.event_time or now
    return NewMemory(
        partition=proposal.partition,
        kind=proposal.kind,
        content=proposal.content,
        tokens=token_stream(proposal.content, speaker=proposal.speaker, event_time=event_time, words=words),
        origin=proposal.origin,
        importance=importance_of(proposal),
        event_time=event_time,
        recorded_at=now,
        speaker=proposal.speaker,
        session_id=proposal.session_id,
        tags=proposal.tags,
        metadata=proposal.metadata,
        source_ref=proposal.source_ref,
        idempotency_key=proposal.idempotency_key,
        channel=proposal.channel,
        expires_at=proposal.expires_at,
        claim=proposal.claim,
        detail=proposal.detail,
        text_key=text_key(proposal.content) if proposal.kind in KEYED else None,
        identity_key=identity_key(proposal.kind, proposal.content) if may_be_near(proposal) else None,
    )
