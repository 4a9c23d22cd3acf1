"""Parser, compiler and HOA reader survive random and mutated inputs: a result, or a clear error on one line.

Whatever compiles is also run: three random traces must be judged as the definition judges them.
"""

from __future__ import annotations

import sys
import time
import traceback
import warnings
from collections import Counter

import numpy as np
from _evidence import record
from _ltlf_common import CORPUS, FUTURE, PAST, REFERENCE, log, random_formula

from maniguard.errors import ManiguardError
from maniguard.ltlf import (
    Budget,
    BudgetError,
    ProgressionMonitor,
    compile_bad_prefix,
    compile_dfa,
    evaluate,
    from_hoa,
    parse,
)

INPUTS = 110_000
BUDGET = Budget(states=1500, operations=40_000)
DIALECTS = ("maniguard", "spot", "ltlf2dfa", "pylogics")
PIECES = [
    *'GFXUWRMNYZOHS!&|^()[]<>-,:.0123456789 "abcdé$\\\n\t',
    *(
        "X[!]",
        "->",
        "<->",
        "F[0,3]",
        "G[1,2]",
        "U[0,4]",
        "last",
        "true",
        "WX ",
        " U ",
        " W ",
        "F[0,2s]",
        "inf",
        "xor",
        "..",
        "&&",
    ),
]


def random_text(rng: np.random.Generator) -> str:
    return "".join(PIECES[i] for i in rng.integers(len(PIECES), size=int(rng.integers(1, 25))))


def generated(rng: np.random.Generator) -> str:
    """A formula that parses, past and future nested at will, sometimes with bounds that are large."""
    operators = FUTURE if rng.random() < 0.6 else tuple(dict.fromkeys(FUTURE + PAST))
    text = str(
        random_formula(rng, ("a", "b", "Grasped", "x.y_1", "c"), operators, int(rng.integers(2, 16)), bounds=True)
    )
    if rng.random() < 0.3:
        text = text.replace(f",{int(rng.integers(1, 5))}]", f",{int(rng.integers(5, 400))}]")
    return text


def mutated(rng: np.random.Generator, corpus: list[str]) -> str:
    text = corpus[int(rng.integers(len(corpus)))]
    for _ in range(int(rng.integers(1, 4))):
        at, to = sorted(int(x) for x in rng.integers(len(text) + 1, size=2))
        kind = int(rng.integers(6))
        piece = PIECES[int(rng.integers(len(PIECES)))]
        other = corpus[int(rng.integers(len(corpus)))]
        text = [
            text[:at] + piece + text[at:],
            text[:at] + text[to:],
            text[:at] + piece + text[at + 1 :],
            f"({text}){piece}({other})",
            text[:to] + text[at:],
            text[:at] + other[: int(rng.integers(len(other) + 1))] + text[to:],
        ][kind]
    return text[:2000]


def extreme(rng: np.random.Generator) -> str:
    """Text of absurd depth, width, length or bounds."""

    def one_of(*values):
        return values[int(rng.integers(len(values)))]

    size = one_of(10, 140, 149, 151, 1000, 30_000)
    number = one_of("0", "3", "160", "100000", "100001", "9" * 10, "9" * 5000, "0.5", "1e5", "²", "٣")
    kind = int(rng.integers(6))
    if kind == 0:
        return "(" * one_of(size, 100_000) + "a" + ")" * one_of(size, 100_000)
    if kind == 1:
        return one_of("!", "G ", "N ", "X[!] ", "Y ", "H[0,2] ", "F[1,3] ") * size + "a"
    if kind == 2:
        return f" {one_of('&', '|', '->', '<->', '^', 'U', 'W', 'R', 'M', 'S', 'M[1,3]')} ".join(
            f"p{i % 7}" for i in range(size)
        )
    if kind == 3:
        return (
            f"G(a -> {one_of('F', 'G', 'O', 'H', 'b U', 'b S', 'b W', 'b M')}[{one_of('0', '3', number)},{number}] c)"
        )
    if kind == 4:
        return one_of(" & ", " | ").join(f"{one_of('', 'G ', 'F[0,9] ')}p{i}" for i in range(min(size, 5000)))
    return one_of("a", "é", "\U0001f600", '"') * (7 * size)


def main() -> int:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(100_000)
    corpus = CORPUS + [t for group in REFERENCE.values() for t in group.values()]
    hoa = [compile_dfa(t).to_hoa() for t in CORPUS]
    counts: Counter[str] = Counter()
    failures: list[str] = []
    slowest, slowest_text = 0.0, ""
    for n in range(INPUTS):
        kind = n % 10
        dialect = DIALECTS[int(rng.integers(4))] if kind < 5 and n % 3 == 0 else "maniguard"
        if n % 200 == 0:
            text = extreme(rng)
        elif kind == 9:
            text = mutated(rng, hoa)
        elif kind < 2:
            text = random_text(rng)
        elif kind < 5:
            text = mutated(rng, corpus)
        else:
            text = generated(rng)
            if kind == 8:
                text = mutated(rng, [text])
        started = time.perf_counter()
        try:
            if kind == 9:
                from_hoa(text)
                counts["hoa_read"] += 1
            else:
                formula = parse(text, dialect=dialect, rate_hz=20)
                if parse(str(formula)) is not formula:
                    raise AssertionError("printing and parsing is not the identity")
                counts["parsed"] += 1
                dfa = compile_dfa(formula, budget=BUDGET)
                counts["compiled"] += 1
                for _ in range(3):
                    trace = [{a: bool(rng.integers(2)) for a in formula.atoms()} for _ in range(int(rng.integers(6)))]
                    if dfa.accepts(trace) != evaluate(formula, trace):
                        raise AssertionError(f"wrong verdict on {trace}")
                if n % 5 == 0:
                    compile_bad_prefix(formula, budget=BUDGET)
                    ProgressionMonitor(formula).step(dict.fromkeys(formula.atoms(), True))
        except BudgetError as error:
            counts["over_budget"] += 1
            if "\n" in str(error) or not error.culprit:
                failures.append(f"{text!r}: unclear {error!r}")
        except ManiguardError as error:
            counts["refused"] += 1
            if "\n" in str(error) or len(str(error)) < 15:
                failures.append(f"{text!r}: unclear {error!r}")
        except Exception:  # noqa: BLE001 - finding these is what this script is for
            failures.append(f"{dialect}: {text!r}: {traceback.format_exc(limit=-2)}")
            log(failures[-1])
        took = time.perf_counter() - started
        if took > slowest:
            slowest, slowest_text = took, text
        if n % 10_000 == 9_999:
            log(f"{n + 1}: {dict(counts)}, failed {len(failures)}, slowest {slowest:.2f} s")
    record(
        "ltlf_fuzz",
        counts={"inputs": INPUTS, **counts, "failed": len(failures)},
        details={"failures": failures[:20], "slowest_s": round(slowest, 3), "slowest_input": slowest_text[:300]},
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
