"""Questions about formulas and automata: satisfiable, valid, equivalent, how far from doom, and the trace to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.derive import Raw
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.diagrams import ExhaustedError, Meter
from maniguard.ltlf.errors import BudgetError
from maniguard.ltlf.formula import Formula, Op, conj, make
from maniguard.ltlf.minimise import minimise
from maniguard.ltlf.product import Product

Trace = list[dict[str, bool]]


def edges(dfa: Dfa, state: int) -> Iterator[tuple[int, dict[str, bool]]]:
    """Yield each successor of `state` once, with a letter that leads there."""
    seen: set[int] = set()
    base = dict.fromkeys(dfa.atoms, False)
    stack: list[tuple[int, dict[str, bool]]] = [(dfa.roots[state], base)]
    while stack:
        ref, letter = stack.pop()
        if ref in seen:
            continue
        seen.add(ref)
        if ref < 0:
            yield ~ref, letter
            continue
        name = dfa.atoms[dfa.node_atom[ref]]
        stack.append((dfa.node_hi[ref], {**letter, name: True}))
        stack.append((dfa.node_lo[ref], letter))


def shortest_trace(dfa: Dfa, wanted: Callable[[int], bool], start: int | None = None) -> Trace | None:
    """Return a shortest non-empty trace from `start` to a state that `wanted` accepts, None if there is none."""
    first = dfa.initial if start is None else start
    seen = {first}
    queue: list[tuple[int, Trace]] = [(first, [])]
    for state, trace in queue:
        for target, letter in edges(dfa, state):
            longer = [*trace, letter]
            if wanted(target):
                return longer
            if target not in seen:
                seen.add(target)
                queue.append((target, longer))
    return None


def find_trace(formula: Formula, *, budget: Budget = DEFAULT_BUDGET) -> Trace | None:
    """Return a shortest non-empty trace that satisfies `formula`, None if there is none."""
    dfa = compile_dfa(formula, budget=budget)
    return shortest_trace(dfa, lambda s: dfa.accept[s])


def is_satisfiable(formula: Formula, *, budget: Budget = DEFAULT_BUDGET) -> bool:
    """Say whether some non-empty trace satisfies `formula`."""
    return find_trace(formula, budget=budget) is not None


def is_valid(formula: Formula, *, budget: Budget = DEFAULT_BUDGET) -> bool:
    """Say whether every non-empty trace satisfies `formula`."""
    return not is_satisfiable(make(Op.NOT, (formula,)), budget=budget)


def difference(left: Formula, right: Formula, *, budget: Budget = DEFAULT_BUDGET) -> Trace | None:
    """Return a shortest non-empty trace on which two formulas differ, None if they are equivalent."""
    return find_trace(make(Op.XOR, (left, right)), budget=budget)


def distances(dfa: Dfa, verdict: Verdict = Verdict.PERM_VIOL) -> tuple[int | None, ...]:
    """Return, per state, the least number of letters after which `verdict` can hold, None where it never can."""
    before: list[set[int]] = [set() for _ in range(dfa.num_states)]
    for state in range(dfa.num_states):
        for target in dfa.successors(state):
            before[target].add(state)
    found: list[int | None] = [0 if dfa.verdict(s) is verdict else None for s in range(dfa.num_states)]
    ring = [s for s in range(dfa.num_states) if found[s] == 0]
    step = 0
    while ring:
        step += 1
        ring = [s for s in {p for t in ring for p in before[t]} if found[s] is None]
        for s in ring:
            found[s] = step
    return tuple(found)


class HiddenDoom(NamedTuple):
    """Two formulas that can no longer both be satisfied although neither monitor says so.

    After `trace`, the first of the kind, each is still satisfiable alone. It is empty when no trace with a step
    satisfies both.
    """

    trace: Trace


def hidden_doom(left: Dfa, right: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> HiddenDoom | None:
    """Return how the conjunction of two formulas can be doomed before either is, None if it cannot.

    Raises:
        BudgetError: the product would outgrow `budget`.
    """
    atoms, product = _conjunction(left, right, budget)
    both = Dfa(atoms, product.raw)
    # The product is not minimal: its doomed states are those from which no accepting one is reached.
    alive = {s for s in range(both.num_states) if both.accept[s]}
    before: list[set[int]] = [set() for _ in range(both.num_states)]
    for state in range(both.num_states):
        for target in both.successors(state):
            before[target].add(state)
    todo = list(alive)
    for state in todo:
        for source in before[state]:
            if source not in alive:
                alive.add(source)
                todo.append(source)

    def unseen(state: int) -> bool:
        i, j = product.states[state]
        parts = (left.verdict(i), right.verdict(j))
        return state not in alive and Verdict.PERM_VIOL not in parts

    if unseen(both.initial) or shortest_trace(both, lambda s: both.accept[s]) is None:
        return HiddenDoom([])
    trace = shortest_trace(both, unseen)
    return None if trace is None else HiddenDoom(trace)


def conjoin(left: Dfa, right: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the minimal automaton of the conjunction.

    Raises:
        BudgetError: the product would outgrow `budget`.
    """
    atoms, product = _conjunction(left, right, budget)
    parts = [f for f in (left.formula, right.formula) if f is not None]
    return Dfa(atoms, minimise(product.raw), conj(*parts) if len(parts) == 2 else None)


