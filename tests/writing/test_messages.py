"""Chat messages become turns."""

from datetime import UTC, datetime

import pytest

from memcore.errors import InvalidInputError
from memcore.kinds import Kind, Origin
from memcore.writing.messages import from_messages
from memcore.writing.names import speaker_entity

MOMENT = datetime(2026, 5, 8, 14, tzinfo=UTC)


def turns(*messages, **given):
    return from_messages(messages, agent_id="a", **given)


def test_the_speaker_is_the_name_or_else_the_role():
    named, unnamed = turns({"role": "user", "name": "Ana", "content": "Hi."}, {"role": "assistant", "content": "Hi."})
    assert (named.speaker, unnamed.speaker) == ("Ana", "assistant")
    assert {named.kind, unnamed.kind} == {Kind.TURN}


def test_a_role_is_nobody_and_a_name_is_an_entity():
    assert speaker_entity("Assistant") is None
    assert speaker_entity(None) is None
    assert speaker_entity("Ana").name == "Ana"


@pytest.mark.parametrize(
    ("role", "origin"),
    [("user", Origin.USER), ("assistant", Origin.ASSISTANT), ("tool", Origin.TOOL), ("system", Origin.TOOL)],
)
def test_the_origin_follows_the_role(role, origin):
    assert turns({"role": role, "content": "text"})[0].origin is origin


def test_an_origin_given_for_the_whole_list_wins():
    assert turns({"role": "assistant", "content": "text"}, origin="import")[0].origin is Origin.IMPORT


@pytest.mark.parametrize("timestamp", [MOMENT, "2026-05-08T14:00:00Z", "2026-05-08T16:00:00+02:00", MOMENT.timestamp()])
def test_a_timestamp_may_be_a_moment_a_string_or_seconds(timestamp):
    assert turns({"role": "user", "content": "text", "timestamp": timestamp})[0].event_time == MOMENT


def test_a_message_without_a_timestamp_takes_the_event_time_of_the_call():
    assert turns({"role": "user", "content": "text"}, event_time=MOMENT)[0].event_time == MOMENT


def test_each_message_gets_a_key_of_its_own():
    messages = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    assert [turn.idempotency_key for turn in turns(*messages, idempotency_key="k")] == ["k#0", "k#1"]


def test_the_messages_of_one_call_are_one_batch():
    assert {turn.batch for turn in turns({"role": "user", "content": "a"}, {"role": "user", "content": "b"})} == {0}


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"role": "user", "content": ""}, r"content\[1\]\.content: ''"),
        ({"role": "user", "content": None}, r"content\[1\]\.content: None"),
        ({"role": "user"}, r"content\[1\]\.content: None"),
        ({"role": "usr", "content": "x"}, r"content\[1\]\.role: 'usr'.*did you mean \"user\""),
        ({"content": "x"}, r"content\[1\]\.role: None"),
        ({"role": [], "content": "x"}, r"content\[1\]\.role: \[\]"),
        ({"role": "user", "content": "x", "timestmp": 1}, r"content\[1\]: the key 'timestmp'.*\"timestamp\""),
        ({"role": "user", "content": "x", "timestamp": True}, r"content\[1\]\.timestamp: True"),
        ({"role": "user", "content": "x", "timestamp": 1.7e12}, r"content\[1\]\.timestamp: .*not milliseconds"),
        ({"role": "user", "content": "x", "timestamp": float("nan")}, r"content\[1\]\.timestamp: nan"),
        ({"role": "user", "content": "x", "name": ""}, r"content\[1\]\.name: ''"),
        ("Hi.", r"content\[1\]: 'Hi.'"),
    ],
)
def test_a_bad_message_is_refused_with_its_index(message, field):
    with pytest.raises(InvalidInputError, match=field):
        turns({"role": "user", "content": "fine"}, message)


def test_a_key_that_holds_none_is_not_a_mistake():
    assert turns({"role": "assistant", "content": "x", "refusal": None})[0].content == "x"


def test_an_empty_list_and_fields_of_a_single_text_are_refused():
    with pytest.raises(InvalidInputError, match="at least one chat message"):
        turns()
    with pytest.raises(InvalidInputError, match=r"^speaker"):
        turns({"role": "user", "content": "x"}, speaker="Ana")
    with pytest.raises(InvalidInputError, match=r"^embedding"):
        turns({"role": "user", "content": "x"}, embedding=[1.0])
