"""A context block that was given: what of it is dropped when it comes back, what is not, and when it is forgotten."""

from datetime import UTC, datetime

import pytest

from memcore.kinds import Outcome

THEN = datetime(1999, 5, 8, tzinfo=UTC)
SAID = (
    "Ana moved to Lisbon in May 2026 and lives near the river with Bo and her two cats.",
    (
        "安娜在五月搬到了里斯本，和波还有两只猫一起住在河边的一座老房子里。"
        "她的姐姐住在波尔图，每个月都会坐火车来看她，两个人常常一起去海边散步，也喜欢在周末做饭。"
    ),
)
BLOCK_OF = dict(zip(SAID, ("Where does Ana live in Lisbon?", "安娜住在里斯本的哪里？"), strict=True))


@pytest.fixture(params=SAID, ids=["English", "Chinese"])
def said(request, memory):
    """What Ana said, and what her block has from then on."""
    memory.add(request.param, user_id="ana")
    assert request.param[:10] in memory.context(BLOCK_OF[request.param], user_id="ana", max_chars=2_000)
    return request.param


def outcome(memory, text, **given):
    return memory.add(text, **{"user_id": "ana", "kind": "turn", **given})[0].outcome


def test_a_model_that_repeats_the_block_is_dropped(memory, said):
    assert outcome(memory, said, origin="assistant") is Outcome.DROP
    assert outcome(memory, said, origin="tool") is Outcome.DROP


def test_a_fact_that_is_set_or_superseded_is_stored_whoever_says_it(memory, said):
    added = memory.facts.set("home", said, user_id="ana", origin="assistant")
    assert added.outcome is Outcome.ACCEPT
    [other] = memory.add("Ana lives somewhere.", user_id="ana", kind="fact", origin="assistant")
    assert memory.supersede(other.id, f"{said}!", origin="assistant").supersedes == other.id


def test_a_transcript_loses_no_turn_to_a_block(memory, said):
    assert outcome(memory, said, origin="import", session_id="1999") is Outcome.ACCEPT
    assert outcome(memory, said, origin="assistant", session_id="1999", event_time=THEN) is Outcome.ACCEPT
    assert outcome(memory, said, origin="web") is Outcome.ACCEPT


def test_a_block_of_one_session_drops_nothing_of_another(memory):
    memory.add(SAID[0], user_id="ana", session_id="today")
    assert memory.context(BLOCK_OF[SAID[0]], user_id="ana", session_id="today")
    assert outcome(memory, SAID[0], origin="assistant", session_id="today") is Outcome.DROP
    assert outcome(memory, SAID[0], origin="assistant", session_id="other") is Outcome.ACCEPT
    assert outcome(memory, SAID[0], origin="assistant") is Outcome.ACCEPT


def test_a_users_block_drops_nothing_of_another_user_and_nothing_shared(memory, said):
    assert outcome(memory, said, origin="assistant", user_id="ben") is Outcome.ACCEPT
    assert outcome(memory, said, origin="assistant", user_id=None) is Outcome.ACCEPT


def test_a_purge_and_a_delete_make_the_process_forget_the_blocks_of_the_user(memory, said):
    memory.purge_user("ana")
    assert outcome(memory, said, origin="assistant") is Outcome.DROP
    memory.purge_user("ana", confirm="ana")
    assert outcome(memory, said, origin="assistant") is Outcome.ACCEPT
    [fact] = memory.add(said, user_id="ana", kind="fact")
    assert memory.context(BLOCK_OF[said], user_id="ana", max_chars=2_000)
    assert outcome(memory, said, origin="assistant") is Outcome.DROP
    memory.delete(fact.id)
    assert outcome(memory, said, origin="assistant") is Outcome.ACCEPT


def test_what_is_forgotten_of_ana_is_not_forgotten_of_ben(memory, said):
    [own] = memory.add(said, user_id="ben")
    memory.context(BLOCK_OF[said], user_id="ben", max_chars=2_000)
    memory.purge_user("ana", confirm="ana")
    assert outcome(memory, said, origin="assistant", user_id="ben") is Outcome.DROP
    memory.delete(own.id)
    assert outcome(memory, said, origin="assistant", user_id="ben") is Outcome.ACCEPT


def test_a_shared_memory_that_is_deleted_is_forgotten_with_every_block(memory):
    [shared] = memory.add(SAID[0])
    memory.context(BLOCK_OF[SAID[0]], user_id="ana")
    assert outcome(memory, SAID[0], origin="assistant") is Outcome.DROP
    memory.delete(shared.id)
    assert outcome(memory, SAID[0], origin="assistant", user_id="ana") is Outcome.ACCEPT
