"""Every trace up to length 6: automata, stepped in batches, against the meaning of formulas by arrays.

The arrays (`evaluate_signals`) are themselves held against the definition (`evaluate`) on a sample of every set.
"""

from __future__ import annotations

import sys

import numpy as np
from _evidence import record
from _ltlf_common import CORPUS, FUTURE, PAST, REFERENCE, log, random_formula

from maniguard.ltlf import Batch, BudgetError, Formula, compile_dfa, evaluate, evaluate_signals, parse
from maniguard.ltlf.formula import Op, make

LONGEST = 6
CHUNK = 1 << 18


def all_words(bits: int, start: int, stop: int) -> np.ndarray:
    return (np.arange(start, stop)[:, None] >> np.arange(bits)) & 1


def check(formula: Formula, rng: np.random.Generator, longest: int = LONGEST) -> tuple[int, list[str]]:
    """Return the number of traces and what went wrong."""
    atoms = formula.atom_order() or ("a",)
    dfa = compile_dfa(formula)
    batch = Batch(dfa)
    traces, wrong = 1, []
    if dfa.accepts([]) != evaluate(formula, []):
        wrong.append(f"{formula} on the empty trace")
    for length in range(1, longest + 1):
        total = 1 << (len(atoms) * length)
        for start in range(0, total, CHUNK):
            bits = all_words(len(atoms) * length, start, min(total, start + CHUNK)).astype(bool)
            truth = bits.reshape(-1, length, len(atoms))
            meant = evaluate_signals(formula, {a: truth[..., i] for i, a in enumerate(atoms)})[:, 0]
            offsets = batch.offsets(np.ascontiguousarray(truth.transpose(1, 0, 2)), atoms)
            got = np.array(dfa.accept)[batch.states(offsets)[-1]]
            traces += len(truth)
            for index in np.flatnonzero(got != meant)[:1]:
                wrong.append(f"{formula} on {truth[index].tolist()} over {atoms}")
            index = int(rng.integers(len(truth)))
            trace = [dict(zip(atoms, row, strict=True)) for row in truth[index].tolist()]
            if evaluate(formula, trace) != meant[index]:
                wrong.append(f"the arrays are wrong: {formula} on {trace}")
    return traces, wrong


def main() -> int:
    rng = np.random.default_rng(6)
    counts = {"formulas": 0, "traces": 0, "over_budget": 0, "failed": 0}
    failures: list[str] = []

    def run(formula: Formula, longest: int = LONGEST) -> None:
        try:
            traces, wrong = check(formula, rng, longest)
        except BudgetError:
            counts["over_budget"] += 1
            return
        counts["formulas"] += 1
        counts["traces"] += traces
        counts["failed"] += len(wrong)
        failures.extend(wrong)
        for text in wrong:
            log(text)

    for text in CORPUS:
        run(parse(text))
    log(f"corpus: {counts}")
    for group in REFERENCE.values():
        for text in group.values():
            formula = parse(text)
            # Four atoms at length 6 are 2**24 traces; five atoms stop at 2**25 with length 5.
            run(formula, LONGEST if len(formula.atoms()) <= 4 else 5)
    log(f"published formulas: {counts}")
    for n in range(600):
        run(random_formula(rng, ("a", "b"), FUTURE, 2 + n % 8, bounds=True))
    for n in range(300):
        past = random_formula(rng, ("a", "b"), PAST, 2 + n % 4, bounds=True)
        future = random_formula(rng, ("a", "b"), FUTURE, n % 4, bounds=True)
        run(make(Op.ALWAYS, (make((Op.IMPLIES, Op.OR, Op.AND, Op.UNTIL)[n % 4], (past, future)),)))
    for n in range(300):
        run(random_formula(rng, ("a", "b"), tuple(dict.fromkeys(FUTURE + PAST)), 3 + n % 6, bounds=True))
    for n in range(40):
        run(random_formula(rng, ("a", "b", "c"), FUTURE, 4 + n % 4, bounds=True))
    log(f"random formulas: {counts}")
    record("ltlf_brute", counts=counts, details={"longest": LONGEST, "failures": failures[:20]})
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
