"""Every public call of `Memory` and of its parts has a command, but for those named here with the reason."""

import pytest
from typer.main import get_command

from memcore import Memory
from memcore.namespaces.facts import Facts
from memcore.namespaces.review import Review
from memcore.namespaces.tasks import Tasks
from memcore.namespaces.working import Working
from memcore.surfaces.cli import app

PARTS = {
    "facts": ("fact", Facts),
    "review": ("review", Review),
    "tasks": ("task", Tasks),
    "working": ("working", Working),
}
"""The parts of `Memory`, each with the group of its commands and its class."""

RENAMED = {
    "add_many": "import",
    "get_all": "list",
    "purge_user": "purge",
    "verify_absent": "verify",
    "review.pending": "review list",
    "tasks.get": "task show",
    "tasks.events": "task show",
}
"""Calls whose command has another name."""

WITHOUT_COMMAND = {"close": "a command closes the memory at its end"}
"""Calls that make no sense on a command line, each with the reason."""

OF_THEIR_OWN = {
    "demo": "asks a sample, not the caller's memory",
    "explain": "asks a result of a search, not the memory",
    "params show": "is about a file of parameters",
    "params check": "is about a file of parameters",
}
"""Commands that stand for no call of `Memory`."""


def public(cls):
    return [name for name in dir(cls) if not name.startswith("_")]


def calls():
    """The public calls by name, those of a part after its name and a dot."""
    yield from (name for name in public(Memory) if name not in PARTS)
    for part, (_, cls) in PARTS.items():
        yield from (f"{part}.{name}" for name in public(cls))


def commands():
    for name, command in get_command(app).commands.items():
        yield from (f"{name} {inner}" for inner in command.commands) if hasattr(command, "commands") else (name,)


def command_of(call):
    if call in RENAMED:
        return RENAMED[call]
    part, _, name = call.rpartition(".")
    return f"{PARTS[part][0]} {name}" if part else name.replace("_", "-")


@pytest.mark.parametrize("call", [*calls()])
def test_a_call_has_a_command_or_a_reason_why_not(call):
    assert (command_of(call) in set(commands())) != (call in WITHOUT_COMMAND)


def test_every_command_stands_for_a_call_or_is_named_here():
    assert (
        set(commands()) == {command_of(call) for call in calls() if call not in WITHOUT_COMMAND} | OF_THEIR_OWN.keys()
    )


def test_the_parts_are_all_there_are_and_no_name_here_is_of_nothing():
    parts = {name for name in public(Memory) if isinstance(getattr(Memory, name), property)}
    assert parts == PARTS.keys()
    assert {*RENAMED, *WITHOUT_COMMAND} <= set(calls())
