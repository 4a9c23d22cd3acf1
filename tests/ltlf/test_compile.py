from __future__ import annotations

import json
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from maniguard.ltlf import Budget, BudgetError, Dfa, FormulaError, LtlfError, compile_dfa, evaluate, parse
from maniguard.ltlf.formula import Formula

from .helpers import (
    ATOMS,
    FUTURE_CORPUS,
    MIXED_CORPUS,
    PAST_CORPUS,
    THREE_ATOMS,
    any_formulas,
    future_formulas,
    mixed_formulas,
    traces,
)

REFERENCE = json.loads((Path(__file__).parent / "reference_formulas.json").read_text(encoding="utf-8"))
OLDER_SECOND_PROPERTY = "G(object_grasped -> ((object_sync U object_dropped) | G(object_sync)))"
UP_TO_5 = traces(ATOMS, 5)
UP_TO_4_OF_THREE = traces(("a", "b", "c"), 4)


def agree(formula: Formula, dfa: Dfa, all_traces: list[list[dict[str, bool]]]) -> None:
    for trace in all_traces:
        assert dfa.accepts(trace) == evaluate(formula, trace), f"{formula} on {trace}"


@pytest.mark.parametrize("text", FUTURE_CORPUS + PAST_CORPUS + MIXED_CORPUS)
def test_the_language_is_the_reference_meaning_on_every_trace_up_to_length_5(text: str) -> None:
    formula = parse(text)
    agree(formula, compile_dfa(formula), UP_TO_5)


@pytest.mark.parametrize("text", THREE_ATOMS)
def test_the_language_with_three_atoms(text: str) -> None:
    formula = parse(text)
    agree(formula, compile_dfa(formula), UP_TO_4_OF_THREE)


@settings(max_examples=150, deadline=None)
@given(future_formulas())
def test_random_formulas_compile_to_their_meaning(formula: Formula) -> None:
    agree(formula, compile_dfa(formula), UP_TO_5[:341])


@settings(max_examples=100, deadline=None)
@given(mixed_formulas())
def test_random_formulas_with_past_compile_to_their_meaning(formula: Formula) -> None:
    agree(formula, compile_dfa(formula), UP_TO_5[:341])


@settings(max_examples=80, deadline=None)
@given(any_formulas(size=5))
def test_random_formulas_with_past_over_future_compile_to_their_meaning(formula: Formula) -> None:
    agree(formula, compile_dfa(formula), UP_TO_5[:341])


def residual_classes(formula: Formula, prefix: int, suffix: int) -> int:
    """Count the prefixes that some suffix tells apart, by the definition alone."""

    @cache
    def value(index: tuple[int, ...]) -> bool:
        return evaluate(formula, [LETTERS[i] for i in index])

    words = [tuple(LETTERS.index(x) for x in t) for t in traces(ATOMS, max(prefix, suffix))]
    suffixes = [w for w in words if len(w) <= suffix]
    return len({tuple(value(w + s) for s in suffixes) for w in words if len(w) <= prefix})


LETTERS = [t[0] for t in traces(ATOMS, 1)[1:]]


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "X[!] a",
        "N a",
        "a U b",
        "G(a -> F b)",
        "F a & F b",
        "G(a -> N b)",
        "F[1,2] a",
        "G(b -> Y a)",
        "last",
        "a M b",
    ],
)
def test_the_number_of_states_is_the_number_of_residuals(text: str) -> None:
    formula = parse(text)
    assert compile_dfa(formula).num_states == residual_classes(formula, 3, 3)


@settings(max_examples=60, deadline=None)
@given(future_formulas(size=5))
def test_no_two_states_are_equivalent_and_all_are_reachable(formula: Formula) -> None:
    dfa = compile_dfa(formula)
    letters = range(1 << len(dfa.atoms))
    step = [[dfa.step_packed(s, w) for w in letters] for s in range(dfa.num_states)]
    reached, todo = {0}, [0]
    while todo:
        for target in step[todo.pop()]:
            if target not in reached:
                reached.add(target)
                todo.append(target)
    assert reached == set(range(dfa.num_states))
    # Table filling, the textbook test, independent of the refinement that the compiler uses.
    pairs = {(p, q) for p in reached for q in reached if dfa.accept[p] != dfa.accept[q]}
    while True:
        more = {
            (p, q)
            for p in reached
            for q in reached
            if (p, q) not in pairs and any((step[p][w], step[q][w]) in pairs for w in letters)
        }
        if not more:
            break
        pairs |= more
    assert all((p, q) in pairs for p in reached for q in reached if p != q)


def together(n: int, shape: str) -> str:
    return " & ".join(shape.format(i=i) for i in range(n))


def chain(n: int) -> str:
    return " U (".join(f"p{i}" for i in range(n + 1)) + ")" * n


