"""Query expansion: whose words are looked up, and what a memory that shares them gets."""

import numpy as np
from fake_reader import FakeReader, anchored, asked, but

from memcore.pipeline import rank, recall
from memcore.pipeline.expansion import expansion
from memcore.pipeline.reader import NamedEntity

WORDS = {
    0: {"tent", "green", "lake"},
    1: {"lake", "boat", "green"},
    2: {"boat", "only"},
    3: {"lake"},
    4: {"soup"},
    5: {"soup"},
}
RELEVANCE = np.array([1.0, 0.2, 0.0, 0.0, 0.0, 0.0])
ROWS = np.array([0, 1])
ALL = np.arange(6)


class Index(FakeReader):
    """A memory matches by the number of terms that it has."""

    def lexical(self, terms, params):
        del params
        self.asked.append(tuple(terms))
        return np.array([float(len(self.words[row] & set(terms))) for row in range(self.size)])


def index(**known):
    return Index(words=WORDS, **known)


def expanded(rows, relevance, terms, reader, params):
    """What every row gets."""
    found = expansion(rows, relevance, terms, reader, params)
    return np.zeros(6) if found is None else found.matches(ALL, reader, params)


def test_what_shares_the_telling_words_of_the_best_match_gets_its_share_and_the_match_nothing():
    reader = index()
    found = expanded(ROWS, RELEVANCE, ("tent",), reader, but())
    assert set(reader.asked) == {("green", "lake")}  # "tent" is asked for already
    assert found.tolist() == [0, 1, 0, 0.5, 0, 0]


def test_a_word_that_one_memory_alone_has_leads_nowhere_and_the_most_telling_come_first():
    reader = index()
    assert expanded(np.array([2]), np.array([0, 0, 1.0, 0, 0, 0]), (), reader, but()).tolist() == [0, 1, 0, 0, 0, 0]
    assert set(reader.asked) == {("boat",)}
    few = index()
    expanded(ROWS, RELEVANCE, ("tent",), few, but(expansion_terms=1))
    assert set(few.asked) == {("green",)}


def test_only_the_best_and_only_what_matches_well_gives_words():
    both = np.array([1.0, 0.9, 0, 0, 0, 0])
    reader = index()
    expanded(ROWS, both, (), reader, but(expansion_memories=1))
    assert set(reader.asked[0]) == {"green", "lake"}
    weak = index()
    assert not expanded(ROWS, RELEVANCE * 0.3, (), weak, but()).any()
    assert weak.asked == []


def test_it_lifts_candidates_and_makes_none():
    def lexical(terms, params):
        del params
        own = float("tent" in terms or "lake" in terms)
        return np.array([own, float("lake" in terms), 0, float("lake" in terms), 0, 0])

    reader = FakeReader(words=WORDS, mentions={7: [1]}, names=(NamedEntity(7, "ana"),))
    reader.lexical = lexical
    start = asked("tent", anchors=anchored(NamedEntity(7, "ana")))
    found = recall.run(start, reader, but())[0]
    assert found.pool.rows.tolist() == [0, 1]
    assert rank.run(found, reader, but())[0].pool.signal("expansion").tolist() == [0, 1]
    assert recall.run(start, reader, but(enable_expansion=False))[0].expansion is None


def test_nonsense_expands_to_nothing():
    found = recall.run(asked("qwx"), index(), but())[0]
    assert len(found.pool) == 0
