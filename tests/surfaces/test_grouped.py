"""Options that commands share: written once, seen by typer as options of each command."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer

from memcore.surfaces.cli.grouped import grouped

Size = Annotated[int, typer.Option("--size", help="How large.")]


@dataclass(frozen=True)
class Cup:
    size: Size = 2
    warm: Annotated[bool, typer.Option("--warm", help="Heat it first.")] = False


@pytest.fixture
def brewed(capsys):
    """Run a command with a group of options: what it was handed, or else its exit code and what it said."""
    handed = []

    def brew(kind: Annotated[str, typer.Argument(help="What to drink.")], cup: Cup, sweet: bool = False):
        """Brew a cup."""
        handed.append((kind, cup, sweet))

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(grouped(brew))

    def ran(*arguments):
        with pytest.raises(SystemExit) as left:
            app(list(arguments))
        return handed.pop() if handed else (left.value.code, "".join(capsys.readouterr()))

    return ran


def test_the_command_gets_the_group_with_its_defaults_and_with_what_was_given(brewed):
    assert brewed("tea") == ("tea", Cup(), False)
    assert brewed("--size", "3", "tea", "--warm", "--sweet") == ("tea", Cup(3, warm=True), True)


def test_the_options_of_the_group_are_in_the_help_and_are_checked(brewed):
    code, said = brewed("--help")
    assert code == 0
    for part in ("Brew a cup.", "--size", "How large.", "[default: 2]", "--warm"):
        assert part in said
    code, said = brewed("tea", "--size", "large")
    assert code == 2
    assert "--size" in said