def _conjunction(left: Dfa, right: Dfa, budget: Budget) -> tuple[tuple[str, ...], Product]:
    atoms = tuple(dict.fromkeys(left.atoms + right.atoms))
    meter = Meter(budget.operations)
    try:
        product = Product(Op.AND, over_atoms(left, atoms), over_atoms(right, atoms), meter, budget.states)
        product.run()
    except (ExhaustedError, RecursionError) as error:
        limit = "depth" if isinstance(error, RecursionError) else error.limit
        culprit = f"({left.formula}) & ({right.formula})"
        raise BudgetError(f"the product of both formulas needs more {limit} than allowed", culprit, limit) from None
    return atoms, product


def over_atoms(dfa: Dfa, atoms: tuple[str, ...]) -> Raw:
    """Return the automaton over a longer list of atoms; guards are put in the order of that list."""
    place = [atoms.index(a) for a in dfa.atoms]
    raw = dfa.raw
    if place == sorted(place):
        return raw._replace(var=[place[v] for v in raw.var])
    return reorder(raw, place)


def reorder(raw: Raw, place: list[int]) -> Raw:
    """Return the automaton with atom i renamed to `place[i]`, its diagrams rebuilt in the new order."""
    result = Raw([], [], [], [], list(raw.accept))
    unique: dict[tuple[int, int, int], int] = {}
    chosen: dict[tuple[int, int, int], int] = {}

    def node(var: int, lo: int, hi: int) -> int:
        if lo == hi:
            return lo
        key = (var, lo, hi)
        found = unique.get(key)
        if found is None:
            found = unique[key] = len(result.var)
            result.var.append(var)
            result.lo.append(lo)
            result.hi.append(hi)
        return found

    def choose(var: int, lo: int, hi: int) -> int:
        """Return "if var then hi else lo" where both may test atoms before var."""
        top = min((result.var[r] for r in (lo, hi) if r >= 0), default=var)
        if top >= var:
            # Nothing above var: cofactors by var are the diagrams themselves or their branches.
            lo = result.lo[lo] if lo >= 0 and result.var[lo] == var else lo
            hi = result.hi[hi] if hi >= 0 and result.var[hi] == var else hi
            return node(var, lo, hi)
        key = (var, lo, hi)
        found = chosen.get(key)
        if found is None:
            lo0, lo1 = (result.lo[lo], result.hi[lo]) if lo >= 0 and result.var[lo] == top else (lo, lo)
            hi0, hi1 = (result.lo[hi], result.hi[hi]) if hi >= 0 and result.var[hi] == top else (hi, hi)
            found = chosen[key] = node(top, choose(var, lo0, hi0), choose(var, lo1, hi1))
        return found

    new: list[int] = []
    for var, lo, hi in zip(raw.var, raw.lo, raw.hi, strict=True):
        new.append(choose(place[var], new[lo] if lo >= 0 else lo, new[hi] if hi >= 0 else hi))
    result.roots.extend(new[r] if r >= 0 else r for r in raw.roots)
    return result
