"""Finding what is stored beside a proposal, in the open transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import Kind
from memcore.storage import neighbours, partitions
from memcore.storage.details import slot_key
from memcore.storage.encoding import from_micros, to_micros
from memcore.storage.memory_rows import KEYED, key_of
from memcore.writing import fields
from memcore.writing.case import ALONE, Neighbours
from memcore.writing.echo import is_echo
from memcore.writing.evidence import denies, says_the_same
from memcore.writing.planned import following, to_follow, without_plans_off

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.scope import Partition
    from memcore.storage.neighbours import Neighbour, Sight
    from memcore.storage.rows import NewMemory
    from memcore.writing.proposal import Proposal
    from memcore.writing.rules import Rules

__all__ = ["Beside"]


class _Unseen(NamedTuple):
    """The field of a proposal by which no search would find it, its value, and in words why."""

    field: str
    moment: datetime
    why: str


@dataclass(slots=True)
class Beside:
    """Looks for the neighbours of one write's proposals. What its partitions have is asked for once."""

    connection: Connection
    sight: Sight
    rules: Rules
    now: datetime
    _texts: dict[Partition, set[int]] = field(default_factory=dict)
    _identities: dict[Partition, set[int]] = field(default_factory=dict)

    def prepare(self, proposals: Sequence[Proposal], rows: Sequence[NewMemory | None]) -> None:
        """Asks which texts, and which identity keys, of these proposals are stored in some form."""
        keys: dict[Partition, tuple[list[int], list[int]]] = {}
        for proposal, row in zip(proposals, rows, strict=True):
            if row is not None and proposal.infer and proposal.kind in KEYED:
                texts, identities = keys.setdefault(proposal.partition, ([], []))
                texts.append(key_of(row))
                if row.identity_key is not None:
                    identities.append(row.identity_key)
        for partition, of_partition in keys.items():
            found = neighbours.known_keys(self.connection, partition, *of_partition)
            self._texts[partition], self._identities[partition] = found

    def note(self, proposal: Proposal, row: NewMemory) -> bool:
        """Remembers that a proposal is stored from now on; whether some earlier memory has its identity key.

        Where no proposal asks for texts of its partition (see `prepare`), there is nothing to remember.
        """
        texts = self._texts.get(proposal.partition)
        if texts is None:
            return False
        texts.add(key_of(row))
        if row.identity_key is None:
            return False
        identities = self._identities[proposal.partition]
        known = row.identity_key in identities
        identities.add(row.identity_key)
        return known

    def needs_rows(self, proposal: Proposal, row: NewMemory | None) -> bool:
        """Whether rows that are stored, or about to be, may have something to say about a proposal."""
        if proposal.supersedes is not None:
            return True
        if not proposal.infer or proposal.kind is Kind.TURN:
            return False
        if proposal.slot is not None:
            return True
        return row is not None and proposal.kind in KEYED and key_of(row) in self._texts.get(proposal.partition, ())

    def of(self, proposal: Proposal, *, rows: bool) -> Neighbours:
        """The neighbours of a proposal; `rows`: whether rows may have something to say about it (`needs_rows`).

        Raises:
            NotFoundError: it must supersede a memory that is none of its user.
            InvalidInputError: it must supersede one that is not current, or of another kind, or no search would find
                what takes its place.
        """
        echo = proposal.infer and proposal.kind is not Kind.ENTITY and is_echo(proposal, self.rules.blocks)
        if echo or not rows:
            return Neighbours(echo=True) if echo else ALONE
        conn, partition, kind = self.connection, proposal.partition, proposal.kind
        same = neighbours.with_text(conn, partition, kind, proposal.content, self.sight)
        same = without_plans_off(conn, same, self.sight)
        over = proposal.claim is not None and proposal.claim.valid_until is not None
        waiting = [one for one in same if one.waits and (over or one.lasts)]
        listed, why_not = self._listed(proposal)
        why_not = why_not or self._takes_nothing(proposal)
        return Neighbours(
            same_text=tuple(one for one in same if one.shown or one.leaves),
            heirs=frozenset[int]().union(*(to_follow(conn, one) for one in same)),
            same_slot=tuple(self._in_slot(proposal)),
            listed=listed,
            following=() if listed is None else following(conn, listed, self.sight),
            not_superseded=why_not,
            waiting=tuple(one for one in waiting if says_the_same(proposal, one, self.now)),
            denied=next((one for one in same if denies(one, proposal, self.now)), None),
            unseen=self._unseen(proposal) is not None,
            moves=proposal.kind in self.rules.retention_days,
        )

    def _takes_nothing(self, proposal: Proposal) -> str:
        """In words that what is set, and never begins, takes the place of nothing; empty where it begins."""
        unseen, claim = self._unseen(proposal), proposal.claim
        if unseen is None or not proposal.fills_slot or claim is None or claim.valid_from is None:
            return ""
        if claim.valid_from <= self.now:
            return ""
        return f"it takes the place of nothing, as no search would find it: its {unseen.field} {unseen.why}"

    def _in_slot(self, proposal: Proposal) -> list[Neighbour]:
        number = partitions.find(self.connection, proposal.partition) if proposal.slot is not None else None
        if number is None or proposal.slot is None or self._unseen(proposal) is not None:
            return []
        return neighbours.in_slot(self.connection, number, slot_key(proposal.slot), self.sight)

    def _unseen(self, proposal: Proposal) -> _Unseen | None:
        """Why no search would find a proposal, whatever it looks for: then it takes the place of nothing."""
        days, happened, expires = self.rules.retention_days.get(proposal.kind), proposal.event_time, proposal.expires_at
        now = from_micros(self.sight.now)
        if days is not None and happened is not None and now - happened > timedelta(days=days):
            return _Unseen("event_time", happened, f"is before the {days} days for which a {proposal.kind} is kept")
        if expires is not None and expires <= now:
            return _Unseen("expires_at", expires, "is over")
        begins = None if proposal.claim is None else proposal.claim.valid_from
        if days is not None and begins is not None and begins > now:
            since = now if happened is None else happened
            if begins - since > timedelta(days=days):
                told = f"is after the {days} days for which a {proposal.kind} is kept from its event on"
                return _Unseen("valid_from", begins, told)
        if expires is not None and begins is not None and expires <= begins:
            return _Unseen("expires_at", expires, f"is not after its beginning, {begins.isoformat()}")
        return None

    def _listed(self, proposal: Proposal) -> tuple[Neighbour | None, str]:
        """The memory that a proposal names as superseded, or why it cannot be."""
        wanted = proposal.supersedes
        if wanted is None:
            return None, ""
        one = neighbours.by_ids(self.connection, [wanted], self.sight).get(wanted)
        if one is None or one.row.partition != proposal.partition:
            problem = f"{wanted} is no memory of the same user"
            if proposal.must_supersede:
                raise NotFoundError(f"id: {problem}; get_all() lists those there are")
            return None, f"supersedes: {problem}, and was ignored"
        problem, unseen = _obstacle(proposal, one, self.now), self._unseen(proposal)
        if problem and proposal.must_supersede:
            raise InvalidInputError(f"id: {wanted} is not accepted; it {problem}")
        if unseen is not None:
            if proposal.must_supersede:
                fields.refuse(
                    unseen.field,
                    unseen.moment.isoformat(),
                    f"it {unseen.why}, so no search would find what takes the place of memory {wanted}: give a later "
                    "moment, or leave it out",
                )
            problem = problem or f"stays, as its successor would not be found (its {unseen.field} {unseen.why})"
        return (None, f"supersedes: {wanted} {problem}, and was ignored") if problem else (one, "")


def _obstacle(proposal: Proposal, one: Neighbour, now: datetime) -> str:
    """Why a memory cannot be superseded by a proposal, and what would do; or nothing."""
    if one.superseded_by is not None and (not one.leaves or one.valid_until is None):
        return f"is superseded by {one.superseded_by} already; supersede that one"
    if one.leaves and one.valid_until is not None:
        claim, day = proposal.claim, from_micros(one.valid_until).isoformat()
        begins = now if claim is None or claim.valid_from is None else claim.valid_from
        if to_micros(begins) >= one.valid_until:
            return (
                f"is superseded by {one.superseded_by} from {day} on; supersede that one, or give an earlier valid_from"
            )
    if one.row.kind is not proposal.kind:
        return f"is of kind {one.row.kind} and not {proposal.kind.value}"
    return "" if one.stands else "is not current"
