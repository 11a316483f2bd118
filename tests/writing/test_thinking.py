"""What a model's thinking aloud leaves, and whose words are never cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.writing.messages import from_messages
from memcore.writing.proposal import from_call
from memcore.writing.screen import screened
from memcore.writing.thinking import without_thinking


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>Let me see.</think>The answer is 42.", "The answer is 42."),
        ("<THINKING>\na\n\nb\n</THINKING>\n\nDone.", "Done."),
        ("First. <reasoning>why</reasoning> Then.", "First.  Then."),
        ("答案是这样的。<think>真的吗</think>四十二。", "答案是这样的。四十二。"),
        ("<think>a</think><think>b</think>", ""),
        ("<think>a</think>\n<thinking>b</thinking>\nYes, at noon.", "Yes, at noon."),
        ("Here:\n  < think >a< / think >\nNoon.", "Here:\n  \nNoon."),
        ("<think>\n```\nnever closed\n</think>\nNoon.", "Noon."),
    ],
)
def test_a_passage_at_the_start_of_a_text_or_line_or_after_a_sentence_is_cut(text, left):
    assert without_thinking(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a <think>b</think> secret plan</think> Ana agreed.", "Ana agreed."),
        ("<think>a <think>b</think>\nsecret plan</think>\nAna agreed.", "Ana agreed."),
        ("<think>a <reasoning>b</reasoning> secret plan</think> Ana agreed.", "Ana agreed."),
        ("<think>a</think>\nsecret plan\n</think>\nAna agreed.", "Ana agreed."),
        (
            "<think>She asks what <think> does.</think>\nIt opens a passage.",
            "It opens a passage.",
        ),
    ],
)
def test_a_passage_within_a_passage_is_cut_with_it(text, left):
    assert without_thinking(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>never closed", ""),
        ("The answer is 42.\n<think>never closed", "The answer is 42."),
        ("plan\nplan\n</think>\n42", "42"),
        ("plan\nplan\n</think> 42", "42"),
        ("The plan is made.</think>\n\nYes, at noon.", "Yes, at noon."),
        ("</think>\n\nYes, at noon.", "Yes, at noon."),
    ],
)
def test_a_passage_without_an_end_or_a_beginning_is_cut(text, left):
    assert without_thinking(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "How do I use the <think> tag?",
        "The tag `<think>` opens, `</think>` closes it.",
        "Our parser must drop everything between <think> and </think> but keep the rest.",
        "I like X. <think> is a tag that we use, Ana told me.",
        "My notes: they end with </think>\nThe wifi password is 1234.",
        'Write "<think>" before and "</think>" after it.',
        "Two tags: <think> and </think>.",
        "A template:\n```\n<think>\n…\n</think>\nanswer\n```\nThat is all.",
        "他说 <think> 和 </think> 之间的内容不要保存。",
        "1 < 2 and 3 > 2",
        "",
    ],
)
def test_a_tag_that_is_only_spoken_of_stays(text):
    assert without_thinking(text) == text


PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<reasoning>",
        "</reasoning>",
        "a",
        "Yes.",
        " ",
        "\n",
        "```",
        "`",
        "<",
        "think>",
        "\u3000",
        "。",
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=80))
def test_cutting_twice_is_cutting_once_and_adds_nothing(text):
    once = without_thinking(text)
    assert without_thinking(once) == once
    assert len(once) <= len(text)
    assert all(letter in text for letter in once)


@pytest.mark.parametrize(
    "piece", ["<think>", "</think>", "<think>a</think> ", ". <think>", "<", "<      ", "```<think>"]
)
def test_a_hundred_thousand_tags_are_read_in_one_pass(piece):
    assert len(without_thinking(piece * 100_000)) <= 100_000 * len(piece)


THOUGHT = "<think>Ana is vain.</think>\nYes, at noon."


@pytest.mark.parametrize(
    ("given", "cut"),
    [
        ({"origin": "assistant"}, True),
        ({"origin": "tool"}, True),
        ({"origin": "job"}, True),
        ({"origin": "user", "speaker": "Assistant"}, True),
        ({"origin": "import", "speaker": "assistant"}, True),
        ({"origin": "user"}, False),
        ({"origin": "user", "speaker": "Bo"}, False),
        ({"origin": "import"}, False),
        ({"origin": "import", "speaker": "user"}, False),
        ({"origin": "web"}, False),
        ({"origin": "tool", "speaker": "system"}, False),
        ({"origin": "assistant", "infer": False}, False),
    ],
)
def test_only_what_a_model_says_is_cut(given, cut):
    left = screened(from_call(THOUGHT, agent_id="a", kind="turn", **given)).content
    assert left == ("Yes, at noon." if cut else THOUGHT)


@pytest.mark.parametrize(("role", "cut"), [("assistant", True), ("tool", True), ("user", False), ("developer", False)])
@pytest.mark.parametrize("origin", ["user", "import"])
def test_the_part_in_a_chat_says_who_spoke_whatever_the_name(role, cut, origin):
    [turn] = from_messages([{"role": role, "name": "Aria", "content": THOUGHT}], agent_id="a", origin=origin)
    assert (screened(turn).content == "Yes, at noon.") is cut
