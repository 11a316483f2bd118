"""Reading conversations from JSONL."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcore.errors import InvalidInputError
from memcore.surfaces.importing import read_turns


def line(**fields: object) -> str:
    return json.dumps({"content": "Hi.", **fields})


def test_a_line_becomes_the_fields_of_add() -> None:
    (turn,) = read_turns(
        [
            line(
                user_id="ana",
                session_id="s1",
                speaker="Ana",
                role="user",
                timestamp="2026-05-08T14:00:00Z",
                entities=["Lisbon", {"name": "Bruno", "aliases": ["B"]}],
                metadata={"mood": "good"},
                idempotency_key="k1",
            )
        ]
    )
    assert turn == {
        "content": "Hi.",
        "kind": "turn",
        "origin": "user",
        "user_id": "ana",
        "session_id": "s1",
        "speaker": "Ana",
        "event_time": datetime(2026, 5, 8, 14, tzinfo=UTC),
        "entities": ["Lisbon", {"name": "Bruno", "aliases": ["B"]}],
        "metadata": {"mood": "good"},
        "idempotency_key": "k1",
    }


def test_the_names_of_evaluation_files_are_taken_too() -> None:
    text = '{"id": "D1:1", "text": "Hi.", "speaker": "", "time": "1:56 pm on 8 May, 2023", "session": ""}'
    (turn,) = read_turns([text])
    assert turn["content"] == "Hi."
    assert turn["event_time"] == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert turn["metadata"] == {"id": "D1:1"}
    assert turn["origin"] == "import"
    assert not turn.keys() & {"session_id", "speaker", "user_id"}


@pytest.mark.parametrize(
    ("role", "origin"), [("user", "user"), ("assistant", "assistant"), ("tool", "tool"), ("system", "tool")]
)
def test_the_origin_follows_the_role_and_the_role_speaks_where_nobody_is_named(role: str, origin: str) -> None:
    (turn,) = read_turns([line(role=role)])
    assert (turn["origin"], turn["speaker"]) == (origin, role)


def test_a_lines_own_user_and_session_win_over_those_of_the_call() -> None:
    own, other = read_turns([line(user_id="ana", session_id="s1"), line()], user_id="bo", session_id="s2")
    assert (own["user_id"], own["session_id"]) == ("ana", "s1")
    assert (other["user_id"], other["session_id"]) == ("bo", "s2")


def test_blank_lines_and_a_byte_order_mark_are_passed_over_but_counted() -> None:
    lines = ["\ufeff" + line(), "\n", "  ", "{"]
    turns = read_turns(lines)
    assert next(turns)["content"] == "Hi."
    with pytest.raises(InvalidInputError, match=r"^line 4: not JSON"):
        next(turns)


MALFORMED = {
    "{": "line 1: not JSON",
    "[]": "line 1: .*JSON object",
    '"text"': "line 1: .*JSON object",
    "[" * 100_000: "line 1: JSON nested too deeply",
    '{"content": NaN}': "line 1: NaN",
    "{}": "line 1, content: ",
    line(content="  "): "line 1, content: ",
    line(content=7): "line 1, content: 7 ",
    line(content="a\0b"): "line 1, content: .*NUL",
    line(content="\ud800"): "line 1, content: .*surrogates",
    line(text="twice"): "line 1, text: .*content already",
    line(sesion_id="s"): 'line 1, sesion_id: .*did you mean "session_id"',
    line(user_id=7): "line 1, user_id: ",
    line(user_id="u" * 1000): "line 1, user_id: ",
    line(session_id=["s"]): "line 1, session_id: ",
    line(speaker=True): "line 1, speaker: True",
    line(role="ana"): "line 1, role: 'ana' .*user, assistant",
    line(role=["user"]): "line 1, role: ",
    line(timestamp="soon"): "line 1, timestamp: .*2023-05-08",
    line(timestamp=True): "line 1, timestamp: ",
    line(entities="Ana"): "line 1, entities: ",
    line(entities=["Ana", " "]): r"line 1, entities\[1\]: ",
    line(entities=[{"aliases": ["A"]}]): r"line 1, entities\[0\]: ",
    line(entities=[{"name": "Ana", "alias": "A"}]): r"line 1, entities\[0\]: ",
    line(entities=[{"name": "Ana", "aliases": "A"}]): r"line 1, entities\[0\]: ",
    line(entities=["a\0"]): r"line 1, entities\[0\]: ",
    line(metadata=[]): "line 1, metadata: ",
    line(id=1.5): "line 1, id: ",
    line(idempotency_key=3): "line 1, idempotency_key: 3",
    '{"content": "x", "\\ud800": 1}': r"line 1, '\\ud800': 1 is not accepted",
    line(**{"k" * 100_000: 1}): r"line 1, 'kkk.*\.\.\..*kkk': 1 is not accepted",
    line(mood="x" * 100_000): r"line 1, mood: 'xxx.*\.\.\..*xxx' is not accepted",
    line(timestamp=10**4000): "line 1, timestamp: time: an integer of 13288 bits is not accepted",
    '{"content": "x", "metadata": ' + "[" * 800 + "]" * 800 + "}": r"line 1, metadata: \[\[\[\[\.\.\.\]\]\]\]",
}


@pytest.mark.parametrize(("text", "message"), MALFORMED.items())
def test_a_malformed_line_is_refused_by_its_number_and_field(text: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=f"^{message}") as refused:
        list(read_turns([text]))
    assert len(str(refused.value).encode()) < 600


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["content", "text", "role", "speaker", "time", "timestamp", "entities", "metadata", "id", "session"]
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.text(max_size=30), st.dictionaries(KEYS, JSON, max_size=5).map(json.dumps)))
def test_every_line_is_read_or_refused(text: str) -> None:
    try:
        turns = list(read_turns([text]))
    except InvalidInputError as error:
        assert str(error).startswith("line 1")  # noqa: PT017 - either outcome is right
    else:
        assert all(turn["content"].strip() for turn in turns)
