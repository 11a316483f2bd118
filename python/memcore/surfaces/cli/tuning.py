"""The commands `tune …`: searches recorded and run again, and parameters that find more."""

import json
import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcore.kinds import Mismatch
from memcore.surfaces.cli import tuning_page, tuning_values, values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import Cursor, Json, PageLimit, Readers, Store, readers
from memcore.surfaces.cli.output import emit, emit_json, say
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.tables import emit_outline, emit_table
from memcore.surfaces.cli.told import minute
from memcore.surfaces.cli.tuning_told import emit_comparison, emit_replay, emit_search, in_few_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memcore.records.tuning import Activation

__all__ = ["register"]

K = Annotated[
    int, typer.Option("--k", metavar="N", parser=tuning_values.first, help="How many hits of an answer count.")
]
Newest = Annotated[
    int | None,
    typer.Option(
        "--newest", metavar="N", parser=values.page_limit, help="Only the newest recorded searches; else all of them."
    ),
]
Html = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", parser=tuning_values.page, help="Write the report as a page with pictures, too."
    ),
]
ProfileName = Annotated[str, typer.Argument(metavar="NAME", parser=values.name("name"), help="The name of a profile.")]


def record(
    context: typer.Context,
    store: Store,
    off: Annotated[bool, typer.Option("--off", help="Record no more; what was recorded stays.")] = False,
    sample: Annotated[
        float, typer.Option("--sample", metavar="X", parser=tuning_values.sample, help="Which share, above 0 to 1.")
    ] = 1.0,
    most: Annotated[
        int, typer.Option("--most", metavar="N", parser=tuning_values.most, help="Traces to keep; the oldest go.")
    ] = 10_000,
    as_json: Json = False,
) -> None:
    """Have the searches of the agent recorded from now on, in every process that uses the database."""
    with opened(context, store, writes=True) as memory:
        state = memory.tuning.record(not off, sample=sample, most=most)
    if as_json:
        emit_json({"recording": state})
    elif state.on:
        emit(f"searches are recorded: share {state.sample:g}, at most {state.most} traces, {state.stored} so far")
    else:
        emit(f"searches are not recorded; {state.stored} traces are kept")


def status(context: typer.Context, store: Store, as_json: Json = False) -> None:
    """Show whether searches are recorded, and how many traces there are."""
    with opened(context, store) as memory:
        state = memory.tuning.recording().to_dict()
    shown = {name: state[name] for name in ("on", "sample", "most", "stored")}
    (emit_json if as_json else emit_outline)(shown)


def traces(
    context: typer.Context,
    store: Store,
    user: Readers = None,
    limit: PageLimit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List recorded searches, newest first: of the users named, else of all users of the agent."""
    with opened(context, store) as memory:
        page = memory.tuning.traces(user_id=readers(context, user), limit=limit, cursor=cursor)
    if as_json:
        emit_json({"traces": list(page), "next_cursor": page.next_cursor})
        return
    rows = [
        (
            one.id,
            minute(one.recorded_at),
            ", ".join(one.user_ids) or "shared",
            one.query,
            len(one.answer_ids),
            len(one.entered_ids),
            round(sum(one.took.values()), 1),
        )
        for one in page
    ]
    if rows:
        emit_table(("id", "when", "of", "query", "hits", "in prompt", "ms"), rows)
    else:
        say("nothing is recorded; memcore tune record begins it")
    if page.next_cursor is not None:
        say(f"there is more: --cursor {page.next_cursor}")


def forget(context: typer.Context, store: Store, as_json: Json = False) -> None:
    """Remove all recorded searches of the agent."""
    with opened(context, store, writes=True) as memory:
        number = memory.tuning.forget()
    if as_json:
        emit_json({"forgotten": number})
    else:
        emit(f"{number} traces forgotten")


def replay(
    context: typer.Context,
    store: Store,
    params: Annotated[
        Path | None, typer.Option("--params", metavar="FILE", help="A parameter file to try beside those of then.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", parser=values.name("profile"), help="Or a profile to try."),
    ] = None,
    newest: Newest = None,
    k: K = 8,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Run the recorded searches again, and count which find what they found, and why the others do not.

    Ends with code 1 where a search finds something else and nothing explains it.
    """
    if params is not None and profile is not None:
        raise typer.BadParameter("--params and --profile exclude each other; give one of them")
    given: Mapping[str, Any] | str | None = profile if params is None else tuning_values.document(params)
    with opened(context, store) as memory, working("Replaying") as advance:
        some = None if newest is None else memory.tuning.traces(limit=newest)
        report = memory.tuning.replay(some, given, k=k, progress=advance)
    _write_page(html, lambda: tuning_page.replay(report))
    if as_json:
        emit_json({"replay": report})
    elif report.rounds:
        emit_replay(report)
    else:
        say("nothing is recorded; memcore tune record begins it")
    if report.mismatched.get(Mismatch.UNEXPLAINED):
        raise typer.Exit(1)


def search(
    context: typer.Context,
    store: Store,
    on: Annotated[
        Path | None,
        typer.Option("--on", metavar="FILE", help="An evaluation file, instead of the recorded searches."),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", metavar="N", parser=tuning_values.trials, help="Sets to try, at most.")
    ] = 60,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", parser=tuning_values.seed, help="By which sets are drawn.")
    ] = 0,
    newest: Newest = None,
    k: K = 8,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="PARAMETER", parser=tuning_values.tuned, help="Only this; may be repeated."),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="NAME", parser=tuning_values.saved, help="Save the best as a profile."),
    ] = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Look for parameters that find more. What is cut off goes on when it is begun again; nothing is put in use."""
    with opened(context, store, writes=True) as memory:
        with working("Trying") as advance, _cut_off():
            some = None if newest is None else memory.tuning.traces(limit=newest)
            report = memory.tuning.search_params(
                on, traces=some, seed=seed, trials=trials, k=k, names=name, progress=advance
            )
        saved = memory.tuning.save(save, report.changes) if save is not None and report.changes else None
    _write_page(html, lambda: tuning_page.search(report))
    if as_json:
        emit_json({"search": report, "saved": saved})
        return
    emit_search(report)
    if saved is not None:
        emit(f"saved as {saved.name}; memcore tune activate {shlex.quote(saved.name)} puts it in use")
    elif save is not None:
        say(f"nothing is saved as {save}")


@contextmanager
def _cut_off() -> "Iterator[None]":
    """Says, where a search is interrupted, that it goes on when it is begun again."""
    try:
        yield
    except KeyboardInterrupt:
        say("cut off; begun again, it goes on from the sets that were tried")
        raise


def profiles(context: typer.Context, store: Store, as_json: Json = False) -> None:
    """List the profiles: those of the package, then those that were saved."""
    with opened(context, store) as memory:
        found = memory.tuning.profiles()
    if as_json:
        emit_json({"profiles": found})
        return
    rows = [
        (
            "*" if one.active else "",
            one.name,
            "package" if one.named else minute(one.recorded_at),
            one.problem or in_few_words(one.changes),
        )
        for one in found
    ]
    emit_table(("", "profile", "since", "other than the defaults"), rows)


def save_profile(
    context: typer.Context,
    name: ProfileName,
    store: Store,
    params: Annotated[
        Path | None, typer.Option("--params", metavar="FILE", help="A parameter file; unless given, what is in use.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Save the parameters that are in use, or those of a file, as a profile."""
    given = None if params is None else tuning_values.whole(params)
    with opened(context, store, writes=True) as memory:
        saved = memory.tuning.save(name, given)
    if as_json:
        emit_json({"saved": saved})
    else:
        emit(f"saved as {saved.name}: {in_few_words(saved.changes)}")


