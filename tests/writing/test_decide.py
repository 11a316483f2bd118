"""What becomes of a proposal beside its neighbours: the rules one by one, then what holds of all of them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.kinds import Kind, Origin, Outcome, ReviewState
from memcore.params import RetrievalParams
from memcore.scope import Partition
from memcore.storage.encoding import to_micros
from memcore.storage.neighbours import Neighbour
from memcore.storage.rows import MemoryRow
from memcore.writing.case import ALONE, Near, Neighbours
from memcore.writing.decide import NEVER_NEAR, decide
from memcore.writing.proposal import from_call

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PARAMS = RetrievalParams()
ACCEPT, MERGE, DEFER, DROP = Outcome.ACCEPT, Outcome.MERGE, Outcome.DEFER, Outcome.DROP


def stored(content="Ana lives in Lisbon.", number=1, *, origin="user", kind="fact", slot=None, confidence=1.0, **given):
    row = MemoryRow(
        id=number, partition=Partition("a", "ana"), kind=Kind(kind), content=content, tokens=None,
        origin=Origin(origin), speaker=given.pop("speaker", None), session_id=None, position=None, prev_id=None,
        next_id=None, importance=5, base_importance=5, access_count=0, event_time=NOW - timedelta(days=3),
        recorded_at=NOW, updated_at=NOW, last_used_at=None, tags=(), metadata={}, source_ref=None,
        idempotency_key=None, review_state=ReviewState.ACTIVE, channel=given.pop("channel", None), pinned=False,
        expires_at=None, ended_at=None, ending=None, intact=True,
    )  # fmt: skip
    return Neighbour(row, confidence, to_micros(NOW - timedelta(days=3)), slot_key=slot, **given)


def said(content="Ana lives in Porto.", *, kind="fact", sets=False, **given):
    return replace(from_call(content, agent_id="a", user_id="ana", kind=kind, **given), fills_slot=sets)


def empty(kind="event"):
    return replace(said("thinking", kind=kind), content="")


def slot(*others):
    return Neighbours(same_slot=tuple(replace(one, slot_key="home") for one in others))


def same(*others, **given):
    return Neighbours(same_text=others, **given)


def near(cosine=0.97, *, entities=True, **given):
    one = stored("I prefer green tea over coffee", **({"kind": "event", "confidence": None} | given))
    return Neighbours(nearest=(Near(one, cosine, same_entities=entities),))


def tea(**given):
    return said("I prefer green tea to coffee", **({"kind": "event", "event_time": NOW - timedelta(days=3)} | given))


def home(content="Ana lives in Porto.", **given):
    return said(content, slot="home", **given)


NONE = Neighbours()
WAITS = stored(number=9)
WRONG = replace(stored(number=8), called_wrong=1)
CASES = {
    "a text beside nothing is stored": (said(), NONE, (ACCEPT, None, False, (), ())),
    "our own block is dropped": (said(kind="turn"), Neighbours(echo=True), (DROP, None, False, (), ())),
    "small talk is dropped": (said("thanks!", kind="event"), NONE, (DROP, None, False, (), ())),
    "small talk of a turn is kept": (said("thanks!", kind="turn"), NONE, (ACCEPT, None, False, (), ())),
    "small talk that fills a slot is a value": (home("yes"), NONE, (ACCEPT, None, False, (), ())),
    "an entity may have any name": (said("Sky", kind="entity"), NONE, (ACCEPT, None, False, (), ())),
    "thinking alone is dropped": (empty(), NONE, (DROP, None, False, (), ())),
    "thinking alone as a turn is dropped": (empty("turn"), NONE, (DROP, None, False, (), ())),
    "verbatim is stored": (said("thanks!", kind="event", infer=False), NONE, (ACCEPT, None, False, (), ())),
    "verbatim is stored beside its like": (said(infer=False), same(stored()), (ACCEPT, None, False, (), ())),
    "the same text strengthens": (said(), same(stored()), (MERGE, 1, True, (), ())),
    "from weaker evidence it does not": (said(origin="tool"), same(stored()), (MERGE, 1, False, (), ())),
    "nor below the bar": (said(confidence=0.2), same(stored()), (MERGE, 1, False, (), ())),
    "from stronger evidence it does": (said(), same(stored(origin="web")), (MERGE, 1, True, (), ())),
    "another speaker says it": (said(speaker="Bo"), same(stored(speaker="Ana")), (ACCEPT, None, False, (), ())),
    "a part in a talk is nobody": (said(speaker="user"), same(stored(speaker="Ana")), (MERGE, 1, True, (), ())),
    "the same words in another slot": (home("Blue"), same(stored("Blue", slot="car")), (ACCEPT, None, False, (), ())),
    "the same words for another time": (
        said(valid_from=NOW), same(stored()), (ACCEPT, None, False, (), ())),
    "the same words for the same time": (
        said(valid_from=NOW - timedelta(days=3)), same(stored()), (MERGE, 1, True, (), ())),
    "an event of another day": (
        tea(event_time=NOW), same(stored(kind="event", confidence=None)), (ACCEPT, None, False, (), ())),
    "a lesson for another pattern": (
        said(kind="lesson", details={"pattern": "b"}), same(stored(kind="lesson", pattern="a")),
        (ACCEPT, None, False, (), ())),
    "a weak fact waits": (said(confidence=0.69), NONE, (DEFER, None, False, (), ())),
    "a fact at the bar does not": (said(confidence=0.7), NONE, (ACCEPT, None, False, (), ())),
    "the bar of knowledge is lower": (said(kind="knowledge", confidence=0.5), NONE, (ACCEPT, None, False, (), ())),
    "a weak fact that names another waits in conflict": (
        said(confidence=0.5), Neighbours(listed=stored(confidence=0.2)), (DEFER, None, False, (), (1,))),
    "the same text that waits is not stored twice": (
        said(confidence=0.5), Neighbours(waiting=(WAITS,)), (DEFER, 9, False, (), ())),
    "what a person denied does not come back": (
        said(origin="web"), Neighbours(denied=WRONG), (DROP, None, False, (), ())),
    "but the user may say it": (said(), Neighbours(denied=WRONG), (ACCEPT, None, False, (), ())),
    "and what was said since is merged": (said(origin="web"), same(stored(), denied=WRONG), (MERGE, 1, False, (), ())),
    "a named memory is superseded": (said(), Neighbours(listed=stored()), (ACCEPT, None, False, (1,), ())),
    "not by weaker evidence": (said(origin="assistant"), Neighbours(listed=stored()), (DEFER, None, False, (), (1,))),
    "not by less confidence": (said(confidence=0.9), Neighbours(listed=stored()), (DEFER, None, False, (), (1,))),
    "a tool supersedes what a tool said": (
        said(origin="tool"), Neighbours(listed=stored(origin="web")), (ACCEPT, None, False, (1,), ())),
    "a named memory is superseded by the same text too": (
        said(), same(stored(number=2), listed=stored()), (MERGE, 2, True, (1,), ())),
    "what is named and says the same is merged": (said(), same(stored(), listed=stored()), (MERGE, 1, True, (), ())),
    "equal evidence stands beside": (home(), slot(stored()), (ACCEPT, None, False, (), (1,))),
    "stronger takes the place": (home(), slot(stored(origin="assistant")), (ACCEPT, None, False, (1,), ())),
    "more confidence takes the place": (home(), slot(stored(confidence=0.8)), (ACCEPT, None, False, (1,), ())),
    "weaker waits": (home(origin="import"), slot(stored()), (DEFER, None, False, (), (1,))),
    "less confidence waits": (home(confidence=0.8), slot(stored()), (DEFER, None, False, (), (1,))),
    "an untrusted origin waits": (home(origin="tool"), slot(stored(origin="tool")), (DEFER, None, False, (), (1,))),
    "a job waits": (home(origin="job"), slot(stored(origin="tool")), (DEFER, None, False, (), (1,))),
    "an untrusted origin in a free slot does not": (home(origin="tool"), NONE, (ACCEPT, None, False, (), ())),
    "of several the weaker end and the equal stay": (
        home(), slot(stored(origin="tool"), stored(number=2)), (ACCEPT, None, False, (1,), (2,))),
    "what is over contradicts nothing": (
        home(valid_until=NOW - timedelta(days=9)), slot(stored()), (ACCEPT, None, False, (), ())),
    "setting a slot takes the place": (
        home(sets=True), slot(stored(), stored(number=2)), (ACCEPT, None, False, (1, 2), ())),
    "setting a slot needs no confidence": (
        home(sets=True, confidence=0.1), slot(stored()), (ACCEPT, None, False, (1,), ())),
    "setting a slot from weaker origin waits": (
        home(sets=True, origin="tool"), slot(stored()), (DEFER, None, False, (), (1,))),
    "setting what the slot says ends the rest": (
        home("Ana lives in Lisbon.", sets=True),
        replace(slot(stored(), stored("Ana lives in Faro.", 2)), same_text=(stored(slot="home"),)),
        (MERGE, 1, True, (2,), ())),
    "nearly the same is merged": (tea(), near(), (MERGE, 1, True, (), ())),
    "an event that happens now is of another day": (tea(event_time=None), near(), (ACCEPT, None, False, (), ())),
    "the same words that mean another day": (
        said("Ana ran today.", kind="event"), same(stored("Ana ran today.", kind="event", confidence=None)),
        (ACCEPT, None, False, (), ())),
    "knowledge that means another day": (
        said("昨天下雨了。", kind="knowledge"), same(stored("昨天下雨了。", kind="knowledge")),
        (ACCEPT, None, False, (), ())),
    "a value of a slot means what it says": (
        home("Ill today"), same(stored("Ill today", slot="home")), (MERGE, 1, True, (), ())),
    "not below the threshold": (tea(), near(0.94), (ACCEPT, None, False, (), ())),
    "not with other entities": (tea(), near(entities=False), (ACCEPT, None, False, (), ())),
    "not with another number": (said("I prefer 3 teas to coffee", kind="event"), near(),
                                (ACCEPT, None, False, (), ())),
    "not into weaker evidence": (tea(), near(origin="web"), (ACCEPT, None, False, (), ())),
    "nor into stronger": (tea(origin="assistant"), near(), (ACCEPT, None, False, (), ())),
    "nor into another origin of one rank": (tea(origin="job"), near(origin="import"), (ACCEPT, None, False, (), ())),
    "into the same origin, which is stronger by it": (tea(origin="web"), near(origin="web"), (MERGE, 1, True, (), ())),
    "not into what another speaker said": (tea(speaker="Bo"), near(speaker="Ana"), (ACCEPT, None, False, (), ())),
    "nor into what nobody named said": (tea(speaker="Bo"), near(), (ACCEPT, None, False, (), ())),
    "into what the same speaker said": (tea(speaker="bo"), near(speaker="Bo"), (MERGE, 1, True, (), ())),
    "a part in a talk is as nobody": (tea(speaker="user"), near(), (MERGE, 1, True, (), ())),
    "not in a group into what was said directly": (
        tea(channel="group"), near(channel="direct"), (ACCEPT, None, False, (), ())),
    "nor where the channel is unknown": (tea(), near(channel="direct"), (ACCEPT, None, False, (), ())),
    "nor directly into what a group heard": (
        tea(channel="direct"), near(channel="group"), (ACCEPT, None, False, (), ())),
    "in the same channel it is": (tea(channel="direct"), near(channel="direct"), (MERGE, 1, True, (), ())),
    "not into another kind": (tea(), near(kind="fact"), (ACCEPT, None, False, (), ())),
    "not into a slot": (tea(kind="fact"), near(kind="fact", slot="drink"), (ACCEPT, None, False, (), ())),
    "not with a slot": (tea(kind="fact", slot="drink"), near(kind="fact"), (ACCEPT, None, False, (), ())),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_table(name):
    proposal, neighbours, (outcome, into, strengthens, supersedes, conflicts) = CASES[name]
    decision = decide(proposal, neighbours, PARAMS, NOW)
    assert (decision.outcome, decision.into, decision.strengthens) == (outcome, into, strengthens)
    assert (decision.supersedes, decision.conflicts) == (supersedes, conflicts)
    assert bool(decision.reason) == (decision != decide(said(), NONE, PARAMS, NOW))


@pytest.mark.parametrize("origin", sorted(Origin))
@pytest.mark.parametrize("name", CASES)
def test_beside_nothing_the_few_rules_that_are_asked_say_what_all_of_them_do(name, origin):
    proposal = replace(CASES[name][0], origin=origin)
    assert decide(proposal, ALONE, PARAMS, NOW) == decide(proposal, Neighbours(), PARAMS, NOW)


def test_what_cannot_be_superseded_is_told_and_the_text_is_stored():
    decision = decide(said(), Neighbours(not_superseded="supersedes: 7 is no memory, and was ignored"), PARAMS, NOW)
    assert (decision.outcome, decision.reason) == (ACCEPT, "supersedes: 7 is no memory, and was ignored")


def test_the_thresholds_are_parameters():
    assert decide(tea(), near(0.94), RetrievalParams(decide_near_cosine=0.9), NOW).outcome is MERGE
    assert decide(tea(), near(), RetrievalParams(enable_near_merge=False), NOW).outcome is ACCEPT
    assert decide(said(confidence=0.3), NONE, RetrievalParams(decide_fact_confidence=0.2), NOW).outcome is ACCEPT


@pytest.mark.parametrize("kind", sorted(NEVER_NEAR))
def test_some_kinds_are_never_merged_for_being_alike(kind):
    details = {"chunk": {"path": "p"}, "case": {"question": "q", "answer": "a"}}.get(kind)
    assert decide(tea(kind=kind, details=details), near(kind=kind), PARAMS, NOW).outcome is ACCEPT


ORIGINS = st.sampled_from(sorted(Origin))
SHARES = st.floats(0, 1)
NEIGHBOURS = st.builds(
    lambda origin, share, number: stored("Ana lives in Faro.", number, origin=origin, confidence=share, slot="home"),
    ORIGINS,
    SHARES,
    st.integers(1, 5),
)
LISTED = st.builds(lambda origin, share: stored(number=6, origin=origin, confidence=share), ORIGINS, SHARES)
PROPOSALS = st.builds(
    lambda origin, share, sets: home(origin=origin, confidence=share, sets=sets), ORIGINS, SHARES, st.booleans()
)


@given(PROPOSALS, st.lists(NEIGHBOURS, max_size=4, unique_by=lambda one: one.row.id), st.none() | LISTED)
def test_what_holds_of_every_decision(proposal, others, listed):
    neighbours = Neighbours(same_slot=tuple(others), listed=listed)
    decision = decide(proposal, neighbours, PARAMS, NOW)
    assert decision == decide(proposal, neighbours, PARAMS, NOW)
    users = {one.row.id for one in (*others, *([listed] if listed else [])) if one.row.origin is Origin.USER}
    if proposal.origin is not Origin.USER:
        assert not users & set(decision.supersedes)
    assert not set(decision.supersedes) & set(decision.conflicts)
    verbatim = decide(replace(proposal, infer=False), neighbours, PARAMS, NOW)
    assert (verbatim.outcome, verbatim.into) == (ACCEPT, None)
