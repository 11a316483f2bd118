"""A text that is removed is found in what was asked however it is spelled there, and wherever it stands."""

import pytest
from learning_lives import NOON, bytes_of, flushed, queries

from memcore.storage import search_traces

WORD = "Zwordofananobodyhas"


FORMS = {
    "Crème brûlée kitchenware": "Cre\u0300me bru\u0302le\u0301e kitchenware",
    "padded gizmotext here": "padded \u3000 gizmotext\there",
    "ＡＢＣ wideword": "abc wideword",
    "İstanbul gezisi harika": "istanbul gezisi harika",
    "ilik Isparta gecesi": "ılık ısparta gecesi",
    "line one\nline twoword": "Line one line TWOWORD",
    "Ends with dotword.": "ends with dotword",
    "die Straße war lang": "DIE STRASSE WAR LANG",
    "I write it in C++": "he said: i write it in c++ a lot",
}


@pytest.mark.parametrize("said", list(FORMS))
@pytest.mark.parametrize("way", ["query", "filter", "session"])
def test_a_text_is_found_however_it_is_spelled(traced, said, way):
    asked = f"hm {FORMS[said]} hm"
    given = {
        "query": {"query": asked},
        "filter": {"query": "tea", "filters": {"metadata.of": asked}},
        "session": {"query": "tea", "session_id": asked.replace("\n", " ").replace("\t", " ")},
    }
    kept = traced.add(said, user_id="ana", infer=False)[0].id
    traced.search(**given[way], user_id="bo", kinds=["chunk"])
    traced.search("ferry", user_id="bo", kinds=["chunk"], filters={"metadata.of": "another text"}, session_id="s1")
    assert flushed(traced).stored == 2
    traced.delete(kept)
    assert queries(traced) == ["ferry"]


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("5550123987", {"filters": {"metadata.phone": 5550123987}}),
        ("5550123987", {"filters": {"metadata.phone": {"in": [7, 5550123987]}}}),
        ("5550123987", {"filters": {"NOT": [{"metadata.phone": {"gte": 5550123987.5}}]}}),
        ("-12.75", {"filters": {"metadata.depth": -12.75}}),
        (WORD, {"filters": {f"metadata.{WORD}": "x"}}),
        (WORD, {"session_id": WORD}),
        (f"{WORD} of ana", {"session_id": f"about {WORD.upper()} of Ana."}),
    ],
)
def test_numbers_names_and_sessions_are_words_too(traced, tmp_path, said, given):
    traced.add(said, user_id="ana", infer=False)
    traced.search("tea", user_id="bo", kinds=["chunk"], **given)
    other = {"event_time": {"gte": NOON}, "importance": {"lt": 7}, "pinned": 0, "metadata.open": True}
    traced.search("ferry", user_id="bo", kinds=["chunk"], filters=other)
    assert flushed(traced).stored == 2
    assert {one.place for one in traced.verify_absent(said)} >= {"search_trace"}
    traced.purge_user("ana", confirm="ana")
    assert queries(traced) == ["ferry"]
    assert traced.verify_absent(said) == []
    assert said.encode() not in bytes_of(traced, tmp_path)


def test_what_marks_a_moment_is_nobodys_word(traced):
    traced.add("moment", user_id="ana", infer=False)
    traced.search("ferry", user_id="bo", filters={"event_time": {"gte": NOON}})
    flushed(traced)
    traced.purge_user("ana", confirm="ana")
    assert queries(traced) == ["ferry"]


def test_filters_that_a_hand_made_unreadable_are_looked_through_as_they_are(traced):
    kept = traced.add(f"It is {WORD}", user_id="ana", infer=False)[0].id
    traced.search("tea", user_id="bo", filters={"metadata.of": f"It is {WORD}"})
    flushed(traced)
    with traced._database.write() as connection:
        connection.exec_driver_sql("UPDATE search_trace SET filters = filters || ']'")
    traced.delete(kept)
    with traced._database.read() as connection:
        assert search_traces.count(connection, "default") == 0
