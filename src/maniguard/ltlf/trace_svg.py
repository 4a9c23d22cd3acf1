"""A trace and what a monitor says about it, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from maniguard.ltlf.compile import compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.errors import TraceError
from maniguard.ltlf.export_dot import FILL
from maniguard.ltlf.formula import Formula

_LANE = 22
_BAR = 12
_NAMES = {
    Verdict.PERM_SAT: "satisfied for good",
    Verdict.CURR_SAT: "satisfied so far",
    Verdict.CURR_VIOL: "something is owed",
    Verdict.PERM_VIOL: "violated for good",
}


def trace_svg(
    formula: Formula | str | Dfa,
    trace: Sequence[Mapping[str, bool]],
    *,
    atoms: Sequence[str] | None = None,
    step_px: float = 18.0,
) -> str:
    """Return an SVG picture of a trace: one lane per atom, a bar where it holds, and the verdict after each step below.

    `atoms` chooses and orders the lanes (default: the formula's atoms). Give an automaton to show another reading, such
    as that of `compile_bad_prefix`.

    Raises:
        MissingAtomError: a letter lacks an atom of the formula.
        TraceError: a lane that the letters do not have, or an empty trace.
    """
    dfa = formula if isinstance(formula, Dfa) else compile_dfa(formula)
    lanes = list(dfa.atoms if atoms is None else atoms)
    if not trace:
        raise TraceError("an empty trace cannot be drawn")
    for name in lanes:
        if any(name not in letter for letter in trace):
            raise TraceError(f"not every letter has a value for the lane {name!r}")
    left = 16 + 7.3 * max([len("verdict"), *map(len, lanes)])
    width, height = left + step_px * len(trace) + 10, _LANE * (len(lanes) + 1) + 26
    parts: list[str] = []
    for row, name in enumerate(lanes):
        y = 8 + _LANE * row
        parts.append(f'<text class="n" x="{left - 8:.1f}" y="{y + 11}">{escape(name)}</text>')
        parts.append(f'<line class="b" x1="{left:.1f}" x2="{width - 10:.1f}" y1="{y + _BAR}" y2="{y + _BAR}"/>')
        for first, last in _runs([bool(letter[name]) for letter in trace]):
            x, wide = left + step_px * first, step_px * (last - first + 1)
            steps = f"step {first}" if first == last else f"steps {first} to {last}"
            parts.append(
                f'<rect class="h" x="{x:.1f}" y="{y}" width="{wide - 1:.1f}" height="{_BAR}">'
                f"<title>{escape(name)} holds, {steps}</title></rect>"
            )
    y = 8 + _LANE * len(lanes)
    parts.append(f'<text class="n v" x="{left - 8:.1f}" y="{y + 11}">verdict</text>')
    state = dfa.initial
    for t, letter in enumerate(trace):
        state = dfa.step(state, letter)
        verdict = dfa.verdict(state)
        parts.append(
            f'<rect class="k" x="{left + step_px * t:.1f}" y="{y}" width="{step_px - 1:.1f}" height="{_BAR}" '
            f'fill="{FILL[verdict]}"><title>step {t}: {_NAMES[verdict]}</title></rect>'
        )
        if t % 5 == 0:
            x = left + step_px * (t + 0.5)
            parts.append(f'<text class="t" x="{x:.1f}" y="{y + _LANE + 4}">{t}</text>')
    style = (
        ".n{font:12px monospace;text-anchor:end;fill:#222}.v{font-weight:600}.b{stroke:#ccc}.h{fill:#3b6ea5}"
        ".k{stroke:#777;stroke-width:.6}.t{font:10px sans-serif;text-anchor:middle;fill:#555}"
    )
    title = str(dfa.formula or "trace")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" role="img"><title>{escape(title)}</title><style>{style}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _runs(values: list[bool]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for t, value in enumerate(values):
        if not value:
            continue
        if found and found[-1][1] == t - 1:
            found[-1] = (found[-1][0], t)
        else:
            found.append((t, t))
    return found
