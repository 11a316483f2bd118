"""docs/cli.md names every command and every option, and none that is not there."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from memcore.surfaces.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def commands():
    """The commands as (name, command), those of a group under both names."""
    for name, command in get_command(app).commands.items():
        if hasattr(command, "commands"):
            yield from ((f"{name} {inner}", part) for inner, part in command.commands.items())
        else:
            yield name, command


def sections():
    """The heading of each section after `memcore`, without the arguments, and its text."""
    parts = re.split(r"^## memcore ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for part in parts:
        heading, _, text = part.partition("\n")
        yield " ".join(word for word in heading.split() if word.islower()), heading, text


def test_the_page_has_a_section_for_each_command_and_no_other():
    assert sorted(name for name, _, _ in sections()) == sorted(name for name, _ in commands())


@pytest.mark.parametrize(("name", "command"), [pytest.param(*pair, id=pair[0]) for pair in commands()])
def test_a_section_lists_the_options_and_arguments_that_the_command_takes(name, command):
    heading, text = {key: (heading, text) for key, heading, text in sections()}[name]
    listed = set(re.findall(r"`(--[a-z-]+)`", text.partition("Options:")[2]))
    taken = {
        word
        for parameter in command.params
        for word in (*parameter.opts, *parameter.secondary_opts)
        if parameter.param_type_name == "option" and word not in {"-h", "--help"}
    }
    assert listed == taken
    arguments = [parameter.metavar for parameter in command.params if parameter.param_type_name == "argument"]
    assert re.sub(r"[\[\].]", "", heading) == " ".join([name, *arguments])


@pytest.mark.parametrize("command", [pytest.param(command, id=name) for name, command in commands()])
def test_every_command_and_option_says_what_it_is_for(command):
    assert command.help
    for parameter in command.params:
        assert parameter.help, parameter.name
