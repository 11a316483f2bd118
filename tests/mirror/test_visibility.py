"""What is hidden from a search, by the moment and the place that it looks from."""

import numpy as np
import pytest

from memcore.kinds import Kind
from memcore.mirror.lives import ALWAYS, LIFE_DTYPES, NEVER
from memcore.mirror.rows import KIND_CODES
from memcore.mirror.visibility import NOTHING_HIDDEN, Lives, View, hidden_from
from memcore.storage.as_known import Standing

OPEN = {
    "event_time": 0.0,
    "recorded_at": 0,
    "expires_at": NEVER,
    "valid_from": ALWAYS,
    "valid_until": NEVER,
    "closed_at": ALWAYS,
    "direct": False,
    "dormant": False,
}
DAY = 86_400_000_000


def row(kind="fact", **given):
    happened = given.pop("happened", 0)
    return OPEN | {"kind": KIND_CODES[Kind(kind)], "event_time": happened / 1e6} | given


def reasons(view, *rows):
    """Why each row is hidden; None where it is not."""
    dtypes = LIFE_DTYPES | {"kind": np.uint8, "event_time": np.float64}
    columns = {name: np.array([one[name] for one in rows], dtypes[name]) for name in rows[0]}
    ids = np.arange(1, len(rows) + 1)
    found = hidden_from(Lives(columns.__getitem__), ids, view)
    why = [found.reason(place) for place in range(len(rows))]
    assert found.ids.tolist() == [one for one, reason in zip(ids.tolist(), why, strict=True) if reason is not None]
    assert sum(found.counts.values()) == len(found)
    return why


def only(view, **given):
    return reasons(view, row(**given))[0]


def test_what_is_open_on_every_side_is_seen_and_costs_no_mask():
    columns = {name: np.array([value]) for name, value in row().items()}
    assert hidden_from(Lives(columns.__getitem__), np.array([1]), View(now=5)) is NOTHING_HIDDEN


def test_a_scope_without_a_row_hides_nothing():
    dtypes = LIFE_DTYPES | {"kind": np.uint8, "event_time": np.float64}
    lives = Lives(lambda name: np.empty(0, dtypes[name]))
    views = (View(now=5), View(now=5, as_of=3, known_at=2, in_group=True, retention_days={Kind.TURN: 1}))
    assert all(hidden_from(lives, np.empty(0, np.int64), view) is NOTHING_HIDDEN for view in views)


@pytest.mark.parametrize(("now", "why"), [(9, "not yet"), (10, None), (19, None), (20, "no longer"), (99, "no longer")])
def test_a_claim_holds_from_its_beginning_until_before_its_end(now, why):
    assert only(View(now=now), valid_from=10, valid_until=20, closed_at=5, recorded_at=5) == why
    assert only(View(now=50, as_of=now), valid_from=10, valid_until=20, closed_at=5, recorded_at=5) == why


def test_what_was_recorded_as_begun_or_closed_as_over_stays_so_when_the_clock_steps_back():
    assert only(View(now=9), valid_from=10, recorded_at=10) is None
    assert only(View(now=9), valid_from=10, recorded_at=9) == "not yet"
    assert only(View(now=9), valid_from=1, valid_until=10, closed_at=10) == "no longer"
    assert only(View(now=9), valid_from=1, valid_until=10, closed_at=9) is None
    assert only(View(now=9, as_of=9), valid_from=10, recorded_at=10) == "not yet"


def test_a_value_that_was_superseded_the_moment_it_began_was_never_valid():
    for view in (View(now=20), View(now=20, as_of=10), View(now=20, as_of=9)):
        assert only(view, valid_from=10, valid_until=10, closed_at=15, recorded_at=10) is not None


def stood(**given):
    """How the first row stood at the moment of knowing, as far as it stands otherwise today."""
    open_then = dict.fromkeys(("valid_from", "valid_until", "closed_at", "superseded_by"))
    return {1: Standing(**({"known": True, "gone": False, "event_time": 0} | open_then | given))}


@pytest.mark.parametrize(("then", "why"), [({}, "no longer"), (stood(valid_from=1), None)])
def test_a_claim_holds_until_the_end_that_was_known_then(then, why):
    closed = {"valid_from": 1, "valid_until": 5, "closed_at": 15, "recorded_at": 1}
    assert only(View(now=20, known_at=14, then=then), **closed) == why
    assert only(View(now=20, known_at=14, then=then, as_of=7), **closed) == why
    assert only(View(now=20, known_at=14, then=then, as_of=3), **closed) is None


