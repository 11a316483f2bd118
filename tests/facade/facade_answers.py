"""Fills a store in one of several ways, and prints its answers without times, as JSON.

`PATH many|single|watched|reopened`: all in one call; one call each; with a search after each; as the file is. With
`known` behind it, the entities are declared before, so that every way gives the same ids.
"""

import json
import sys
from datetime import UTC, datetime, timedelta

from memcore import Memory

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PEOPLE = ["Ana", "Ben", "李雷", "韩梅梅", "Carla", "Dmitri", "Eve", "Farid", "Goro", "Hana"]
THINGS = ["tea", "rice", "the harbour", "a bicycle", "绿茶", "上海", "the cello", "old clocks", "an umbrella", "a ship"]
QUERIES = [
    "Who took tea to the harbour?",
    "李雷喜欢什么茶？",
    "When did Ana talk about the cello?",
    "old clocks and a bicycle in May 2026",
    "上海",
    "umbrella",
]
PARAMS = [
    {},
    {"enable_pagerank": True, "fusion": "rrf"},
    {"rank_form": "perocore", "fusion": "weighted"},
    {"rank_form": "postgres", "fusion": "rrf"},
    {"rank_form": "diary"},
]


def items():
    for number in range(120):
        person, thing, other = PEOPLE[number % 10], THINGS[number * 7 % 10], THINGS[number * 3 % 10]
        yield {
            "content": f"{person} likes {thing} more than {other} since day {number}."
            if number % 3
            else f"{person}在第{number}天说起{thing}和{other}。",
            "user_id": None if number % 4 == 0 else "ana",
            "kind": "turn" if number % 2 else "event",
            "session_id": f"s{number // 20}" if number % 2 else None,
            "speaker": person,
            "entities": [thing, other] if number % 5 else [],
            "importance": number % 11,
            "event_time": NOW - timedelta(days=number * 2),
        }


def declare(memory):
    for user in (None, "ana"):
        for name in PEOPLE + THINGS:
            memory.add(name, kind="entity", user_id=user)


def answers(memory):
    found = []
    for query in QUERIES:
        for params in PARAMS:
            result = memory.search(query, user_id="ana", limit=7, params=params)
            trace = result.trace.to_dict()
            del trace["revision"]
            for step in trace["steps"]:
                del step["milliseconds"]
            hits = [hit.to_dict() for hit in result]
            found.append({"hits": hits, "trace": trace, "why": [result.explain(hit).to_dict() for hit in result]})
    return found


def fill(memory, way):
    if way == "many":
        memory.add_many(items())
    elif way != "reopened":
        for item in items():
            memory.add(item.pop("content"), **item)
            if way == "watched":
                memory.search("Who took tea to the harbour?", user_id="ana")


if __name__ == "__main__":
    with Memory(sys.argv[1], embedder="hashing", clock=lambda: NOW, durability="relaxed") as memory:
        if sys.argv[3:] == ["known"]:
            declare(memory)
        fill(memory, sys.argv[2])
        json.dump(answers(memory), sys.stdout, ensure_ascii=True, sort_keys=False, allow_nan=False)
