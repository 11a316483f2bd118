"""How much a proposal and a stored memory weigh against each other, and whether they are the same memory.

Evidence is the rank of who says it (user 3, assistant, job and import 2, tool and web 1), then the confidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.kinds import Kind, Origin
from memcore.names import name_key
from memcore.storage.details import slot_key
from memcore.storage.encoding import to_micros
from memcore.storage.ranks import rank
from memcore.writing.days import of_other_days, same_day
from memcore.writing.names import speaker_entity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memcore.params import RetrievalParams
    from memcore.storage.neighbours import Neighbour
    from memcore.writing.proposal import Proposal

__all__ = [
    "UNTRUSTED",
    "Evidence",
    "bar",
    "begins_later",
    "denies",
    "differ_by_name",
    "evidence",
    "evidence_of",
    "one_speaker",
    "rank",
    "repeats",
    "says_the_same",
    "stored_already",
]

Evidence = tuple[int, float]

UNTRUSTED = frozenset({Origin.TOOL, Origin.WEB, Origin.JOB})
"""What comes from here never takes the place of a user's word, and is never important by its own account."""


def evidence(proposal: Proposal) -> Evidence:
    """The evidence of a proposal; where its kind claims nothing, it is sure."""
    return rank(proposal.origin), 1.0 if proposal.claim is None else proposal.claim.confidence


def evidence_of(one: Neighbour) -> Evidence:
    """The evidence of a stored memory."""
    return rank(one.row.origin), 1.0 if one.confidence is None else one.confidence


def bar(kind: Kind, params: RetrievalParams) -> float:
    """The confidence below which a memory of a kind waits for review."""
    if kind is Kind.FACT:
        return params.decide_fact_confidence
    if kind is Kind.KNOWLEDGE:
        return params.decide_knowledge_confidence
    return params.decide_lesson_confidence if kind is Kind.LESSON else 0.0


def says_the_same(proposal: Proposal, one: Neighbour, now: datetime) -> bool:
    """Whether nothing that was given with a proposal tells it from a memory with its words.

    Another speaker, slot, time of validity, pattern or period does, and so does, for an event, another day. Without a
    slot it is told from it by words that mean other days by now, such as "yesterday".
    """
    return _fits_slot(proposal, one) and _same_otherwise(proposal, one, now)


def repeats(proposal: Proposal, one: Neighbour, now: datetime) -> bool:
    """Whether a stored memory says the same as the proposal: at the same time, too; what is planned is not yet."""
    given = proposal.claim is not None and proposal.claim.valid_from is not None
    return says_the_same(proposal, one, now) and (given or not begins_later(one, now))


def stored_already(proposal: Proposal, same: Iterable[Neighbour], now: datetime) -> Neighbour | None:
    """Of memories with its text the one that a proposal is said again by: rather one that nothing is to replace."""
    there = [one for one in same if one.stands and repeats(proposal, one, now)]
    shown = (one for one in there if one.shown)
    return next(shown, None) or next((one for one in there if one.leaves), None)


def begins_later(one: Neighbour, now: datetime) -> bool:
    """Whether a stored memory does not hold yet; one that had begun when it was stored has."""
    return one.is_planned(to_micros(now))


def denies(one: Neighbour, proposal: Proposal, now: datetime) -> bool:
    """Whether a person said of a memory with the words of a proposal that what both say is not so.

    What was said without a slot is not so in any.
    """
    anywhere = one.slot_key is None or _fits_slot(proposal, one)
    return one.denied and anywhere and _same_otherwise(proposal, one, now)


def _fits_slot(proposal: Proposal, one: Neighbour) -> bool:
    return proposal.slot is None or slot_key(proposal.slot) == one.slot_key


def _same_otherwise(proposal: Proposal, one: Neighbour, now: datetime) -> bool:
    """Whether two that fill the same slot say the same."""
    claim, detail, happened = proposal.claim, proposal.detail, proposal.event_time
    pairs = (
        (None if claim is None or _holds_then(proposal, one) else claim.valid_from, one.valid_from),
        (getattr(detail, "started_at", None), one.started_at),
        (getattr(detail, "ended_at", None), one.ended_at),
    )
    return (
        not differ_by_name(proposal.speaker, one.row.speaker)
        and getattr(detail, "pattern", one.pattern) == one.pattern
        and all(moment is None or to_micros(moment) == stored for moment, stored in pairs)
        and _ends_with(proposal, one)
        and (
            proposal.kind is not Kind.EVENT
            or happened is None
            or not proposal.dated
            or same_day(happened, one.row.event_time)
        )
        and not of_other_days(proposal, one.row.event_time, now)
    )


def _holds_then(proposal: Proposal, one: Neighbour) -> bool:
    """Whether a stored claim holds, by what is known, at an event ahead that another begins with."""
    if not proposal.begins_with_event or proposal.event_time is None:
        return False
    event = to_micros(proposal.event_time)
    return (one.valid_from is None or one.valid_from <= event) and (one.valid_until is None or event < one.valid_until)


def _ends_with(proposal: Proposal, one: Neighbour) -> bool:
    """Whether a claim is to end when a stored one does, or would if nothing were to take its place."""
    ends = None if proposal.claim is None else proposal.claim.valid_until
    return ends is None or to_micros(ends) in (one.valid_until, one.behind)


def one_speaker(one: str | None, other: str | None) -> bool:
    """Whether two speakers are one person, or both of them nobody that is named."""
    first, second = speaker_entity(one), speaker_entity(other)
    if first is None or second is None:
        return first is second
    return name_key(first.name) == name_key(second.name)


def differ_by_name(one: str | None, other: str | None) -> bool:
    """Whether two speakers are two people; a part such as `user` is nobody."""
    return None not in (speaker_entity(one), speaker_entity(other)) and not one_speaker(one, other)
