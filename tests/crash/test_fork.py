"""After `fork` the child is told at once, also when it opens the file anew, whatever its parent's threads did."""

import json
import os
import subprocess
import sys

import pytest
from crash_processes import HERE


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    path = tmp_path_factory.mktemp("fork") / "agent.db"
    command = [sys.executable, str(HERE / "forking.py"), str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def test_every_call_of_the_child_raises_forked_error(told):
    own = told["child"].pop("own")
    assert set(told["child"].values()) == {"ForkedError"}
    assert own == ["The child writes a file of its own"]


def test_a_child_does_not_wait_for_locks_that_threads_of_its_parent_held(told):
    assert len(told["busy"]) == 17
    assert set(told["busy"].values()) == {"ForkedError"}


def test_the_parent_goes_on_and_a_child_may_open_what_its_parent_had_closed(told):
    assert told["parent"] == ["and the parent goes on", "The child of a parent that had closed it"]
