"""Deciding what becomes of a proposed memory beside those that are there: a pure function of rules in their order.

Who says it and how sure (`evidence`) decides between two values of one thing; the words and their order (`identity`)
come before likeness. What a tool, the web or a job says never takes the place of what a user said, and what a
person denied comes back by the user's own word alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.kinds import Kind, Origin, Outcome, ReviewState
from memcore.writing.case import ALONE, Case, Decision
from memcore.writing.days import happened, same_day
from memcore.writing.evidence import (
    UNTRUSTED,
    bar,
    differ_by_name,
    evidence,
    one_speaker,
    rank,
    repeats,
    stored_already,
)
from memcore.writing.identity import same_identity
from memcore.writing.restate import left_out, moments_told
from memcore.writing.small_talk import is_small_talk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memcore.params import RetrievalParams
    from memcore.storage.neighbours import Neighbour
    from memcore.writing.case import Neighbours
    from memcore.writing.proposal import Proposal

__all__ = ["NEVER_NEAR", "RULES", "RULES_ALONE", "decide", "joined", "left", "may_be_near", "superseding"]

NEVER_NEAR = frozenset({Kind.TURN, Kind.CASE, Kind.ENTITY, Kind.EPISODE, Kind.CHUNK, Kind.SUMMARY})
"""Kinds that are never merged for being alike: each stands for its own moment, place or stretch of time."""


def decide(proposal: Proposal, neighbours: Neighbours, params: RetrievalParams, now: datetime) -> Decision:
    """What the first of `RULES` that applies says; a text that none of them speaks of is accepted."""
    case = Case(proposal, neighbours, params, now)
    if neighbours is ALONE:
        return next((said for rule in RULES_ALONE if (said := rule(case)) is not None), _ACCEPTED)
    decision = next((said for rule in RULES if (said := rule(case)) is not None), None)
    if decision is None:
        reason = joined(superseding(case.replaces), _said_otherwise(case), neighbours.not_superseded)
        decision = Decision(Outcome.ACCEPT, reason, supersedes=case.replaces)
    leaving = case.leaving if decision.outcome in (Outcome.ACCEPT, Outcome.MERGE) else ()
    if not leaving:
        return decision
    return replace(decision, leaving=leaving, reason=joined(decision.reason, left(leaving)))


def may_be_near(proposal: Proposal) -> bool:
    """Whether a proposal may be merged for being alike: of a kind that may, without a slot, and to be decided on."""
    return proposal.infer and proposal.kind not in NEVER_NEAR and proposal.slot is None


def _nothing_left(case: Case) -> Decision | None:
    if case.proposal.content.strip():
        return None
    return Decision(Outcome.DROP, "nothing is left once the model's thinking aloud is cut")


def _as_it_is(case: Case) -> Decision | None:
    """Stored in any case; what it names it supersedes, which is no inference, unless that has stronger evidence."""
    if case.proposal.infer:
        return None
    replaces, stronger = case.replaces, next(iter(case.stronger), None)
    stays = "" if replaces or stronger is None or stronger not in case.named else _stays(case, stronger)
    reason = joined(superseding(replaces), stays, case.neighbours.not_superseded)
    return Decision(Outcome.ACCEPT, reason, supersedes=replaces)


def _stays(case: Case, stronger: Neighbour) -> str:
    """In words why what is named stays: it, or what is to follow it, has stronger evidence."""
    named = case.named[0].row.id
    stays = "stays" if stronger.row.id == named else f"stays as what follows memory {named}"
    return f"memory {stronger.row.id} has stronger evidence, and {stays}"


def _echo(case: Case) -> Decision | None:
    if not case.neighbours.echo:
        return None
    return Decision(Outcome.DROP, "it is memcore's own context block coming back")


def _small_talk(case: Case) -> Decision | None:
    """What fills a slot, or takes the place of something, is no small talk, whatever it says."""
    proposal = case.proposal
    said = proposal.kind not in (Kind.TURN, Kind.ENTITY) and proposal.slot is None and not case.explicit
    return Decision(Outcome.DROP, "it is small talk") if said and is_small_talk(proposal.content) else None


def _same_text(case: Case) -> Decision | None:
    """With `facts.set` the other values of the slot end too, as far as they hold together with it."""
    proposal, neighbours = case.proposal, case.neighbours
    into = stored_already(proposal, neighbours.same_text, case.now)
    listed = neighbours.listed is not None and into is not None and neighbours.listed.row.id == into.row.id
    if into is None or (into.leaves and case.replaces and not listed):
        return None
    ending = [] if listed else list(case.replaces)
    if proposal.fills_slot:
        ending += [one.row.id for one in case.others if case.outweighs(one) and case.meets(one, into)]
    return _merged(case, into, "the same text is stored already", [one for one in ending if one != into.row.id])


def _denied(case: Case) -> Decision | None:
    """What a person called wrong, or rejected, does not come back but by the user's own word."""
    one = case.neighbours.denied
    if one is None or case.proposal.origin is Origin.USER:
        return None
    how = "rejected in review" if one.row.review_state is ReviewState.REJECTED else "called wrong"
    return Decision(Outcome.DROP, f"memory {one.row.id} said the same and was {how}; only the user may say it again")


