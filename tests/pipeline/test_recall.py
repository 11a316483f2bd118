"""Recall: who is a candidate, and how two scores become one."""

import math
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from fake_reader import DAY, NOW, PARAMS, FakeReader, anchored, asked, but, rows_and
from hypothesis import given

from memcore.compute import best_rows
from memcore.dates import query_dates
from memcore.kinds import FusionForm
from memcore.pipeline import recall
from memcore.pipeline.dialogue import last_line, questions
from memcore.pipeline.reader import NamedEntity

FORMS = list(FusionForm)
NAN = float("nan")


def normalized(lexical, cosines, seen, params):
    high = max((lexical[row] for row in seen), default=0.0)
    held = sorted(cosines[row] for row in seen if not math.isnan(cosines[row]))
    low = held[int(params.fusion_dense_low * (len(held) - 1))] if held else 0.0
    low = held[0] if held and low == held[-1] else low

    def one(row):
        words = min(lexical[row] / high, 1.0) if high > 0 else 0.0
        if math.isnan(cosines[row]):
            return words
        if not held:
            near = 0.0
        elif held[-1] == low:
            near = float(low > 0)
        else:
            near = min(max((cosines[row] - low) / (held[-1] - low), recall.LEAST), 1.0)
        return (1 - params.fusion_dense_weight) * words + params.fusion_dense_weight * near

    return one


def weighted(lexical, cosines, seen, params):
    del seen, params

    def one(row):
        words = lexical[row] / (1 + lexical[row])
        return words if math.isnan(cosines[row]) else 0.4 * words + 0.6 * (cosines[row] + 1) / 2

    return one


def rrf(lexical, cosines, seen, params):
    def part(values, row):
        ranked = [values[other] for other in seen if values[other] > 0]
        if row not in seen or not values[row] > 0:
            return 0.0
        return 1 / (params.rrf_k + 1 + sum(value > values[row] for value in ranked))

    return lambda row: (part(lexical, row) + part(cosines, row)) / (2 / (params.rrf_k + 1))


def or_gate(lexical, cosines, seen, params):
    del seen

    def one(row):
        words, near = lexical[row] / (1 + lexical[row]), cosines[row]
        if not (words >= params.or_gate_lexical or near >= params.or_gate_cosine):
            return 0.0
        return words if math.isnan(near) else max(0.6 * near + 0.4 * words, 0.0)

    return one


TWINS = {"normalized": normalized, "weighted": weighted, "rrf": rrf, "or_gate": or_gate}
scores = st.one_of(st.just(0.0), st.sampled_from([1.0, 2.0]), st.floats(0, 20))
cosine = st.one_of(st.just(NAN), st.sampled_from([0.0, 0.5, 0.55, -0.5]), st.floats(-1, 1))


@pytest.mark.parametrize("form", FORMS)
@given(st.lists(st.tuples(scores, cosine, st.booleans()), max_size=12), st.booleans(), st.floats(0, 1), st.floats(0, 1))
def test_every_form_is_its_formula_over_what_the_search_may_see(form, rows, restricted, share, low):
    lexical, cosines, allowed = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    params = but(fusion=form, fusion_dense_weight=share, fusion_dense_low=low)
    mask = np.array(allowed, bool) if restricted else None
    found = recall.fused(np.array(lexical, float), np.array(cosines, float), mask, params)
    seen = [row for row in range(len(rows)) if allowed[row] or not restricted]
    twin = TWINS[form](lexical, cosines, seen, params)
    assert len(found) == len(rows)
    for row in seen:
        assert found[row] == pytest.approx(twin(row), abs=1e-12)
        assert 0 <= found[row] <= 1


@pytest.mark.parametrize("form", FORMS)
def test_what_the_search_may_not_see_changes_nothing_of_what_it_may(form):
    lexical, cosines = np.array([1.0, 3.0, 9.0, 0.0]), np.array([0.2, 0.6, 0.9, -0.9])
    mask = np.array([True, True, False, False])
    alone = recall.fused(lexical[:2], cosines[:2], None, but(fusion=form))
    assert recall.fused(lexical, cosines, mask, but(fusion=form))[:2].tolist() == alone.tolist()


@pytest.mark.parametrize("form", FORMS)
def test_without_any_vector_words_alone_decide(form):
    found = recall.fused(np.array([4.0, 2.0, 0.0]), None, None, but(fusion=form))
    assert found[0] > found[1] > found[2] == 0


