"""The long run of the state machine: `python tests/lifecycle/machine/run.py --operations 100000 --seed 1`."""

import argparse
import random
import sys
import time

from machine_moves import MOVES, make
from machine_pair import Difference, Pair

__all__ = ["play"]

LONGEST_STORY = 150


def play(operations, seed, *, longest=LONGEST_STORY):
    """Plays stories of at most `longest` moves, each in a new store; the first difference ends it with its story."""
    chance = random.Random(seed)
    names, weights = list(MOVES), [weight for weight, _ in MOVES.values()]
    done = 0
    while done < operations:
        pair = Pair(chance.choice((None, 20)))
        try:
            for _ in range(min(longest, operations - done)):
                make(pair, chance, chance.choices(names, weights)[0])
                done += 1
            pair.compare()
        except Difference as difference:
            story = "\n".join(pair.moves)
            raise Difference(f"after {done} moves with seed {seed}:\n{story}\n{difference}") from None
        finally:
            pair.close()
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=LONGEST_STORY)
    given = parser.parse_args()
    began = time.monotonic()
    try:
        done = play(given.operations, given.seed, longest=given.longest)
    except Difference as difference:
        sys.stdout.write(f"{difference}\n")
        return 1
    sys.stdout.write(f"{done} operations in {time.monotonic() - began:.0f} s, no difference\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
