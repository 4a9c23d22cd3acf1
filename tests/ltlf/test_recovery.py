from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import (
    Episode,
    EpisodeEnd,
    FormulaError,
    MissingAtomError,
    RecoveryMonitor,
    Verdict,
    evaluate,
    parse,
)

R, S, X, C = EpisodeEnd.RECOVERED, EpisodeEnd.SUBSIDED, EpisodeEnd.FAILED, EpisodeEnd.CENSORED


def run(monitor: RecoveryMonitor, *rows: str) -> list[Episode]:
    names = monitor.formula.atoms() | (monitor.recovery.atoms() if monitor.recovery else frozenset())
    for row in rows:
        monitor.step({n: n in row for n in names})
    return monitor.episodes()


def test_an_episode_opens_at_the_violation_and_closes_at_the_recovery() -> None:
    assert run(RecoveryMonitor("G !v", "F r"), "-", "v", "-", "r", "-") == [Episode(1, 3, R, False, False, ())]


def test_after_recovery_the_rule_is_armed_again() -> None:
    episodes = run(RecoveryMonitor("G(a -> F[0,1] b)", "F r"), "a", "-", "r", "a", "-", "r")
    assert [(e.start, e.end) for e in episodes] == [(1, 2), (4, 5)]


def test_the_closing_step_is_the_first_step_of_the_new_run() -> None:
    # The trigger on the closing step counts: its obligation is broken two steps later.
    episodes = run(RecoveryMonitor("G(a -> F[0,1] b)", "F r"), "a", "-", "ra", "-", "-")
    assert [(e.start, e.end) for e in episodes] == [(1, 2), (3, None)]


def test_a_violation_at_the_rearm_step_opens_the_next_episode_at_once() -> None:
    episodes = run(RecoveryMonitor("G !v", "F r"), "v", "vr", "-", "r")
    assert episodes == [Episode(0, 1, R, False, False, ()), Episode(1, 2, R, True, True, ())]


def test_triggers_inside_an_episode_are_ignored_by_default() -> None:
    assert run(RecoveryMonitor("G(a -> F[0,1] b)", "F r"), "a", "-", "a", "-", "r", "-") == [
        Episode(1, 4, R, False, False, ())
    ]


def test_triggers_inside_an_episode_can_be_watched() -> None:
    episodes = run(RecoveryMonitor("G(a -> F[0,1] b)", "F r", inside="watch"), "a", "-", "a", "-", "r", "-")
    assert episodes == [Episode(1, 4, R, False, False, (3,))]


def test_what_became_due_inside_a_watched_episode_stays_due() -> None:
    rows = ("a", "-", "-", "a", "r", "-", "-")
    assert len(run(RecoveryMonitor("G(a -> F[0,2] b)", "F r"), "a", "-", *rows[1:])) == 1
    watched = run(RecoveryMonitor("G(a -> F[0,2] b)", "F r", inside="watch"), "a", "-", *rows[1:])
    assert [(e.start, e.end) for e in watched] == [(2, 5), (6, None)]


def test_a_truncated_episode_is_censored() -> None:
    assert run(RecoveryMonitor("G !v", "F r"), "v", "-") == [Episode(0, None, C, False, False, ())]


def test_a_pending_obligation_at_the_end_is_no_episode() -> None:
    monitor = RecoveryMonitor("G(a -> F b)", "F r")
    assert run(monitor, "a", "-") == []
    assert monitor.verdict is Verdict.CURR_VIOL


def test_a_recovery_that_holds_at_the_violation_is_marked_instant() -> None:
    assert run(RecoveryMonitor("G !v", "F v"), "v", "-") == [Episode(0, 1, R, True, False, ())]


def test_a_recovery_window_that_passes_is_a_failure() -> None:
    monitor = RecoveryMonitor("G !v", "F[0,2] r")
    assert run(monitor, "v", "v", "v", "v", "r", "-") == [Episode(0, 4, X, False, False, ())]


def test_without_a_recovery_formula_an_episode_ends_after_quiet_steps() -> None:
    assert run(RecoveryMonitor("G !v", quiet_steps=2), "v", "v", "-", "v", "-", "-", "v") == [
        Episode(0, 5, S, False, False, ()),
        Episode(6, None, C, False, False, ()),
    ]


def test_the_state_between_steps() -> None:
    monitor = RecoveryMonitor("G !v", "F r")
    assert not monitor.step({"v": False, "r": False})
    assert monitor.verdict is Verdict.CURR_SAT
    assert monitor.step({"v": True, "r": False})
    assert monitor.in_episode
    assert monitor.verdict is Verdict.PERM_VIOL
    monitor.reset()
    assert monitor.episodes() == []
    assert not monitor.in_episode


def test_the_bad_prefix_reading_is_passed_on() -> None:
    assert run(RecoveryMonitor("a U b", "F r", reading="badprefix"), "a", "a", "-")[0].start == 2


def test_atoms_of_both_formulas_are_needed_from_the_first_step_on() -> None:
    with pytest.raises(MissingAtomError, match="'r'"):
        RecoveryMonitor("G !v", "F r").step({"v": False})


def test_options_are_checked() -> None:
    with pytest.raises(FormulaError, match="ignore, watch"):
        RecoveryMonitor("a", inside="count")  # type: ignore[arg-type]
    with pytest.raises(FormulaError, match="quiet_steps"):
        RecoveryMonitor("a", quiet_steps=0)


RULES = ["G !v", "G(a -> F[0,1] b)", "G(a -> (b W v))", "G(a -> N b)", "a W b"]
RECOVERIES = ["F r", "F[0,2] r", "G(v -> F !v)", "X[!] r", "F(r & X[!] r)"]


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(RULES),
    st.sampled_from(RECOVERIES),
    st.sampled_from(["ignore", "watch"]),
    st.lists(st.sets(st.sampled_from("abrv")), max_size=14),
)
def test_episodes_tile_the_violated_time(rule: str, recovery: str, inside, rows: list[set[str]]) -> None:
    monitor = RecoveryMonitor(rule, recovery, inside=inside)
    trace = [{n: n in row for n in "abrv"} for row in rows]
    open_after = [monitor.step(letter) for letter in trace]
    episodes = monitor.episodes()
    rho = parse(recovery)
    covered = set()
    for before, now in zip([None, *episodes], episodes, strict=False):
        if before is not None:
            assert before.end is not None
            assert before.end <= now.start
        assert now.at_rearm == (before is not None and before.end == now.start)
        end = len(trace) if now.end is None else now.end
        covered |= set(range(now.start, end))
        if now.how is R:
            satisfied = [t for t in range(now.start + 1, end + 1) if evaluate(rho, trace[now.start : t + 1])]
            assert satisfied == [end]
        if now.how in (R, C):
            assert not any(evaluate(rho, trace[now.start : t + 1]) for t in range(now.start + 1, end))
        assert now.instant == evaluate(rho, trace[now.start : now.start + 1])
        assert all(now.start < t < end for t in now.repeats)
    assert [t in covered for t in range(len(trace))] == open_after
