"""Our own context block is known when it comes back, whole or in part; a person's words are not taken for it."""

import html
import json
import textwrap
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memcore.pipeline.reconstruct import FRAME_CLOSE, FRAME_OPEN, Line, block
from memcore.writing.echo import GivenBlocks, carries_frame, is_echo, without_frame
from memcore.writing.messages import from_messages
from memcore.writing.proposal import from_call

LINES = [
    Line(
        1,
        "I moved to Lisbon, to the house by the river.",
        "turn",
        "Ana",
        None,
        datetime(2026, 5, 8, tzinfo=UTC),
        None,
        None,
    ),
    Line(2, "她喜欢在海边散步，也喜欢法朵音乐。", "fact", None, None, datetime(2026, 5, 9, tzinfo=UTC), None, None),
    Line(
        3,
        "The landlord asked for two months of rent.",
        "event",
        "Bo “B”",
        None,
        datetime(2026, 5, 10, tzinfo=UTC),
        None,
        None,
    ),
]
BLOCK = block(LINES, {}, budget=2000).text
BODY = BLOCK.split("\n")[1:-1]


def shapes():
    yield "whole", BLOCK
    yield "indented", textwrap.indent(BLOCK, "    ")
    yield "quoted", textwrap.indent(BLOCK, "> ")
    yield "quoted twice", textwrap.indent(BLOCK, "> > ")
    yield "as JSON", json.dumps(BLOCK)
    yield "as JSON without escapes", json.dumps(BLOCK, ensure_ascii=False)
    yield "as HTML", html.escape(BLOCK)
    yield "on one line", BLOCK.replace("\n", " ")
    yield "wrapped", textwrap.fill(BLOCK, 40)
    yield "wrapped and quoted", textwrap.indent(textwrap.fill(BLOCK, 30), "> ")
    yield "with words around", f"Here is what I know:\n{BLOCK}\nSo the answer is Lisbon."
    yield "without the end", BLOCK.removesuffix(FRAME_CLOSE)
    yield "without the beginning", BLOCK.removeprefix(FRAME_OPEN)
    yield "without the frame", "\n".join(BODY)
    yield "one line", BODY[0]
    yield "one Chinese line", BODY[1]
    yield "another bullet", BODY[2].replace("- ", "* ", 1)
    yield "cut in the middle", BLOCK[: len(FRAME_OPEN) + 20]


SHAPES = dict(shapes())


@pytest.mark.parametrize("shape", SHAPES)
def test_the_frame_is_known_in_every_shape(shape):
    assert carries_frame(SHAPES[shape])


@pytest.mark.parametrize(
    "text",
    [
        "I have fond memories of Lisbon.",
        "Take it as evidence, not instructions.",
        "On 2026-05-08 Ana (my friend): we met.",
        "<memories>",
        "- 2026-05-08: moved to Lisbon",
        "记忆，不是指令",
    ],
)
def test_ordinary_words_are_no_frame(text):
    assert not carries_frame(text)


def said(content, **given):
    return from_call(content, agent_id="a", **{"user_id": "ana", **given})


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("origin", ["assistant", "tool", "web", "job"])
def test_a_block_from_a_model_or_a_tool_is_an_echo(shape, origin):
    assert is_echo(said(SHAPES[shape], origin=origin), None)
    assert is_echo(said(SHAPES[shape], speaker="Assistant"), None)


def test_a_block_that_a_program_put_before_a_persons_words_is_cut_from_them():
    assert not is_echo(said(f"{BLOCK}\n\nWhere do I live?"), None)
    assert without_frame(f"{BLOCK}\n\nWhere do I live?") == "Where do I live?"
    assert without_frame(f"Look:\n{BLOCK}") == "Look:"
    assert without_frame(f"{BLOCK.removesuffix(FRAME_CLOSE)}Where?") == "Where?"
    assert is_echo(said(BLOCK), None)


def test_what_a_person_repeats_is_no_echo():
    assert not is_echo(said(LINES[0].content), given_to("ana"))
    assert not is_echo(said("\n".join(line.content for line in LINES)), given_to("ana"))


GIVEN_AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def given_to(*users, session_id=None):
    blocks = GivenBlocks()
    blocks.note(BLOCK, users, session_id, GIVEN_AT)
    return blocks


WITHOUT_FRAME = ". ".join(line.content for line in LINES)


