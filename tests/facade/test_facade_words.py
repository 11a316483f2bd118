"""Any text is just text: Chinese, codes, single characters, punctuation and the syntax of query languages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore import Memory

SENTENCES = [
    "用户的时区是上海，早上九点开会。",
    "他周末喜欢和朋友喝酒。",
    "她在公司的花名是青竹。",
    "名字写在门上。",
    "The link runs at 10 GB/s between the racks.",
    "Plan B is to take the night train.",
    "Only memory:safe languages are allowed.",
    "what's up? said the plumber",
    "The run a-b failed again.",
    "DO NOT USE FIND / on the server",
    'He wrote " in the margin.',
    "A * in the list marks the winner.",
    "🎉 The release is out.",
]


@pytest.fixture(scope="module", params=["none", "hashing"])
def stored(request):
    with Memory(":memory:", embedder=request.param) as memory:
        memory.add_many([{"content": sentence, "user_id": "ana"} for sentence in SENTENCES])
        yield memory


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("时区", 0),
        ("上海", 0),
        ("喝酒", 1),
        ("花名", 2),
        ("GB/s", 4),
        ("gb/s", 4),
        ("memory:safe", 6),
        ("what's up?", 7),
        ("a-b", 8),
        ("DO NOT USE FIND /", 9),
        ("酒", 1),
    ],
)
def test_a_word_finds_the_sentence_that_contains_it_first(stored, query, found):
    hits = stored.search(query, user_id="ana")
    assert hits[0].content == SENTENCES[found]
    assert stored.context(query, user_id="ana", mark_used=False)


def test_one_character_finds_every_sentence_that_contains_it(stored):
    hits = stored.search("名", user_id="ana", params={"enable_dense": False})
    assert {hit.content for hit in hits} == {SENTENCES[2], SENTENCES[3]}
    hits = stored.search("B", user_id="ana", params={"enable_dense": False})
    assert {hit.content for hit in hits} == {SENTENCES[5], SENTENCES[8]}


def test_a_letter_finds_its_word_among_hundreds_of_words_that_contain_it(memory):
    crowd = [first + last for first in "bcdfghjklm" for last in ("baby", "bib", "about", "bulb", "cab")]
    memory.add_many([{"content": f"{words} bub{number} cub{number % 20}"} for number, words in enumerate(crowd * 3)])
    memory.add("Plan B is to take the train.")
    assert memory.search("B")[0].content == "Plan B is to take the train."


SYNTAX = [
    '"',
    "*",
    "NEAR(a b)",
    "a AND OR",
    "content:",
    "%",
    "_",
    "(",
    ")",
    "^",
    "-",
    "{}",
    "🎉",
    "'; DROP TABLE memory; --",
]


@pytest.mark.parametrize("text", SYNTAX)
def test_query_syntax_is_just_text_in_add_and_search(memory, text):
    memory.add("Ana drinks tea", user_id="ana")
    added = memory.add(text, user_id="ana", infer=False)[0]
    assert memory.get(added.id).content == text
    found = memory.search(text, user_id="ana")
    assert "Ana drinks tea" not in [hit.content for hit in found]
    assert len(memory.get_all(user_id="ana")) == 2


@given(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), min_size=1, max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_stored_and_searched_for(text):
    if not text.strip():
        return
    with Memory(":memory:", embedder="none") as memory:
        (added,) = memory.add(text, infer=False)
        assert memory.get(added.id).content == text
        memory.search(text)
        assert len(memory.context(text, max_chars=300)) <= 300


@pytest.mark.parametrize("text", ["🎉", "*", '"', "->", "¯\\_(ツ)_/¯"])
def test_a_query_without_words_finds_the_texts_that_have_it_letter_by_letter(memory, text):
    memory.add_many({"content": line, "user_id": "ana"} for line in (f"It says {text} on the door", "Ana drinks tea"))
    memory.add(f"Ben wrote {text} too", user_id="ben")
    assert [hit.content for hit in memory.search(text, user_id="ana")] == [f"It says {text} on the door"]
    assert list(memory.search("¤¤", user_id="ana")) == []


def test_neighbours_that_the_search_may_not_see_stay_out_of_the_block(memory):
    talk = [{"role": "user", "content": "Which parcel came?"}, {"role": "assistant", "content": "The red one."}]
    memory.add(talk, user_id="ana", session_id="s", tags=["talk"])
    memory.add("The parcel is red", kind="fact", user_id="ana", session_id="s")
    assert "red one" in memory.context("Which parcel came?", user_id="ana", limit=1)
    assert "red one" not in memory.context("parcel", user_id="ana", kinds=["fact"])


NONSENSE = ["zxqv wplk", "qqqq", "blorptang fizzwick", "饕餮魑魅", "囧囧魍魉", "龘靐齉爩"]


@pytest.mark.parametrize("query", NONSENSE)
def test_nonsense_finds_nothing(stored, query):
    assert list(stored.search(query, user_id="ana")) == []
    assert stored.context(query, user_id="ana") == ""


@pytest.mark.parametrize("query", ["歌高", "歌高？"])
def test_two_characters_that_are_no_word_find_only_texts_that_hold_them_together(query):
    with Memory(":memory:", embedder="none") as memory:
        memory.add("她唱的歌很好听，山也很高。")
        assert list(memory.search(query)) == []
        together = memory.add("歌高是一个新词。").ids[0]
        assert [hit.id for hit in memory.search(query)] == [together]
        assert len(memory.search("歌")) == 2


@pytest.mark.parametrize(
    ("first", "again"),
    [("Ana is allergic to peanuts", "Ana is allergic to peanuts."), ("安娜对花生过敏", "安娜对花生过敏！")],
)
def test_a_full_stop_makes_no_other_text_and_a_question_mark_does(memory, first, again):
    [one] = memory.add(first, user_id="ana")
    [two] = memory.add(again, user_id="ana")
    assert (two.id, two.outcome.value) == (one.id, "merge")
    assert memory.add(f"{first}?", user_id="ana")[0].id != one.id
