"""Formulas: immutable, shared trees, so that equal formulas are the same object."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Iterator
from enum import Enum

from maniguard.ltlf.errors import FormulaError

MAX_DEPTH = 150
"""Deepest nesting of operators that a formula may have; deeper ones are refused, never a crash."""

MAX_SHOWN = 100_000
"""Most operators, counted along every path, of a formula that is printed; shared parts can make it astronomical."""

MAX_OPERANDS = 100_000
"""Most operands of one conjunction or disjunction."""

MAX_BOUND = 100_000
"""Largest step bound of an operator."""


class Op(Enum):
    """The operators. A value is the operator's spelling in the `maniguard` dialect."""

    TRUE = "true"
    FALSE = "false"
    ATOM = "atom"
    LAST = "last"
    NOT = "!"
    AND = "&"
    OR = "|"
    XOR = "^"
    IMPLIES = "->"
    IFF = "<->"
    NEXT = "X[!]"
    WEAK_NEXT = "N"
    EVENTUALLY = "F"
    ALWAYS = "G"
    UNTIL = "U"
    WEAK_UNTIL = "W"
    RELEASE = "R"
    STRONG_RELEASE = "M"
    YESTERDAY = "Y"
    WEAK_YESTERDAY = "Z"
    ONCE = "O"
    HISTORICALLY = "H"
    SINCE = "S"

    __hash__ = object.__hash__


BOUNDED = frozenset(
    {
        Op.EVENTUALLY,
        Op.ALWAYS,
        Op.UNTIL,
        Op.WEAK_UNTIL,
        Op.RELEASE,
        Op.STRONG_RELEASE,
        Op.ONCE,
        Op.HISTORICALLY,
        Op.SINCE,
    }
)
"""Operators that may carry a bound `[lo,hi]` in steps."""

PAST = frozenset({Op.YESTERDAY, Op.WEAK_YESTERDAY, Op.ONCE, Op.HISTORICALLY, Op.SINCE})
FUTURE = frozenset(
    {
        Op.LAST,
        Op.NEXT,
        Op.WEAK_NEXT,
        Op.EVENTUALLY,
        Op.ALWAYS,
        Op.UNTIL,
        Op.WEAK_UNTIL,
        Op.RELEASE,
        Op.STRONG_RELEASE,
    }
)
_ARITY = {
    Op.TRUE: 0,
    Op.FALSE: 0,
    Op.ATOM: 0,
    Op.LAST: 0,
    Op.NOT: 1,
    Op.NEXT: 1,
    Op.WEAK_NEXT: 1,
    Op.EVENTUALLY: 1,
    Op.ALWAYS: 1,
    Op.YESTERDAY: 1,
    Op.WEAK_YESTERDAY: 1,
    Op.ONCE: 1,
    Op.HISTORICALLY: 1,
}

_Key = tuple[Op, str, tuple["Formula", ...], int, int | None]


