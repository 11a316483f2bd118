"""The bundled embedder: meaning is found without a shared word, and nonsense finds nothing, in both languages."""

import pytest

from memcore import Memory
from memcore.kinds import RankForm

SUBJECTS = [
    "My sister",
    "The neighbour",
    "Our teacher",
    "A colleague",
    "The baker",
    "我妹妹",
    "邻居",
    "老师",
    "同事",
    "面包师",
]
ENGLISH = [
    "drinks green tea",
    "is afraid of dogs",
    "plays the cello",
    "lives near the harbour",
    "repairs old clocks",
    "flies to Rome",
]
CHINESE = ["喜欢喝绿茶", "害怕狗", "会拉大提琴", "住在港口附近", "修理旧钟表", "要飞往罗马"]
NONSENSE = ["zxqv wplk grmbl", "blorptang fizzwick", "asdf jkl qwerp", "饕餮魑魅魍魉", "龘靐齉爩", "彳亍兀尢"]


def sentences(count):
    """Sentences about people in both languages, all different."""
    made = []
    for number in range(count):
        subject = SUBJECTS[number % 10]
        latin = subject.isascii()
        said = (ENGLISH if latin else CHINESE)[(number // 10) % 6]
        made.append(f"{subject} {said} on day {number}." if latin else f"{subject}第{number}天{said}。")
    return made


@pytest.fixture(scope="module", params=[6, 300])
def stored(request):
    with Memory(":memory:") as memory:
        memory.add_many([{"content": text, "user_id": "ana"} for text in sentences(request.param)])
        assert memory.stats().pending_vectors == 0
        yield memory


@pytest.mark.parametrize("framed", ["{}", "{}?", "{}？", "{}?!", "{}！", "…{}…?", '"{}"?', "“{}”？"])
@pytest.mark.parametrize("query", NONSENSE)
def test_nonsense_finds_nothing_asked_or_not(stored, query, framed):
    assert [hit.content for hit in stored.search(framed.format(query), user_id="ana")] == []


@pytest.mark.parametrize("fusion", ["normalized", "weighted", "rrf", "or_gate"])
@pytest.mark.parametrize("rank_form", list(RankForm))
def test_nonsense_finds_nothing_by_any_fusion_and_rank_form(stored, fusion, rank_form):
    params = {"fusion": fusion, "rank_form": rank_form, "enable_pagerank": True}
    for query in ("zxqv wplk grmbl", "龘靐齉爩"):
        assert list(stored.search(query, user_id="ana", params=params)) == []
    assert len(stored.search("green tea", user_id="ana", params=params)) > 0


def test_nonsense_with_a_question_mark_finds_no_question_of_a_small_store():
    asked = (
        "What caused the delay?",
        "Who runs with you?",
        "你周末去哪儿？",
        "她学什么？",
        "Ana moved to Lisbon in May.",
    )
    with Memory(":memory:") as memory:
        memory.add_many([{"content": text} for text in asked])
        for query in ("wobak?", "zifelor?", "魑魅？", "龘靐？", "wobak zifelor？"):
            assert list(memory.search(query)) == []
        assert memory.search("why was it late?")[0].content == asked[0]
        assert memory.search("他星期六要去什么地方？")[0].content == asked[2]


def test_meaning_is_found_without_a_shared_word_across_languages():
    with Memory(":memory:") as memory:
        memory.add_many(
            [{"content": text} for text in ("他对花生过敏。", "The car needs new tyres.", "她在柏林学钢琴。")]
        )
        assert memory.search("Which foods must he avoid because of allergies?")[0].content == "他对花生过敏。"
        assert memory.search("音乐课")[0].content == "她在柏林学钢琴。"
