"""Text to formula."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from numbers import Rational, Real

from maniguard.ltlf.dialects import Dialect, dialect_named
from maniguard.ltlf.errors import DialectWarning, FormulaError, ParseError
from maniguard.ltlf.formula import FALSE, LAST, TRUE, Formula, Op, atom, make, negate
from maniguard.ltlf.lexer import Bound, Token, tokenize, word_hint

_PREFIX = frozenset(
    {
        Op.NOT,
        Op.NEXT,
        Op.WEAK_NEXT,
        Op.EVENTUALLY,
        Op.ALWAYS,
        Op.YESTERDAY,
        Op.WEAK_YESTERDAY,
        Op.ONCE,
        Op.HISTORICALLY,
    }
)
_CONSTANTS = {Op.TRUE: TRUE, Op.FALSE: FALSE, Op.LAST: LAST}
_MAX_NESTING = 150
_MAX_EXPANSION = 150


def parse(text: str, *, dialect: str = "maniguard", rate_hz: float | None = None) -> Formula:
    """Read a formula.

    `dialect` is `maniguard`, `spot`, `ltlf2dfa` or `pylogics`: each keeps its own meaning of `X`, its own grouping of
    `->` and its own names. `rate_hz` (steps per second) is needed for bounds in seconds, `F[0,5s] p`; a bound then
    covers the steps whose time lies inside it. A reading that its author may not have meant comes with a
    `DialectWarning`.

    Raises:
        ParseError: the text is no formula of the dialect; it tells where.
        FormulaError: unknown dialect, or a rate that is not positive.
    """
    if not isinstance(text, str):
        raise FormulaError(f"a formula to parse must be a str, got {type(text).__name__}")
    rate = None
    if rate_hz is not None:
        if isinstance(rate_hz, bool) or not isinstance(rate_hz, Real) or not (rate_hz > 0 and math.isfinite(rate_hz)):
            raise FormulaError(f"rate_hz must be a positive, finite number, got {rate_hz!r}")
        # Through the shortest decimal text, so that 0.1 s at 20 Hz is 2 steps and not 2.0000000000000001.
        rate = Fraction(rate_hz) if isinstance(rate_hz, Rational) else Fraction(repr(float(rate_hz)))
    parser = _Parser(text, dialect_named(dialect), rate)
    try:
        formula = parser.run()
    except RecursionError:
        raise parser.fail("the formula is nested too deeply for the stack of this program") from None
    for note in parser.notes:
        warnings.warn(note, DialectWarning, stacklevel=2)
    return formula


class _Parser:
    def __init__(self, text: str, dialect: Dialect, rate: Fraction | None) -> None:
        self.text = text
        self.dialect = dialect
        self.notes: list[str] = []
        self.tokens = tokenize(text, dialect, rate, self.notes)
        self.index = 0
        self.nesting = 0
        self.level_of = {op: i for i, ops in enumerate(dialect.levels) for op in ops}

    @property
    def here(self) -> Token:
        return self.tokens[self.index]

    def fail(self, message: str, token: Token | None = None) -> ParseError:
        return ParseError(message, self.text, (token or self.here).at)

    def build(self, token: Token, op: Op, args: tuple[Formula, ...], bound: Bound | None = None) -> Formula:
        lo, hi = bound or (0, None)
        try:
            return make(op, args, lo=lo, hi=hi)
        except FormulaError as error:
            raise self.fail(str(error), token) from error

    def run(self) -> Formula:
        if self.here.kind == "end":
            raise self.fail("the formula is empty")
        found = self.binary(0)
        if self.here.kind != "end":
            self.unexpected()
        return found

    def unexpected(self) -> None:
        token = self.here
        if token.text == ")":
            raise self.fail("')' without '('")
        before = self.tokens[self.index - 1]
        hint = word_hint(before.text) if before.kind == "name" else ""
        if token.kind == "name" and not hint:
            hint = word_hint(token.text)
        raise self.fail(f"expected an operator or the end before {token.text!r}{hint}")

    def binary(self, floor: int) -> Formula:
        """Read operands joined by operators of level `floor` or tighter."""
        left = self.unary()
        while True:
            token = self.here
            level = self.level_of.get(token.op) if token.kind == "op" and token.op is not None else None
            if level is None or level < floor:
                return left
            left = self.joined(left, level)

    def joined(self, left: Formula, level: int) -> Formula:
        """Read the rest of a chain of operators of one level, grouped as the dialect does."""
        chain: list[tuple[Token, Formula]] = []
        while self.here.kind == "op" and self.here.op is not None and self.level_of.get(self.here.op) == level:
            token = self.here
            self.index += 1
            chain.append((token, self.binary(level + 1)))
        op = chain[0][0].op
        assert op is not None
        if op in (Op.AND, Op.OR):
            return self.build(chain[0][0], op, (left, *(right for _, right in chain)))
        assoc = {Op.IMPLIES: self.dialect.implies, Op.IFF: self.dialect.iff, Op.XOR: "left"}.get(op, "right")
        if assoc == "all-equal" and len(chain) > 1:
            operands = (left, *(right for _, right in chain))
            none = make(Op.AND, tuple(negate(a) for a in operands))
            return self.build(chain[0][0], Op.OR, (make(Op.AND, operands), none))
        if assoc == "right":
            operands_left = [left, *(right for _, right in chain[:-1])]
            result = chain[-1][1]
            for operand, (token, _) in zip(reversed(operands_left), reversed(chain), strict=True):
                result = self.apply(token, (operand, result))
            return result
        for token, right in chain:
            left = self.apply(token, (left, right))
        return left

    def apply(self, token: Token, args: tuple[Formula, ...]) -> Formula:
        op, bound = token.op, token.bound
        assert op is not None
        if bound is not None and self.dialect.bounds == "spot":
            return self.spot_bounded(token, op, bound, args)
        return self.build(token, op, args, bound)

    def spot_bounded(self, token: Token, op: Op, bound: Bound, args: tuple[Formula, ...]) -> Formula:
        """Expand a bound as Spot does: by nested X, which is weak on finite traces."""
        (inner,) = args if len(args) == 1 else (None,)
        if inner is None:
            raise self.fail(f"the spot dialect has no bound on {token.text!r}", token)
        if max(bound.lo, bound.hi or 0) > _MAX_EXPANSION:
            raise self.fail(f"a bound of the spot dialect expands to nested X; at most {_MAX_EXPANSION} steps", token)
        if op in (Op.NEXT, Op.WEAK_NEXT):
            steps, step, result = bound.lo, op, inner
        else:
            steps, step = bound.lo, Op.WEAK_NEXT
            if op is Op.EVENTUALLY:
                message = (
                    f"Spot expands a bounded {token.text} to X, weak on finite traces: one that ends early satisfies it"
                )
                self.notes.append(message)
            join = Op.OR if op is Op.EVENTUALLY else Op.AND
            result = inner if bound.hi is not None else self.build(token, op, (inner,))
            for _ in range(bound.hi - bound.lo if bound.hi is not None else 0):
                result = self.build(token, join, (inner, self.build(token, Op.WEAK_NEXT, (result,))))
        for _ in range(steps):
            result = self.build(token, step, (result,))
        return result

    def unary(self) -> Formula:
        prefixes: list[Token] = []
        while self.here.kind == "op" and self.here.op in _PREFIX:
            prefixes.append(self.here)
            self.index += 1
        result = self.primary()
        for token in reversed(prefixes):
            result = self.apply(token, (result,))
        return result

    def primary(self) -> Formula:
        token = self.here
        if token.kind == "name":
            self.index += 1
            return atom(token.text)
        if token.kind == "op" and token.op in _CONSTANTS:
            self.index += 1
            return _CONSTANTS[token.op]
        if token.kind == "sign" and token.text == "(":
            self.index += 1
            self.nesting += 1
            if self.nesting > _MAX_NESTING:
                raise self.fail(f"parentheses nested deeper than {_MAX_NESTING}", token)
            inside = self.binary(0)
            self.nesting -= 1
            if self.here.text != ")":
                if self.here.kind == "end":
                    raise self.fail(f"the '(' at column {token.at + 1} is not closed")
                self.unexpected()
            self.index += 1
            return inside
        if token.kind == "end":
            raise self.fail("the formula ends where an operand is expected")
        hint = f"; {token.text!r} is an operator, quote it to use it as a name" if token.text.isalpha() else ""
        raise self.fail(f"expected an operand before {token.text!r}{hint}")
