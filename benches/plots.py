"""Figures as SVG, without a library."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["growth_plot", "reliability_plot"]

COLOURS = ("#c0392b", "#3b6ea5", "#3a8a4d", "#8e5ea2", "#b8860b", "#4a9aa5", "#7a5c46", "#555555", "#b0577a")


def reliability_plot(bins: list[tuple[float, float, int]]) -> str:
    """The reliability as an SVG: told against observed, the area of a point by how many questions it stands for."""
    size, margin = 320, 40
    largest = max(count for *_, count in bins)

    def at(x: float, y: float) -> tuple[float, float]:
        return margin + x * size, margin + (1.0 - y) * size

    points = []
    for told, observed, count in bins:
        x, y = at(told, observed)
        points.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + 13 * (count / largest) ** 0.5:.1f}" fill="#3b6ea5">'
            f"<title>{told:.2f} told, {observed:.2f} observed, {count} questions</title></circle>"
        )
    ticks = "".join(
        f'<text x="{at(v, 0)[0]:.0f}" y="{margin + size + 16}" text-anchor="middle">{v:.1f}</text>'
        f'<text x="{margin - 6}" y="{at(0, v)[1] + 4:.0f}" text-anchor="end">{v:.1f}</text>'
        for v in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    whole = size + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" font-family="sans-serif" '
        'font-size="11">'
        f'<rect width="{whole}" height="{whole}" fill="white"/>'
        f'<rect x="{margin}" y="{margin}" width="{size}" height="{size}" fill="none" stroke="#888"/>'
        f'<path d="M{margin} {margin + size}L{margin + size} {margin}" stroke="#bbb" stroke-dasharray="4 4"/>'
        f"{ticks}{''.join(points)}"
        f'<text x="{whole / 2}" y="{whole - 6}" text-anchor="middle">probability that was told</text>'
        f'<text x="12" y="{whole / 2}" text-anchor="middle" transform="rotate(-90 12 {whole / 2})">observed</text>'
        f'<text x="{whole / 2}" y="22" text-anchor="middle">Is what was asked among the first eight?</text></svg>\n'
    )


def growth_plot(lines: Mapping[str, Sequence[tuple[float, float]]], title: str, below: str, beside: str) -> str:
    """Points by name as an SVG, both axes by powers of ten; the first line is thicker, the names stand at the right.

    Raises:
        ValueError: there is no point, or one is not above 0.
    """
    points = [point for line in lines.values() for point in line]
    if not points or min(min(point) for point in points) <= 0:
        raise ValueError("growth_plot: there must be points, all of them above 0")
    width, height, margin, legend = 420, 320, 56, 150
    spans = []
    for values in zip(*points, strict=True):
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        spans.append((low, max(high, low + 1)))
    (left, right), (bottom, top) = spans

    def at(x: float, y: float) -> tuple[float, float]:
        across, up = (math.log10(x) - left) / (right - left), (math.log10(y) - bottom) / (top - bottom)
        return margin + across * width, margin + (1.0 - up) * height

    drawn = []
    for power in range(left, right + 1):
        x, _ = at(10.0**power, 10.0**bottom)
        drawn.append(f'<path d="M{x:.1f} {margin}V{margin + height}" stroke="#e4e4e4"/>')
        drawn.append(f'<text x="{x:.1f}" y="{margin + height + 16}" text-anchor="middle">{10.0**power:,.7g}</text>')
    for power in range(bottom, top + 1):
        _, y = at(10.0**left, 10.0**power)
        drawn.append(f'<path d="M{margin} {y:.1f}H{margin + width}" stroke="#e4e4e4"/>')
        drawn.append(f'<text x="{margin - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:,.7g}</text>')
    ends = sorted((at(*max(line))[1], name) for name, line in lines.items() if line)
    beneath, places = 0.0, {}
    for end, name in ends:
        beneath = places[name] = max(end, beneath + 13.0)
    for number, (name, line) in enumerate(lines.items()):
        if not line:
            continue
        colour, thick = COLOURS[number % len(COLOURS)], 3.0 if number == 0 else 1.5
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in sorted(line)))
        drawn.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{thick}"/>')
        for x, y in line:
            drawn.append(
                f'<circle cx="{at(x, y)[0]:.1f}" cy="{at(x, y)[1]:.1f}" r="{thick + 1}" fill="{colour}">'
                f"<title>{html.escape(name)}: {x:,.7g}, {y:,.4g}</title></circle>"
            )
        drawn.append(
            f'<text x="{margin + width + 10}" y="{places[name] + 4:.1f}" fill="{colour}">{html.escape(name)}</text>'
        )
    wide, tall = width + 2 * margin + legend, height + 2 * margin
    middle = margin + width / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" font-family="sans-serif" '
        'font-size="11">'
        f'<rect width="{wide}" height="{tall}" fill="white"/>{"".join(drawn)}'
        f'<rect x="{margin}" y="{margin}" width="{width}" height="{height}" fill="none" stroke="#888"/>'
        f'<text x="{middle}" y="{tall - 12}" text-anchor="middle">{html.escape(below)}</text>'
        f'<text x="14" y="{tall / 2}" text-anchor="middle" transform="rotate(-90 14 {tall / 2})">'
        f"{html.escape(beside)}</text>"
        f'<text x="{middle}" y="28" text-anchor="middle" font-size="13">{html.escape(title)}</text></svg>\n'
    )