class Formula:
    """One formula; build it with `parse` or with the functions of this module.

    Formulas are interned: two that are written alike are the same object, so `==` is identity and both are cheap to
    hash. `str(f)` parses back to `f` in the `maniguard` dialect.

    Attributes: `op`; `args` (subformulas); `name` (of an atom, else ""); `lo` and `hi` (bounds in steps, `hi` None for
    unbounded); `depth` (nesting of operators); `size` (operators and atoms, shared ones counted each time).
    """

    __slots__ = (
        "__weakref__",
        "_atoms",
        "_text",
        "args",
        "depth",
        "hi",
        "is_future",
        "is_past",
        "lo",
        "name",
        "op",
        "size",
    )

    op: Op
    args: tuple[Formula, ...]
    name: str
    lo: int
    hi: int | None
    depth: int
    size: int
    is_past: bool
    is_future: bool
    _atoms: tuple[str, ...] | None
    _text: str | None

    def __init__(self) -> None:
        raise TypeError("formulas are made by parse() or by the functions of maniguard.ltlf.formula")

    def __setattr__(self, key: str, value: object) -> None:
        raise AttributeError(f"a formula cannot be changed (tried to set {key!r})")

    def __repr__(self) -> str:
        return f"<Formula {self}>" if self.size <= MAX_SHOWN else f"<Formula of {self.size} operators>"

    def __str__(self) -> str:
        if self._text is None:
            if self.size > MAX_SHOWN:
                raise FormulaError(f"a formula of {self.size} operators is too large to be printed")
            object.__setattr__(self, "_text", _show(self))
        assert self._text is not None
        return self._text

    def __reduce__(self) -> tuple[object, ...]:
        return make, (self.op, self.args, self.name, self.lo, self.hi)

    def atoms(self) -> frozenset[str]:
        """Return the names of the atoms that occur."""
        return frozenset(self.atom_order())

    def atom_order(self) -> tuple[str, ...]:
        """Return the names of the atoms in order of first occurrence, from left to right."""
        if self._atoms is None:
            found: dict[str, None] = {}
            for part in self.walk():
                if part.op is Op.ATOM:
                    found[part.name] = None
            object.__setattr__(self, "_atoms", tuple(found))
        assert self._atoms is not None
        return self._atoms

    def walk(self) -> Iterator[Formula]:
        """Yield every distinct subformula once, the formula itself first, operands from left to right."""
        seen: set[Formula] = set()
        stack = [self]
        while stack:
            top = stack.pop()
            if top in seen:
                continue
            seen.add(top)
            yield top
            stack.extend(reversed(top.args))


_table: weakref.WeakValueDictionary[_Key, Formula] = weakref.WeakValueDictionary()
_lock = threading.Lock()


def make(op: Op, args: tuple[Formula, ...] = (), name: str = "", lo: int = 0, hi: int | None = None) -> Formula:
    """Return the formula with this root; nested `&` and `|` of the same kind are flattened.

    Raises:
        FormulaError: a wrong number of operands, a bad bound, a bad name, or nesting deeper than `MAX_DEPTH`.
    """
    if op is Op.AND or op is Op.OR:
        if any(a.op is op for a in args):
            args = tuple(b for a in args for b in (a.args if a.op is op else (a,)))
        if len(args) > MAX_OPERANDS:
            raise FormulaError(f"{op.value!r} has {len(args)} operands, at most {MAX_OPERANDS} are allowed")
        if len(args) < 2:
            raise FormulaError(f"{op.value!r} needs at least two operands, got {len(args)}")
    elif len(args) != _ARITY.get(op, 2):
        raise FormulaError(f"{op.value!r} needs {_ARITY.get(op, 2)} operand(s), got {len(args)}")
    if lo or hi is not None:
        _check_bound(op, lo, hi)
    key = (op, name, args, lo, hi)
    with _lock:
        known = _table.get(key)
        if known is not None:
            return known
        if op is Op.ATOM and (not name or not isinstance(name, str) or any(ord(c) < 32 for c in name)):
            raise FormulaError(f"an atom needs a non-empty name without control characters, got {name!r}")
        depth = 1 + max((a.depth for a in args), default=0)
        if depth > MAX_DEPTH:
            raise FormulaError(
                f"formula nested deeper than {MAX_DEPTH} operators; bounded operators such as F[0,100] avoid nesting"
            )
        new = object.__new__(Formula)
        put = object.__setattr__
        put(new, "op", op)
        put(new, "args", args)
        put(new, "name", name)
        put(new, "lo", lo)
        put(new, "hi", hi)
        put(new, "depth", depth)
        put(new, "size", 1 + sum(a.size for a in args))
        put(new, "is_past", op in PAST or any(a.is_past for a in args))
        put(new, "is_future", op in FUTURE or any(a.is_future for a in args))
        put(new, "_atoms", None)
        put(new, "_text", None)
        _table[key] = new
        return new


