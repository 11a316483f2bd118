"""The sample conversation and its questions, as they are shipped in `examples/`."""

import ast
import json
from collections import Counter
from datetime import timedelta
from pathlib import Path

from memcore.dates import asks_when, ends_in_question, query_dates
from memcore.surfaces.importing import read_turns

EXAMPLES = Path(__file__).parents[2] / "examples"
TURNS = list(read_turns((EXAMPLES / "conversation.jsonl").read_text(encoding="utf-8").splitlines()))
QUESTIONS = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_conversation_is_read_whole_in_the_order_of_time() -> None:
    assert 60 <= len(TURNS) <= 90
    moments = [turn["event_time"] for turn in TURNS]
    assert moments == sorted(moments)
    assert moments[-1] - moments[0] > timedelta(days=180)
    assert {turn["user_id"] for turn in TURNS} == {"linxia"}
    assert len({turn["session_id"] for turn in TURNS}) == 6


def test_ten_entities_or_more_are_declared_some_with_aliases_and_some_together() -> None:
    declared = [entity for turn in TURNS for entity in turn["entities"]]
    names = {entity["name"] if isinstance(entity, dict) else entity for entity in declared}
    assert len(names) >= 10
    assert {"Petrel", "Tern"} <= {
        alias for entity in declared if isinstance(entity, dict) for alias in entity.get("aliases", [])
    }
    assert any(len(turn["entities"]) >= 2 for turn in TURNS)
    first = {name: next(e for e in declared if name == (e["name"] if isinstance(e, dict) else e)) for name in names}
    assert all(name in json.dumps(entity, ensure_ascii=False) for name, entity in first.items())


def test_every_question_names_lines_that_exist_and_half_are_in_each_language() -> None:
    assert Counter(question["language"] for question in QUESTIONS) == {"zh": 12, "en": 12}
    for question in QUESTIONS:
        assert question["evidence"], question
        assert all(1 <= number <= len(TURNS) for number in question["evidence"]), question


def test_no_question_repeats_its_evidence_word_for_word() -> None:
    for question in QUESTIONS:
        assert all(
            question["text"].rstrip("?？") not in TURNS[number - 1]["content"] for number in question["evidence"]
        )


def test_questions_need_dates_and_turns_answer_questions() -> None:
    now = TURNS[-1]["event_time"]
    dated = [question for question in QUESTIONS if query_dates(question["text"], now)]
    assert len(dated) >= 4
    assert sum(asks_when(question["text"]) for question in QUESTIONS) >= 3
    answers = {number for number in range(2, len(TURNS) + 1) if ends_in_question(TURNS[number - 2]["content"])}
    assert sum(bool(answers & set(question["evidence"])) for question in QUESTIONS) >= 12


def test_the_agent_is_a_program_of_about_twenty_lines() -> None:
    source = (EXAMPLES / "agent.py").read_text(encoding="utf-8")
    ast.parse(source)
    assert len([line for line in source.splitlines() if line.strip()]) <= 22
