"""The rows of a partition against a plain dict."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from memcore.mirror.past import ChangedIds
from memcore.mirror.rows import DTYPES, RowTable

ids = st.lists(st.integers(0, 300), unique=True, max_size=90).map(sorted)
steps = st.lists(st.tuples(st.sampled_from(["put", "remove"]), ids, st.integers(0, 100)), max_size=12)


def rows_with(keys, value):
    """Every second column has one value in all rows, most of the time the same."""
    columns = {
        name: np.array([value // 60 if place % 2 else (key * 3 + value) % 90 for key in keys], dtype)
        for place, (name, dtype) in enumerate(DTYPES.items())
    }
    return columns | {"ids": np.array(keys, np.int64)}


def shown(table):
    return list(zip(*(table.column(name).tolist() for name in DTYPES), strict=True))


def as_rows(twin):
    return [twin[key] for key in sorted(twin)]


@given(steps)
def test_it_holds_what_a_dict_would_and_says_where(sequence):
    table, twin = RowTable(), {}
    for what, keys, value in sequence:
        if what == "put":
            fresh = rows_with(keys, value)
            appended = not keys or not twin or keys[0] > max(twin)
            assert table.put(fresh) is appended
            twin |= dict(zip(keys, zip(*(fresh[name].tolist() for name in DTYPES), strict=True), strict=True))
        else:
            assert table.remove(keys) == len(twin.keys() & set(keys))
            twin = {key: row for key, row in twin.items() if key not in set(keys)}
        assert shown(table) == as_rows(twin)
        single = table.single
        columns = {name: table.column(name) for name in DTYPES if name not in single}
        assert shown(RowTable.of(columns, single)) == as_rows(twin)
        places = {key: place for place, key in enumerate(sorted(twin))}
        wanted = np.arange(-1, 302)
        assert table.rows_of(wanted).tolist() == [places.get(key, -1) for key in wanted.tolist()]


@given(steps)
def test_a_view_that_was_given_out_keeps_its_values(sequence):
    table, views = RowTable(), []
    for what, keys, value in sequence:
        if what == "put":
            table.put(rows_with(keys, value))
        else:
            table.remove(keys)
        for name in DTYPES:
            view = table.column(name)
            views.append((view, view.tolist()))
    assert all(view.tolist() == values for view, values in views)


@given(st.lists(st.integers(0, 50), max_size=200), st.integers(0, 200), st.integers(0, 50))
def test_no_change_of_an_old_memory_is_missed(changes, since, identity):
    past = ChangedIds()
    for lowest in changes:
        past.note(lowest)
    touched = any(lowest <= identity for lowest in changes[since:])
    assert past.reached(identity, since) or not touched


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(0, 60), st.integers(0, 50))
def test_sixty_changes_are_told_apart_exactly(changes, since, identity):
    past = ChangedIds()
    for lowest in changes:
        past.note(lowest)
    assert past.count == len(changes)
    assert past.reached(identity, since) == any(lowest <= identity for lowest in changes[since:])