def _weak(case: Case) -> Decision | None:
    own, least = evidence(case.proposal)[1], bar(case.proposal.kind, case.params)
    if own >= least or case.explicit:
        return None
    reason = f"its confidence of {own:g} is below {least:g}, so it waits for review"
    return _deferred(case, reason, (*case.named, *case.others))


def _outweighed(case: Case) -> Decision | None:
    if not case.stronger:
        return None
    one = next((one for one in case.stronger if not case.agrees(one)), None)
    if one is None:
        reason = f"{_says_the_same(case, case.stronger[0])}, and has stronger evidence"
    else:
        reason = f"it contradicts memory {one.row.id}, which has stronger evidence"
    named = () if case.replaces else case.named
    return _deferred(case, reason, (*case.stronger, *named, *case.others))


def _untrusted(case: Case) -> Decision | None:
    origin = case.proposal.origin
    if not case.others or origin not in UNTRUSTED or case.explicit or case.replaces:
        return None
    one = next((one for one in case.others if not case.agrees(one)), None)
    there = _says_the_same(case, case.others[0]) if one is None else f"memory {one.row.id} fills its slot"
    reason = f"{there}, and what comes from origin {origin.value} waits"
    return _deferred(case, reason, case.others)


def _slot(case: Case) -> Decision | None:
    """Another value of the slot: it takes the place of weaker evidence, and stands beside equal evidence.

    It is in conflict with what it stands beside, unless that says the same of another time or by another speaker.
    """
    if not case.others:
        return None
    weaker = [one.row.id for one in case.others if case.outweighs(one)]
    stay = [one for one in case.others if one.row.id not in weaker]
    beside = tuple(one.row.id for one in stay if not case.agrees(one))
    ending = (*case.replaces, *weaker)
    conflict = f"it is in conflict with memory {beside[0]}, which fills its slot with something else" if beside else ""
    same = next((_says_the_same(case, one) for one in stay if case.agrees(one)), "")
    reason = joined(superseding(ending), conflict, same, case.neighbours.not_superseded)
    return Decision(Outcome.ACCEPT, reason, supersedes=ending, conflicts=beside)


def _alike(case: Case) -> Decision | None:
    """The closest that says the same, the oldest of equals.

    Only one of the same origin, speaker and channel, and, of an event, of the same day: no words count as said by
    somebody who said others, and what was said to one person is not shown to a group for a sentence like it.
    """
    proposal, params = case.proposal, case.params
    if case.replaces or not (params.enable_near_merge and may_be_near(proposal)):
        return None
    close = [
        near
        for near in case.neighbours.nearest
        if near.cosine >= params.decide_near_cosine
        and near.same_entities
        and near.neighbour.row.kind is proposal.kind
        and near.neighbour.slot_key is None
        and near.neighbour.row.origin == proposal.origin
        and near.neighbour.row.channel == proposal.channel
        and one_speaker(proposal.speaker, near.neighbour.row.speaker)
        and repeats(proposal, near.neighbour, case.now)
        and (proposal.kind is not Kind.EVENT or same_day(happened(proposal, case.now), near.neighbour.row.event_time))
        and same_identity(proposal.content, near.neighbour.row.content)
    ]
    best = min(close, key=lambda near: (-near.cosine, near.neighbour.row.id), default=None)
    return None if best is None else _merged(case, best.neighbour, "a memory says nearly the same already", ())


