"""What is said of a text whose key of idempotency is taken: it is a retry, or another text, which is not stored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.kinds import Kind, Outcome
from memcore.records import Added
from memcore.storage.encoding import same_statement
from memcore.storage.operation_rows import texts_of_memory
from memcore.writing.identity import same_identity

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.storage.memories import Keyed
    from memcore.writing.proposal import Proposal

__all__ = ["RETRIED", "of_call", "retried"]

RETRIED = "already stored under this idempotency key"
_OTHER = "a memory with another text is stored under this idempotency key; this text was not stored"
_OTHER_OF_CALL = "another text of this call has this idempotency key; this text was not stored"


def retried(connection: Connection, proposal: Proposal, one: Keyed) -> Added:
    """What is said of a proposal whose key a stored memory has: the kind of that, and whether it waits.

    It is a retry where the memory says its text, or did before it was edited.
    """
    kind = Kind(one.kind) if one.kind in set(Kind) else proposal.kind
    known = _says(one.content, proposal) or any(_says(text, proposal) for text in texts_of_memory(connection, one.id))
    if not known:
        return Added(one.id, kind, Outcome.DROP, _OTHER)
    return Added(one.id, kind, Outcome.DEFER if one.waits else Outcome.ACCEPT, RETRIED)


def of_call(added: Added, first: Proposal, proposal: Proposal) -> Added:
    """What is said of a proposal whose key an earlier one of the same call has, of which `added` tells."""
    if _says(first.content, proposal):
        return added if added.id is None else replace(added, reason=RETRIED)
    reason = _OTHER_OF_CALL if added.id is None else _OTHER
    return replace(added, outcome=Outcome.DROP, reason=reason, supersedes=None)


def _says(text: str, proposal: Proposal) -> bool:
    """Whether a text says what a proposal does; it may be in nearly the same words, where it was merged into it."""
    return same_statement(text) == same_statement(proposal.content) or same_identity(text, proposal.content)
