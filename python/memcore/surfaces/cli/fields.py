"""The options that describe a memory which is added: who said it, where it comes from, since when it holds."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Annotated, Any

import typer

from memcore.errors import InvalidInputError
from memcore.kinds import Category, Channel, Origin
from memcore.surfaces.cli import values
from memcore.surfaces.cli.options import Importance, Metadata, Session

__all__ = ["Claimed", "Described", "Details", "Slot", "whole_memory"]

_OPTIONS = {"content": "TEXT", "entities": "--entity", "tags": "--tag"}
_NAMES = {"entity": "entities", "tag": "tags", "session": "session_id"}

Slot = Annotated[
    str | None,
    typer.Option("--slot", metavar="NAME", parser=values.name("slot"), help="The slot that a fact fills: home city."),
]
Details = Annotated[
    dict[str, Any] | None,
    typer.Option(
        "--details",
        metavar="JSON",
        parser=values.json_object("details"),
        help='What its kind has beside the text, such as \'{"path": "notes.md"}\' of a chunk.',
    ),
]


def _given(options: Any) -> dict[str, Any]:
    """The options of a group as keywords of `add`; what was not given is left out."""
    named = ((part.name, getattr(options, part.name)) for part in fields(options))
    return {_NAMES.get(name, name): value for name, value in named if value is not None}


@dataclass(frozen=True, slots=True)
class Described:
    """What any memory may have beside its text."""

    session: Session = None
    speaker: Annotated[
        str | None,
        typer.Option("--speaker", metavar="NAME", parser=values.name("speaker"), help="Who said it."),
    ] = None
    origin: Annotated[
        Origin, typer.Option("--origin", **values.one_of("origin", Origin), help="Where it comes from.")
    ] = Origin.USER
    entity: Annotated[
        list[str] | None,
        typer.Option(
            "--entity",
            metavar="NAME",
            parser=values.name("entities"),
            help="A person or thing it is about; may be repeated.",
        ),
    ] = None
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", parser=values.name("tags"), help="A tag; may be repeated."),
    ] = None
    importance: Importance = None
    event_time: Annotated[
        datetime | None,
        typer.Option(
            "--event-time",
            metavar="ISO",
            parser=values.moment("event_time"),
            help="When it happened, with an offset; now unless said.",
        ),
    ] = None
    channel: Annotated[
        Channel | None,
        typer.Option(
            "--channel",
            **values.one_of("channel", Channel),
            help="Where it was heard; what is direct is not found by a search in a group.",
        ),
    ] = None
    expires_at: Annotated[
        datetime | None,
        typer.Option(
            "--expires-at",
            metavar="ISO",
            parser=values.moment("expires_at"),
            help="From when on it is not found any more, with an offset.",
        ),
    ] = None
    metadata: Metadata = None
    source_ref: Annotated[
        str | None,
        typer.Option(
            "--source-ref",
            metavar="TEXT",
            parser=values.name("source_ref"),
            help="The source that it is part of; undo takes back all of a source.",
        ),
    ] = None
    idempotency_key: Annotated[
        str | None,
        typer.Option(
            "--idempotency-key",
            metavar="KEY",
            parser=values.name("idempotency_key"),
            help="A second add with this key adds nothing.",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """What was given, as keywords of `add`."""
        return _given(self)


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a memory that says how the world is may have: a fact, a piece of knowledge, a lesson."""

    category: Annotated[
        Category | None,
        typer.Option(
            "--category", **values.one_of("category", Category), help="What a fact is about: how fast it fades."
        ),
    ] = None
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", metavar="X", parser=values.number("confidence", 1), help="How sure: from 0 to 1."),
    ] = None
    valid_from: Annotated[
        datetime | None,
        typer.Option(
            "--valid-from",
            metavar="ISO",
            parser=values.moment("valid_from"),
            help="Since when it holds in the world, with an offset.",
        ),
    ] = None
    valid_until: Annotated[
        datetime | None,
        typer.Option(
            "--valid-until",
            metavar="ISO",
            parser=values.moment("valid_until"),
            help="Until when it holds, with an offset; open unless said.",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """What was given, as keywords of `add`."""
        return _given(self)


def whole_memory(content: str, given: Mapping[str, Any]) -> None:
    """Lets the fields of `add` pass that go together.

    Raises:
        typer.BadParameter: the kind has no such field, or one does not fit another; the option is named.
    """
    from memcore.writing.proposal import AddFields, from_call

    described: AddFields = dict(given)  # type: ignore[assignment]  # the options of `add`, by name
    try:
        from_call(content, agent_id="default", **described)
    except InvalidInputError as error:
        field, _, said = str(error).partition(": ")
        word = field.partition(".")[0].partition("[")[0]
        raise typer.BadParameter(said, param_hint=f"'{_OPTIONS.get(word, _option(word))}'") from error


def _option(field: str) -> str:
    """The option that a field of a call is given by."""
    return f"--{field.removesuffix('_id').replace('_', '-')}"
