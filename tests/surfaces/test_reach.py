"""Every public call of `Memory` and of its parts has a command, but for those named here with the reason."""

import inspect
import re

import pytest
from typer.main import get_command

from memcore import Memory
from memcore.calls.facts import SetFields
from memcore.namespaces.facts import Facts
from memcore.namespaces.review import Review
from memcore.namespaces.tasks import Tasks
from memcore.namespaces.tuning import Tuning
from memcore.namespaces.working import Working
from memcore.searching.request import SearchFields
from memcore.surfaces.cli import app
from memcore.writing.change import UpdateFields
from memcore.writing.proposal import AddFields

PARTS = {
    "facts": ("fact", Facts),
    "review": ("review", Review),
    "tasks": ("task", Tasks),
    "working": ("working", Working),
    "tuning": ("tune", Tuning),
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
    "tuning.recording": "tune status",
    "tuning.search_params": "tune search",
    "tuning.trace": "tune traces",
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

OPTIONS = {
    "entities": "--entity",
    "kinds": "--kind",
    "tags": "--tag",
    "infer": "--verbatim",
    "due_at": "--due",
}
"""Parameters whose option is not called like them."""
POSITIONAL = {
    "id": "ID",
    "ids": "ID",
    "jobs": "JOB",
    "operation_id": "OPERATION",
    "path": "FILE",
    "items": "FILE",
    "text_or_id": "TEXT_OR_ID",
    "what": "SET_OR_ID",
    "source_id": "SOURCE",
    "target_id": "TARGET",
    "drop_id": "DROP",
    "keep_id": "KEEP",
}
"""Parameters that are arguments, each with its name in the help; of the others the argument is called like them."""
_SEARCHES = ("search", "context", "why_not")
WITHOUT_OPTION = {
    ("*", "embedding"): "a vector is for programs",
    **{(call, "params"): "the file of parameters beside the database is read" for call in _SEARCHES},
    ("*", "progress"): "the command shows a bar by itself",
    ("*", "traces"): "--newest says how many",
    ("tuning.record", "on"): "--off ends it",
    ("tuning.trace", "id"): "tune traces --json gives all of each",
    ("tuning.search_params", "names"): "all that may be tuned are",
    ("supersede", "kind"): "the call refuses it: it is of the kind of what it supersedes",
    ("supersede", "supersedes"): "the call refuses it: it is the ID",
    ("supersede", "infer"): "the call refuses it: only who weighs more is decided",
}
"""Parameters that make no sense as an option, each with the reason; a star stands for every call."""
KEYWORDS = {one.__name__: one for one in (AddFields, SetFields, SearchFields, UpdateFields)}


def public(cls):
    return [name for name in dir(cls) if not name.startswith("_")]


def calls():
    """The public calls by name, those of a part after its name and a dot."""
    yield from (name for name in public(Memory) if name not in PARTS)
    for part, (_, cls) in PARTS.items():
        yield from (f"{part}.{name}" for name in public(cls))


def parameters(call):
    """The parameters of a call, those that it takes by a group of keywords among them."""
    part, _, name = call.rpartition(".")
    for parameter in inspect.signature(getattr(PARTS[part][1] if part else Memory, name)).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from KEYWORDS[re.search(r"Unpack\[(\w+)\]", str(parameter.annotation))[1]].__annotations__
        elif parameter.name != "self":
            yield parameter.name


def takes(name):
    """The words by which a command takes something: its options, and the names of its arguments."""
    command = get_command(app)
    for word in name.split():
        command = command.commands[word]
    for one in command.params:
        yield from [*one.opts, *one.secondary_opts] if one.param_type_name == "option" else [one.metavar]


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


@pytest.mark.parametrize("call", [call for call in calls() if call not in WITHOUT_COMMAND])
def test_a_parameter_of_a_call_has_an_option_or_a_reason_why_not(call):
    taken, missing = set(takes(command_of(call))), []
    for name in parameters(call):
        option = OPTIONS.get(name, f"--{name.removesuffix('_id').replace('_', '-')}")
        words = {option, POSITIONAL.get(name, ""), name.removesuffix("_id").upper()}
        if name in ("content", "text", "note"):
            words |= {"TEXT", "CONTENT"}
        excused = WITHOUT_OPTION.keys() & {("*", name), (call, name)}
        assert not (excused and words & taken), f"{name} has a reason and an option"
        if not excused and not words & taken:
            missing.append(name)
    assert missing == []
