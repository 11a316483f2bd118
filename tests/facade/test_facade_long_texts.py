"""No message is as long as what was given: whatever argument is a very long text, it is shown shortened."""

import inspect
from datetime import UTC, datetime

import pytest

from memcore import MemcoreError, Memory, Settings
from memcore.calls.facts import SetFields
from memcore.searching.request import SearchFields
from memcore.writing.change import UpdateFields
from memcore.writing.proposal import AddFields

LONG = "x" * 100_000
LONGEST_MESSAGE = 1_500
"""Characters of any message: some list what would do."""
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SPACES = (None, "facts", "review", "tasks", "working", "tuning")
GIVEN = {  # what a call needs beside the argument that is tried
    "content": "Ana has a boat",
    "query": "boat",
    "items": [],
    "id": 1,
    "ids": [1],
    "source_id": 1,
    "target_id": 2,
    "keep_id": 1,
    "drop_id": 2,
    "slot": "home town",
    "title": "Paint the boat",
    "text": "blue",
    "text_or_id": "boat",
    "set": "plan",
    "what": 1,
    "session_id": "s",
    "user_id": "ana",
    "name": "defaults",
    "first": "defaults",
    "second": "perocore",
    "path": "nowhere.db",
}
FIELDS = {  # of the calls that take them as **given
    "add": AddFields,
    "supersede": AddFields,
    "set": SetFields,
    "update": UpdateFields,
    "search": SearchFields,
    "context": SearchFields,
    "why_not": SearchFields,
}
FORMS = {
    "text": LONG,
    "number": 10**4_200,
    "bytes": LONG.encode(),
    "list": [LONG],
    "many": [f"{number}" for number in range(2_000)],
    "key": {LONG: 1},
    "value": {"metadata": {LONG: LONG}, "weight_graph": LONG},
    "operator": {"metadata.x": {LONG: LONG}},
}


def calls():
    """Every public call, as (its name space, its name)."""
    with Memory(":memory:", embedder="none") as opened:
        for space in SPACES:
            of = opened if space is None else getattr(opened, space)
            for name, _ in inspect.getmembers(of, inspect.ismethod):
                if not name.startswith("_") and name != "close":
                    yield pytest.param(space, name, id=f"{space or 'memory'}.{name}")


def arguments(call, name):
    """Those that a call must have, and all that it takes."""
    parameters = inspect.signature(call).parameters.values()
    needed = [one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    named = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    return needed, named + (list(FIELDS[name].__annotations__) if len(named) < len(parameters) else [])


def messages(make):
    """The message of a refusal; none where it is taken, or a call has no such field."""
    try:
        make()
    except MemcoreError as error:
        return [str(error)]
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
    return []


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory(tmp_path_factory.mktemp("long") / "agent.db", embedder="none", clock=lambda: NOON) as opened:
        opened.add("Ana has a boat", user_id="ana")
        yield opened


@pytest.mark.parametrize(("space", "name"), list(calls()))
def test_no_message_is_as_long_as_what_was_given(memory, space, name):
    call = getattr(memory if space is None else getattr(memory, space), name)
    needed, named = arguments(call, name)
    for argument in named:
        for form, value in FORMS.items():
            given = {one: GIVEN[one] for one in needed} | {argument: value}
            for said in messages(lambda given=given: call(**given)):
                assert len(said) <= LONGEST_MESSAGE, f"{argument} as {form}: {len(said)} characters: {said[:200]}"


@pytest.mark.parametrize("argument", [*inspect.signature(Memory).parameters])
def test_so_it_is_as_a_store_is_opened(tmp_path, argument):
    for form, value in FORMS.items():
        given = {"database": tmp_path / f"{form}.db", "embedder": "none", argument: value}
        for said in messages(lambda given=given: Memory(**given).close()):
            assert len(said) <= LONGEST_MESSAGE, f"{form}: {len(said)} characters: {said[:200]}"


@pytest.mark.parametrize("name", sorted(Settings.__dataclass_fields__))
def test_so_it_is_of_settings(name):
    for form, value in FORMS.items():
        for said in messages(lambda value=value: Settings(**{name: value})):
            assert len(said) <= LONGEST_MESSAGE, f"{form}: {len(said)} characters: {said[:200]}"
