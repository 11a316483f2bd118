"""`memcore demo`: a conversation goes in, questions are asked, and every answer says why it is there."""

import json
from pathlib import Path

import pytest

from memcore.surfaces.cli import demo

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["conversation.jsonl", "questions.jsonl"])
def test_the_package_carries_the_sample_that_stands_in_examples(name):
    assert demo.sample(name).read_bytes() == (EXAMPLES / name).read_bytes()


def test_the_demo_stores_the_sample_embeds_it_and_asks_each_question(run, memory):
    questions = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()[::3]
    memory.finds(4, "The peanuts were in the sauce.")
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    assert [name for name, _ in memory.calls[:2]] == ["add_many", "maintain"]
    assert len(memory.named("search")) == len(questions) > 4
    assert ran.out.count("words and meaning 0.62") == len(questions)
    assert "The block for a prompt" in ran.out
    assert memory.closed == 1


def test_the_demo_for_programs_has_hits_and_block_for_each_question(run, memory):
    memory.finds(4, "The peanuts were in the sauce.")
    document = json.loads(run("demo", "--json").out)
    assert list(document) == ["turns", "jobs", "questions"]
    assert document["turns"] > 20
    assert document["questions"][0]["hits"][0]["id"] == 4
    assert document["questions"][0]["context"]


def test_a_question_is_answered_where_a_turn_of_its_evidence_is_among_the_hits(run, memory):
    memory.finds(3, "第一题的依据。")
    document = json.loads(run("demo", "--all", "--json").out)
    assert [question["query"] for question in document["questions"] if question["answered"]] == ["我的花名是怎么来的？"]


def test_the_sample_speaks_chinese_and_english_and_declares_entities(run, memory):
    run("demo")
    items = [item for call in memory.named("add_many") for item in call["items"]]
    contents = [item["content"] for item in items]
    assert any(content.isascii() for content in contents)
    assert any("一" <= character <= "鿿" for content in contents for character in content)
    assert any(item["entities"] for item in items)


def test_the_demo_leaves_nothing_behind(run, memory):
    run("demo")
    (database, agent) = memory.opened[0]
    assert agent == "demo"
    assert not Path(database).parent.exists()
