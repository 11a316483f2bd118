"""Running the scripts of this folder as processes of their own."""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def nursery(*arguments):
    """Runs a command of `crash_nursery.py` and gives back what it prints."""
    command = [sys.executable, str(HERE / "crash_nursery.py"), *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


class Talker:
    """A process that runs a script of tests/crash, one line in and one line out."""

    def __init__(self, script, *arguments):
        command = [sys.executable, str(HERE / script), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, "the process ended"
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()
