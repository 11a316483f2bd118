"""Which database, agent and user a command works on."""

import pytest


def test_a_write_without_a_user_is_refused_before_the_database_is_opened(run, memory):
    ran = run("add", "Ana moved.")
    assert ran.code == 2
    assert "--shared" in ran.err
    assert memory.opened == []


def test_a_write_goes_to_the_user_it_names(run, memory):
    assert run("add", "Ana moved.", "--user", "ana").code == 0
    assert memory.named("add")[0]["user_id"] == "ana"


def test_a_shared_write_has_no_user_even_where_the_environment_names_one(run, memory, monkeypatch):
    monkeypatch.setenv("MEMCORE_USER_ID", "ana")
    assert run("add", "The office closes at six.", "--shared").code == 0
    assert memory.named("add")[0]["user_id"] is None


def test_user_and_shared_together_are_refused(run, memory):
    assert run("add", "Ana moved.", "--user", "ana", "--shared").code == 2
    assert memory.calls == []


def test_the_environment_names_database_agent_and_user(run, memory, monkeypatch):
    monkeypatch.setenv("MEMCORE_DATABASE", "team.db")
    monkeypatch.setenv("MEMCORE_AGENT_ID", "helper")
    monkeypatch.setenv("MEMCORE_USER_ID", "john doe")
    assert run("search", "Where?").code == 0
    assert memory.opened == [("team.db", "helper")]
    assert memory.named("search")[0]["user_id"] == "john doe"


@pytest.mark.parametrize(
    "arguments",
    [("--db", "a.db", "--agent", "x", "stats"), ("stats", "--db", "a.db", "--agent", "x")],
    ids=["before", "after"],
)
def test_database_and_agent_may_stand_before_or_after_the_command(run, memory, arguments):
    assert run(*arguments).code == 0
    assert memory.opened == [("a.db", "x")]


def test_an_option_after_the_command_wins_over_one_before_and_over_the_environment(run, memory, monkeypatch):
    monkeypatch.setenv("MEMCORE_DATABASE", "environment.db")
    assert run("--db", "before.db", "stats", "--db", "after.db").code == 0
    assert memory.opened == [("after.db", "default")]


def test_nothing_given_means_memcore_db_and_the_default_agent(run, memory):
    assert run("stats").code == 0
    assert memory.opened == [("memcore.db", "default")]


def test_a_search_without_a_user_sees_the_shared_memories_only(run, memory):
    assert run("search", "Where?").code == 0
    assert memory.named("search")[0]["user_id"] is None


def test_a_search_may_name_several_users(run, memory):
    assert run("search", "Where?", "--user", "ana", "--user", "bo").code == 0
    assert memory.named("search")[0]["user_id"] == ["ana", "bo"]


def test_the_empty_name_is_a_user_of_its_own(run, memory):
    assert run("add", "Nobody in particular.", "--user", "").code == 0
    assert memory.named("add")[0]["user_id"] == ""


def test_every_command_closes_what_it_opened_also_after_an_error(run, memory):
    memory.error = ValueError("planted")
    with pytest.raises(ValueError, match="planted"):
        run("stats")
    assert memory.closed == 1
