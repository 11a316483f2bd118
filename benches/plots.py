"""Figures as SVG, without a library."""

from __future__ import annotations

__all__ = ["reliability_plot"]


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