def nexts(n: int, inner: str) -> str:
    return "X[!] " * n + inner


GOLDEN = [
    ("true", 1),
    ("false", 1),
    ("a", 3),
    ("!a", 3),
    ("F a", 2),
    ("G a", 2),
    ("X[!] a", 4),
    ("N a", 4),
    ("a U b", 3),
    ("a R b", 3),
    (together(4, "G !p{i}"), 2),
    (together(20, "G !p{i}"), 2),
    ("(on U closed) & G !dropped & G !tipped", 3),
    ("(on W closed) & G !dropped & G !tipped", 3),
    ("G(t -> F[0,10] r)", 12),
    ("G(t -> F[0,20] r)", 22),
    ("G(t -> F[0,50] r)", 52),
    ("G(t -> F[0,100] r)", 102),
    ("G(t -> F[0,600] r)", 602),
    ("G(t -> G[0,100] s)", 102),
    ("G(a -> F[0,20] b) & G(c -> F[0,20] d)", 442),
    ("G(t -> F[4,8] r)", 49),
    ("G(t -> F[8,16] r)", 1281),
    ("G(t -> F[10,20] r)", 6145),
    ("G(a -> F[0,80] b) & G(c -> F[0,80] d)", 6562),
    ("G(a -> (b U[0,100] (c U[0,100] d)))", 202),
    ("G(a -> O[0,100] b)", 102),
    ("t -> " + nexts(100, "r"), 103),
    ("G(t -> " + nexts(10, "r") + ")", 1025),
    *[(together(n, "G(a{i} -> (s{i} W r{i}))"), 2**n + 1) for n in (4, 6, 8)],
    *[(together(n, "G(a{i} -> F b{i})"), 2**n) for n in (3, 4, 8)],
    *[(together(n, "F p{i}"), 2**n) for n in (6, 8)],
    *[(chain(n), n + 2) for n in (8, 16, 100)],
]


@pytest.mark.parametrize(("text", "states"), GOLDEN, ids=[t[:40] for t, _ in GOLDEN])
def test_the_number_of_states_is_known(text: str, states: int) -> None:
    assert compile_dfa(text).num_states == states


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("G(a -> (b W c))", "G(a -> ((b U c) | G b))"),
        ("G a & G b", "G(a & b)"),
        ("F a | F b", "F(a | b)"),
        ("a U (a U b)", "a U b"),
        ("F[0,2] a & F[0,5] a", "F[0,2] a & (a | !a)"),
        ("(G a) <-> (F b)", "!((G a) ^ (F b))"),
    ],
)
def test_equivalent_formulas_over_one_order_of_atoms_give_the_identical_automaton(left: str, right: str) -> None:
    f, g = compile_dfa(left), compile_dfa(right)
    assert f.atoms == g.atoms
    assert f.raw == g.raw


def test_the_published_properties_as_one_conjunction() -> None:
    properties = REFERENCE["safemanip"]
    dfa = compile_dfa(" & ".join(f"({text})" for text in properties.values()))
    assert (dfa.num_states, len(dfa.atoms)) == (641, 45)
    # With the second property in the wording of its name, one atom less: the figure that is given elsewhere.
    older = {**properties, "grasp_remains_synced_until_dropped": OLDER_SECOND_PROPERTY}
    dfa = compile_dfa(" & ".join(f"({text})" for text in older.values()))
    assert (dfa.num_states, len(dfa.atoms)) == (449, 44)


def test_what_explodes_ends_in_an_error_that_names_the_culprit() -> None:
    with pytest.raises(BudgetError) as caught:
        compile_dfa("G !spilled & G(t -> F[40,80] r) & F done")
    assert caught.value.culprit == "F[40,80] r"
    assert caught.value.limit in ("states", "operations")
    assert "F[40,80] r" in str(caught.value)


def test_a_product_that_explodes_names_the_conjunction() -> None:
    text = together(12, "F p{i}")
    with pytest.raises(BudgetError) as caught:
        compile_dfa(text, budget=Budget(states=500))
    assert caught.value.limit == "states"
    assert caught.value.culprit == text


def test_a_budget_is_positive() -> None:
    with pytest.raises(FormulaError, match="positive"):
        Budget(states=0)


def test_the_order_of_atoms_is_that_of_first_occurrence() -> None:
    assert compile_dfa("z & a | z").atoms == ("z", "a")


def test_importing_the_logic_imports_no_simulator_and_no_file_format() -> None:
    import subprocess

    code = "import sys, maniguard.ltlf; print([m for m in ('mujoco', 'h5py', 'scipy', 'numba') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_guessed_atom_never_clashes_with_a_name() -> None:
    formula = parse('F("#0" & O(a & X[!] "#0"))')
    dfa = compile_dfa(formula)
    assert dfa.atoms == ("#0", "a")
    for trace in traces(("#0", "a"), 4):
        assert dfa.accepts(trace) == evaluate(formula, trace)


