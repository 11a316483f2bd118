"""`kill -9` at any moment: nothing that was acknowledged is missing, and nothing is half there."""

import pytest
from crash_processes import nursery

from memcore import Memory

ROUNDS = 50


def missing_of(path, acknowledged):
    """The acknowledged ids that are not stored."""
    with Memory(path, embedder="hashing") as memory:
        stored = {record.id for record in memory.get_all(user_id="ana", limit=10_000)}
    return {one for ids in acknowledged for one in ids} - stored


def faults_of(path):
    """What is half there: a question without its answer, a broken chain, a turn that mentions nobody."""
    faults = []
    with Memory(path, embedder="hashing") as memory:
        turns = list(memory.get_all(user_id="ana", kinds=["turn"], limit=10_000))
        entities = [record.content for record in memory.get_all(user_id="ana", kinds=["entity"])]
    faults += [f"alone: {turn.content}" for turn in turns[len(turns) // 2 * 2 :]]
    for question, answer in zip(turns[::2], turns[1::2], strict=False):
        if answer.content != question.content.replace("question", "answer"):
            faults.append(f"not together: {question.content}, {answer.content}")
    ids = [turn.id for turn in turns]
    chains = [(turn.position, turn.prev_id, turn.next_id) for turn in turns]
    if chains != list(zip(range(len(ids)), [None, *ids[:-1]], [*ids[1:], None], strict=True)):
        faults.append("the chain of the session is broken")
    if turns and entities != ["Ana"]:
        faults.append(f"entities {entities}")
    return faults


@pytest.fixture(scope="module")
def after_the_kills(tmp_path_factory):
    """The file that fifty writers were killed on, and what they had acknowledged."""
    path = tmp_path_factory.mktemp("kill") / "agent.db"
    return path, nursery("kill", path, ROUNDS, 7)


def test_fifty_kills_lose_nothing_that_was_acknowledged(after_the_kills):
    path, acknowledged = after_the_kills
    assert len(acknowledged) > ROUNDS
    assert all(isinstance(ids, list) for ids in acknowledged), acknowledged
    assert missing_of(path, acknowledged) == set()


def test_fifty_kills_leave_nothing_half_there(after_the_kills):
    path, _ = after_the_kills
    assert faults_of(path) == []


def test_what_the_kills_left_without_a_vector_is_waiting_and_the_file_is_sound(after_the_kills):
    path, _ = after_the_kills
    with Memory(path, embedder="hashing") as memory:
        before = memory.stats()
        assert before.vectors + before.pending_vectors == sum(before.memories.values())
        (report,) = memory.maintain(["embed"])
        assert (report.done, report.remaining) == (before.pending_vectors, 0)
        assert memory.doctor().ok, memory.doctor()


def test_the_check_above_notices_an_acknowledgement_that_comes_too_early(path):
    """The planted fault: the writer is killed between its acknowledgement and its commit."""
    acknowledged = nursery("stop", path)
    assert len(acknowledged) == 1
    assert missing_of(path, acknowledged) == set(acknowledged[0])


def test_the_check_above_notices_what_is_half_there(path):
    """The planted fault: half of an exchange is stored, and a row is taken out of the chain."""
    with Memory(path, embedder="hashing") as memory:
        for number in range(3):
            exchange = [
                {"role": "user", "name": "Ana", "content": f"{word} 0 {number}"} for word in ("question", "answer")
            ]
            memory.add(exchange, user_id="ana", session_id="s")
        assert faults_of(path) == []
        with memory._database.write() as connection:
            connection.exec_driver_sql("UPDATE memory SET next_id = NULL WHERE position = 2")
        assert faults_of(path) == ["the chain of the session is broken"]
        memory.add([{"role": "user", "name": "Ana", "content": "question 0 9"}], user_id="ana", session_id="s")
        assert "alone: question 0 9" in faults_of(path)
