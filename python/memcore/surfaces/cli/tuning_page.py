"""Reports of tuning as pages of HTML: one file, its pictures drawn in it, nothing loaded from anywhere."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memcore.records.replay import Comparison, Quality, ReplayReport
    from memcore.records.tuning import TuningReport

__all__ = ["replay", "search"]

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c2430}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem .2rem 0;text-align:left}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}svg{display:block;margin:1rem 0;max-width:100%}"
    "text{font:12px system-ui,sans-serif;fill:#1c2430}.verdict{font-weight:600}"
)
_WIDTH, _ROW, _LABEL = 640, 26, 170
_COLOURS = ("#8a94a6", "#2f6fde", "#d9822b")
_HEIGHT = 180
_MARGIN = 40


def replay(report: "ReplayReport") -> str:
    """The page of a replay."""
    counts = {"match": report.matched, **{str(reason): number for reason, number in report.mismatched.items()}}
    parts = [
        _text(f"{report.rounds} recorded searches were run again; {report.matched} found what they found."),
        _bars({name: number / max(report.rounds, 1) for name, number in counts.items()}, counts),
    ]
    if report.comparison is not None:
        parts += [
            _text(f"Tried: {_words(report.changes)}. {report.changed} searches are answered otherwise."),
            *_compared(report.comparison, report.k, ("as it was", "tried")),
        ]
    elif report.quality is not None:
        parts += [_qualities({"as it was": report.quality}, report.k)]
    return _page("Replay of recorded searches", parts)


def search(report: "TuningReport") -> str:
    """The page of a search for parameters."""
    rows = [(name, str(value)) for name, value in report.changes.items()]
    parts = [
        f'<p class="verdict">{escape(report.verdict)}</p>',
        _text(f"{len(report.trials)} sets were tried on {report.on}, seed {report.seed}."),
        _curves({"each set": [one.score for one in report.trials], "best so far": [one.best for one in report.trials]}),
        _table(("parameter", "best"), rows) if rows else _text("No parameter changes."),
        f"<h2>The {report.tuned.rounds} rounds by which it was chosen</h2>",
        *_compared(report.tuned, report.k, ("present", "best")),
        f"<h2>The {report.held_out.rounds} rounds that had no say</h2>",
        *_compared(report.held_out, report.k, ("present", "best")),
    ]
    return _page("Search for parameters", parts)


def _compared(found: "Comparison", k: int, names: tuple[str, str]) -> list[str]:
    return [
        _qualities({names[0]: found.before, names[1]: found.after}, k),
        _text(
            f"nDCG@{k} {found.rise:+.4f}, 95 % interval [{found.low:+.4f}, {found.high:+.4f}]; "
            f"{found.better} rounds better, {found.worse} worse."
        ),
    ]


def _qualities(of: "Mapping[str, Quality]", k: int) -> str:
    """A table of numbers, and the same as bars."""
    rows = [(name, f"{one.ndcg:.4f}", f"{one.recall:.4f}", f"{one.mrr:.4f}") for name, one in of.items()]
    bars = {f"nDCG@{k} {name}": one.ndcg for name, one in of.items()}
    return _table(("", f"nDCG@{k}", f"recall@{k}", "MRR"), rows) + _bars(
        bars, {name: f"{value:.3f}" for name, value in bars.items()}
    )


def _bars(shares: Mapping[str, float], labels: Mapping[str, object]) -> str:
    """A horizontal bar for each share, 0 to 1."""
    room = _WIDTH - _LABEL - 60
    drawn = []
    for row, (name, share) in enumerate(shares.items()):
        top, length = row * _ROW, max(share, 0.0) * room
        drawn.append(
            f'<text x="0" y="{top + 17}">{escape(name)}</text>'
            f'<rect x="{_LABEL}" y="{top + 4}" width="{length:.1f}" height="{_ROW - 9}"'
            f' fill="{_COLOURS[1 if row else 0]}"/>'
            f'<text x="{_LABEL + length + 6:.1f}" y="{top + 17}">{escape(str(labels[name]))}</text>'
        )
    return _svg(len(shares) * _ROW, drawn)


def _curves(lines: Mapping[str, Sequence[float]]) -> str:
    """A line for each row of numbers, over one scale."""
    values = [value for line in lines.values() for value in line]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    drawn = [
        f'<text x="0" y="{_y(high, low, span) + 4:.1f}">{high:.3f}</text>',
        f'<text x="0" y="{_y(low, low, span) + 4:.1f}">{low:.3f}</text>',
    ]
    for number, (name, line) in enumerate(lines.items()):
        across = (_WIDTH - _MARGIN - 10) / max(len(line) - 1, 1)
        points = " ".join(
            f"{_MARGIN + place * across:.1f},{_y(value, low, span):.1f}" for place, value in enumerate(line)
        )
        drawn.append(f'<polyline fill="none" stroke="{_COLOURS[number]}" stroke-width="1.8" points="{points}"/>')
        drawn.append(
            f'<text x="{_MARGIN + number * 120}" y="{_HEIGHT + 16}" style="fill:{_COLOURS[number]}">'
            f"{escape(name)}</text>"
        )
    return _svg(_HEIGHT + 24, drawn)


def _y(value: float, low: float, span: float) -> float:
    return 10 + (1 - (value - low) / span) * (_HEIGHT - 20)


def _svg(height: int, drawn: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
        f' role="img">{"".join(drawn)}</svg>'
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>"
        + "".join(f"<td{'' if place == 0 else ' class=n'}>{escape(cell)}</td>" for place, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _text(said: str) -> str:
    return f"<p>{escape(said)}</p>"


def _words(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in changes.items()) or "nothing that differs"


def _page(title: str, parts: Iterable[str]) -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style><h1>{escape(title)}</h1>{''.join(parts)}</html>\n"
    )
