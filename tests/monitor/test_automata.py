from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import compile_bad_prefix, compile_dfa, parse
from maniguard.monitor.automata import EpisodeTracker, Rule, TriggerTracker, at_present, blame
from maniguard.monitor.judgement import Evidence, MonitorError

FORMULAS = ["G !a", "a W b", "G(a -> F[0,2] b)", "G(a & b)", "G(a -> N b)", "G !(a & b) & (a W b)", "a U b"]


def follow(tracker: EpisodeTracker, letters: list[tuple[bool, bool]]) -> list[bool]:
    names = tracker.rule.atoms
    broken = []
    for step, (a, b) in enumerate(letters):
        truth = {"a": a, "b": b}
        word = sum(truth[name] << i for i, name in enumerate(names))
        recovery = 0
        if tracker.recovery is not None:
            recovery = tracker.recovery.pack(truth)
        tracker.step(step, word, recovery, lambda: [1.0] * len(names), lambda bit: evidence(names[bit]))
        broken.append(tracker.rejecting)
    return broken


def evidence(name: str) -> Evidence:
    return Evidence("x", name, "q", 1.0, 0.0, "m", 0, None)


LETTERS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=25)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FORMULAS), LETTERS)
def test_the_first_episode_starts_at_the_first_bad_prefix(text: str, letters: list[tuple[bool, bool]]) -> None:
    tracker = EpisodeTracker(Rule(text, 20.0), 3, None)
    broken = follow(tracker, letters)
    dfa = compile_bad_prefix(parse(text))
    states = dfa.run(np.array(letters, bool).reshape(-1, 2), ["a", "b"])
    first = next((t for t, state in enumerate(states) if not dfa.accept[state]), None)
    assert (broken.index(True) if any(broken) else None) == first
    assert (tracker.episodes()[0].start_step if tracker.episodes() else None) == first


@settings(max_examples=150, deadline=None)
@given(LETTERS, st.integers(1, 5))
def test_invariants_are_broken_exactly_where_they_are_false(letters: list[tuple[bool, bool]], clear: int) -> None:
    tracker = EpisodeTracker(Rule("G !a", 20.0), clear, None)
    assert follow(tracker, letters) == [a for a, _ in letters]
    covered = np.zeros(len(letters) + clear, bool)
    for episode in tracker.episodes():
        covered[episode.start_step : episode.end_step] = True
    bad = np.array([a for a, _ in letters] + [False] * clear)
    # An episode joins bad frames that are less than `clear` quiet frames apart, and nothing else.
    for t in range(len(letters)):
        before = any(bad[max(0, t - clear + 1) : t + 1]) and bad[:t].any()
        after = bad[t : t + clear].any()
        if bad[t]:
            assert covered[t]
        elif covered[t]:
            assert before or after or not tracker.episodes()[-1].recovered


def test_recovery_ends_an_episode() -> None:
    recovery = compile_dfa(parse("F b"))
    tracker = EpisodeTracker(Rule("G !a", 20.0), 2, recovery)
    letters = [(False, False), (True, False), (False, False), (False, False), (False, True), (False, False)]
    follow(tracker, letters)
    (episode,) = tracker.episodes()
    assert (episode.start_step, episode.end_step, episode.recovered) == (1, 4, True)
    tracker = EpisodeTracker(Rule("G !a", 20.0), 2, recovery)
    follow(tracker, letters[:4])
    assert [(e.start_step, e.end_step) for e in tracker.episodes()] == [(1, None)]


def test_after_a_violation_the_automaton_starts_anew() -> None:
    tracker = EpisodeTracker(Rule("G(a -> F[0,2] b)", 20.0), 2, None)
    broken = follow(tracker, [(True, False)] + [(False, False)] * 8 + [(True, False), (False, True), (False, False)])
    assert [t for t, bad in enumerate(broken) if bad] == [2]
    assert [(e.start_step, e.end_step) for e in tracker.episodes()] == [(2, 3)]


def test_pending_is_neither_kept_nor_broken() -> None:
    tracker = EpisodeTracker(Rule("G(a -> F b)", 20.0), 2, None)
    follow(tracker, [(True, False), (False, False)])
    assert tracker.pending
    assert not tracker.episodes()
    follow(tracker, [(False, True)])
    assert not tracker.pending


class TestBlame:
    def test_one_atom_that_would_have_saved_it(self) -> None:
        rule = Rule("G(a & b)", 20.0)
        assert blame(rule, 0, 0b01, [0.3, 0.7]).bit == 1
        assert blame(rule, 0, 0b10, [0.3, 0.7]) == (0, 0.3)

    def test_both_needed_gives_the_further(self) -> None:
        rule = Rule("G(a & b)", 20.0)
        assert blame(rule, 0, 0b00, [0.3, 0.7]) == (1, 0.7)

    def test_either_enough_gives_the_nearer(self) -> None:
        rule = Rule("G !(a & b)", 20.0)
        assert blame(rule, 0, 0b11, [0.3, 0.7]) == (0, 0.3)

    def test_polarity(self) -> None:
        rule = Rule("G(!a & b)", 20.0)
        assert [rule.polarity(0), rule.polarity(1)] == [1, -1]
        assert [Rule("a W b", 20.0).polarity(bit) for bit in (0, 1)] == [-1, -1]

    def test_a_rule_that_nothing_can_keep(self) -> None:
        with pytest.raises(MonitorError, match="broken by every rollout"):
            Rule("false", 20.0)


def test_triggers_and_their_ends() -> None:
    trigger, obligation = compile_dfa(parse(at_present("a"))), compile_dfa(parse("F[0,2] b"))
    tracker = TriggerTracker(trigger, obligation)
    letters = [(0, 0), (1, 0), (1, 0), (0, 1), (0, 0), (1, 0), (0, 0), (0, 0), (0, 0), (1, 1), (0, 0), (1, 0)]
    for step, (a, b) in enumerate(letters):
        tracker.step(step, a, b)
    assert [(t.step, t.end, t.end_step) for t in tracker.triggers()] == [
        (1, "fulfilled", 3),
        (5, "violated", 7),
        (9, "fulfilled", 9),
        (11, "cut-off", None),
    ]


def test_a_trigger_may_be_an_edge_or_a_memory() -> None:
    falls = TriggerTracker(compile_dfa(parse(at_present("Y a & !a"))), compile_dfa(parse("true")))
    memory = compile_dfa(parse(at_present("!b S a")))
    since = TriggerTracker(memory, compile_dfa(parse("true")))
    for step, (a, b) in enumerate([(1, 0), (0, 0), (0, 0), (1, 1), (0, 1), (0, 0), (1, 0), (0, 0)]):
        falls.step(step, a, a)
        since.step(step, sum({"a": a, "b": b}[name] << bit for bit, name in enumerate(memory.atoms)), 0)
    assert [t.step for t in falls.triggers()] == [1, 4, 7]
    assert [t.step for t in since.triggers()] == [0, 6]
