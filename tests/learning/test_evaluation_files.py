"""Evaluation files: what is no store is told by its line and its field; scores follow from all that they hang on."""

import json
import os

import pytest
from learning_lives import ASKED, NOON, SAID

from memcore import Memory, Settings
from memcore.embedding import HashingEmbedder
from memcore.errors import InvalidInputError
from memcore.learning.cases import Case, Cases
from memcore.learning.evaluation import read_stores


def store(name="ana", **changes):
    memories = [
        {"id": f"m{number}", "speaker": "Ana", "text": text, "session": "s", "time": f"2026-05-{number + 1:02}"}
        for number, text in enumerate(SAID)
    ]
    queries = [
        {"id": f"q{number}", "text": query, "evidence": [f"m{number}"], "category": "x"}
        for number, query in enumerate(ASKED)
    ]
    return {"store": name, "memories": memories, "queries": queries, **changes}


def written(path, *stores):
    path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in stores), "utf-8")
    return path


def memory_with(**changes):
    return {"id": "m", "speaker": None, "text": "Tents are dry", "session": None, "time": "2026-05-01", **changes}


def query_with(**changes):
    return {"id": "q", "text": "tents?", "evidence": ["m"], "category": "x", **changes}


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (store(), "store: 'ana' is on line 1 too"),
        (store("b", memories=[]), "memories: there are none"),
        (store("b", memories={}), "memories: "),
        (store("b", memories=[5]), r"memories\[0\]: 5 is no JSON object"),
        (store("b", memories=[memory_with(time="on some day")]), r"memories\[0\]\.time: .*on some day"),
        (store("b", memories=[memory_with(time=None)]), r"memories\[0\]\.time: "),
        (store("b", memories=[memory_with(time="0001-01-01")], queries=[query_with()]), "event_time"),
        (store("b", memories=[memory_with(text=" \u2028 ")]), r"memories\[0\]\.text: .* is blank"),
        (store("b", memories=[memory_with(text=5)]), r"memories\[0\]\.text: 5 is not accepted"),
        (store("b", memories=[memory_with(), memory_with()]), "memories: the id 'm' is there twice"),
        (store("b", memories=[memory_with(session=5)]), r"memories\[0\]\.session: 5"),
        (store("b", memories=[memory_with(speaker=["Ana"])]), r"memories\[0\]\.speaker: "),
        (store("b", queries=[query_with(text="  ")]), r"queries\[0\]\.text: .* is blank"),
        (store("b", queries=[query_with(evidence="m0")]), r"queries\[0\]\.evidence: 'm0' is not accepted; give a list"),
        (store("b", queries=[query_with(evidence=[5])]), r"queries\[0\]\.evidence: 5"),
        (
            store("b", queries=[query_with(evidence=[]), query_with(evidence=["m0", "zz"])]),
            r"queries\[1\]\.evidence: 'zz' is the id of no memory of this line; give ids of its memories",
        ),
        (
            store("b", queries=[query_with(evidence=["z" * 100_000])]),
            r"queries\[0\]\.evidence: 'zzz.{1,200} is the id of no memory",
        ),
        (store("b", queries=[query_with(evidence=["m0"], text="x" * 100_001)]), "query: 100001 characters"),
        (store("b", queries=[{"id": "q"}]), r"queries\[0\]\.evidence is missing"),
        (store(5), "store: 5 is not accepted"),
        ([], r"\[\] is no JSON object"),
    ],
)
def test_what_is_no_store_is_told_by_its_line_and_its_field(memory, tmp_path, second, said):
    path = written(tmp_path / "eval.jsonl", store(), second)
    with pytest.raises(InvalidInputError, match=rf"^on: line 2 of .*{said}"):
        memory.tuning.search_params(path, trials=1)


@pytest.mark.parametrize("line", ["[" * 200_000, '{"store": ' * 100_000, "", "{"])
def test_what_is_no_json_is_told_by_its_line(memory, tmp_path, line):
    path = written(tmp_path / "eval.jsonl", store())
    path.write_text(f"{path.read_text('utf-8')}{line}\n\n", "utf-8")
    with pytest.raises(InvalidInputError, match=r"^on: line 2 of "):
        memory.tuning.search_params(path, trials=1)


def test_a_line_ends_with_a_line_feed_alone_and_a_mark_of_the_order_of_bytes_is_none_of_the_text(tmp_path):
    said = "one\u2028two\u2029three\x85four\x0cfive"
    path = written(tmp_path / "eval.jsonl", store(memories=[memory_with(text=said)], queries=[query_with()]))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\n")
    with pytest.raises(InvalidInputError, match="line 2"):
        list(read_stores(path))
    path.write_bytes(path.read_bytes()[:-1])
    [one] = read_stores(path)
    assert (one.line, one.items[0]["content"]) == (1, said)


