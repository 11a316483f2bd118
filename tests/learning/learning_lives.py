"""A small life to search in, and a clock that a test moves."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SAID = [
    "I moved to Lisbon in May because the company opened an office there.",
    "My sister Rita lives in Porto and repairs old radios.",
    "The ferry to the island leaves at nine on Saturdays.",
    "I am allergic to peanuts, so no satay for me.",
    "We had dinner at the harbour with Rita and her radios.",
    "On Monday I start the Portuguese course at the library.",
    "The island has two beaches and no cars at all.",
    "My bicycle was stolen in front of the library.",
    "Shall we take the ferry or the train to Porto?",
    "The train, because the ferry does not go there.",
    "The office in Lisbon has a terrace with a view of the river.",
    "Peanuts were in the cake, and I spent the night in hospital.",
]
ASKED = ["Where do I live?", "What am I allergic to?", "When does the ferry leave?", "Who repairs radios?", "library?"]


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now


def fill(memory, user="ana"):
    """A conversation of one user."""
    start = NOON - timedelta(days=20)
    items = [
        {
            "content": text,
            "kind": "turn",
            "speaker": "Ana",
            "user_id": user,
            "session_id": f"s{number // 4}",
            "event_time": start + timedelta(days=number),
        }
        for number, text in enumerate(SAID)
    ]
    return memory.add_many(items).ids


def flushed(memory):
    """What became of the searches of a memory, once none waits."""
    recorder = memory._calls.store.recorder
    recorder.flush()
    return recorder.status()


def queries(memory):
    """What the traces of a memory asked, newest first."""
    return [trace.query for trace in memory.tuning.traces()]


def bytes_of(memory, folder):
    """The bytes of all files of a store, once it is closed: to close a file that is open would drop its locks."""
    memory.close()
    return b"".join(file.read_bytes() for file in folder.glob("agent.db*"))
