"""The checked arguments of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from memcore.errors import InvalidInputError, shown
from memcore.kinds import Channel, Kind
from memcore.scope import read_scope
from memcore.storage.filters import condition
from memcore.writing import fields

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from memcore.scope import Scope

__all__ = [
    "SearchFields",
    "SearchRequest",
    "checked_channel",
    "checked_kinds",
    "checked_limit",
    "checked_query",
    "checked_switch",
    "request",
]

LARGEST_LIMIT = 1_000
LONGEST_QUERY = 100_000


class SearchFields(TypedDict, total=False):
    """The keywords of a search; see `Memory.search`."""

    user_id: str | Sequence[str] | None
    session_id: str | None
    limit: int
    kinds: Sequence[str] | None
    filters: Mapping[str, Any] | None
    as_of: datetime | None
    known_at: datetime | None
    channel: str | None
    include_dormant: bool
    embedding: Any
    now: datetime | None
    params: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is searched for, where, from which moment, and how many.

    `now` is the present; `asked_at` is the moment that the days of the query count from.
    """

    query: str
    scope: Scope
    limit: int
    kinds: frozenset[Kind] | None
    filters: Mapping[str, Any] | None
    embedding: NDArray[np.float32] | None
    now: datetime
    asked_at: datetime
    params: Mapping[str, Any] | None
    as_of: datetime | None = None
    known_at: datetime | None = None
    channel: Channel | None = None
    include_dormant: bool = False


def request(query: object, *, agent_id: str, clock: datetime, given: SearchFields) -> SearchRequest:
    """The request of a call.

    Raises:
        InvalidInputError: an argument is not accepted; the message names it.
    """
    fields.only_known("search", given, SearchFields.__annotations__)
    text = checked_query(query)
    now, embedding, filters = given.get("now"), given.get("embedding"), given.get("filters")
    if filters is not None:
        condition(filters)
    params = given.get("params")
    if filters is not None and not isinstance(filters, Mapping):
        raise InvalidInputError(f'filters: {shown(filters)} is not accepted; give a dict such as {{"kind": "fact"}}')
    if params is not None and not isinstance(params, Mapping):
        raise InvalidInputError(f'params: {shown(params)} is not accepted; give a dict such as {{"enable_dpp": False}}')
    as_of, known_at = given.get("as_of"), given.get("known_at")
    as_of = None if as_of is None else fields.moment("as_of", as_of)
    known_at = None if known_at is None else fields.moment("known_at", known_at)
    present = clock if now is None else fields.moment("now", now)
    return SearchRequest(
        query=text,
        scope=read_scope(agent_id, given.get("user_id"), given.get("session_id")),
        limit=checked_limit(given.get("limit", 8)),
        kinds=checked_kinds(given.get("kinds")),
        filters=filters,
        embedding=None if embedding is None else fields.vector("embedding", embedding),
        now=present,
        asked_at=present if now is not None or as_of is None else as_of,
        params=params,
        as_of=as_of,
        known_at=known_at,
        channel=checked_channel(given.get("channel")),
        include_dormant=checked_switch("include_dormant", given.get("include_dormant", False)),
    )


def checked_query(value: object) -> str:
    """`value` as a question.

    Raises:
        InvalidInputError: it is no text, is blank, or is longer than 100,000 characters.
    """
    text = fields.text("query", value)
    if len(text) > LONGEST_QUERY:
        raise InvalidInputError(f"query: {len(text)} characters are not accepted; give at most {LONGEST_QUERY}")
    return text


def checked_channel(value: object) -> Channel | None:
    """`value` as the place that a search is made in; None: it is not known, and sees what was heard anywhere.

    Raises:
        InvalidInputError: it is no channel.
    """
    return None if value is None else fields.choice("channel", value, Channel)


def checked_switch(field: str, value: object) -> bool:
    """`value` as a choice between two.

    Raises:
        InvalidInputError: it is neither True nor False.
    """
    if not isinstance(value, bool):
        raise InvalidInputError(f"{field}: {shown(value)} is not accepted; give True or False")
    return value


def checked_limit(value: object) -> int:
    """`value` as a number of hits.

    Raises:
        InvalidInputError: it is no integer from 1 to 1,000.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_LIMIT:
        raise InvalidInputError(f"limit: {shown(value)} is not accepted; give an integer from 1 to {LARGEST_LIMIT}")
    return value


def checked_kinds(value: object) -> frozenset[Kind] | None:
    """`value` as the kinds that a search may find; None stays None, for all.

    Raises:
        InvalidInputError: it names no kinds, or entities, which are never found.
    """
    if value is None:
        return None
    kinds = frozenset(fields.kinds("kinds", value))
    if Kind.ENTITY in kinds:
        raise InvalidInputError("kinds: 'entity' is not accepted; entities carry energy and are never hits")
    return kinds