def test_what_moved_since_holds_and_happened_when_it_was_known_to_then():
    moved = {"valid_from": 10, "recorded_at": 1}
    then = stood(valid_from=5, valid_until=8, closed_at=2)
    views = [View(now=20, known_at=3, then=then, as_of=at) for at in (4, 5, 7, 8, 12)]
    assert [only(view, **moved) for view in views] == ["not yet", None, None, "no longer", "no longer"]
    happened = {"kind": "turn", "happened": 10_000_000}
    views = [View(now=20, known_at=3, then=stood(event_time=4_000_000), as_of=at) for at in (3_000_000, 4_000_000)]
    assert [only(view, **happened) for view in views] == ["not yet", None]
    assert only(View(now=20, known_at=3, then=stood(known=False))) == "let in later"


def test_what_was_recorded_later_was_not_known_then():
    assert only(View(now=20, known_at=9), recorded_at=10) == "recorded later"
    assert only(View(now=20, known_at=10), recorded_at=10) is None
    assert only(View(now=20, known_at=9, as_of=12), kind="turn", recorded_at=10, happened=1) == "recorded later"


@pytest.mark.parametrize("kind", ["turn", "event", "episode", "summary", "case"])
def test_as_of_a_moment_what_happened_later_had_not_happened(kind):
    assert only(View(now=20, as_of=9), kind=kind, happened=10) == "not yet"
    assert only(View(now=20, as_of=10), kind=kind, happened=10) is None
    assert only(View(now=5), kind=kind, happened=10) is None


@pytest.mark.parametrize("kind", ["fact", "knowledge", "lesson"])
def test_a_claim_goes_by_its_validity_and_not_by_when_it_was_said(kind):
    assert only(View(now=20, as_of=5), kind=kind, happened=10, valid_from=3) is None
    assert only(View(now=20, as_of=2), kind=kind, happened=1, valid_from=3) == "not yet"


def test_expiry_counts_from_the_present_whatever_moment_is_looked_at():
    for view, why in ((View(now=9), None), (View(now=10), "expired"), (View(now=10, as_of=3), "expired")):
        assert only(view, kind="turn", happened=1, expires_at=10) == why


def test_days_of_retention_hide_the_older_of_their_kind_alone():
    view = View(now=30 * DAY, retention_days={Kind.TURN: 10, Kind.CASE: 5})
    rows = [row("turn", happened=20 * DAY), row("turn", happened=20 * DAY - 1), row("event", happened=0), row("case")]
    assert reasons(view, *rows) == [None, "retention", None, "retention"]


def test_what_was_heard_in_a_direct_talk_is_hidden_in_a_group_alone():
    assert reasons(View(now=5, in_group=True), row(direct=True), row()) == ["channel", None]
    assert reasons(View(now=5), row(direct=True), row()) == [None, None]


def test_dormant_facts_are_seen_only_where_they_are_asked_for():
    assert reasons(View(now=5), row(dormant=True), row()) == ["dormant", None]
    assert reasons(View(now=5, include_dormant=True), row(dormant=True), row()) == [None, None]


def test_a_chunk_is_seen_only_where_its_kind_is_named():
    rows = [row("chunk"), row("fact")]
    assert reasons(View(now=5), *rows) == ["kind", None]
    assert reasons(View(now=5, kinds=frozenset({Kind.FACT})), *rows) == ["kind", None]
    assert reasons(View(now=5, kinds=frozenset({Kind.CHUNK})), *rows) == [None, None]


def test_a_row_that_several_reasons_hide_counts_once():
    view = View(now=20, in_group=True)
    assert only(view, kind="chunk", direct=True, dormant=True, expires_at=1) == "kind"


@pytest.mark.parametrize("extreme", [ALWAYS, NEVER])
def test_extreme_moments_are_compared_like_others(extreme):
    fields = dict.fromkeys(("recorded_at", "expires_at", "valid_from", "valid_until", "closed_at"), extreme)
    for view in (View(now=5), View(now=5, as_of=5, known_at=5, retention_days={Kind.FACT: 365_000})):
        assert isinstance(only(view, happened=extreme, **fields), str | None)
