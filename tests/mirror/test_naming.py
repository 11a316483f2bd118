"""Names are found as people read them: the longest at each place, whole words where words are marked."""

import random

import pytest

from memcore.mirror.naming import NameIndex, named_in
from memcore.names import name_key


def index(**ids):
    return NameIndex({name_key(name.replace("_", " ")): (identity,) for name, identity in ids.items()})


def names(text, *indexes):
    return [(entity.id, entity.name) for entity in named_in(text, indexes)]


def test_at_one_place_the_longest_name_wins():
    assert names("I met Ana Maria and Ana.", index(Ana=1, Ana_Maria=2)) == [(2, "ana maria"), (1, "ana")]


def test_of_overlapping_names_the_first_in_the_text_is_taken():
    assert names("new york city", index(new_york=1, york_city=2)) == [(1, "new york")]
    assert names("王伟明天来", NameIndex({"王伟": (1,), "伟明": (2,), "明天": (3,)})) == [(1, "王伟"), (3, "明天")]


@pytest.mark.parametrize("text", ["Anatomy", "Banana", "Ana2", "2Ana", "Ána Anać", "ana_b", "Ana\u0301"])
def test_a_name_in_an_alphabet_is_not_found_inside_a_word(text):
    assert names(text, index(Ana=1)) == []


@pytest.mark.parametrize("text", ["Ana's cat", "(Ana)", "ana,", "ＡＮＡ!", "我和Ana去", "Ana说", "-Ana-", "ANA"])
def test_a_whole_word_is_found_whatever_stands_around_it(text):
    assert names(text, index(Ana=1)) == [(1, "ana")]


def test_a_chinese_name_is_found_inside_a_run():
    assert names("昨天王伟明去了上海吗", NameIndex({"王伟明": (1,), "上海": (2,)})) == [(1, "王伟明"), (2, "上海")]


def test_names_of_mixed_scripts_and_marks_of_other_scripts():
    known = NameIndex({"阿q": (1,), "राम": (2,), "민수": (3,)})
    assert names("阿Q正传", known) == [(1, "阿q")]
    assert names("阿quit", known) == []
    assert names("रामा", known) == []
    assert names("राम यहाँ", known) == [(2, "राम")]
    assert names("민수는 어디", known) == [(3, "민수")]


def test_a_shorter_name_is_found_where_the_longer_one_is_no_whole_word():
    assert names("Ana Marias", index(Ana=1, Ana_Maria=2)) == [(1, "ana")]


def test_white_space_and_case_are_one_and_each_entity_comes_once():
    assert names("ANA\n  maria, ana maria", index(Ana_Maria=2)) == [(2, "ana maria")]


def test_a_name_of_two_entities_names_both_and_several_partitions_are_asked():
    assert names("Ana", NameIndex({"ana": (1, 4)}), index(Ana=9)) == [(1, "ana"), (4, "ana"), (9, "ana")]


def test_no_names_or_no_text_names_nobody():
    assert names("Ana", NameIndex()) == []
    assert names("   ", index(Ana=1)) == []
    assert named_in("Ana", []) == ()


def test_a_long_text_and_five_thousand_names_give_what_a_search_word_by_word_gives():
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefgh", k=chance.randint(2, 5))) for _ in range(5_000)]
    known = NameIndex({word: (number,) for number, word in enumerate(dict.fromkeys(words))})
    text = " ".join(chance.choices([*words, "zz", "q", "xyzzy"], k=4_500))
    text = text[:20_000].rsplit(" ", 1)[0]
    expected = dict.fromkeys(word for word in text.split() if word in known.ids)
    assert [name for _, name in names(text, known)] == list(expected)
