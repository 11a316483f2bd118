"""A question about a time among 500 daily notes: those of that time come first, with and without words in common."""

from datetime import UTC, date, datetime, timedelta

import pytest

from memcore import Memory

NOW = datetime(2026, 6, 17, 15, tzinfo=UTC)
FOODS = ("rice", "noodles", "soup", "pizza", "curry", "salad", "tacos", "stew", "dumplings", "beans")
PLACES = ("home", "the canteen", "the harbour", "Mario's")
CHINESE_FOODS = ("米饭", "面条", "汤", "披萨", "咖喱", "沙拉", "饺子", "炒菜", "火锅", "寿司")
CHINESE_PLACES = ("家里", "食堂", "海边", "餐馆")
DAYS = 500

ASKED = {
    "2 days ago": (2, 2),
    "three days ago": (3, 3),
    "3 days ago": (3, 3),
    "10 days ago": (10, 10),
    "yesterday": (1, 1),
    "in the last 3 days": (3, 0),
    "2 weeks ago": (17, 11),
    "last week": (9, 3),
    "last Friday": (5, 5),
    "on the Friday before last": (12, 12),
    "last month": (47, 17),
    "on 12 April": (66, 66),
    "on 3 May 2025": (410, 410),
}
ASKED_IN_CHINESE = {
    "2天前": (2, 2),
    "三天前": (3, 3),
    "3天前": (3, 3),
    "昨天": (1, 1),
    "最近3天": (3, 0),
    "2周前": (17, 11),
    "上周": (9, 3),
    "上周五": (5, 5),
    "上上周五": (12, 12),
    "上个月": (47, 17),
    "4月12日": (66, 66),
    "2025年5月3日": (410, 410),
}


def english(day):
    return f"We had {FOODS[day * day % 31 % 10]} for dinner at {PLACES[day * day % 23 % 4]}."


def chinese(day):
    return f"晚饭在{CHINESE_PLACES[day * day % 23 % 4]}吃了{CHINESE_FOODS[day * day % 31 % 10]}。"


@pytest.fixture(scope="module", params=["none", None], ids=["words", "meaning"])
def diaries(request):
    """Ana's diary in English, Wei's in Chinese; a note each day."""
    with Memory(":memory:", embedder=request.param, clock=lambda: NOW) as memory:
        memory.add_many(
            {"content": write(day), "user_id": user, "kind": "turn", "event_time": NOW - timedelta(days=day, hours=1)}
            for day in range(DAYS)
            for user, write in (("ana", english), ("wei", chinese))
        )
        yield memory


def days_found(memory, user, query):
    return [hit.event_time.date() for hit in memory.search(query, user_id=user, limit=8)]


def come_first(found: list[date], span: tuple[int, int]) -> bool:
    inside = [span[1] <= (NOW.date() - day).days <= span[0] for day in found]
    return inside[:1] == [True] and inside == sorted(inside, reverse=True)


@pytest.mark.parametrize("user", ["ana", "wei"])
@pytest.mark.parametrize("question", ["What did we have for dinner {}?", "What did I do {}?"])
@pytest.mark.parametrize(("when", "span"), ASKED.items())
def test_the_notes_of_the_time_come_before_all_others(diaries, user, question, when, span):
    found = days_found(diaries, user, question.format(when))
    assert come_first(found, span), found


@pytest.mark.parametrize("user", ["ana", "wei"])
@pytest.mark.parametrize("question", ["{}晚饭吃了什么？", "{}我做了什么？"])
@pytest.mark.parametrize(("when", "span"), ASKED_IN_CHINESE.items())
def test_the_notes_of_the_time_come_before_all_others_asked_in_chinese(diaries, user, question, when, span):
    found = days_found(diaries, user, question.format(when))
    assert come_first(found, span), found


@pytest.mark.parametrize("query", ["dinner at 8", "dinner for 12", "room 3"])
def test_a_bare_number_does_not_find_the_notes_of_that_day_of_the_month(diaries, query):
    (number,) = (int(word) for word in query.split() if word.isdecimal())
    found = diaries.search(query, user_id="ana", limit=8, params={"enable_dense": False})
    assert not found or {hit.event_time.day for hit in found} != {number}
    assert all(hit.signals.get("lexical", 0.0) < 1.0 for hit in found)


def test_a_number_in_the_text_is_found():
    with Memory(":memory:", embedder="none", clock=lambda: NOW) as memory:
        memory.add_many(
            {"content": english(day), "user_id": "ana", "event_time": NOW - timedelta(days=day)} for day in range(60)
        )
        memory.add("Dinner is at 8 in the harbour.", user_id="ana", event_time=NOW - timedelta(days=30))
        assert memory.search("dinner at 8", user_id="ana")[0].content == "Dinner is at 8 in the harbour."


def test_what_the_words_tell_apart_is_found_though_it_is_of_another_day():
    with Memory(":memory:", embedder="none", clock=lambda: NOW) as memory:
        memory.add_many(
            {"content": english(day), "user_id": "ana", "event_time": NOW - timedelta(days=day)} for day in range(60)
        )
        memory.add("Lea lost her green umbrella.", user_id="ana", event_time=NOW - timedelta(days=5))
        asked = "Who lost a green umbrella 3 days ago?"
        assert memory.search(asked, user_id="ana")[0].content == "Lea lost her green umbrella."


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Ana told me yesterday that she will move.", "yesterday"),
        ("她上个月搬家了。", "上个月"),
    ],
)
def test_words_of_a_time_in_which_nothing_happened_are_looked_up_as_they_stand(said, asked):
    with Memory(":memory:", embedder="none", clock=lambda: NOW) as memory:
        memory.add(said, user_id="ana", event_time=NOW)
        assert [hit.content for hit in memory.search(asked, user_id="ana")] == [said]


def test_words_of_a_time_in_which_something_happened_find_no_other_day():
    with Memory(":memory:", embedder="none", clock=lambda: NOW) as memory:
        memory.add("Three days ago Tom called.", user_id="ana", event_time=NOW - timedelta(days=40))
        memory.add("Lea called.", user_id="ana", event_time=NOW - timedelta(days=3))
        hits = memory.search("What happened 3 days ago?", user_id="ana")
        assert [hit.content for hit in hits] == ["Lea called."]
