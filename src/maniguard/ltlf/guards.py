"""Guards as formulas: what a letter must look like to go from one state to another."""

from __future__ import annotations

from maniguard.ltlf.dfa import Dfa

Cube = tuple[tuple[int, bool], ...]
"""A conjunction of literals, as (index of the atom, sign)."""


def cubes(dfa: Dfa, state: int, *, limit: int = 4096) -> dict[int, list[Cube]]:
    """Return, for each successor of `state`, disjoint conjunctions that cover its guard; at most `limit` in all.

    Where a guard has more, the rest is left out and the list ends in the empty tuple, which reads as "otherwise".
    """
    found: dict[int, list[Cube]] = {}
    count = 0
    stack: list[tuple[int, Cube]] = [(dfa.roots[state], ())]
    while stack:
        ref, cube = stack.pop()
        if ref < 0:
            count += 1
            if count > limit:
                found.setdefault(~ref, []).append(())
                break
            found.setdefault(~ref, []).append(cube)
            continue
        atom = dfa.node_atom[ref]
        stack.append((dfa.node_hi[ref], (*cube, (atom, True))))
        stack.append((dfa.node_lo[ref], (*cube, (atom, False))))
    return found
