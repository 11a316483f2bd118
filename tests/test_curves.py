"""Every curve by its golden values and its shape; every kind by the life that it leads."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore import curves
from memcore.curves import Clock, Curve
from memcore.kinds import Category, Kind

DAY = 24.0
ages = st.floats(0, 40_000)
importances = st.floats(0, 10)


@pytest.mark.parametrize(("half_life_days", "due_days"), [(90, 298.97), (0.5, 39.86 / 24)])
def test_a_fact_of_full_strength_freezes_after_its_half_life_times_the_logarithm_of_ten(half_life_days, due_days):
    hours = curves.hours_until_freeze(1.0, half_life_days * DAY)
    assert hours / DAY == pytest.approx(due_days, abs=0.005)
    assert curves.half_life(1.0, hours, half_life_days * DAY) == pytest.approx(curves.FREEZE)


@pytest.mark.parametrize(
    ("category", "days"),
    [
        (Category.IDENTITY, 365),
        (Category.DATE, 365),
        (Category.PREFERENCE, 90),
        (Category.RELATION, 90),
        (Category.HABIT, 60),
        (Category.EVENT, 21),
        (Category.STATE, 0.5),
    ],
)
def test_each_category_has_its_half_life_and_a_pin_makes_it_a_hundred_years(category, days):
    assert curves.half_life_hours(category) == days * DAY
    assert curves.half_life(1.0, days * DAY, curves.half_life_hours(category)) == pytest.approx(0.5)
    assert curves.half_life_hours(category, pinned=True) == 876_000


def test_every_category_has_a_half_life_and_every_kind_a_life():
    assert set(curves.HALF_LIFE_HOURS) == set(Category)
    assert set(curves.LIVES) == set(Kind)


@pytest.mark.parametrize("strength", [0.1, 0.05, 0.0])
def test_what_is_at_the_threshold_already_freezes_at_once(strength):
    assert curves.hours_until_freeze(strength, 90 * DAY) == 0


def test_the_thresholds_leave_a_gap_so_that_nothing_flickers():
    assert (curves.FREEZE, curves.REVIVE, curves.REINFORCEMENT) == (0.1, 0.15, 0.35)


@pytest.mark.parametrize(("before", "after"), [(0.0, 0.35), (0.1, 0.415), (0.5, 0.675), (1.0, 1.0)])
def test_a_use_adds_a_third_of_what_is_missing(before, after):
    assert curves.reinforced(before) == pytest.approx(after)


@given(st.floats(0, 1))
def test_no_number_of_uses_takes_a_strength_above_one(strength):
    for _ in range(100):
        stronger = curves.reinforced(strength)
        assert strength <= stronger + 1e-15
        assert stronger <= 1
        strength = stronger


@pytest.mark.parametrize(("importance", "days"), [(0, 30), (5, 45), (10, 60)])
def test_a_new_events_stability_grows_with_its_importance(importance, days):
    assert curves.first_stability_days(importance) == pytest.approx(days)
    assert curves.exponential(days, days) == pytest.approx(math.exp(-1))


def test_a_use_makes_an_event_half_as_stable_again_up_to_ten_years():
    assert curves.used_stability_days(45) == 67.5
    assert curves.used_stability_days(3000) == 3650
    assert curves.used_stability_days(3650) == 3650


@given(st.floats(0.01, 3650), st.floats(1.001, 10), st.floats(0.01, 3650))
def test_the_more_stable_an_event_the_more_of_it_is_left(stability, factor, age):
    more, less = curves.exponential(age, stability * factor), curves.exponential(age, stability)
    assert more >= less
    assert more > less or less < 1e-300


@pytest.mark.parametrize(("days", "left"), [(0, 1), (30, 0.5), (90, 0.25)])
def test_the_hyperbola_halves_after_thirty_days(days, left):
    assert curves.hyperbolic(days) == pytest.approx(left)


@pytest.mark.parametrize(("days", "left"), [(0, 1), (180, 1), (180 + 1825, 0.5), (180 + 3650, 0.0625)])
def test_the_gaussian_is_flat_for_half_a_year_and_halves_five_years_later(days, left):
    assert curves.gaussian(days) == pytest.approx(left)


@pytest.mark.parametrize(("days", "left"), [(0, 1.0), (30, 0.8 + 0.2 / (1 + math.log(31)))])
def test_the_logarithm_never_takes_more_than_a_fifth(days, left):
    assert curves.logarithmic(days) == pytest.approx(left)
    assert curves.logarithmic(1e9) > 0.8


EVERY = [
    lambda age: curves.half_life(1.0, age * DAY, 90 * DAY),
    lambda age: curves.exponential(age, 45.0),
    curves.hyperbolic,
    curves.gaussian,
    curves.logarithmic,
]


@pytest.mark.parametrize("curve", EVERY)
@given(ages, ages)
def test_nothing_gets_younger_and_the_future_has_age_zero(curve, one, other):
    early, late = sorted((one, other))
    assert 0 <= curve(late) <= curve(early) <= 1
    assert curve(-early) == curve(0) == 1


@pytest.mark.parametrize("curve", EVERY)
def test_a_curve_of_many_ages_is_the_curve_of_each(curve):
    many = np.array([-5.0, 0.0, 1.0, 200.0, 5000.0])
    np.testing.assert_allclose(curve(many), [float(curve(age)) for age in many.tolist()])


@pytest.mark.parametrize(
    ("kind", "curve", "clock", "ttl_days", "injected"),
    [
        (Kind.TURN, Curve.GAUSSIAN, Clock.EVENT_TIME, 30, True),
        (Kind.EVENT, Curve.EXPONENTIAL, Clock.LAST_USE, None, True),
        (Kind.EPISODE, Curve.GAUSSIAN, Clock.EVENT_TIME, 90, True),
        (Kind.FACT, Curve.HALF_LIFE, Clock.LAST_USE, None, True),
        (Kind.KNOWLEDGE, Curve.NONE, Clock.LAST_USE, None, True),
        (Kind.CHUNK, Curve.NONE, Clock.LAST_USE, None, False),
        (Kind.ENTITY, Curve.NONE, Clock.LAST_USE, None, False),
        (Kind.SUMMARY, Curve.GAUSSIAN, Clock.EVENT_TIME, 3650, True),
        (Kind.CASE, Curve.HYPERBOLIC, Clock.EVENT_TIME, None, True),
        (Kind.LESSON, Curve.NONE, Clock.LAST_USE, None, True),
    ],
)
def test_each_kind_lives_by_its_own_curve(kind, curve, clock, ttl_days, injected):
    assert curves.LIVES[kind] == curves.Life(curve, clock, ttl_days, injected=injected)