def test_a_past_operator_over_the_future_that_explodes_names_what_was_written() -> None:
    with pytest.raises(BudgetError) as caught:
        compile_dfa("G(a -> O F[40,80] b)", budget=Budget(states=500))
    assert "#" not in caught.value.culprit


def test_shared_parts_are_compiled_once_and_never_written_out() -> None:
    """A formula that is small only because it shares its parts: as a tree it has more than 2**60 operators."""
    from maniguard.ltlf import bad_prefix_view, compile_bad_prefix
    from maniguard.ltlf.formula import Op, make

    formula = parse("a U b")
    for _ in range(60):
        formula = make(Op.IFF, (formula, formula))
    assert compile_dfa(formula).num_states == 1
    assert bad_prefix_view(formula).depth <= 150
    assert compile_bad_prefix(formula).num_states >= 1
    assert "operators" in repr(formula)
    with pytest.raises(FormulaError, match="too large to be printed"):
        str(formula)
    past = parse("a S b")
    for _ in range(40):
        past = make(Op.XOR, (past, past))
    assert compile_dfa(make(Op.ALWAYS, (past,))).num_states == 2


@pytest.mark.parametrize(
    "text", ["G(h -> O[3,4] s)", "G(h -> (a S[3,5] s))", "G(h -> !(a S[2,inf] s))", "G(h -> Y Y Y s)"]
)
def test_long_memories_mean_what_the_definition_says(text: str) -> None:
    formula = parse(text)
    names = formula.atom_order()
    rng = np.random.default_rng(5)
    dfa = compile_dfa(formula)
    for _ in range(300):
        rows = rng.random((int(rng.integers(12)), len(names))) < 0.6
        trace = [dict(zip(names, map(bool, row), strict=True)) for row in rows]
        assert dfa.accepts(trace) == evaluate(formula, trace), trace


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("G(h -> O[200,inf] s)", 202),
        ("G(h -> H[200,inf] s)", 202),
        ("G(h -> H[1,600] s)", 602),
        ("G(h -> O[1,600] s)", 602),
        ("G(h -> (a S[0,600] s))", 602),
    ],
)
def test_a_memory_of_hundreds_of_steps_stays_small(text: str, states: int) -> None:
    assert compile_dfa(text).num_states == states


@pytest.mark.parametrize("text", ["G(h -> O[200,300] s)", "G(h -> (a S[160,170] s))", "G(h -> O[40000,40000] s)"])
def test_a_memory_that_explodes_is_over_budget(text: str) -> None:
    with pytest.raises(BudgetError) as caught:
        compile_dfa(text, budget=Budget(states=5000, operations=200_000))
    assert caught.value.culprit


def test_hundreds_of_atoms_are_no_trouble_and_thousands_an_error_at_worst() -> None:
    names = [f"p{i}" for i in range(5000)]
    assert compile_dfa(" & ".join(names)).num_states == 3
    assert compile_dfa("G !(" + " | ".join(names[:600]) + ")").num_states == 2
    with pytest.raises(BudgetError, match="deeper than the stack"):
        compile_dfa("G !(" + " | ".join(names) + ")")


@pytest.mark.parametrize("op", ["U", "W", "R", "M", "M[1,3]", "W[1,3]", "S"])
def test_the_deepest_chains_compile_or_say_why_not(op: str) -> None:
    formula = parse(f" {op} ".join(f"p{i}" for i in range(149)))
    with suppress(BudgetError):
        compile_dfa(formula, budget=Budget(states=500, operations=50_000))


@pytest.mark.parametrize("op", ["^", "<->", "->"])
def test_the_longest_chains_of_boolean_operators_compile(op: str) -> None:
    """Written out without sharing, such a chain has more than 2**100 operators."""
    formula = parse(f" {op} ".join(f"p{i % 9}" for i in range(140)))
    dfa = compile_dfa(formula)
    assert dfa.num_states <= 3
    for word in (0, 1, 0b101010101, 0b111111111):
        letter = {f"p{i}": bool(word >> i & 1) for i in range(9)}
        assert dfa.accepts([letter]) == evaluate(formula, [letter])
    assert dfa.accepts([]) == evaluate(formula, [])


def test_a_stack_that_is_used_up_is_an_error_and_no_crash() -> None:
    formula = parse("X[!] " * 140 + "a")

    def deep(n: int) -> object:
        return deep(n - 1) if n else compile_dfa(formula)

    limit = sys.getrecursionlimit()
    outcomes = set()
    for left in range(100, limit - 100, 100):
        with suppress(LtlfError):
            deep(left)
            outcomes.add(left)
    assert outcomes
