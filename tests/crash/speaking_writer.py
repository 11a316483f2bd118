"""Opens a memory and does what each line asks; answers with a line."""

import json
import sys

from memcore import Memory

with Memory(sys.argv[1], embedder="hashing", durability="relaxed") as memory:
    for line in sys.stdin:
        method, arguments = json.loads(line)
        if method == "search":
            answer = [hit.content for hit in memory.search(**arguments)]
        else:
            answer = getattr(memory, method)(**arguments).to_dict()
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
