"""The automata of random and published formulas have the language that MONA computes, through ltlf2dfa's raw output.

Needs MONA (Debian package `mona`) and ltlf2dfa (from PyPI); neither is needed by the package. One process at a time:
ltlf2dfa writes a scratch file beside its own code.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
from itertools import product

import numpy as np
from _evidence import record
from _ltlf_common import BOOLEAN, FUTURE, PAST, REFERENCE, log, random_formula

from maniguard.ltlf import Dfa, Formula, compile_dfa, parse
from maniguard.ltlf.formula import LAST, Op, conj, make

NAMES = ("a", "b", "c")
PLAIN = (*BOOLEAN, Op.NEXT, Op.WEAK_NEXT, Op.EVENTUALLY, Op.ALWAYS, Op.UNTIL, Op.RELEASE)

MonaDfa = tuple[list[str], set[int], dict[int, list[tuple[str, int]]]]


def to_ltlf2dfa(f: Formula) -> str:
    """Spell a formula in ltlf2dfa's language, fully parenthesised; what it lacks is expanded by definition."""
    op = f.op
    if op is Op.ATOM:
        return f.name
    if not f.args:
        return op.value
    a = [f"({to_ltlf2dfa(x)})" for x in f.args]
    if op is Op.WEAK_YESTERDAY:
        return f"!(Y(!{a[0]}))"
    if len(a) == 1:
        return {Op.NEXT: "X", Op.WEAK_NEXT: "WX"}.get(op, op.value) + a[0]
    if op is Op.XOR:
        return f"!({a[0]} <-> {a[1]})"
    if op is Op.WEAK_UNTIL:
        return f"({a[0]} U {a[1]}) | (G{a[0]})"
    if op is Op.STRONG_RELEASE:
        return f"{a[1]} U ({a[0]} & {a[1]})"
    return f" {op.value} ".join(a)


def read_mona(text: str) -> MonaDfa:
    """Return the variables, the accepting states and the transitions of MONA's printed automaton."""
    names = re.search(r"free variables:(.*)", text)
    accepting = re.search(r"Accepting states:(.*)", text)
    if names is None or accepting is None:
        raise ValueError(f"no automaton in MONA's output: {text[:200]!r}")
    moves: dict[int, list[tuple[str, int]]] = {}
    for state, cube, target in re.findall(r"State (\d+): ?(\S*) -> state (\d+)", text):
        moves.setdefault(int(state), []).append((cube, int(target)))
    return names.group(1).split(), {int(s) for s in accepting.group(1).split()}, moves


def differing_trace(mona: MonaDfa, dfa: Dfa) -> list[dict[str, bool]] | None:
    """Return a shortest non-empty trace on which the two disagree, None if there is none: exact, not sampled."""
    variables, accepting, moves = mona
    letters = [dict(zip(dfa.atoms, bits, strict=True)) for bits in product((False, True), repeat=len(dfa.atoms))]

    def mona_step(state: int, letter: dict[str, bool]) -> int:
        bits = [letter[v.lower()] for v in variables]
        for cube, target in moves[state]:
            if all(c == "X" or (c == "1") == bit for c, bit in zip(cube, bits, strict=True)):
                return target
        raise ValueError(f"MONA's state {state} has no move for {letter}")

    # MONA's first move reads no letter of the trace.
    start = (moves[0][0][1], dfa.initial)
    came: dict[tuple[int, int], list[dict[str, bool]]] = {start: []}
    todo = [start]
    for pair in todo:
        for letter in letters:
            target = (mona_step(pair[0], letter), dfa.step(pair[1], letter))
            trace = [*came[pair], letter]
            if (target[0] in accepting) != dfa.accept[target[1]]:
                return trace
            if target not in came:
                came[target] = trace
                todo.append(target)
    return None


def main() -> int:
    if shutil.which("mona") is None:
        log("error: mona is not installed; apt-get install mona")
        return 2
    try:
        from ltlf2dfa.parser.ltlf import LTLfParser
        from ltlf2dfa.parser.ppltl import PPLTLParser
    except ImportError:
        log("error: ltlf2dfa is not installed; pip install ltlf2dfa==2.0.0")
        return 2
    future_parser, past_parser = LTLfParser(), PPLTLParser()
    rng = np.random.default_rng(20_260)
    counts = {"future": 0, "past": 0, "published": 0, "dialect": 0, "failed": 0}
    failures: list[str] = []

    def check(kind: str, formula: Formula, text: str, parser: object) -> None:
        raw = parser(text).to_dfa(mona_dfa_out=True)  # type: ignore[operator]
        if not isinstance(raw, str) or "DFA for formula" not in raw:
            raise ValueError(f"MONA gave no automaton for {text}: {raw!r}")
        trace = differing_trace(read_mona(raw), compile_dfa(formula))
        counts[kind] += 1
        if trace is not None:
            counts["failed"] += 1
            failures.append(f"{kind}: {formula} on {trace}")
            log(failures[-1])

    for group, formulas in REFERENCE.items():
        for name, text in formulas.items():
            formula = parse(text)
            short = {atom: f"p{i}" for i, atom in enumerate(formula.atom_order())}
            renamed = parse(re.sub(r"[a-z]\w+", lambda m, s=short: s[m.group()], text))
            check("published", renamed, to_ltlf2dfa(renamed), future_parser)
            log(f"{group} {name}: ok")
    for n in range(2200):
        formula = random_formula(rng, NAMES[: 2 + n % 2], FUTURE, 2 + n % 6)
        check("future", formula, to_ltlf2dfa(formula), future_parser)
        if n % 200 == 199:
            log(f"future {n + 1}, failed {counts['failed']}")
    # The same text read by our ltlf2dfa dialect, with as few parentheses as the printer gives.
    for _ in range(300):
        formula = random_formula(rng, NAMES, PLAIN, 5)
        text = str(formula).replace("X[!]", "X ").replace("N ", "WX ").replace("N(", "WX(")
        check("dialect", parse(text, dialect="ltlf2dfa"), text, future_parser)
    for n in range(600):
        formula = random_formula(rng, NAMES[: 2 + n % 2], PAST, 2 + n % 5)
        check("past", make(Op.EVENTUALLY, (conj(LAST, formula),)), to_ltlf2dfa(formula), past_parser)
    log(str(counts))
    version = subprocess.run(["mona", "-h"], capture_output=True, text=True).stdout.split("\n")[0].strip()
    record(
        "ltlf_mona",
        counts=counts,
        details={"mona": version, "ltlf2dfa": importlib.metadata.version("ltlf2dfa"), "failures": failures[:20]},
    )
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