def test_a_turn_whose_speaker_says_nothing_keeps_its_text(tmp_path):
    changes = {"memories": [memory_with(speaker="Ana", text="Ana:  ")], "queries": []}
    path = written(tmp_path / "eval.jsonl", store(**changes))
    [one] = read_stores(path)
    assert one.items[0]["content"] == "Ana:  "


@pytest.mark.parametrize("text", ["", "\n", " \r\n", "\ufeff"])
def test_a_file_that_is_empty_is_told_what_belongs_into_it(memory, tmp_path, text):
    path = tmp_path / "eval.jsonl"
    path.write_text(text, "utf-8", newline="")
    with pytest.raises(InvalidInputError, match=r"^on: line 1 of .*eval.jsonl is no store: the file is empty; give on"):
        memory.tuning.search_params(path)


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ([], "0 different queries .* line 1 of .* has none; give queries with"),
        ([query_with(evidence=[])], "0 different queries .* line 1 of .* has none; give queries with"),
        ([query_with(evidence=None)], "0 different queries .* line 1 of .* has none; give queries with"),
        ([query_with(evidence=["m0"])], r"1 different queries .* \(a query of .* counts if it has evidence; give"),
    ],
)
def test_too_few_queries_are_told_how_to_have_more_in_the_file(memory, tmp_path, queries, said):
    path = written(tmp_path / "eval.jsonl", store(queries=queries))
    with pytest.raises(InvalidInputError, match=f"^on: {said}") as refused:
        memory.tuning.search_params(path)
    assert str(path) in str(refused.value)
    assert "context" not in str(refused.value)
    written(path, *(store(f"{number}", queries=queries) for number in range(8)))
    with pytest.raises(InvalidInputError, match=r"1, 2, 3, 4, 5, … of" if not said.startswith("1") else "give queries"):
        memory.tuning.search_params(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_refused(memory, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInputError, match=r"^on: .*not a regular file"):
        memory.tuning.search_params(tmp_path / "pipe")
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInputError, match=r"^on: .*UTF-8"):
        memory.tuning.search_params(tmp_path / "latin")


OTHERS = [
    {"settings": Settings(retention_days={"turn": 5})},
    {"settings": Settings(layers={"turns", "facts"})},
    {"embedder": HashingEmbedder(32)},
    {"embedder": "none"},
]


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("recorded", [True, False])
def test_scores_of_other_settings_or_another_space_are_not_taken(memory, opened, tmp_path, other, recorded):
    path = None if recorded else written(tmp_path / "eval.jsonl", store())
    memory.tuning.record()
    for query in ASKED:
        memory.context(query, user_id="ana", mark_used=False)
    memory.tuning.search_params(path, trials=6)
    assert memory.tuning.search_params(path, trials=6).known == 6
    assert opened(**other).tuning.search_params(path, trials=6).known == 0
    assert memory.tuning.search_params(path, trials=6).known == 6


@pytest.mark.parametrize("name", ["memcore.learning.cases.__version__", "memcore.learning.cases.SCORED"])
def test_scores_of_another_version_are_not_taken(memory, tmp_path, monkeypatch, name):
    path = written(tmp_path / "eval.jsonl", store())
    memory.tuning.search_params(path, trials=6)
    monkeypatch.setattr(name, "0")
    assert memory.tuning.search_params(path, trials=6).known == 0


def test_scores_of_a_file_follow_from_its_bytes(tmp_path):
    path = written(tmp_path / "eval.jsonl", store())
    with Memory(":memory:", embedder="none", clock=lambda: NOON) as memory:
        memory.tuning.search_params(path, trials=6)
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        assert memory.tuning.search_params(path, trials=6).known == 0
        assert memory.tuning.search_params(path, trials=6).known == 6


def test_a_query_is_in_one_half_alone_however_it_is_spelled():
    spelled = [
        "Where do {} live?",
        " where do {}  LIVE",
        "where do {} live ?!",
        "Ｗhere do {} live。",
        "WHERE DO {} LIVE?",
    ]
    made = [
        Case(f"{number} {place}", form.format(number), {1: 1.0}, lambda _params: [1])
        for number in range(8)
        for place, form in enumerate(spelled)
    ]
    for seed in range(5):
        halves = Cases.halves("made up", made, seed, "")
        numbers = [{case.key.split()[0] for case in half} for half in (halves.tuned, halves.held_out)]
        assert numbers[0].isdisjoint(numbers[1])
        assert (len(halves.tuned), len(halves.held_out)) == (20, 20)
    alike = [Case(f"{place}", form.format("you"), {1: 1.0}, lambda _params: [1]) for place, form in enumerate(spelled)]
    with pytest.raises(InvalidInputError, match="1 different queries"):
        Cases.halves("made up", alike, 0, "")
    marks = [Case(mark, mark, {1: 1.0}, lambda _params: [1]) for mark in ("?!", "!?", "??", "!!")]
    assert len(Cases.halves("made up", marks, 0, "").tuned) == 2
