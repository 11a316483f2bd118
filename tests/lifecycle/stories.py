"""How a story is told: a function of the play and its words, and the memory with the fault that it must notice."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Scenario", "stories"]


@dataclass(frozen=True)
class Scenario:
    """A story, and the memory with the fault that it must notice."""

    name: str
    story: Any
    fault: Any


def stories():
    """A list of scenarios, and a decorator with a fault by which a story enters it."""
    told: list[Scenario] = []

    def scenario(fault):
        def register(story):
            told.append(Scenario(story.__name__, story, fault))
            return story

        return register

    return told, scenario
