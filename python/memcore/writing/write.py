"""Storing proposals: the text first and durably, then its vector."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.errors import StorageError
from memcore.kinds import Embed, Outcome
from memcore.records import Added, AddResult
from memcore.storage.rows import NewMemory
from memcore.writing.analysis import token_stream
from memcore.writing.forgotten import FORGOTTEN, forgotten
from memcore.writing.importance import ordinary_importance
from memcore.writing.store import RETRIED, store

if TYPE_CHECKING:
    from memcore.storage.database import Database
    from memcore.writing.proposal import Proposal
    from memcore.writing.vectors import VectorSource

__all__ = ["embed_after", "write"]

_log = logging.getLogger(__name__)


def write(
    database: "Database",
    proposals: "Sequence[Proposal]",
    *,
    vectors: "VectorSource",
    now: datetime,
    embed: Embed = Embed.NOW,
) -> AddResult:
    """What became of each proposal, in order. All of them are stored, in one transaction, or none.

    Texts, entities and given vectors are durable before anything is embedded. Then, unless `embed` is `later`, the
    texts are embedded outside any transaction and their vectors stored in a second one; where that fails it is logged,
    and the `embed` job will do it. A proposal whose idempotency key is known, or was used earlier in `proposals`,
    writes nothing and gets the id of the first. One whose text the user had removed since it was
    said is dropped, where that removal left tombstones.

    Raises:
        DimensionError: a given embedding does not fit the space; nothing was stored.
        StorageError: nothing was stored.
    """
    if not proposals:
        return AddResult()
    given = [proposal.embedding for proposal in proposals]
    vectors.check({f"{proposal.at}embedding": proposal.embedding for proposal in proposals})
    new = [_new_memory(proposal, now) for proposal in proposals]
    identity = vectors.ready(given)
    with database.write() as connection:
        gone = forgotten(connection, proposals)
        kept = [index for index in range(len(proposals)) if index not in gone]
        of_kept = [proposals[index] for index in kept], [new[index] for index in kept]
        written = store(connection, *of_kept, vectors=vectors, identity=identity, now=now)
        if embed is Embed.LATER and written.unembedded:
            vectors.leave(connection, list(written.unembedded))
    if embed is Embed.NOW and written.unembedded:
        embed_after(database, vectors, written.unembedded)
    stored = dict(zip(kept, zip(written.ids, written.retried, strict=True), strict=True))
    return AddResult(
        tuple(
            Added(stored[index][0], proposal.kind, Outcome.ACCEPT, RETRIED if stored[index][1] else "")
            if index in stored
            else Added(None, proposal.kind, Outcome.DROP, FORGOTTEN)
            for index, proposal in enumerate(proposals)
        )
    )


def embed_after(database: "Database", vectors: "VectorSource", texts: Mapping[int, str]) -> None:
    """Embeds texts that are stored and will be acknowledged whatever happens here; the `embed` job does what fails."""
    try:
        vectors.embed_stored(database, texts)
    except StorageError as error:
        _log.warning("%d stored texts have no vector yet: writing failed with %s", len(texts), type(error).__name__)


def _new_memory(proposal: "Proposal", now: datetime) -> NewMemory:
    event_time = proposal.event_time or now
    importance = proposal.importance
    if importance is None:
        importance = ordinary_importance(proposal.content, bool(proposal.entities))
    return NewMemory(
        partition=proposal.partition,
        kind=proposal.kind,
        content=proposal.content,
        tokens=token_stream(proposal.content, speaker=proposal.speaker, event_time=event_time),
        origin=proposal.origin,
        importance=importance,
        event_time=event_time,
        recorded_at=now,
        speaker=proposal.speaker,
        session_id=proposal.session_id,
        tags=proposal.tags,
        metadata=dict(proposal.metadata),
        source_ref=proposal.source_ref,
        idempotency_key=proposal.idempotency_key,
    )