def test_a_memory_without_a_vector_keeps_its_words_and_is_not_punished():
    found = recall.fused(np.array([4.0, 4.0]), np.array([NAN, -1.0]), None, PARAMS)
    assert found[0] == 1.0 > found[1]


def test_most_being_equally_near_does_not_lift_the_one_that_is_farther():
    found = recall.fused(np.zeros(3), np.array([0.1, 0.9, 0.9]), None, but(fusion_dense_low=0.5))
    assert found[0] < found[1] == found[2] == pytest.approx(PARAMS.fusion_dense_weight)


def test_equal_values_share_the_better_rank():
    found = recall.fused(np.array([5.0, 5.0, 1.0]), np.array([NAN, NAN, NAN]), None, but(fusion="rrf", rrf_k=60.0))
    assert found.tolist() == pytest.approx([0.5, 0.5, (1 / 63) / (2 / 61)])


def test_an_empty_scope_has_no_candidates():
    found, facts = recall.run(asked(vector=[1, 0]), FakeReader(size=0, cosine=[]), PARAMS)
    assert (len(found.pool), facts.lexical, facts.dense, facts.anchored) == (0, 0, 0, 0)


def test_nonsense_finds_nothing():
    reader = FakeReader(bm25=[0] * 6, cosine=[0.1, 0.2, 0.29, -0.5, 0, NAN], floor=0.3)
    found, facts = recall.run(asked("qwxzv plomf", vector=[1, 0]), reader, PARAMS)
    assert len(found.pool) == 0
    assert facts.dense_floor == 0.3


def test_a_word_a_cosine_at_the_floor_a_name_and_a_day_each_make_a_candidate():
    seconds = [NOW.timestamp() - days * DAY for days in (400, 400, 400, 1, 400, 400)]
    reader = FakeReader(bm25=[1, 0, 0, 0, 0, 0], cosine=[0, 0.3, 0, 0, 0.29, NAN], mentions={7: [2]}, seconds=seconds)
    anchors = anchored(NamedEntity(7, "ana"), dates=query_dates("yesterday", NOW))
    found, facts = recall.run(asked(vector=[1, 0], anchors=anchors), reader, PARAMS)
    assert found.pool.rows.tolist() == [0, 1, 2, 3]
    assert (facts.lexical, facts.dense, facts.anchored, facts.vector) == (1, 1, 2, "used")


def test_what_the_search_may_not_see_is_no_candidate_by_any_channel():
    allowed = np.array([False] * 5 + [True])
    reader = FakeReader(bm25=[3, 3, 0, 0, 0, 1], cosine=[1, 1, 1, 1, 1, 0], mentions={7: [2]}, allowed=allowed)
    found, facts = recall.run(asked(vector=[1, 0], anchors=anchored(NamedEntity(7, "ana"))), reader, PARAMS)
    assert found.pool.rows.tolist() == [5]
    assert (facts.lexical, facts.dense, facts.anchored) == (1, 0, 0)
    assert rows_and("relevance", found)[5] > 0.5


def test_each_channel_keeps_its_best_and_a_candidate_of_one_has_the_true_score_of_the_other():
    size = 40
    reader = FakeReader(size=size, bm25=list(range(size)), cosine=[1 - row / 50 for row in range(size)], floor=0.0)
    few = but(recall_candidates=2, recall_multiplier=1)
    found, _ = recall.run(asked(limit=2, vector=[1, 0]), reader, few)
    assert {0, 1, 38, 39} <= set(found.pool.rows.tolist())
    assert len(found.pool) <= 6
    assert (found.channels["lexical"][0], found.channels["lexical"][1]) == (0, 1)
    assert found.channels["vector"][39] == pytest.approx(1 - 39 / 50)


@pytest.mark.parametrize(
    ("given_vector", "cosines", "params", "word"),
    [
        (None, [1.0] * 6, PARAMS, "no query vector"),
        ([1, 0], None, PARAMS, "no stored vectors"),
        ([1, 0], [1.0] * 6, but(enable_dense=False), "off"),
    ],
)
def test_the_facts_say_why_there_is_no_dense_channel(given_vector, cosines, params, word):
    found, facts = recall.run(asked(vector=given_vector), FakeReader(cosine=cosines, bm25=[1] * 6), params)
    assert (facts.vector, facts.dense, facts.dense_floor) == (word, 0, None)
    assert "vector" not in found.channels