def _check_bound(op: Op, lo: int, hi: int | None) -> None:
    if op not in BOUNDED:
        raise FormulaError(f"{op.value!r} takes no bound; F G U W R M O H S do")
    if lo < 0 or (hi is not None and hi < lo):
        raise FormulaError(f"the bound [{lo},{'inf' if hi is None else hi}] of {op.value!r} is empty or negative")
    if max(lo, hi or 0) > MAX_BOUND:
        raise FormulaError(f"the bound [{lo},{'inf' if hi is None else hi}] of {op.value!r} exceeds {MAX_BOUND} steps")


TRUE = make(Op.TRUE)
FALSE = make(Op.FALSE)
LAST = make(Op.LAST)


def atom(name: str) -> Formula:
    """Return the atom of that name; any text without control characters is a name."""
    return make(Op.ATOM, (), name)


def negate(f: Formula) -> Formula:
    """Return `!f`, without a double negation and with constants folded."""
    if f is TRUE:
        return FALSE
    if f is FALSE:
        return TRUE
    return f.args[0] if f.op is Op.NOT else make(Op.NOT, (f,))


def conj(*parts: Formula) -> Formula:
    """Return the conjunction of any number of formulas; of none, `true`. Constants and repetitions are dropped."""
    return _join(Op.AND, TRUE, FALSE, parts)


def disj(*parts: Formula) -> Formula:
    """Return the disjunction of any number of formulas; of none, `false`. Constants and repetitions are dropped."""
    return _join(Op.OR, FALSE, TRUE, parts)


def _join(op: Op, unit: Formula, zero: Formula, parts: tuple[Formula, ...]) -> Formula:
    flat = dict.fromkeys(b for a in parts for b in (a.args if a.op is op else (a,)) if b is not unit)
    if zero in flat:
        return zero
    if not flat:
        return unit
    return next(iter(flat)) if len(flat) == 1 else make(op, tuple(flat))


_PLAIN_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
RESERVED = frozenset(["true", "false", "last", "X", "N", "WX", "F", "G", "U", "W", "R", "M", "Y", "Z", "O", "H", "S"])
"""Words that name operators in the `maniguard` dialect; an atom of such a name must be quoted."""

_TEMPORAL_BINARY = frozenset({Op.UNTIL, Op.WEAK_UNTIL, Op.RELEASE, Op.STRONG_RELEASE, Op.SINCE})


def show_name(name: str) -> str:
    """Spell an atom's name so that the `maniguard` dialect reads it back."""
    if _PLAIN_NAME.fullmatch(name) and name not in RESERVED:
        return name
    return quoted(name)


def quoted(text: str) -> str:
    """Return a text in double quotes, quotes and backslashes in it escaped."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def show_bound(f: Formula) -> str:
    """Spell the bound of an operator, "" if it has none."""
    if f.lo == 0 and f.hi is None:
        return ""
    return f"[{f.lo},{'inf' if f.hi is None else f.hi}]"


def _show(f: Formula) -> str:
    op = f.op
    if op is Op.ATOM:
        return show_name(f.name)
    if not f.args:
        return str(op.value)
    if len(f.args) == 1:
        inner = str(f.args[0])
        if op is Op.NOT and len(f.args[0].args) < 2:
            return f"!{inner}"
        if len(f.args[0].args) > 1:
            inner = f"({inner})"
        space = "" if inner.startswith("(") else " "
        return f"{op.value}{show_bound(f)}{space}{inner}"
    shown = []
    for position, a in enumerate(f.args):
        text = str(a)
        if len(a.args) > 1 and not _needs_no_parentheses(op, a, position):
            text = f"({text})"
        shown.append(text)
    return f" {op.value}{show_bound(f)} ".join(shown)


def _needs_no_parentheses(op: Op, operand: Formula, position: int) -> bool:
    # Only where every reader agrees: an implication between conjunctions or disjunctions, or towards a temporal one.
    if op is not Op.IMPLIES:
        return False
    return operand.op in (Op.AND, Op.OR) or (position == 1 and operand.op in _TEMPORAL_BINARY)
