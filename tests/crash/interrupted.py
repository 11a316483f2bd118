"""Interrupts writes at random moments, then says what is left and whether another thread can write."""

import json
import random
import signal
import sys
import threading

from memcore import Memory

memory = Memory(sys.argv[1], embedder="none", durability="relaxed")
(one,) = memory.add("It stays", user_id="ana").ids
memory.update(one, importance=1)  # loads what is loaded late
chance = random.Random(3)
signal.signal(signal.SIGALRM, signal.default_int_handler)
interrupts = 0
for turn in range(200):
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-5, 6e-4))
            for _ in range(4):
                memory.update(one, importance=turn % 10)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:  # once a turn at most, and maybe in the `finally`
        interrupts += 1
added = []
thread = threading.Thread(target=lambda: added.extend(memory.add("From a thread", user_id="ana").ids), daemon=True)
thread.start()
thread.join(20)
told = {"interrupts": interrupts, "kept": memory.get(one).content, "added": [memory.get(two).content for two in added]}
sys.stdout.write(json.dumps(told))
sys.stdout.flush()
