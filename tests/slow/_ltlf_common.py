"""Random formulas and the corpora that the slow checks of the logic share."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from ltlf.helpers import FUTURE_CORPUS, MIXED_CORPUS, PAST_CORPUS, THREE_ATOMS  # noqa: E402
from maniguard.ltlf import Formula  # noqa: E402
from maniguard.ltlf.formula import BOUNDED, FALSE, LAST, TRUE, Op, atom, make  # noqa: E402

REFERENCE: dict[str, dict[str, str]] = json.loads(
    (ROOT / "tests" / "ltlf" / "reference_formulas.json").read_text(encoding="utf-8")
)
CORPUS = FUTURE_CORPUS + PAST_CORPUS + MIXED_CORPUS + THREE_ATOMS

BOOLEAN = (Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.IFF)
FUTURE = (*BOOLEAN, Op.XOR, Op.NEXT, Op.WEAK_NEXT, Op.EVENTUALLY, Op.ALWAYS, Op.UNTIL, Op.RELEASE, Op.WEAK_UNTIL)
FUTURE = (*FUTURE, Op.STRONG_RELEASE)
PAST = (*BOOLEAN, Op.YESTERDAY, Op.WEAK_YESTERDAY, Op.ONCE, Op.HISTORICALLY, Op.SINCE)
UNARY = frozenset(
    {Op.NOT, Op.NEXT, Op.WEAK_NEXT, Op.EVENTUALLY, Op.ALWAYS}
    | {Op.YESTERDAY, Op.WEAK_YESTERDAY, Op.ONCE, Op.HISTORICALLY}
)


def random_formula(
    rng: np.random.Generator, names: tuple[str, ...], operators: tuple[Op, ...], size: int, *, bounds: bool = False
) -> Formula:
    """Return a random formula with about `size` operators; with `bounds`, some of them carry small bounds."""
    if size <= 0:
        if rng.random() < 0.06:
            return [TRUE, FALSE, LAST if Op.NEXT in operators else TRUE][int(rng.integers(3))]
        return atom(names[int(rng.integers(len(names)))])
    op = operators[int(rng.integers(len(operators)))]
    lo, hi = 0, None
    if bounds and op in BOUNDED and rng.random() < 0.5:
        lo = int(rng.integers(3))
        hi = None if rng.random() < 0.2 else lo + int(rng.integers(4))
    if op in UNARY:
        args: tuple[Formula, ...] = (random_formula(rng, names, operators, size - 1, bounds=bounds),)
    else:
        left = int(rng.integers(size))
        args = tuple(random_formula(rng, names, operators, n, bounds=bounds) for n in (left, size - 1 - left))
    return make(op, args, lo=lo, hi=hi)


def log(text: str) -> None:
    """Say what is going on, at once."""
    print(text, flush=True)
