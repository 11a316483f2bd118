"""Processes that write to one file."""

import pytest
from crash_processes import Talker


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


@pytest.fixture
def talking():
    talkers = []

    def start(script, *arguments):
        talkers.append(Talker(script, *arguments))
        return talkers[-1]

    yield start
    for talker in talkers:
        talker.close()
