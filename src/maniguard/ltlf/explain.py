"""Why a trace violates a formula: which facts about which steps suffice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from maniguard.ltlf.compile import compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.errors import TraceError
from maniguard.ltlf.formula import Formula, show_name


class Fact(NamedTuple):
    """An atom had a value at a step."""

    step: int
    atom: str
    value: bool


class Explanation(NamedTuple):
    """A subset-minimal set of facts that suffices for the violation.

    Every trace that agrees on `facts` is violated too, so that whatever averts the violation changes one of them; and
    without any single one of them that is no longer so. `step` is the step at which the violation became permanent, -1
    for a formula that nothing satisfies, None where an obligation was still open when the trace ended.
    """

    facts: tuple[Fact, ...]
    step: int | None

    def text(self, rate_hz: float | None = None) -> str:
        """Return the facts as a sentence, steps in a row taken together; with a rate, in seconds."""

        def when(first: int, last: int) -> str:
            if rate_hz is None:
                return f"at step {first}" if first == last else f"at steps {first}–{last}"
            one, two = f"{first / rate_hz:g}", f"{last / rate_hz:g}"
            return f"at {one} s" if first == last else f"from {one} s to {two} s"

        spans: list[tuple[int, int, str]] = []
        by_atom = sorted(self.facts, key=lambda f: (f.atom, f.value, f.step))
        for (name, value), facts in groupby(by_atom, key=lambda f: (f.atom, f.value)):
            said = f"{show_name(name)} was {'true' if value else 'false'}"
            steps = [f.step for f in facts]
            start = 0
            for i in range(1, len(steps) + 1):
                if i == len(steps) or steps[i] != steps[i - 1] + 1:
                    spans.append((steps[start], steps[i - 1], said))
                    start = i
        if not spans:
            return "violated whatever happens"
        return "; ".join(f"{said} {when(first, last)}" for first, last, said in sorted(spans))


def explain(formula: Formula | str | Dfa, trace: Sequence[Mapping[str, bool]]) -> Explanation | None:
    """Return why `trace` violates a formula, None if it does not.

    The facts are about steps up to the one at which the violation became permanent, or up to the end where an
    obligation was merely still open. Give the automaton of `compile_bad_prefix` to explain a bad prefix.

    Raises:
        MissingAtomError: a letter lacks an atom.
    """
    dfa = formula if isinstance(formula, Dfa) else compile_dfa(formula)
    words = [dfa.pack(letter) for letter in trace]
    states = [dfa.initial, *dfa.run_packed(words)]
    if dfa.accept[states[-1]]:
        return None
    dead = next((t for t, s in enumerate(states) if dfa.verdict(s) is Verdict.PERM_VIOL), None)
    if dead is not None:
        words = words[:dead]
    return Explanation(tuple(_sufficient(dfa, words, dead is not None)), None if dead is None else dead - 1)


def _sufficient(dfa: Dfa, words: list[int], permanent: bool) -> list[Fact]:
    """Drop every fact that is not needed, from the first step on."""
    # bad[t]: the states from which the letters t, t+1, … as they were lead to the violation.
    count = range(dfa.num_states)
    bad = [{s for s in count if (dfa.verdict(s) is Verdict.PERM_VIOL if permanent else not dfa.accept[s])}]
    for word in reversed(words):
        after = bad[-1]
        bad.append({s for s in count if dfa.step_packed(s, word) in after})
    bad.reverse()
    facts: list[Fact] = []
    possible = {dfa.initial}
    if not possible <= bad[0]:
        raise TraceError("the trace does not violate the formula")
    full = (1 << len(dfa.atoms)) - 1
    for t, word in enumerate(words):
        known = full
        # Atoms that no guard of a possible state tests need no trial.
        tested = _tested(dfa, possible)
        for i in range(len(dfa.atoms)):
            without = known & ~(1 << i)
            if not tested >> i & 1 or _targets(dfa, possible, word, without) <= bad[t + 1]:
                known = without
        facts += [Fact(t, a, bool(word >> i & 1)) for i, a in enumerate(dfa.atoms) if known >> i & 1]
        possible = _targets(dfa, possible, word, known)
    return facts


def _tested(dfa: Dfa, states: set[int]) -> int:
    found = 0
    seen: set[int] = set()
    stack = [dfa.roots[s] for s in states]
    while stack:
        ref = stack.pop()
        if ref >= 0 and ref not in seen:
            seen.add(ref)
            found |= 1 << dfa.node_atom[ref]
            stack += (dfa.node_lo[ref], dfa.node_hi[ref])
    return found


def _targets(dfa: Dfa, states: set[int], word: int, known: int) -> set[int]:
    """Return where `states` can go when only the bits `known` of the letter are fixed."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = [dfa.roots[s] for s in states]
    while stack:
        ref = stack.pop()
        if ref in seen:
            continue
        seen.add(ref)
        if ref < 0:
            found.add(~ref)
            continue
        atom = dfa.node_atom[ref]
        if not known >> atom & 1:
            stack += (dfa.node_lo[ref], dfa.node_hi[ref])
        else:
            stack.append(dfa.node_hi[ref] if word >> atom & 1 else dfa.node_lo[ref])
    return found
