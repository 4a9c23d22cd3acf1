"""Automata as Graphviz text."""

from __future__ import annotations

from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.formula import quoted
from maniguard.ltlf.guards import guard_text, guards

FILL = {
    Verdict.PERM_SAT: "#2e9d5b",
    Verdict.CURR_SAT: "#cdebd5",
    Verdict.CURR_VIOL: "#fde3c0",
    Verdict.PERM_VIOL: "#d9534f",
}
"""The colour of each verdict, in every picture of an automaton."""


def to_dot(dfa: Dfa) -> str:
    """Return a digraph; accepting states have a double border, colours tell the four verdicts."""
    lines = [
        "digraph dfa {",
        "  rankdir=LR;",
        '  node [shape=circle, style=filled, fontname="Helvetica"];',
        '  edge [fontname="Helvetica"];',
    ]
    if dfa.formula is not None:
        lines.append(f"  label={quoted(str(dfa.formula))};")
    lines.append('  init [shape=point, style="", label=""];')
    for state in range(dfa.num_states):
        shape = "doublecircle" if dfa.accept[state] else "circle"
        lines.append(f'  {state} [shape={shape}, fillcolor="{FILL[dfa.verdict(state)]}"];')
    lines.append(f"  init -> {dfa.initial};")
    for state in range(dfa.num_states):
        for target, cubes in guards(dfa, state).items():
            lines.append(f"  {state} -> {target} [label={quoted(guard_text(dfa, cubes, limit=40))}];")
    lines.append("}")
    return "\n".join(lines) + "\n"
