"""`SearchResult.confidence`: sure of what it holds, and not of what it does not."""

from datetime import UTC, datetime, timedelta

import pytest

TALK = [
    ("Ana", "We moved to Lisbon in May, the flat looks over the river."),
    ("Tom", "How lovely! Did you find a school for the children?"),
    ("Ana", "Yes, a small one near the Botanical Garden."),
    ("Tom", "I am training for the marathon in Berlin."),
    ("Ana", "My sister ran it in 2019 and still talks about it."),
    ("Tom", "The bakery on our street closed last week."),
]
ZH = [
    ("安娜", "我们五月份搬到了里斯本，公寓可以看到河。"),
    ("汤姆", "太好了！孩子们的学校找到了吗？"),
    ("安娜", "找到了，在植物园附近的一所小学。"),
    ("汤姆", "我正在为柏林马拉松训练。"),
    ("安娜", "我姐姐2019年跑过，到现在还在说。"),
    ("汤姆", "我们街上的面包店上周关门了。"),
]
ASKED = [
    ("Which marathon is Tom training for?", TALK),
    ("When did Ana move to Lisbon?", TALK),
    ("汤姆在为哪个马拉松训练？", ZH),
    ("面包店什么时候关门的？", ZH),
]
OF_NOTHING = [
    ("What is the boiling point of tungsten hexafluoride?", TALK),
    ("Blorp the zinty frandle?", TALK),
    ("六氟化钨的沸点是多少？", ZH),
    ("龖龘龗龞龡龢龤？", ZH),
]


def filled(memory, talk):
    memory.add_many(
        [
            {"content": text, "speaker": speaker, "user_id": "ana", "session_id": "s", "kind": "turn"}
            for speaker, text in talk
        ]
    )


@pytest.mark.parametrize("embedder", ["none", "bundled"])
@pytest.mark.parametrize(("query", "talk"), ASKED)
def test_what_is_there_is_good(opened, embedder, query, talk):
    memory = opened(embedder=embedder)
    filled(memory, talk)
    result = memory.search(query, user_id="ana")
    assert result.confidence == "good"
    assert 0.7 <= result.sureness.probability <= 1.0


@pytest.mark.parametrize("embedder", ["none", "bundled"])
@pytest.mark.parametrize(("query", "talk"), OF_NOTHING)
def test_what_is_not_there_is_none(opened, embedder, query, talk):
    memory = opened(embedder=embedder)
    filled(memory, talk)
    assert memory.search(query, user_id="ana").confidence == "none"


def test_an_empty_store_and_a_search_for_a_stranger_are_none(opened):
    memory = opened()
    assert memory.search("Where is Ana?", user_id="ana").confidence == "none"
    filled(memory, TALK)
    assert memory.search("Where is Ana?", user_id="bob").confidence == "none"


def test_the_words_begin_where_the_parameters_say(opened):
    memory = opened()
    filled(memory, TALK)
    told = [
        memory.search("Which marathon?", user_id="ana", params=params).confidence
        for params in ({}, {"confidence_good": 1.0}, {"confidence_low": 1.0, "confidence_good": 1.0})
    ]
    assert told == ["good", "low", "none"]


@pytest.mark.parametrize(
    "query",
    [
        "Who sells bikes?",
        "Who sells bikes on 8 May 2026?",
        "Bob sells bikes on 8 May 2026",
        "What was on 8 May 2026?",
    ],
)
def test_a_date_in_the_question_does_not_make_it_less_sure(opened, query):
    memory = opened()
    when = datetime(2026, 5, 8, 10, tzinfo=UTC)
    memory.add_many(
        [
            {"content": f"Ana told a story number {number}.", "user_id": "ana", "event_time": when - timedelta(days=20)}
            for number in range(12)
        ]
    )
    memory.add("Bob sells bikes on 8 May 2026", user_id="ana", event_time=when)
    assert memory.search(query, user_id="ana").confidence == "good"
    assert memory.search("Who sells bikes on 9 March 2026?", user_id="ana").sureness.probability < 0.95


def test_it_is_of_the_moment_of_the_search_whatever_becomes_of_the_store(opened):
    memory = opened()
    ids = [memory.add(f"tea cup {number}", user_id="ana", infer=False)[0].id for number in range(20)]
    result, same = (memory.search("tea cup", user_id="ana") for _ in range(2))
    told = same.sureness
    memory.delete(ids[0])
    for number in range(40):
        memory.add(f"tea cup again {number}", user_id="ana", infer=False)
    memory.search("tea", user_id="ana")
    assert result.sureness == told
    assert result.confidence == "good"


@pytest.mark.parametrize("query", ["sd", "u", "es", "b", "sday", "isbon"])
def test_a_piece_of_a_word_is_quoted_and_nothing_is_sure_of_it(opened, query):
    """The words that tell the day of a memory are no words of its text."""
    memory = opened(embedder="none")
    memory.add("Ana lives in Lisbon.", user_id="ana", event_time=datetime(2026, 12, 1, 9, tzinfo=UTC))
    memory.add("🐱", user_id="ana", event_time=datetime(2026, 12, 1, 9, tzinfo=UTC))
    result = memory.search(query, user_id="ana")
    assert [query in hit.content.lower() for hit in result] == [True] * len(result)
    assert len(result) == (query in "ana lives in lisbon.")
    assert result.confidence != "good"


@pytest.mark.parametrize(
    ("query", "text"),
    [("gard", "the garden gate"), ("n3", "plug xn3z in"), ("茶", "乌龙茶很好喝"), ("龙茶", "乌龙茶叶")],
)
def test_a_beginning_a_part_of_a_code_and_a_character_are(opened, query, text):
    memory = opened(embedder="none")
    memory.add(text, user_id="ana")
    assert [hit.content for hit in memory.search(query, user_id="ana")] == [text]


@pytest.mark.parametrize("query", ["01", "20", "202", "12", "1"])
def test_digits_are_not_completed_to_the_day_of_a_memory(opened, query):
    memory = opened(embedder="none")
    memory.add("Ana lives in Lisbon.", user_id="ana", event_time=datetime(2026, 12, 1, 9, tzinfo=UTC))
    memory.add("Room 2017 is free.", user_id="ana", event_time=datetime(2026, 12, 1, 9, tzinfo=UTC))
    result = memory.search(query, user_id="ana")
    assert [query in hit.content for hit in result] == [True] * len(result)
    assert result.confidence != "good"
