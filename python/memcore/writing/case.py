"""A proposed memory beside what is stored, and what may become of it: the values that decisions go by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.kinds import Origin, Outcome
from memcore.storage.details import slot_key
from memcore.storage.encoding import same_statement, to_micros
from memcore.values import value
from memcore.writing.evidence import begins_later, evidence, evidence_of
from memcore.writing.restate import lifts_end

if TYPE_CHECKING:
    from datetime import datetime

    from memcore.params import RetrievalParams
    from memcore.storage.neighbours import Neighbour
    from memcore.writing.proposal import Proposal

__all__ = ["ALONE", "Case", "Decision", "Near", "Neighbours"]


@dataclass(frozen=True, slots=True)
class Near:
    """A memory beside a proposal whose vector is close. `same_entities`: both mention the same entities."""

    neighbour: Neighbour
    cosine: float
    same_entities: bool = True


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What is stored beside a proposal, of the same user. Those of `same_text`, `same_slot` and `nearest` are shown.

    `same_text` has also what something else is to replace on a later day; `heirs` are what replaces it, at once or
    through others. `echo`: the text is our own context block. `listed`: the memory that the proposal names in
    `supersedes`, `following` what is to take the place of that on a later day; `not_superseded` says in words why it
    cannot be. `waiting`: the same text, pending already. `denied`:
    the same text, of which a person said that it is not so. `unseen`: no search would find the proposal.
    `moves`: its kind has days of retention, so that what is said again happened when it was said last.
    """

    same_text: tuple[Neighbour, ...] = ()
    same_slot: tuple[Neighbour, ...] = ()
    heirs: frozenset[int] = frozenset()
    listed: Neighbour | None = None
    following: tuple[Neighbour, ...] = ()
    not_superseded: str = ""
    nearest: tuple[Near, ...] = ()
    waiting: tuple[Neighbour, ...] = ()
    denied: Neighbour | None = None
    echo: bool = False
    unseen: bool = False
    moves: bool = False


ALONE = Neighbours()
"""Those of a proposal beside which nothing is stored that has something to say about it."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a proposal.

    `into`: the memory that holds its text already; `strengthens` it. `supersedes`: ids whose place it takes;
    `conflicts`: ids that it contradicts; `leaving`: ids that waited for review, and need not any more. `reason` says in
    words why, and is empty for a text that is simply stored.
    """

    outcome: Outcome
    reason: str = ""
    into: int | None = None
    strengthens: bool = False
    supersedes: tuple[int, ...] = ()
    conflicts: tuple[int, ...] = ()
    leaving: tuple[int, ...] = ()


@value
class Case:
    """A proposal beside its neighbours. `proposal.content` is what is left once thinking aloud was cut."""

    proposal: Proposal
    neighbours: Neighbours
    params: RetrievalParams
    now: datetime

    @property
    def explicit(self) -> bool:
        """Whether a caller said by name that this takes the place of something: then rank counts alone."""
        return self.proposal.explicit

    @property
    def named(self) -> tuple[Neighbour, ...]:
        """The memory that the proposal names, and what was to follow that while the proposal holds."""
        listed = self.neighbours.listed
        return () if listed is None else (listed, *filter(self._together, self.neighbours.following))

    @property
    def replaces(self) -> tuple[int, ...]:
        """Those of `named`, where its evidence is enough to take the place of all of them."""
        return () if any(map(self._outweighed_by, self.named)) else tuple(one.row.id for one in self.named)

    @property
    def others(self) -> tuple[Neighbour, ...]:
        """What else fills the slot while the proposal holds; what is over, or has expired, contradicts nothing."""
        claim, expires = self.proposal.claim, self.proposal.expires_at
        ends = None if claim is None else claim.valid_until
        if (ends is not None and ends <= self.now) or (expires is not None and expires <= self.now):
            return ()
        others = [one for one in self.neighbours.same_slot if one.row.id not in self.replaces]
        return tuple(filter(self._together, others))

    def _together(self, one: Neighbour) -> bool:
        """Whether another memory holds at some moment at which the proposal does."""
        claim = self.proposal.claim
        begins = self.now if claim is None or claim.valid_from is None else claim.valid_from
        until = None if claim is None or claim.valid_until is None else to_micros(claim.valid_until)
        return one.holds_within(to_micros(begins), until, to_micros(self.now))

    def _lasts_as_long(self, one: Neighbour) -> bool:
        ends = None if self.proposal.claim is None else self.proposal.claim.valid_until
        return ends is None or (one.valid_until is not None and one.valid_until <= to_micros(ends))

    def agrees(self, one: Neighbour) -> bool:
        """Whether another memory says the same of the same slot, be it of another time or by another speaker."""
        slot = None if self.proposal.slot is None else slot_key(self.proposal.slot)
        return slot == one.slot_key and same_statement(self.proposal.content) == same_statement(one.row.content)

    def meets(self, one: Neighbour, into: Neighbour) -> bool:
        """Whether another value of the slot is there together with a memory that is said again.

        Where something else is to replace that one on a later day, this stays so.
        """
        if not into.leaves:
            return True
        now = to_micros(self.now)
        return one.holds_within(now, into.valid_until, now) and one.row.id not in self.neighbours.heirs

    def met(self, into: Neighbour) -> tuple[Neighbour, ...]:
        """What contradicts a memory that is said again, now that it holds beyond its end."""
        if not lifts_end(self.proposal, into):
            return ()
        now = to_micros(self.now)
        since = into.begins(now)
        begins = now if since is None else max(since, now)
        beyond = [one for one in self.neighbours.same_slot if not one.holds_within(begins, into.valid_until, now)]
        return tuple(one for one in beyond if one.holds_within(begins, None, now) and not self.agrees(one))

    @property
    def leaving(self) -> tuple[int, ...]:
        """What waits for review and says the same, of the same slot, where the user says it himself."""
        if self.proposal.origin is not Origin.USER or not self.proposal.infer or self.neighbours.unseen:
            return ()
        slot = None if self.proposal.slot is None else slot_key(self.proposal.slot)
        return tuple(one.row.id for one in self.neighbours.waiting if one.slot_key == slot)

    @property
    def stronger(self) -> tuple[Neighbour, ...]:
        """Those of the others, and of what it names, whose evidence is stronger."""
        return tuple(one for one in (*self.named, *self.others) if self._outweighed_by(one))

    def _outweighed_by(self, one: Neighbour) -> bool:
        own, stored = evidence(self.proposal), evidence_of(one)
        return stored[0] > own[0] if self.explicit else stored > own

    def outweighs(self, one: Neighbour) -> bool:
        """Whether the proposal takes the place of another value of its slot without naming it.

        It does where it says that what was planned holds already, and for at least as long.
        """
        own, stored = evidence(self.proposal), evidence_of(one)
        planned = begins_later(one, self.now) and self.agrees(one) and self._lasts_as_long(one)
        return own[0] >= stored[0] if self.proposal.fills_slot else own > stored or (planned and own == stored)
