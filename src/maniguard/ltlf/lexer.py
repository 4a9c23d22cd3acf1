"""Text to tokens, by the rules of a dialect."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from maniguard.ltlf.dialects import Dialect
from maniguard.ltlf.errors import ParseError
from maniguard.ltlf.formula import BOUNDED, MAX_BOUND, Op

MAX_LENGTH = 200_000
"""Longest text of a formula, in characters."""


_MAX_DIGITS = 30


class Bound(NamedTuple):
    """A bound in steps; `hi` is None for unbounded."""

    lo: int
    hi: int | None


class Token(NamedTuple):
    """One token: `kind` is "op", "name", "sign" or "end"; `text` as it stood in the input; `at` its offset."""

    kind: str
    text: str
    at: int
    op: Op | None = None
    bound: Bound | None = None


_SIGN_OPS = {
    "!": Op.NOT,
    "&": Op.AND,
    "|": Op.OR,
    "^": Op.XOR,
    "->": Op.IMPLIES,
    "<->": Op.IFF,
    "true": Op.TRUE,
    "false": Op.FALSE,
    "G": Op.ALWAYS,
    "F": Op.EVENTUALLY,
}
_NUMBER = r"(\d+(?:\.\d+)?)\s*(ms|s|min)?"
_OPEN = r"(inf|\$)?"
_BOUND = re.compile(rf"\s*\[\s*{_NUMBER}\s*(?:([,:]|\.\.)\s*(?:{_NUMBER}|(inf|\$)?)\s*)?\]")
_STRONG = re.compile(r"\s*\[\s*!\s*\]")
_SPOT_POWER = re.compile(r"\s*\[\s*(!?)\s*(\d+)\s*\]")
_SECONDS = {"ms": Fraction(1, 1000), "s": Fraction(1), "min": Fraction(60)}
_NEXT_HELP = (
    "X alone is ambiguous on finite traces: write X[!] p for a next step that must exist and satisfy p, "
    "or N p for a next step that satisfies p if there is one"
)
_WORD_HINTS = {
    "and": "&",
    "or": "|",
    "not": "!",
    "implies": "->",
    "iff": "<->",
    "xor": "^",
    "always": "G",
    "globally": "G",
    "eventually": "F",
    "finally": "F",
    "until": "U",
    "unless": "W",
    "release": "R",
    "next": "X[!]",
    "once": "O",
    "historically": "H",
    "since": "S",
}


def word_hint(text: str) -> str:
    """Return advice for an atom that is spelled like an operator of other languages, "" for other atoms."""
    sign = _WORD_HINTS.get(text.lower())
    return f"; {text!r} was read as an atom, the operator is {sign}" if sign else ""


def tokenize(text: str, dialect: Dialect, rate_hz: Fraction | None, notes: list[str]) -> list[Token]:
    """Split `text` into tokens; the last one has kind "end". Readings that may surprise are added to `notes`.

    Raises:
        ParseError: a character, a name or a bound that the dialect does not know.
    """
    if len(text) > MAX_LENGTH:
        raise ParseError(f"formula longer than {MAX_LENGTH} characters", text, MAX_LENGTH)
    return _Lexer(text, dialect, rate_hz, notes).run()


class _Lexer:
    def __init__(self, text: str, dialect: Dialect, rate_hz: Fraction | None, notes: list[str]) -> None:
        self.text = text
        self.notes = notes
        self.dialect = dialect
        self.rate_hz = rate_hz
        self.at = 0
        # Longest first, so that `->` is not read as `-` and `<->` not as `<-`.
        self.signs = sorted(dialect.symbols, key=len, reverse=True)

    def fail(self, message: str, at: int | None = None) -> ParseError:
        return ParseError(message, self.text, self.at if at is None else at)

    def run(self) -> list[Token]:
        tokens: list[Token] = []
        text, n = self.text, len(self.text)
        while True:
            while self.at < n and text[self.at].isspace():
                self.at += 1
            if self.at >= n:
                tokens.append(Token("end", "", n))
                return tokens
            tokens.append(self.token())

    def token(self) -> Token:
        text, at, dialect = self.text, self.at, self.dialect
        if text[at] == '"' and dialect.name != "ltlf2dfa":
            return self.quoted()
        word = dialect.word.match(text, at)
        if word is not None:
            return self.word(word.group())
        for sign in self.signs:
            if text.startswith(sign, at):
                self.at += len(sign)
                meaning = dialect.symbols[sign]
                if meaning in "()":
                    return Token("sign", meaning, at)
                if meaning == "X":
                    return self.next_operator("()", at)
                return self.with_bound(_SIGN_OPS[meaning], sign, at)
        if text[at].isalnum():
            raise self.fail(
                f"a name cannot begin with {text[at]!r} in the {dialect.name} dialect; {dialect.wrong_name}"
            )
        if text[at] == "[":
            raise self.fail("a bound must follow one of F G U W R M O H S directly")
        raise self.fail(f"unexpected character {text[at]!r}")

    def quoted(self) -> Token:
        start = self.at
        chars: list[str] = []
        i = start + 1
        while i < len(self.text) and self.text[i] != '"':
            if self.text[i] == "\\" and i + 1 < len(self.text):
                i += 1
            chars.append(self.text[i])
            i += 1
        if i >= len(self.text):
            raise self.fail("a quoted name is not closed", start)
        self.at = i + 1
        name = "".join(chars)
        if not name or any(ord(c) < 32 for c in name):
            raise self.fail("a quoted name must not be empty or contain control characters", start)
        return Token("name", name, start)

    def word(self, word: str) -> Token:
        at, dialect = self.at, self.dialect
        self.at += len(word)
        key = word.lower() if dialect.name == "ltlf2dfa" and len(word) > 2 else word
        if dialect.name == "spot" and word.lower() in ("true", "false"):
            key = word.lower()
        if key == "X" or (key == "N" and dialect.name == "maniguard"):
            return self.next_operator(key, at)
        op = dialect.words.get(key)
        if op is not None:
            if op is Op.LAST and dialect.name == "pylogics":
                self.warn(
                    "pylogics 0.2.1 itself reads 'last' as G(false), which no step satisfies; here it is the last step"
                )
            if dialect.name == "spot" and word in "FG" and self.at < len(self.text) and self.text[self.at].isalpha():
                self.warn_glued(word, at)
            return self.with_bound(op, word, at)
        if dialect.name in ("ltlf2dfa", "pylogics") and word[0].isupper():
            raise self.fail(f"{word!r} is no operator of the {dialect.name} dialect; {dialect.wrong_name}", at)
        if (
            dialect.name == "ltlf2dfa"
            and self.at < len(self.text)
            and (self.text[self.at].isalnum() or self.text[self.at] in "._")
        ):
            raise self.fail(f"a name goes on with {self.text[self.at]!r}; {dialect.wrong_name}", self.at)
        if dialect.name == "spot" and word == "last":
            self.warn("Spot reads 'last' as an ordinary atom, not as the last step")
        return Token("name", word, at)

    def next_operator(self, word: str, at: int) -> Token:
        dialect = self.dialect
        strong = _STRONG.match(self.text, self.at)
        if word == "N":
            return Token("op", word, at, Op.WEAK_NEXT)
        if strong is not None and dialect.strong_next:
            self.at = strong.end()
            return Token("op", "X[!]", at, Op.NEXT)
        if dialect.bare_next is None:
            raise self.fail(_NEXT_HELP, at)
        power = _SPOT_POWER.match(self.text, self.at)
        if power is not None and dialect.bounds == "spot":
            self.at = power.end()
            count = power.group(2)
            if len(count) > _MAX_DIGITS or int(count) > MAX_BOUND:
                raise self.fail(f"the count of {word!r} exceeds {MAX_BOUND} steps", at)
            steps = int(count)
            return Token("op", "X", at, Op.NEXT if power.group(1) else Op.WEAK_NEXT, Bound(steps, steps))
        if dialect.name == "spot" and self.at < len(self.text) and self.text[self.at].isalpha():
            self.warn_glued(word, at)
        return Token("op", word, at, dialect.bare_next)

    def warn_glued(self, word: str, at: int) -> None:
        rest = re.compile(r"[A-Za-z0-9_.]+").match(self.text, self.at)
        tail = rest.group() if rest else ""
        # `GFa` and `XXp` are idiomatic; a longer lower-case word after the letter looks like a name.
        if len(tail) > 1 and tail[0].islower():
            self.warn(f"Spot reads {word + tail!r} as {word}({tail}); quote the name if it is one, at column {at + 1}")

    def warn(self, message: str) -> None:
        self.notes.append(message)

    def with_bound(self, op: Op, text: str, at: int) -> Token:
        after = self.at
        while after < len(self.text) and self.text[after].isspace():
            after += 1
        if not self.text.startswith("[", after) or self.text.startswith("[]", after):
            return Token("op", text, at, op)
        if op not in BOUNDED:
            raise self.fail(f"{text!r} takes no bound; F G U W R M O H S do", after)
        if self.dialect.bounds == "none":
            raise self.fail(f"the {self.dialect.name} dialect has no bounded operators", after)
        found = _BOUND.match(self.text, self.at)
        if found is None:
            raise self.fail(f"the bound after {text!r} is not of the form [a,b], [a,inf], [a s,b s]", after)
        self.at = found.end()
        return Token("op", text, at, op, self.bound(found, after))

    def bound(self, found: re.Match[str], at: int) -> Bound:
        low, low_unit, separator, high, high_unit, _ = found.groups()
        if max(len(low), len(high or "")) > _MAX_DIGITS:
            raise self.fail(
                f"an end of the bound has more than {_MAX_DIGITS} digits; bounds go to {MAX_BOUND} steps", at
            )
        if separator is None:
            # F[5] would be read as "within 5" by some and as "after exactly 5" by others.
            raise self.fail("a bound needs two ends, [a,b]", at)
        if (low_unit or high_unit) and self.rate_hz is None:
            raise self.fail("a bound in seconds needs a control rate; pass rate_hz", at)
        # The unit of one end serves for both, as in [0,5s]; an end without one other than 0 is a slip.
        if bool(low_unit) != bool(high_unit) and high is not None:
            bare = low if high_unit else high
            if Fraction(bare) != 0:
                raise self.fail(f"the end {bare} of the bound has no unit while the other end has one", at)
        unit = low_unit or high_unit
        lo, hi = Fraction(low), None if high is None else Fraction(high)
        if unit:
            assert self.rate_hz is not None
            lo = lo * _SECONDS[low_unit or unit] * self.rate_hz
            hi = None if hi is None else hi * _SECONDS[high_unit or unit] * self.rate_hz
            lo, hi = Fraction(ceil(lo)), None if hi is None else Fraction(floor(hi))
            if hi is not None and hi < lo:
                rate = float(self.rate_hz)
                raise self.fail(
                    f"no step falls inside the bound {found.group().strip()} at {rate:g} steps per second", at
                )
        if lo.denominator != 1 or (hi is not None and hi.denominator != 1):
            raise self.fail("a bound in steps must be whole numbers; write 0.5s for seconds", at)
        if hi is not None and hi < lo:
            raise self.fail(f"the bound [{lo},{hi}] (in steps) is empty", at)
        if max(lo, hi or 0) > MAX_BOUND:
            raise self.fail(f"the bound exceeds {MAX_BOUND} steps", at)
        return Bound(int(lo), None if hi is None else int(hi))
