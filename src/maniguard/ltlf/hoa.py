"""Automata in the Hanoi Omega-Automata format, and back.

The format is for automata on endless words; here a word is finite, and a trace is accepted when it ends in a state of
acceptance set 0. The header `maniguard-words: finite` says so; readers ignore headers that they do not know.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from maniguard.ltlf.derive import Raw
from maniguard.ltlf.dfa import Dfa
from maniguard.ltlf.diagrams import ExhaustedError, Letters, Meter, Obligations
from maniguard.ltlf.errors import BudgetError, LtlfError, ParseError
from maniguard.ltlf.formula import Formula, quoted
from maniguard.ltlf.guards import guards
from maniguard.ltlf.minimise import minimise
from maniguard.ltlf.parser import parse


def to_hoa(dfa: Dfa) -> str:
    """Return the automaton in HOA v1: deterministic, complete, explicit labels, state-based acceptance.

    Raises:
        BudgetError: a guard has too many conjunctions to be written out.
    """
    lines = ["HOA: v1"]
    if dfa.formula is not None:
        lines.append(f"name: {quoted(str(dfa.formula))}")
    lines += [
        'tool: "maniguard"',
        f"States: {dfa.num_states}",
        f"Start: {dfa.initial}",
        " ".join([f"AP: {len(dfa.atoms)}", *map(quoted, dfa.atoms)]),
        "acc-name: Buchi",
        "Acceptance: 1 Inf(0)",
        "properties: trans-labels explicit-labels state-acc deterministic complete",
        "maniguard-words: finite",
        "--BODY--",
    ]
    for state in range(dfa.num_states):
        lines.append(f"State: {state}" + (" {0}" if dfa.accept[state] else ""))
        for target, cubes in guards(dfa, state).items():
            terms = ["&".join(("" if sign else "!") + str(i) for i, sign in cube) or "t" for cube in cubes]
            lines.append(f"[{' | '.join(terms)}] {target}")
    lines.append("--END--")
    return "\n".join(lines) + "\n"


_TOKEN = re.compile(
    r"\s*(?:(?P<comment>/\*.*?\*/)|(?P<header>[A-Za-z_][\w-]*:)|(?P<mark>--(?:BODY|END|ABORT)--)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>\d+)|(?P<word>[A-Za-z_@][\w-]*)|(?P<sign>[\[\](){}!&|]))',
    re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def from_hoa(text: str) -> Dfa:
    """Read an automaton that `to_hoa` or another tool wrote, and minimise it.

    It must be deterministic and complete, with explicit labels, one start state, and acceptance `Inf(0)` on states.

    Raises:
        ParseError: the text is not HOA v1, or uses what a finite automaton has no use for.
        LtlfError: the automaton is not deterministic or not complete.
        BudgetError: its labels are too large.
    """
    try:
        return _Reader(text).run()
    except ExhaustedError as error:
        raise BudgetError("the labels of the automaton are too large to be read", text[:80], error.limit) from None
    except RecursionError:
        raise ParseError("a label is nested too deeply", text, 0) from None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[_Token] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                if not text[at:].strip():
                    break
                raise ParseError("not a token of the HOA format", text, at)
            at = found.end()
            kind = found.lastgroup or ""
            if kind != "comment":
                self.tokens.append(_Token(kind, found.group(kind), found.start(kind)))
        self.index = 0
        self.letters = Letters(Obligations(Meter(5_000_000)))
        self.atoms: tuple[str, ...] = ()

    def fail(self, message: str) -> ParseError:
        at = self.tokens[self.index].at if self.index < len(self.tokens) else len(self.text)
        return ParseError(message, self.text, at)

    def peek(self) -> _Token:
        if self.index >= len(self.tokens):
            raise self.fail("the automaton ends too soon")
        return self.tokens[self.index]

    def take(self, kind: str, text: str | None = None) -> str:
        token = self.peek()
        if token.kind != kind or (text is not None and token.text != text):
            raise self.fail(f"expected {text or kind}, got {token.text!r}")
        self.index += 1
        return token.text

    def run(self) -> Dfa:
        count, start, formula = self.header()
        roots: list[int | None] = [None] * count
        accept = [False] * count
        while self.peek().kind != "mark":
            self.take("header", "State:")
            if self.peek().text == "[":
                raise self.fail("labels on states are not supported, put them on edges")
            state = self.number(count)
            if self.peek().kind == "string":
                self.index += 1
            if roots[state] is not None:
                raise self.fail(f"state {state} is described twice")
            accept[state] = self.marks()
            roots[state] = self.edges(state, count)
        self.take("mark", "--END--")
        for state, root in enumerate(roots):
            if root is None:
                raise LtlfError(f"the automaton is not complete: state {state} is not described")
        return self.build([r for r in roots if r is not None], accept, start, formula)

    def header(self) -> tuple[int, int, Formula | None]:
        self.take("header", "HOA:")
        self.take("word", "v1")
        values: dict[str, list[str]] = {}
        while self.peek().kind != "mark":
            name = self.take("header")
            if name in values and name[0].isupper():
                raise self.fail(f"the header {name!r} is given twice")
            values[name] = []
            while self.peek().kind not in ("header", "mark"):
                values[name].append(self.peek().text)
                self.index += 1
        self.take("mark", "--BODY--")
        for needed in ("States:", "Start:", "AP:", "Acceptance:"):
            if needed not in values:
                raise self.fail(f"the header {needed!r} is missing")
        if values["Acceptance:"] != ["1", "Inf", "(", "0", ")"]:
            raise self.fail(f"acceptance must be '1 Inf(0)', got {' '.join(values['Acceptance:'])!r}")
        names = [_unquote(s) for s in values["AP:"][1:]]
        if values["AP:"][:1] != [str(len(names))] or len(set(names)) != len(names):
            raise self.fail("the header 'AP:' must give the number of atoms and then each name once, quoted")
        self.atoms = tuple(names)
        states, starts = values["States:"], values["Start:"]
        count, start = _number(*states[:1]), _number(*starts[:1])
        if len(states) != 1 or len(starts) != 1 or count is None or start is None:
            raise self.fail("there must be one number of states and one start state")
        if not 0 <= start < count <= 1_000_000:
            raise self.fail(f"the start state {start} is not one of {count} states")
        formula = None
        if values.get("tool:") == ['"maniguard"'] and len(values.get("name:", [])) == 1:
            formula = parse(_unquote(values["name:"][0]))
        return count, start, formula

    def number(self, count: int) -> int:
        text = self.take("number")
        value = _number(text)
        if value is None or value >= count:
            raise self.fail(f"there is no state {text}, only {count} states")
        return value

    def marks(self) -> bool:
        if self.peek().text != "{":
            return False
        self.index += 1
        found = False
        while self.peek().text != "}":
            found = self.take("number") == "0" or found
        self.index += 1
        return found

    def edges(self, state: int, count: int) -> int:
        """Return the diagram of the edges of one state; leaf 0 stands for "no edge", leaf s+1 for state s."""
        root = ~0
        covered = ~0
        while self.peek().text == "[":
            self.index += 1
            guard = self.disjunction()
            self.take("sign", "]")
            target = self.number(count)
            if self.peek().text in ("{", "&"):
                raise self.fail("acceptance on edges and alternation are not supported")
            if self.letters.conj(guard, covered) != ~0:
                raise LtlfError(f"the automaton is not deterministic: two edges of state {state} share a letter")
            covered = self.letters.disj(covered, guard)
            root = self.letters.choose(guard, ~(target + 1), root)
        if covered != ~1:
            raise LtlfError(f"the automaton is not complete: a letter has no edge from state {state}")
        return root

    def disjunction(self) -> int:
        value = self.conjunction()
        while self.peek().text == "|":
            self.index += 1
            value = self.letters.disj(value, self.conjunction())
        return value

    def conjunction(self) -> int:
        value = self.literal()
        while self.peek().text == "&":
            self.index += 1
            value = self.letters.conj(value, self.literal())
        return value

    def literal(self) -> int:
        token = self.peek()
        self.index += 1
        if token.text == "!":
            return self.letters.negate(self.literal())
        if token.text == "(":
            value = self.disjunction()
            self.take("sign", ")")
            return value
        if token.text in ("t", "f"):
            return ~int(token.text == "t")
        atom = _number(token.text)
        if token.kind == "number" and atom is not None and atom < len(self.atoms):
            return self.letters.node(atom, ~0, ~1)
        self.index -= 1
        raise self.fail(f"{token.text!r} is no label over {len(self.atoms)} atoms")

    def build(self, roots: list[int], accept: list[bool], start: int, formula: Formula | None) -> Dfa:
        # The initial state becomes number 0; nodes keep their numbers, children before parents.
        letters = self.letters
        number = {start: 0}
        for state in range(len(roots)):
            number.setdefault(state, len(number))

        def leaf(ref: int) -> int:
            return ref if ref >= 0 else ~number.get(~ref - 1, 0)

        order = sorted(number, key=number.__getitem__)
        raw = Raw(
            list(letters.var),
            [leaf(r) for r in letters.lo],
            [leaf(r) for r in letters.hi],
            [leaf(roots[s]) for s in order],
            [accept[s] for s in order],
        )
        return Dfa(self.atoms, minimise(raw), formula)


def _number(text: str = "") -> int | None:
    """Return the number that is written, None for other texts and for absurdly long ones."""
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text