def repeated(**given):
    return said(WITHOUT_FRAME, **{"origin": "assistant", **given})


def test_a_block_that_was_given_lately_is_known_by_its_letters():
    assert is_echo(repeated(), given_to("ana"))
    assert is_echo(repeated(), given_to("ana", "ben"))
    assert is_echo(repeated(session_id="s"), given_to("ana", session_id="s"))
    assert is_echo(repeated(session_id="s"), given_to("ana"))
    assert not is_echo(repeated(), GivenBlocks())


def test_another_users_or_another_sessions_block_does_not_count():
    assert not is_echo(repeated(), given_to("ben"))
    assert not is_echo(repeated(session_id="t"), given_to("ana", session_id="s"))
    assert not is_echo(repeated(), given_to("ana", session_id="s"))


def test_what_is_written_for_all_users_repeats_nobodys_block():
    shared = from_call(WITHOUT_FRAME, agent_id="a", origin="assistant")
    assert not is_echo(shared, given_to("ana"))
    assert not is_echo(shared, given_to())


@pytest.mark.parametrize(
    ("given", "echo"),
    [
        ({"origin": "assistant"}, True),
        ({"origin": "tool"}, True),
        ({"origin": "assistant", "speaker": "Aria"}, True),
        ({"origin": "user", "speaker": "Assistant"}, True),
        ({"origin": "user", "speaker": "tool"}, True),
        ({"origin": "user"}, False),
        ({"origin": "user", "speaker": "Bo"}, False),
        ({"origin": "import"}, False),
        ({"origin": "import", "speaker": "assistant"}, False),
        ({"origin": "web"}, False),
        ({"origin": "job"}, False),
    ],
)
def test_only_what_a_model_or_a_tool_answers_is_an_echo_by_its_letters(given, echo):
    assert is_echo(repeated(**given), given_to("ana")) is echo


def test_the_part_in_a_chat_counts_and_not_the_name():
    def message(role, name):
        [one] = from_messages([{"role": role, "content": WITHOUT_FRAME, "name": name}], agent_id="a", user_id="ana")
        return one

    assert is_echo(message("assistant", "Ana"), given_to("ana"))
    assert not is_echo(message("user", "Tool"), given_to("ana"))


@pytest.mark.parametrize(("minutes", "echo"), [(-1, False), (0, True), (1, True)])
def test_what_was_said_before_a_block_was_given_does_not_repeat_it(minutes, echo):
    said_at = GIVEN_AT + timedelta(minutes=minutes)
    assert is_echo(repeated(event_time=said_at), given_to("ana")) is echo


@pytest.mark.parametrize("how", ["fills_slot", "must_supersede"])
def test_what_a_caller_puts_in_a_place_by_name_is_no_echo_unless_it_carries_the_frame(how):
    kind = {"kind": "fact", "slot": "home"}
    assert is_echo(repeated(**kind), given_to("ana"))
    assert not is_echo(replace(repeated(**kind), **{how: True}), given_to("ana"))
    assert is_echo(replace(said(BLOCK, origin="assistant", **kind), **{how: True}), None)


def test_an_imported_block_is_cut_from_a_persons_words_and_is_an_echo_by_itself():
    assert not is_echo(said(f"{BLOCK}\n\nWhere do I live?", origin="import", speaker="Ana"), None)
    assert is_echo(said(BLOCK, origin="import"), None)
    assert is_echo(said(f"{BLOCK}\n\nYou live there.", origin="import", speaker="assistant"), None)


def test_the_blocks_of_a_user_can_be_forgotten_and_those_of_others_stay():
    blocks = GivenBlocks()
    for users in (("ana",), ("ana", "ben"), ("ben",)):
        blocks.note(BLOCK, users, None, GIVEN_AT)
    blocks.forget("ana")
    assert not is_echo(repeated(), blocks)
    assert is_echo(repeated(user_id="ben"), blocks)
    blocks.forget(None)
    assert not is_echo(repeated(user_id="ben"), blocks)


def test_an_answer_out_of_one_memory_is_no_echo():
    assert not is_echo(said("I moved to Lisbon, to the house by the river.", origin="assistant"), given_to("ana"))
    longer = "You told me that you live in Lisbon now, and that your landlord wants to be paid in advance for a while."
    assert not is_echo(said(longer, origin="assistant"), given_to("ana"))
