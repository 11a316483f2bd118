"""Draws docs/curves.svg, how memories fade, from the functions that they fade by: `make tables`."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from memcore import curves
from memcore.curves import LIVES, Curve

PICTURE = Path(__file__).parent / "curves.svg"

DAYS = 365
POINTS = 90
IMPORTANCE = 5  # of the event that is drawn
WIDTH, HEIGHT = 900, 500
LEFT, RIGHT, TOP, BOTTOM = 64, 620, 92, 428
LABELS, GAP = 650, 21

STYLE = """
  text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12.5px }
  text { fill: #1f2328 }
  .title { font-size: 17px; font-weight: 600 }
  .quiet { fill: #59636e }
  .ground { fill: #ffffff }
  .grid { stroke: #d1d9e0; stroke-width: 1; fill: none }
  .freeze { stroke: #59636e; stroke-width: 1; stroke-dasharray: 2 4; fill: none }
  .line { fill: none; stroke-linecap: round; stroke-linejoin: round; stroke-width: 2.5 }
  .line.half_life { stroke-width: 1.4 }
  .leader { fill: none; stroke-width: 1.2; stroke-opacity: 0.8 }
  .gaussian { stroke: #8250df } .logarithmic { stroke: #9a6700 } .half_life { stroke: #0969da }
  .hyperbolic { stroke: #1a7f37 } .exponential { stroke: #cf222e }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .ground { fill: #0d1117 }
    .grid { stroke: #2f353d }
    .freeze { stroke: #9198a1 }
    .gaussian { stroke: #be8fff } .logarithmic { stroke: #e3b341 } .half_life { stroke: #58a6ff }
    .hyperbolic { stroke: #3fb950 } .exponential { stroke: #ff7b72 }
  }
"""
UNDER_TITLE = "Retention by age. Facts (thin lines) live by the half-life of their category; dormant below the dots."
_OPENING = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    ' role="img" aria-labelledby="title description">'
)


@dataclass(frozen=True)
class Drawn:
    """One line of the picture: its curve, what lives by it, and retention by age in days."""

    curve: Curve
    label: str
    retention: Callable[[np.ndarray], np.ndarray]


def drawn() -> list[Drawn]:
    """The lines, those that last longest first."""
    stability = curves.first_stability_days(IMPORTANCE)
    lines = [
        Drawn(Curve.GAUSSIAN, f"{_kinds(Curve.GAUSSIAN)}: gaussian", curves.gaussian),
        Drawn(Curve.LOGARITHMIC, "rank form perocore: logarithmic", curves.logarithmic),
        Drawn(Curve.HYPERBOLIC, f"{_kinds(Curve.HYPERBOLIC)}: hyperbolic", curves.hyperbolic),
        Drawn(
            Curve.EXPONENTIAL,
            f"{_kinds(Curve.EXPONENTIAL)}: exponential, S = {stability:g} d",
            lambda age: curves.exponential(age, stability),
        ),
        *_facts(),
    ]
    return sorted(lines, key=lambda line: -float(line.retention(np.array([float(DAYS)]))[0]))


def _kinds(curve: Curve) -> str:
    return ", ".join(kind for kind, life in LIVES.items() if life.curve is curve)


def _facts() -> list[Drawn]:
    """The facts, a line for each half-life."""
    hours = curves.HALF_LIFE_HOURS
    return [
        Drawn(
            Curve.HALF_LIFE,
            f"fact ({', '.join(categories)}): {_time(half)}",
            lambda age, half=half: curves.half_life(1.0, age * 24, half),
        )
        for half, categories in groupby(hours, key=hours.__getitem__)
    ]


def _time(hours: float) -> str:
    return f"{hours:g} h" if hours < 48 else f"{hours / 24:g} d"


def picture() -> str:
    """The picture as SVG. It is the same whenever and wherever it is drawn."""
    lines = drawn()
    parts = [
        _OPENING,
        '<title id="title">How memories fade</title>',
        f'<desc id="description">Retention from 1 to 0 over {DAYS} days. After a year: {_after_a_year(lines)}.</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
        f'<text class="title" x="{LEFT}" y="40">What is left of a memory that nobody uses</text>',
        f'<text class="quiet" x="{LEFT}" y="62">{UNDER_TITLE}</text>',
        *_frame(),
    ]
    ends = [_y(float(line.retention(np.array([float(DAYS)]))[0])) for line in lines]
    for line, end, at in zip(lines, ends, _spread(ends), strict=True):
        parts += [_path(line), _label(line, end, at)]
    return "\n".join([*parts, "</svg>", ""])


def _after_a_year(lines: list[Drawn]) -> str:
    left = [(line, float(line.retention(np.array([float(DAYS)]))[0])) for line in lines]
    return escape("; ".join(f"{line.label} {value:.2f}" for line, value in left))


def _x(age: float) -> float:
    return LEFT + (RIGHT - LEFT) * age / DAYS


def _y(retention: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * retention


def _frame() -> list[str]:
    """Grid, axes, and the line below which a fact is dormant."""
    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<path class="grid" d="M{LEFT} {_y(tick):.1f}H{RIGHT}"/>')
        parts.append(f'<text class="quiet" x="{LEFT - 10}" y="{_y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for age in (0, 30, 60, 90, 180, 270, 365):
        parts.append(f'<path class="grid" d="M{_x(age):.1f} {BOTTOM}v5"/>')
        parts.append(f'<text class="quiet" x="{_x(age):.1f}" y="{BOTTOM + 21}" text-anchor="middle">{age}</text>')
    middle = (LEFT + RIGHT) / 2
    parts.append(
        f'<text class="quiet" x="{middle:.1f}" y="{BOTTOM + 44}" text-anchor="middle">days since last use,'
        " or since it happened</text>"
    )
    freeze = _y(curves.FREEZE)
    parts.append(f'<path class="freeze" d="M{LEFT} {freeze:.1f}H{RIGHT}"/>')
    parts.append(f'<text class="quiet" x="{LEFT - 10}" y="{freeze + 4:.1f}" text-anchor="end">{curves.FREEZE:g}</text>')
    return parts


def _path(line: Drawn) -> str:
    ages = DAYS * (np.arange(POINTS + 1) / POINTS) ** 2  # close together where the curves are steep
    points = zip(ages.tolist(), line.retention(ages).tolist(), strict=True)
    d = "L".join(f"{_x(age):.1f} {_y(value):.1f}" for age, value in points)
    return f'<path class="line {line.curve}" d="M{d}"/>'


def _spread(ends: list[float]) -> list[float]:
    """Heights for the labels: near the ends of their lines, in the same order, and apart."""
    heights: list[float] = []
    for end in reversed(ends):
        heights.append(min(end, heights[-1] - GAP) if heights else end)
    return heights[::-1]


def _label(line: Drawn, end: float, at: float) -> str:
    leader = f"M{RIGHT + 3} {end:.1f}C{RIGHT + 16} {end:.1f} {LABELS - 18} {at:.1f} {LABELS - 5} {at:.1f}"
    return (
        f'<path class="leader {line.curve}" d="{leader}"/>'
        f'<text x="{LABELS}" y="{at + 4:.1f}">{escape(line.label)}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