def test_days_count_as_much_as_the_words_match_unless_the_words_of_the_date_are_among_them():
    seconds = [NOW.timestamp() - days * DAY for days in (3, 3, 3, 9, 9, 3)]
    reader = FakeReader(seconds=seconds, bm25=[4, 2, 3.5, 4, 2, 0])

    def matches(text):
        found, _ = recall.run(
            asked(text, anchors=anchored(dates=query_dates(text, NOW)), limit=6), reader, but(recall_dense_floor=None)
        )
        return found.channels["date_match"].tolist()

    assert matches("dinner 3 days ago") == [1, 0.5, 0.875, 0, 0, 0]
    assert matches("dinner on 27 November 2026") == pytest.approx([0.8, 0, 0.4, 0, 0, 0])
    assert matches("dinner a few days ago") == [0] * 6
    assert matches("dinner") == [0] * 6


def test_where_no_word_matches_every_memory_of_the_days_counts_alike():
    seconds = [NOW.timestamp() - days * DAY for days in (3, 3, 9)]
    text = "What did I do 3 days ago?"
    found, facts = recall.run(
        asked(text, anchors=anchored(dates=query_dates(text, NOW))), FakeReader(size=3, seconds=seconds), PARAMS
    )
    assert found.channels["date_match"].tolist() == [1, 1, 0]
    assert facts.terms == ()


def test_the_words_of_a_time_without_a_memory_are_looked_up():
    text = "dinner 3 days ago"
    dates = anchored(dates=query_dates(text, NOW))
    reader = FakeReader(size=2, seconds=[NOW.timestamp() - 3 * DAY, NOW.timestamp()])
    assert recall.run(asked(text, anchors=dates), reader, PARAMS)[1].terms == ("dinner",)
    reader.allowed = np.array([False, True])
    assert recall.run(asked(text, anchors=dates), reader, PARAMS)[1].terms == ("dinner", "3", "day", "ago")


def test_without_the_lexical_channel_meaning_alone_recalls():
    found, facts = recall.run(
        asked(vector=[1, 0]), FakeReader(bm25=[9] * 6, cosine=[0.9, 0, 0, 0, 0, 0]), but(enable_lexical=False)
    )
    assert found.pool.rows.tolist() == [0]
    assert facts.terms == ()


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0]), st.booleans()), max_size=30), st.integers(1, 12))
def test_the_best_rows_are_those_of_a_full_sort_with_ties_to_the_lower_row(rows, count):
    values, among = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], bool)
    chosen = sorted((row for row in range(len(rows)) if among[row]), key=lambda row: (-values[row], row))[:count]
    assert best_rows(values, among, count).tolist() == sorted(chosen)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("one line?", None),
        ("\n\n 只有一行 \n …\n", None),
        ("Hi!\nHello.\n  And tomorrow? \n...", "And tomorrow?"),
        ("你好\r\n明天呢？", "明天呢？"),
        ("", None),
    ],
)
def test_of_a_query_of_several_lines_the_last_with_a_word_is_what_is_said_now(text, last):
    assert last_line(text) == last


class Saying(FakeReader):
    """Rows 0 and 1 have one word each."""

    def lexical(self, terms, params):
        del params
        return np.array([float("tent" in terms), float("soup" in terms)])


def test_what_the_last_line_says_counts_more_than_what_was_said_before():
    reader = Saying(size=2)
    before = recall.run(asked("The tent, and the soup!"), reader, but(dialogue_last_line=0.5))[0]
    assert before.channels["lexical"].tolist() == [1, 1]
    after = recall.run(asked("We had the tent.\nAnd soup."), reader, but(dialogue_last_line=0.5))[0]
    assert after.channels["lexical"].tolist() == [1, 1.5]
    assert after.relevance.tolist() == [pytest.approx(2 / 3), 1]


def test_a_query_of_several_lines_leans_on_meaning_as_far_as_its_parameter_says():
    reader = Saying(size=2, cosine=[0.2, 0.6])
    params = but(dialogue_last_line=0, fusion_dense_weight=0.25, dialogue_dense_weight=0.75, fusion_dense_low=0)
    one = recall.run(asked("tent", vector=[1, 0]), reader, params)[0].relevance.tolist()
    several = recall.run(asked("Hello\ntent", vector=[1, 0]), reader, params)[0].relevance.tolist()
    assert one == [pytest.approx(0.75, abs=1e-5), 0.25]
    assert several == [pytest.approx(0.25, abs=1e-5), 0.75]


