"""Robustness of random formulas agrees with RTAMT wherever both define it: at every step, to the last bit.

Needs rtamt (from PyPI, Python before 3.13), which the package does not. Left out are `<->` and `^`, whose robustness
RTAMT defines by the distance of the two sides and not by minimum and maximum. RTAMT's `next` and `prev` are weak: they
are compared with `N` and `Z`.
"""

from __future__ import annotations

import importlib.metadata
import sys

import numpy as np
from _evidence import record
from _ltlf_common import log, random_formula

from maniguard.ltlf import Formula, RobustnessMonitor, robustness
from maniguard.ltlf.formula import Op

NAMES = ("va", "vb")
OPERATORS = (
    *(Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.EVENTUALLY, Op.ALWAYS, Op.UNTIL, Op.WEAK_NEXT),
    *(Op.ONCE, Op.HISTORICALLY, Op.SINCE, Op.WEAK_YESTERDAY),
)
WORDS = {
    Op.NOT: "not",
    Op.AND: "and",
    Op.OR: "or",
    Op.IMPLIES: "implies",
    Op.EVENTUALLY: "eventually",
    Op.ALWAYS: "always",
    Op.UNTIL: "until",
    Op.WEAK_NEXT: "next",
    Op.ONCE: "once",
    Op.HISTORICALLY: "historically",
    Op.SINCE: "since",
    Op.WEAK_YESTERDAY: "prev",
}


def to_rtamt(f: Formula) -> str | None:
    """Spell a formula in RTAMT's language; None if it has no such form."""
    if f.op is Op.ATOM:
        return f"({f.name} >= 0)"
    if f.op not in WORDS or (f.hi is None and f.lo):
        return None
    args = [to_rtamt(a) for a in f.args]
    if any(a is None for a in args):
        return None
    word = WORDS[f.op] + ("" if f.hi is None else f"[{f.lo}:{f.hi}]")
    return f"({word} {args[0]})" if len(args) == 1 else "(" + f" {word} ".join(map(str, args)) + ")"


def main() -> int:
    try:
        import rtamt
    except ImportError:
        log("error: rtamt is not installed; pip install rtamt")
        return 2
    rng = np.random.default_rng(59)
    counts = {"formulas": 0, "values": 0, "online_steps": 0, "skipped": 0, "failed": 0}
    failures: list[str] = []
    for n in range(1500):
        formula = random_formula(rng, NAMES, OPERATORS, 1 + n % 7, bounds=True)
        text = to_rtamt(formula)
        if text is None or not formula.atoms():
            counts["skipped"] += 1
            continue
        steps = int(rng.integers(2, 14))
        margins = {name: rng.normal(size=steps) for name in formula.atoms()}
        spec = rtamt.StlDiscreteTimeOfflineSpecification()
        for name in margins:
            spec.declare_var(name, "float")
        spec.declare_var("out", "float")
        spec.spec = f"out = {text}"
        spec.parse()
        table = {"time": list(range(steps)), **{k: v.tolist() for k, v in margins.items()}}
        theirs = [value for _, value in spec.evaluate(table)]
        ours = robustness(formula, margins).tolist()
        counts["formulas"] += 1
        counts["values"] += steps
        if ours != theirs:
            failures.append(f"{formula}: {ours} against {theirs} on {table}")
        if all(f.op not in (Op.ONCE, Op.HISTORICALLY, Op.SINCE, Op.WEAK_YESTERDAY) for f in formula.walk()):
            monitor = RobustnessMonitor(formula)
            for t in range(steps):
                value = monitor.step({k: float(v[t]) for k, v in margins.items()})
            counts["online_steps"] += steps
            if value != theirs[0]:
                failures.append(f"online, {formula}: {value} against {theirs[0]} on {table}")
        if n % 300 == 299:
            log(f"{n + 1}: {counts}, failed {len(failures)}")
    counts["failed"] = len(failures)
    for failure in failures[:10]:
        log(failure)
    record(
        "ltlf_rtamt", counts=counts, details={"rtamt": importlib.metadata.version("rtamt"), "failures": failures[:20]}
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
