"""The minimal automaton of a raw one: partition refinement on shared decision diagrams."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from maniguard.ltlf.derive import Raw


def minimise(raw: Raw) -> Raw:
    """Return the minimal complete automaton, numbered canonically.

    States are numbered breadth first from the initial one, false branches first, so that two automata of one language
    over one order of atoms come out identical. Only the smaller parts of a split are looked at again: n log n rather
    than n rounds, which matters for the long chains of bounded operators.
    """
    classes = _classes(raw)
    return _quotient(raw, classes)


def _classes(raw: Raw) -> list[int]:
    """Return the class of every state in the coarsest stable partition."""
    count = len(raw.roots)
    of_state = [int(a) for a in raw.accept]
    members: list[set[int]] = [
        {s for s in range(count) if not raw.accept[s]},
        {s for s in range(count) if raw.accept[s]},
    ]
    root_value: list[int | None] = [None, None]
    # The value of a guard under the current classes: ~class, or the number of a node of classes.
    of_node: list[int] = []
    numbers: dict[tuple[int, int, int], int] = {}
    for var, lo, hi in zip(raw.var, raw.lo, raw.hi, strict=True):
        lo = of_node[lo] if lo >= 0 else ~of_state[~lo]
        hi = of_node[hi] if hi >= 0 else ~of_state[~hi]
        of_node.append(lo if lo == hi else numbers.setdefault((var, lo, hi), len(numbers)))
    moved = _split(raw, range(count), of_state, of_node, members, root_value)
    if not moved:
        return of_state
    node_parents, leaf_parents = _parents(raw)
    states_of: dict[int, list[int]] = {}
    for state, root in enumerate(raw.roots):
        states_of.setdefault(root, []).append(state)
    while moved:
        touched = {s for state in moved for s in states_of.get(~state, ())}
        # Children come before parents, so that a heap of node numbers visits each changed node once.
        queued = {parent for state in moved for parent in leaf_parents[state]}
        heap = list(queued)
        heapify(heap)
        while heap:
            node = heappop(heap)
            lo, hi = raw.lo[node], raw.hi[node]
            lo = of_node[lo] if lo >= 0 else ~of_state[~lo]
            hi = of_node[hi] if hi >= 0 else ~of_state[~hi]
            value = lo if lo == hi else numbers.setdefault((raw.var[node], lo, hi), len(numbers))
            if value != of_node[node]:
                of_node[node] = value
                if node in states_of:
                    touched.update(states_of[node])
                for parent in node_parents[node]:
                    if parent not in queued:
                        queued.add(parent)
                        heappush(heap, parent)
        moved = _split(raw, sorted(touched), of_state, of_node, members, root_value)
    return of_state


def _parents(raw: Raw) -> tuple[list[list[int]], list[list[int]]]:
    """Return the nodes above each node and above each state's leaf."""
    of_node: list[list[int]] = [[] for _ in raw.var]
    of_leaf: list[list[int]] = [[] for _ in raw.roots]
    for node, (lo, hi) in enumerate(zip(raw.lo, raw.hi, strict=True)):
        (of_node[lo] if lo >= 0 else of_leaf[~lo]).append(node)
        (of_node[hi] if hi >= 0 else of_leaf[~hi]).append(node)
    return of_node, of_leaf


def _split(
    raw: Raw,
    touched: Iterable[int],
    of_state: list[int],
    of_node: list[int],
    members: list[set[int]],
    root_value: list[int | None],
) -> list[int]:
    """Split the classes of the touched states by the values of their guards; return the states whose class is new."""
    by_class: dict[int, dict[int, list[int]]] = {}
    for state in touched:
        root = raw.roots[state]
        value = of_node[root] if root >= 0 else ~of_state[~root]
        by_class.setdefault(of_state[state], {}).setdefault(value, []).append(state)
    moved: list[int] = []
    for cls, groups in by_class.items():
        rest = len(members[cls]) - sum(map(len, groups.values()))
        old = root_value[cls]
        biggest = max(groups, key=lambda value: len(groups[value]))
        if rest and old in groups:
            # Some touched states kept their value: they stay with the untouched ones.
            rest += len(groups.pop(old))
            if not groups:
                continue
            biggest = max(groups, key=lambda value: len(groups[value]))
        if rest and rest >= len(groups[biggest]):
            keep: int | None = old
        else:
            keep = biggest
            if rest and old is not None:
                others = members[cls].difference(*groups.values())
                groups[old] = sorted(others)
        root_value[cls] = keep
        for value, states in groups.items():
            if value == keep:
                continue
            fresh = len(members)
            members.append(set(states))
            root_value.append(value)
            members[cls].difference_update(states)
            for state in states:
                of_state[state] = fresh
            moved += states
    return moved


def _quotient(raw: Raw, classes: list[int]) -> Raw:
    """Merge the states of each class and keep what is reachable, in canonical order."""
    sample: dict[int, int] = {}
    for state, cls in enumerate(classes):
        sample.setdefault(cls, state)
    result = Raw([], [], [], [], [])
    number = {classes[0]: 0}
    order = [classes[0]]
    unique: dict[tuple[int, int, int], int] = {}
    done: dict[int, int] = {}
    for cls in order:
        stack = [raw.roots[sample[cls]]]
        root = stack[0]
        while stack:
            ref = stack[-1]
            if ref in done:
                stack.pop()
                continue
            if ref < 0:
                target = classes[~ref]
                if target not in number:
                    number[target] = len(order)
                    order.append(target)
                done[ref] = ~number[target]
                stack.pop()
                continue
            lo, hi = raw.lo[ref], raw.hi[ref]
            if lo not in done:
                stack.append(lo)
            elif hi not in done:
                stack.append(hi)
            else:
                stack.pop()
                new_lo, new_hi = done[lo], done[hi]
                if new_lo == new_hi:
                    done[ref] = new_lo
                    continue
                key = (raw.var[ref], new_lo, new_hi)
                found = unique.get(key)
                if found is None:
                    found = unique[key] = len(result.var)
                    result.var.append(raw.var[ref])
                    result.lo.append(new_lo)
                    result.hi.append(new_hi)
                done[ref] = found
        result.roots.append(done[root])
        result.accept.append(raw.accept[sample[cls]])
    return result