@pytest.mark.parametrize(
    ("text", "asked_for"),
    [
        ("Where did Ana go?", ()),
        ("Ana went to the sea. Where did she stay?", ()),
        ("Where did Ana go? And what did she buy?", ("Where did Ana go?", "And what did she buy?")),
        ("She paid 5.8 for it. Who sold it?! Where?", ("Who sold it?!", "Where?")),
        ("我的手机是什么牌子？另外，谁更高呢？", ("我的手机是什么牌子？", "另外，谁更高呢？")),
        ("It rained. What now? I slept. Who came? Who left?", ("What now?", "Who came?", "Who left?")),
        ("Well!? 谁来了？！谁走了！？", ("Well!?", "谁来了？！", "谁走了！？")),
        ("Who came? " * 20, ("Who came?",) * 8),
        ("Where is it?\nWho has it?", ()),
        ("??? What is it?", ()),
        ("", ()),
    ],
)
def test_a_query_may_ask_several_questions_one_after_the_other(text, asked_for):
    assert questions(text) == asked_for


class Telling(Saying):
    """Row 0 has the two words of one question, row 1 one word of each of two, row 2 those of the other."""

    HELD = ("tent green", "tent soup", "soup hot")

    def lexical(self, terms, params):
        del params
        self.asked.append(tuple(terms))
        return np.array([float(sum(term in held.split() for term in terms)) for held in self.HELD])


BOTH = "Which tent was green? Which soup was hot?"


def test_each_of_several_questions_is_looked_up_by_its_own_words():
    whole = recall.run(asked(BOTH), Telling(size=3), but(fusion_parts=0))
    assert whole[0].relevance.tolist() == [1, 1, 1]
    assert whole[1].questions == 1
    reader = Telling(size=3)
    found, facts = recall.run(asked(BOTH), reader, but(fusion_parts=0.8))
    assert facts.questions == 2
    assert {("tent", "green"), ("soup", "hot")} <= set(reader.asked)
    assert found.relevance.tolist() == [1, 1, 1]
    assert found.channels["lexical"].tolist() == whole[0].channels["lexical"].tolist()


def test_a_question_gives_its_own_best_what_the_parameter_says_at_least():
    class Unequal(Telling):
        HELD = ("tent green tent", "dune", "soup")

        def lexical(self, terms, params):
            return super().lexical(terms, params) * np.array([3.0, 1.0, 1.0])

    whole = recall.run(asked(BOTH), Unequal(size=3), but(fusion_parts=0))[0].relevance.tolist()
    assert whole == [1, 0, pytest.approx(1 / 6)]
    parts = recall.run(asked(BOTH), Unequal(size=3), but(fusion_parts=0.8))[0].relevance.tolist()
    assert parts == [1, 0, 0.8]


@pytest.mark.parametrize("text", ["Which tent was green, right? Right?", "Which tent was green? Why so?"])
def test_a_question_that_tells_nothing_is_not_looked_up_by_itself(text):
    found, facts = recall.run(asked(text), Telling(size=3), PARAMS)
    assert facts.questions == 1
    assert (
        found.relevance.tolist() == recall.run(asked(text), Telling(size=3), but(fusion_parts=0))[0].relevance.tolist()
    )


def test_each_question_has_its_own_vector_where_it_was_embedded():
    class Near(Telling):
        def cosines(self, vector):
            return np.array([0.9, 0.1, 0.2]) if vector[0] > 0 else np.array([0.1, 0.2, 0.9])

    params = but(fusion_dense_weight=1.0, fusion_dense_low=0.0, fusion_parts=1.0)
    start = asked(BOTH, vector=[1, 0])
    alone = recall.run(start, Near(size=3), params)[0].relevance
    assert alone[2] < 0.2
    axes = (np.array([1, 0], np.float32), np.array([-1, 0], np.float32))
    found = recall.run(start.but(query=replace(start.query, parts=axes)), Near(size=3), params)[0].relevance
    assert (found[0], found[2]) == (1, 1)
