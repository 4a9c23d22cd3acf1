from __future__ import annotations

import pytest
from hypothesis import given, settings

from maniguard.ltlf import (
    Monitor,
    Verdict,
    compile_dfa,
    difference,
    evaluate,
    find_trace,
    is_satisfiable,
    is_valid,
    parse,
)
from maniguard.ltlf.analysis import distances, hidden_doom, over_atoms, shortest_trace
from maniguard.ltlf.dfa import Dfa

from .helpers import ATOMS, future_formulas, traces

SHORT = traces(ATOMS, 3)[1:]


@settings(deadline=None, max_examples=80)
@given(future_formulas())
def test_a_found_trace_is_shortest_and_satisfies(formula) -> None:
    found = find_trace(formula)
    satisfying = [t for t in SHORT if evaluate(formula, t)]
    if found is None:
        assert not satisfying
        assert not is_satisfiable(formula)
        return
    full = [{a: letter.get(a, False) for a in ATOMS} for letter in found]
    assert evaluate(formula, full)
    assert all(len(found) <= len(t) for t in satisfying)


@settings(deadline=None, max_examples=60)
@given(future_formulas(size=4), future_formulas(size=4))
def test_a_difference_is_one(left, right) -> None:
    found = difference(left, right)
    if found is None:
        assert all(evaluate(left, t) == evaluate(right, t) for t in SHORT)
    else:
        full = [{a: letter.get(a, False) for a in ATOMS} for letter in found]
        assert evaluate(left, full) != evaluate(right, full)


def test_valid_and_satisfiable() -> None:
    assert is_valid(parse("a | !a"))
    assert is_valid(parse("F last"))
    assert not is_valid(parse("F a"))
    assert not is_satisfiable(parse("F a & G !a"))
    assert is_satisfiable(parse("F a & F !a"))
    assert not is_satisfiable(parse("G X[!] true"))


@settings(deadline=None, max_examples=60)
@given(future_formulas())
def test_the_distance_to_doom_is_the_shortest_way_there(formula) -> None:
    dfa = compile_dfa(formula)
    for state, distance in enumerate(dfa.distance_to_doom):
        if dfa.verdict(state) is Verdict.PERM_VIOL:
            assert distance == 0
            continue
        way = shortest_trace(dfa, lambda s: dfa.verdict(s) is Verdict.PERM_VIOL, state)
        assert distance == (None if way is None else len(way))


def test_a_timeout_counts_down_to_doom() -> None:
    monitor = Monitor("G(hit -> F[0,4] retract)")
    seen = [monitor.distance_to_doom]
    for hit, retract in [(False, False), (True, False), (False, False), (True, False), (False, True)]:
        monitor.step({"hit": hit, "retract": retract})
        seen.append(monitor.distance_to_doom)
    assert seen == [5, 5, 4, 3, 2, 5]
    assert Monitor("F goal").distance_to_doom is None


def test_the_distance_to_success() -> None:
    dfa = compile_dfa("X[!] X[!] a")
    assert distances(dfa, Verdict.PERM_SAT)[dfa.initial] == 3


@pytest.mark.parametrize(
    ("left", "right", "steps"),
    [
        ("G(a -> X[!] b)", "G(a -> X[!] !b)", 1),
        ("G(a -> F[0,2] b)", "G(a -> G[0,2] !b)", 1),
        ("F[0,3] a", "G !a", 0),
        ("G(a -> F b)", "G(c -> G !b)", 1),
    ],
)
def test_doom_that_no_part_sees_is_found(left: str, right: str, steps: int) -> None:
    one, two = compile_dfa(left), compile_dfa(right)
    doom = hidden_doom(one, two)
    assert doom is not None
    assert len(doom.trace) == steps
    letters = [{**dict.fromkeys("abc", False), **x} for x in doom.trace]
    for f in (left, right):
        monitor = Monitor(f)
        assert all(monitor.step(x) is not Verdict.PERM_VIOL for x in letters)
    both = Monitor(f"({left}) & ({right})")
    for letter in letters:
        both.step(letter)
    assert both.is_rejecting


@pytest.mark.parametrize(("left", "right"), [("G !a", "G !b"), ("G(a -> F b)", "G(b -> F a)"), ("a W b", "G !c")])
def test_parts_that_see_all_doom(left: str, right: str) -> None:
    assert hidden_doom(compile_dfa(left), compile_dfa(right)) is None


@settings(deadline=None, max_examples=80)
@given(future_formulas(names=("a", "b", "c")))
def test_another_order_of_atoms_is_another_view_of_the_same_automaton(formula) -> None:
    dfa = compile_dfa(formula)
    order = ("c", "x", "b", "a")
    other = Dfa(order, over_atoms(dfa, order))
    position = {a: i for i, a in enumerate(order)}
    assert all(
        position_of_parent < other.node_atom[child]
        for position_of_parent, lo, hi in zip(other.node_atom, other.node_lo, other.node_hi, strict=True)
        for child in (lo, hi)
        if child >= 0
    )
    assert set(position) == set(order)
    for trace in traces(("a", "b", "c"), 2):
        assert other.accepts([{**x, "x": True} for x in trace]) == dfa.accepts(trace)
