"""How replays and searches for parameters are told to people, with bars of characters."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memcore.surfaces.cli.output import emit, say
from memcore.surfaces.cli.tables import emit_table

if TYPE_CHECKING:
    from memcore.records.replay import Comparison, Quality, ReplayReport
    from memcore.records.tuning import TuningReport

__all__ = ["bar", "curve", "emit_comparison", "emit_replay", "emit_search", "in_few_words"]

_WIDTH = 30
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_HEIGHTS = "▁▂▃▄▅▆▇█"
_MOST_TOLD = 6
_LONGEST_CURVE = 60


def in_few_words(changes: Mapping[str, Any]) -> str:
    """The first changes of a set of parameters."""
    told = [f"{name} {json.dumps(value)}" for name, value in list(changes.items())[:_MOST_TOLD]]
    more = f" and {len(changes) - _MOST_TOLD} more" if len(changes) > _MOST_TOLD else ""
    return ", ".join(told) + more if told else "the defaults"


def bar(share: float, width: int = _WIDTH) -> str:
    """A share, 0 to 1, as a bar of characters.

    >>> bar(0.5, 4), bar(0.28, 4)
    ('██', '█▏')
    """
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    return (_EIGHTHS[8] * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def curve(values: Sequence[float]) -> str:
    """Numbers, one after the other, as heights of characters; of many, some.

    >>> curve([0.0, 0.5, 1.0])
    '▁▅█'
    """
    every = -(-len(values) // _LONGEST_CURVE)
    shown = values[::every] if every > 1 else values
    low, high = min(shown), max(shown)
    span = high - low
    return "".join(_HEIGHTS[0 if span == 0 else round((value - low) / span * 7)] for value in shown)


def emit_replay(report: "ReplayReport") -> None:
    """Write how many searches found what they found, why the others did not, and how good the answers are."""
    counts = {"match": report.matched} | {reason.value: number for reason, number in report.mismatched.items()}
    rows = [(name, number, bar(number / report.rounds)) for name, number in counts.items()]
    emit_table(("search", "number", ""), rows)
    if report.overlap is not None and report.matched < report.rounds:
        emit(f"{report.overlap:.1%} of the answers of then are in the answers now")
    if report.quality is None:
        say("none of the searches says what was right: none of their answers entered a prompt")
        return
    emit(f"{report.labelled} of {report.rounds} say what was right")
    if report.comparison is None:
        _emit_qualities({"as it was": report.quality}, report.k)
        return
    emit(f"tried: {in_few_words(report.changes)}; {report.changed} of {report.rounds} are answered otherwise")
    emit_comparison(report.comparison, report.k, ("as it was", "tried"))


def emit_search(report: "TuningReport") -> None:
    """Write what a search found, over the rounds it was chosen by and over those it was not."""
    emit(f"{len(report.trials)} sets tried ({report.known} known from before), on {report.on}")
    emit(f"best so far: {curve([trial.best for trial in report.trials])}")
    if report.changes:
        emit_table(("parameter", "best"), [(name, json.dumps(value)) for name, value in report.changes.items()])
    emit(f"\nover the {report.tuned.rounds} rounds by which it was chosen:")
    emit_comparison(report.tuned, report.k, ("present", "best"))
    emit(f"\nover the {report.held_out.rounds} rounds that had no say:")
    emit_comparison(report.held_out, report.k, ("present", "best"))
    emit(f"\n{report.verdict}")


def emit_comparison(found: "Comparison", k: int, names: tuple[str, str]) -> None:
    """Write two rankings side by side, and what the difference is worth."""
    _emit_qualities({names[0]: found.before, names[1]: found.after}, k)
    emit(
        f"nDCG@{k} {found.rise:+.3f} [{found.low:+.3f}, {found.high:+.3f}]: {found.better} better, {found.worse} worse,"
        f" {found.rounds - found.better - found.worse} as before"
    )


def _emit_qualities(of: "Mapping[str, Quality]", k: int) -> None:
    rows = [(name, one.ndcg, one.recall, one.mrr, bar(one.ndcg)) for name, one in of.items()]
    emit_table(("", f"nDCG@{k}", f"recall@{k}", "MRR", ""), rows)
