"""The store and the plain model stay equal, whatever is done and taken back in whichever order."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from machine_hand import Model
from machine_log import Refused
from machine_moves import MOVES, make
from machine_pair import Difference, Pair
from run import play

MOVE_NAMES = [name for name, (weight, _) in MOVES.items() for _ in range(max(1, round(weight)))]


class LifeMachine(RuleBasedStateMachine):
    """A story is a list of moves, each with chance of its own; Hypothesis looks for the shortest that differs."""

    def __init__(self):
        super().__init__()
        self.pair = None

    @initialize(days=st.sampled_from((None, 20)))
    def opens(self, days):
        self.pair = Pair(days)

    @rule(name=st.sampled_from(MOVE_NAMES), chance=st.randoms(use_true_random=False))
    def move(self, name, chance):
        make(self.pair, chance, name)

    def teardown(self):
        if self.pair is None:
            return
        try:
            self.pair.compare()
        finally:
            self.pair.close()


def test_a_random_life_differs_from_the_plain_model_in_no_result_no_history_and_no_undo():
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        LifeMachine,
        settings=settings(
            derandomize=True,
            database=None,
            deadline=None,
            max_examples=25,
            stateful_step_count=40,
            suppress_health_check=quiet,
        ),
    )


def test_long_lives_of_many_operations_differ_in_nothing():
    assert play(2_200, seed=7) == 2_200


def never_retires(model, row_id):
    del model, row_id


def undoes_anything(model, number):
    operation = model.operations.get(number)
    if operation is None:
        raise Refused("NotFoundError")
    return []


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ("retire", never_retires),
        ("undo", undoes_anything),
        ("built_on", lambda _model, _root, _last: False),
        ("lacks_ground", lambda _model, _root, _undo: False),
        ("partners", lambda _model, _row_id: []),
        ("sweep", lambda _model, _owners: None),
        ("queue", lambda _model, _user: []),
        ("denied", lambda _model, _row: False),
        ("_called_off", lambda _model, _gone: []),
        ("known", lambda _model, _row, _known_at: True),
        ("then", lambda _model, row, _known_at: row),
        ("pairs_then", lambda _model, _known_at: []),
        ("over", lambda model, row: row["valid_until"] is not None and row["valid_until"] <= model.now),
    ],
)
def test_the_comparison_notices_where_one_of_the_two_is_wrong(monkeypatch, call, fault):
    monkeypatch.setattr(Model, call, fault)
    with pytest.raises(Difference):
        [play(5_000, seed=seed) for seed in (12, 7)]