RULES = (
    _nothing_left,
    _as_it_is,
    _echo,
    _small_talk,
    _same_text,
    _denied,
    _weak,
    _outweighed,
    _untrusted,
    _slot,
    _alike,
)


RULES_ALONE = (_nothing_left, _as_it_is, _small_talk, _weak)
"""Those of `RULES` that may say something of a text beside which nothing is stored, in the same order."""
_ACCEPTED = Decision(Outcome.ACCEPT)


def _merged(case: Case, into: Neighbour, why: str, ending: Iterable[int]) -> Decision:
    """A merge; evidence that is weaker than what is there, or below the bar, strengthens nothing."""
    own = evidence(case.proposal)
    strong = own[0] >= rank(into.row.origin) and own[1] >= bar(case.proposal.kind, case.params)
    ended = tuple(dict.fromkeys(ending))
    met: tuple[int, ...] = ()
    notes = ["its evidence is weaker, and strengthens nothing"]
    if strong:
        met = tuple(one.row.id for one in case.met(into) if one.row.id not in ended)
        notes = [left_out(case.proposal, into, moves=case.neighbours.moves)]
        notes.append(moments_told(case.proposal, into, case.now, moves=case.neighbours.moves))
    beside = f"memory {met[0]} fills its slot with something else by then" if met else ""
    reason = joined(why, *notes, superseding(ended), beside, case.neighbours.not_superseded)
    return Decision(Outcome.MERGE, reason, into=into.row.id, strengthens=strong, supersedes=ended, conflicts=met)


def _deferred(case: Case, reason: str, against: Iterable[Neighbour]) -> Decision:
    """Stored, but waiting for review; the same text that waits already is not stored twice."""
    waits, ignored = case.neighbours.waiting, case.neighbours.not_superseded
    if waits:
        return Decision(Outcome.DEFER, joined("the same text waits for review already", ignored), waits[0].row.id)
    conflicts = tuple(dict.fromkeys(one.row.id for one in against if not case.agrees(one)))
    return Decision(Outcome.DEFER, joined(reason, ignored), conflicts=conflicts)


def _says_the_same(case: Case, one: Neighbour) -> str:
    """In words that a memory of the same slot says the same, and what it differs in."""
    differs = "by another speaker" if differ_by_name(case.proposal.speaker, one.row.speaker) else "of another time"
    return f"memory {one.row.id} says the same {differs}"


def _said_otherwise(case: Case) -> str:
    """In words which memory says the same outside any slot, and what it differs in; empty where none does."""
    proposal = case.proposal
    if proposal.claim is None or proposal.slot is not None:
        return ""
    detail = proposal.detail
    same = [one for one in case.neighbours.same_text if case.agrees(one) and one.row.id not in case.replaces]
    same = [one for one in same if getattr(detail, "pattern", one.pattern) == one.pattern]
    return _says_the_same(case, same[0]) if same else ""


def superseding(ids: Sequence[int]) -> str:
    """In words which memories one takes the place of; empty where of none."""
    return f"it supersedes {', '.join(map(str, ids))}" if ids else ""


def left(ids: Sequence[int]) -> str:
    """In words which memories wait for review no more, for one says the same; empty where none."""
    return f"memory {', '.join(map(str, ids))} says the same, and need not wait for review any more" if ids else ""


def joined(*parts: str) -> str:
    """Reasons as one text; what is empty is left out."""
    return "; ".join(filter(None, parts))
