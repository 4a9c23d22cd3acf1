"""A plot of paired differences: one line per group, drawn as an SVG that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 800, 130, 260, 34, 62


@dataclass(frozen=True)
class DifferenceLine:
    """One line of the plot: a label, a difference in -1 to 1 with its interval, and a remark such as a p-value."""

    label: str
    difference: float | None
    low: float | None
    high: float | None
    remark: str = ""


def differences_svg(title: str, axis: str, lines: Sequence[DifferenceLine]) -> str:
    """Return the SVG; the axis is in percentage points and is as wide as the widest interval asks for, 10 at least."""
    values = [abs(v) for line in lines for v in (line.difference, line.low, line.high) if v is not None]
    reach = max(0.1, *values) if values else 0.1
    step = next(s for s in (0.05, 0.1, 0.2, 0.25, 0.5) if reach / s <= 4.5)
    ticks = [k * step for k in range(-int(reach / step + 1e-9), int(reach / step + 1e-9) + 1)]
    height = _TOP + _ROW * len(lines) + 44
    middle, half = (_LEFT + _WIDTH - _RIGHT) / 2, (_WIDTH - _LEFT - _RIGHT) / 2 - 12

    def x(value: float) -> float:
        return middle + half * value / reach

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="13" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="16" font-weight="600" fill="#1d2730">{escape(title)}</text>',
    ]
    bottom = _TOP + _ROW * len(lines)
    for tick in ticks:
        strong = abs(tick) < 1e-9
        out.append(
            f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{_TOP - 14}" y2="{bottom}" '
            f'stroke="{"#1d2730" if strong else "#d9dee2"}" stroke-width="{1.2 if strong else 1}"/>'
        )
        words = "0" if strong else f"{100 * tick:+.0f}"
        out.append(f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle" fill="#5a6670">{words}</text>')
    out.append(f'<text x="{middle:.1f}" y="{bottom + 37}" text-anchor="middle" fill="#5a6670">{escape(axis)}</text>')
    for number, line in enumerate(lines):
        y = _TOP + _ROW * number + _ROW / 2 - 8
        weight = ' font-weight="600"' if number == 0 else ""
        out.append(f'<text x="16" y="{y + 4:.1f}" fill="#1d2730"{weight}>{escape(line.label)}</text>')
        if line.low is not None and line.high is not None:
            out.append(
                f'<line x1="{x(line.low):.1f}" x2="{x(line.high):.1f}" y1="{y:.1f}" y2="{y:.1f}" '
                'stroke="#1f6f8b" stroke-width="2.4" stroke-linecap="round"/>'
            )
        if line.difference is not None:
            out.append(f'<circle cx="{x(line.difference):.1f}" cy="{y:.1f}" r="5" fill="#1f6f8b"/>')
        words = "–" if line.difference is None else f"{100 * line.difference:+.1f}"
        start = _WIDTH - _RIGHT
        out.append(f'<text x="{start + 62}" y="{y + 4:.1f}" text-anchor="end" fill="#1d2730">{escape(words)}</text>')
        out.append(f'<text x="{start + 78}" y="{y + 4:.1f}" fill="#5a6670">{escape(line.remark)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
