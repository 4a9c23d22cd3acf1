"""The four ways of writing formulas that are in use, each with its own next, associativity and names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from maniguard.errors import alternatives
from maniguard.ltlf.errors import FormulaError
from maniguard.ltlf.formula import Op

Assoc = Literal["left", "right", "all-equal"]


@dataclass(frozen=True)
class Dialect:
    """What a reader of formulas has to know about one dialect.

    `word` matches one word at a position: an operator of `words` or an atom. `levels` are the groups of binary
    operators, loosest first. `bare_next` is the meaning of `X`, None where it is refused.
    """

    name: str
    word: re.Pattern[str]
    words: dict[str, Op]
    symbols: dict[str, str]
    levels: tuple[tuple[Op, ...], ...]
    bare_next: Op | None
    strong_next: bool
    implies: Assoc
    iff: Assoc
    bounds: Literal["none", "native", "spot"]
    wrong_name: str = ""


_NOT = {"!": "!", "~": "!", "¬": "!"}
_SIGNS = {
    **_NOT,
    "&&": "&",
    "&": "&",
    "∧": "&",
    "||": "|",
    "|": "|",
    "∨": "|",
    "^": "^",
    "->": "->",
    "→": "->",
    "<->": "<->",
    "↔": "<->",
    "(": "(",
    ")": ")",
}
_CONSTANTS = {"true": Op.TRUE, "false": Op.FALSE}
_FUTURE_WORDS = {
    "F": Op.EVENTUALLY,
    "G": Op.ALWAYS,
    "U": Op.UNTIL,
    "R": Op.RELEASE,
}

MANIGUARD = Dialect(
    name="maniguard",
    word=re.compile(r"[^\W\d]\w*(?:\.\w+)*"),
    words={
        **_CONSTANTS,
        **_FUTURE_WORDS,
        "last": Op.LAST,
        "N": Op.WEAK_NEXT,
        "WX": Op.WEAK_NEXT,
        "W": Op.WEAK_UNTIL,
        "M": Op.STRONG_RELEASE,
        "Y": Op.YESTERDAY,
        "Z": Op.WEAK_YESTERDAY,
        "O": Op.ONCE,
        "H": Op.HISTORICALLY,
        "S": Op.SINCE,
    },
    symbols=_SIGNS,
    levels=(
        (Op.IFF,),
        (Op.IMPLIES,),
        (Op.OR,),
        (Op.XOR,),
        (Op.AND,),
        (Op.UNTIL, Op.WEAK_UNTIL, Op.RELEASE, Op.STRONG_RELEASE, Op.SINCE),
    ),
    bare_next=None,
    strong_next=True,
    implies="right",
    iff="right",
    bounds="native",
    wrong_name="put other names in double quotes",
)

# Spot reads F, G and X as operators even when they are glued to a word: `GFa` is G F a, and so `Grasped` is G(rasped).
SPOT = Dialect(
    name="spot",
    word=re.compile(r"[FGX](?![0-9_])|(?:[A-Za-z_.]|[FGX](?=[0-9_]))[A-Za-z0-9_.]*"),
    words={
        **_CONSTANTS,
        **_FUTURE_WORDS,
        "X": Op.WEAK_NEXT,
        "V": Op.RELEASE,
        "W": Op.WEAK_UNTIL,
        "M": Op.STRONG_RELEASE,
        "xor": Op.XOR,
    },
    symbols={
        **_SIGNS,
        "/\\": "&",
        "*": "&",
        "\\/": "|",
        "+": "|",
        "=>": "->",
        "-->": "->",
        "<=>": "<->",
        "<-->": "<->",
        "[]": "G",
        "<>": "F",
        "()": "X",
        "1": "true",
        "0": "false",
    },
    levels=(
        (Op.IMPLIES, Op.IFF),
        (Op.OR,),
        (Op.XOR,),
        (Op.AND,),
        (Op.UNTIL, Op.RELEASE, Op.STRONG_RELEASE, Op.WEAK_UNTIL),
    ),
    bare_next=Op.WEAK_NEXT,
    strong_next=True,
    implies="right",
    iff="right",
    bounds="spot",
    wrong_name="Spot takes other names in double quotes",
)

LTLF2DFA = Dialect(
    name="ltlf2dfa",
    word=re.compile(
        r"[Ll][Aa][Ss][Tt]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|WX(?![a-z])|[A-Z](?![a-z])|[a-z][a-z0-9_]*"
    ),
    words={**_CONSTANTS, **_FUTURE_WORDS, "X": Op.NEXT, "WX": Op.WEAK_NEXT, "last": Op.LAST},
    symbols={**{k: v for k, v in _SIGNS.items() if k.isascii() and k != "^"}, "=>": "->", "<=>": "<->"},
    levels=((Op.IFF,), (Op.IMPLIES,), (Op.OR,), (Op.AND,), (Op.UNTIL,), (Op.RELEASE,)),
    bare_next=Op.NEXT,
    strong_next=False,
    implies="left",
    iff="all-equal",
    bounds="none",
    wrong_name="ltlf2dfa takes names of lower-case letters, digits and _ only",
)

PYLOGICS = Dialect(
    name="pylogics",
    word=re.compile(r"[A-Z](?![a-z])|[a-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"),
    words={
        **_CONSTANTS,
        **_FUTURE_WORDS,
        "tt": Op.TRUE,
        "ff": Op.FALSE,
        "X": Op.WEAK_NEXT,
        "W": Op.WEAK_UNTIL,
        "M": Op.STRONG_RELEASE,
        "last": Op.LAST,
    },
    symbols={**{k: v for k, v in _SIGNS.items() if k.isascii() and k != "^"}, ">>": "->"},
    levels=(
        (Op.IFF,),
        (Op.IMPLIES,),
        (Op.OR,),
        (Op.AND,),
        (Op.WEAK_UNTIL,),
        (Op.UNTIL,),
        (Op.RELEASE,),
        (Op.STRONG_RELEASE,),
    ),
    bare_next=Op.WEAK_NEXT,
    strong_next=True,
    implies="left",
    iff="left",
    bounds="none",
    wrong_name="pylogics takes names that begin with a lower-case letter or _",
)

DIALECTS = {d.name: d for d in (MANIGUARD, SPOT, LTLF2DFA, PYLOGICS)}


def dialect_named(name: str) -> Dialect:
    """Return the dialect of that name.

    Raises:
        FormulaError: there is none.
    """
    found = DIALECTS.get(name)
    if found is None:
        raise FormulaError(f"no dialect {name!r}; there are {alternatives(DIALECTS)}")
    return found