def activate(context: typer.Context, name: ProfileName, store: Store, as_json: Json = False) -> None:
    """Put a profile in use, in every process, by writing it into the parameter file."""
    with opened(context, store, writes=True) as memory:
        done = memory.tuning.activate(name)
    _emit_activation(done, as_json=as_json)


def rollback(context: typer.Context, store: Store, as_json: Json = False) -> None:
    """Put back what was in the parameter file before the last profile was put in use."""
    with opened(context, store, writes=True) as memory:
        done = memory.tuning.rollback()
    _emit_activation(done, as_json=as_json)


def compare(
    context: typer.Context,
    first: Annotated[str, typer.Argument(metavar="FIRST", parser=values.name("first"), help="A profile.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", parser=values.name("second"), help="Another one.")],
    store: Store,
    k: K = 8,
    as_json: Json = False,
) -> None:
    """Show in which parameters two profiles differ, and how both answer the recorded searches."""
    with opened(context, store) as memory, working("Replaying") as advance:
        found = memory.tuning.compare(first, second, k=k, progress=advance)
    if as_json:
        emit_json({"compared": found})
        return
    rows = [(name, json.dumps(one), json.dumps(other)) for name, (one, other) in found.differing.items()]
    if rows:
        emit_table(("parameter", found.first, found.second), rows)
    else:
        emit("no parameter differs")
    if found.comparison is None:
        say("no recorded search says what was right: none of their answers entered a prompt")
    else:
        emit_comparison(found.comparison, found.k, (found.first, found.second))


def _emit_activation(done: "Activation", *, as_json: bool) -> None:
    if as_json:
        emit_json({"activation": done})
        return
    if done.kept_as is not None:
        emit(f"what was in the file is kept as the profile {done.kept_as}")
    happened = f"{done.profile} is rolled back" if done.rolled_back else f"{done.profile} is in use"
    emit(f"{happened}, by {done.path}: {in_few_words(done.changes)}")


def _write_page(path: Path | None, page: Any) -> None:
    """Write a report as HTML where it is wanted.

    Raises:
        typer.BadParameter: it cannot be written.
    """
    if path is None:
        return
    try:
        path.write_text(page(), encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"--html: {path} cannot be written ({error.strerror})") from error
    say(f"written: {path}")


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    tune = typer.Typer(help="Record searches, run them again, and find better parameters.", no_args_is_help=True)
    for command in (record, status, traces, forget, replay, search, profiles, activate, rollback, compare):
        tune.command()(grouped(command))
    tune.command("save")(grouped(save_profile))
    app.add_typer(tune, name="tune")
