"""Ctrl-C at any moment of a write: that write is undone, the store and the others go on."""

import json
import signal
import subprocess
import sys

import pytest
from crash_processes import HERE

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")


def test_after_many_interrupts_a_store_in_memory_is_whole_and_other_threads_write():
    command = [sys.executable, str(HERE / "interrupted.py"), ":memory:"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    told = json.loads(ran.stdout)
    assert told.pop("interrupts") > 50
    assert told == {"kept": "It stays", "added": ["From a thread"]}
