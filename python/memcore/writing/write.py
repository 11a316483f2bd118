"""Storing proposals: the text first and durably, then its vector."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.errors import MemcoreError, StorageError
from memcore.kinds import Embed, Outcome
from memcore.records import Added, AddResult
from memcore.writing.near import merge_near
from memcore.writing.rules import Rules
from memcore.writing.screen import new_memories, screened
from memcore.writing.store import store

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
    rules: Rules | None = None,
) -> AddResult:
    """What became of each proposal, in order. All of them are decided on and stored in one transaction, or none.

    Texts, entities and given vectors are durable before anything is embedded. Then, unless `embed` is `later`, the
    texts are embedded outside any transaction and their vectors stored in a second one; where that fails it is logged,
    and the `embed` job will do it. At last what says nearly the same as an earlier memory is merged into it. A proposal
    whose idempotency key is known, or was used earlier in `proposals`, writes nothing and gets the id of the first;
    where its text is another one, it is dropped. So is one whose text the user had removed since it was said, where
    that removal left tombstones.

    Raises:
        DimensionError: a given embedding does not fit the space; nothing was stored.
        StorageError: nothing was stored.
    """
    if not proposals:
        return AddResult()
    rules = Rules() if rules is None else rules
    cut = [screened(proposal) for proposal in proposals]
    vectors.check({f"{proposal.at}embedding": proposal.embedding for proposal in proposals})
    rows = new_memories(cut, now)
    identity = vectors.ready([proposal.embedding for proposal in proposals])
    with database.write() as connection:
        written = store(connection, cut, rows, vectors=vectors, identity=identity, now=now, rules=rules)
        if embed is Embed.LATER and written.unembedded:
            vectors.leave(connection, list(written.unembedded))
    if embed is Embed.NOW and written.unembedded:
        embed_after(database, vectors, written.unembedded)
    merged: dict[int, Added] = {}
    if written.perhaps_near:
        merged = _merged_near(database, written.perhaps_near, vectors=vectors, rules=rules, now=now)
    return AddResult(tuple(_told(one, merged) for one in written.added))


def _told(one: Added, merged: "Mapping[int, Added]") -> Added:
    """What became of a text in the end; one that is not kept names what the memory under its key was merged into."""
    into = None if one.id is None else merged.get(one.id)
    if into is None:
        return one
    return replace(one, id=into.id) if one.outcome is Outcome.DROP else into


def _merged_near(
    database: "Database", stored: "Mapping[int, Proposal]", *, vectors: "VectorSource", rules: Rules, now: datetime
) -> dict[int, Added]:
    """What was merged, by the id of its own row; the texts are stored, so a failure is logged and costs no memory."""
    try:
        return merge_near(database, stored, vectors=vectors, rules=rules, now=now)
    except MemcoreError as error:
        _log.warning("%d texts were not compared with near ones: %s", len(stored), type(error).__name__)
        return {}


def embed_after(database: "Database", vectors: "VectorSource", texts: Mapping[int, str]) -> None:
    """Embeds texts that are stored and will be acknowledged whatever happens here; the `embed` job does what fails."""
    try:
        vectors.embed_stored(database, texts)
    except StorageError as error:
        _log.warning("%d stored texts have no vector yet: writing failed with %s", len(texts), type(error).__name__)
