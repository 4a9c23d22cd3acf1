"""Automata as pictures, without any drawing program."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.errors import LtlfError
from maniguard.ltlf.export_dot import FILL
from maniguard.ltlf.guards import guard_text, guards

MAX_STATES = 40
_RADIUS = 20.0
_CHAR = 6.3
_NAMES = {
    Verdict.PERM_SAT: "satisfied for good",
    Verdict.CURR_SAT: "satisfied so far",
    Verdict.CURR_VIOL: "something is owed",
    Verdict.PERM_VIOL: "violated for good",
}


class _Edge(NamedTuple):
    source: int
    target: int
    label: str
    title: str


def to_svg(dfa: Dfa, *, title: str | None = None) -> str:
    """Return an SVG picture: states on a line in order of their distance from the start, coloured by verdict.

    Accepting states have a double ring. A guard that is too long is cut; its tool tip has all of it.

    Raises:
        LtlfError: more than `MAX_STATES` states; such a picture shows nothing. `to_dot` has no such limit.
    """
    if dfa.num_states > MAX_STATES:
        raise LtlfError(f"{dfa.num_states} states are too many to draw, at most {MAX_STATES}; use DOT, HOA or JSON")
    return _Picture(dfa, title if title is not None else str(dfa.formula or "")).draw()


class _Picture:
    """States on one line; what goes right runs above it, what goes left below, the farther the higher."""

    def __init__(self, dfa: Dfa, title: str) -> None:
        self.dfa = dfa
        self.title = title
        self.edges = [
            _Edge(state, target, _shorten(guard_text(dfa, cubes, limit=3)), guard_text(dfa, cubes))
            for state in range(dfa.num_states)
            for target, cubes in guards(dfa, state).items()
        ]
        # The dead state comes last: violations run to the right end.
        self.order = sorted(range(dfa.num_states), key=lambda s: (dfa.verdict(s) is Verdict.PERM_VIOL, s))
        self.rank = {state: i for i, state in enumerate(self.order)}
        self.x = self._columns()
        self.above = max((self._height(e) for e in self.edges if self._span(e) > 0), default=0.0)
        self.below = max((self._height(e) for e in self.edges if self._span(e) < 0), default=0.0)
        self.y = 60 + max(self.above, 62)

    def _span(self, edge: _Edge) -> int:
        return self.rank[edge.target] - self.rank[edge.source]

    def _height(self, edge: _Edge) -> float:
        """Return how far the middle of an edge is from the line of states."""
        span = self._span(edge)
        if span == 1:
            return 0.0
        return 44.0 + 36.0 * span if span > 0 else 4.0 - 34.0 * span

    def _columns(self) -> list[float]:
        loops = [0.0] * len(self.order)
        gaps = [0.0] * len(self.order)
        for edge in self.edges:
            width = _CHAR * len(edge.label)
            if edge.source == edge.target:
                loops[self.rank[edge.source]] = width
            elif abs(self._span(edge)) == 1:
                place = min(self.rank[edge.source], self.rank[edge.target])
                gaps[place] = max(gaps[place], width + 2 * _RADIUS + 18)
        x = [max(76.0, 20 + loops[0] / 2)]
        for i in range(1, len(self.order)):
            x.append(x[-1] + max(96.0, gaps[i - 1], (loops[i - 1] + loops[i]) / 2 + 14))
        self.right = max(x[-1] + _RADIUS, x[-1] + loops[-1] / 2)
        return x

    def draw(self) -> str:
        y = self.y
        start = self.x[self.rank[self.dfa.initial]]
        body = [f'<path class="e" d="M{start - 50:.1f},{y} L{start - _RADIUS - 2:.1f},{y}" marker-end="url(#a)"/>']
        # Labels after all lines, so that none is crossed out.
        drawn = [self._edge(e) for e in sorted(self.edges, key=lambda e: -abs(self._span(e)))]
        body += [line for line, _ in drawn] + [label for _, label in drawn]
        for state in self.order:
            x, verdict = self.x[self.rank[state]], self.dfa.verdict(state)
            ring = f'<circle class="r" cx="{x:.1f}" cy="{y}" r="{_RADIUS - 4}"/>' if self.dfa.accept[state] else ""
            body.append(
                f"<g><title>state {state}: {_NAMES[verdict]}</title>"
                f'<circle class="s" cx="{x:.1f}" cy="{y}" r="{_RADIUS}" fill="{FILL[verdict]}"/>{ring}'
                f'<text class="n" x="{x:.1f}" y="{y + 4.5}">{state}</text></g>'
            )
        verdicts = {self.dfa.verdict(s) for s in self.order}
        used = [v for v in Verdict if v in verdicts]
        legend_y = y + max(self.below, _RADIUS) + 34
        body += self._legend(used, legend_y)
        width = max(self.right + 20, 16 + 150 * len(used), 24 + 8 * len(_shorten(self.title, 90)))
        height = legend_y + 22
        style = (
            ".e{fill:none;stroke:#555;stroke-width:1.2}.s{stroke:#333;stroke-width:1.4}.r{fill:none;stroke:#333}"
            ".n{font:600 13px sans-serif;text-anchor:middle;fill:#111}"
            ".l{font:11px monospace;text-anchor:middle;fill:#222}"
            ".t{font:600 13px monospace;fill:#111}.k{font:11px sans-serif;fill:#333}"
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
            f"<title>{escape(self.title)}</title><style>{style}</style>"
            '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
            '<path d="M0,0 L10,5 L0,10 z" fill="#555"/></marker></defs>'
            f'<rect width="100%" height="100%" fill="#fff"/>'
            f'<text class="t" x="12" y="22">{escape(_shorten(self.title, 90))}</text>{"".join(body)}</svg>\n'
        )

    def _legend(self, used: list[Verdict], y: float) -> list[str]:
        return [
            f'<circle class="s" cx="{20 + 150 * i}" cy="{y:.1f}" r="7" fill="{FILL[v]}"/>'
            f'<text class="k" x="{32 + 150 * i}" y="{y + 4:.1f}">{_NAMES[v]}</text>'
            for i, v in enumerate(used)
        ]

    def _edge(self, edge: _Edge) -> tuple[str, str]:
        x1, x2, y = self.x[self.rank[edge.source]], self.x[self.rank[edge.target]], self.y
        span = self._span(edge)
        if span == 0:
            top = y - _RADIUS
            path = f"M{x1 - 8:.1f},{top + 2} C{x1 - 22:.1f},{top - 28} {x1 + 22:.1f},{top - 28} {x1 + 8:.1f},{top + 1}"
            return self._drawn(edge, path, x1, top - 25)
        if span == 1:
            path = f"M{x1 + _RADIUS:.1f},{y} L{x2 - _RADIUS - 1:.1f},{y}"
            return self._drawn(edge, path, (x1 + x2) / 2, y - 6)
        # A cubic whose middle is three quarters of the way to its control points.
        side = -1 if span > 0 else 1
        middle = y + side * self._height(edge)
        lean = 14.0 if span > 0 else -14.0
        dip = y + side * _RADIUS * 0.72
        control = dip + (middle - dip) / 0.75
        ends = f"{x1 + 3 * lean:.1f},{control:.1f} {x2 - 3 * lean:.1f},{control:.1f} {x2 - lean:.1f},{dip:.1f}"
        path = f"M{x1 + lean:.1f},{dip:.1f} C{ends}"
        return self._drawn(edge, path, (x1 + x2) / 2, middle - 5 if span > 0 else middle + 4)

    def _drawn(self, edge: _Edge, path: str, x: float, y: float) -> tuple[str, str]:
        width = _CHAR * len(edge.label) + 6
        behind = f'<rect x="{x - width / 2:.1f}" y="{y - 10:.1f}" width="{width:.1f}" height="13" fill="#fff"/>'
        return (
            f'<path class="e" d="{path}" marker-end="url(#a)"/>',
            f"<g><title>{edge.source} to {edge.target}: {escape(edge.title)}</title>{behind}"
            f'<text class="l" x="{x:.1f}" y="{y:.1f}">{escape(edge.label)}</text></g>',
        )


def _shorten(text: str, limit: int = 44) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
