"""Laws: what is judged live equals what is judged from the record, to the bit, for any numbers and any rules."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_traces import RATE_HZ, clutter_scene, random_trace

from maniguard.ltlf import Verdict
from maniguard.monitor import Judgement, SafetyMonitor, StepReport, judge, read, timeline
from maniguard.spec import Spec, load_spec
from maniguard.trace import Trace, read_trace, write_trace

WILD = """
format: maniguard-spec/1
name: wild
title: Everything that a rule can be
summary: Weak until, bounds in seconds, triggers with obligations, recoveries, filters.
bindings:
  cup: {entity: cup, count: 1}
  all: {task_relevant: true, count: 3}
  table: {entity: table, count: 1}
  lids: {role: lid, count: 0+}
defaults:
  upright: {max_tilt: 20 deg}
  dropped: {fall: 5 cm, landing_speed: 1 m/s, support_angle: 60 deg, opposing_angle: 120 deg}
  grasped: {min_force: 0 N, support_angle: 60 deg, opposing_angle: 120 deg}
propositions:
  cup_upright: {predicate: upright, of: cup, filters: [{debounce: 0.1 s}]}
  some_dropped: {predicate: dropped, of: all, quantifier: any}
  cup_grasped: {predicate: grasped, of: cup}
  cup_on_table: {predicate: on, of: cup, to: table, max_gap: 2 cm, min_force: 0 N, memory: 0.2 s}
  all_slow: {predicate: at_rest, of: all, quantifier: all, max_speed: 0.5 m/s, filters: [{hysteresis: 0.1 m/s}]}
  near: {predicate: near_hand, of: cup, distance: 40 cm}
  lid_on: {predicate: on, of: lids, quantifier: any, to: table, max_gap: 1 cm, min_force: 0 N, memory: 0.2 s}
  touched: {predicate: touched_by_robot, of: all, quantifier: any, min_force: 0 N}
engagement: touched
goal: {sentence: Near., formula: near & (cup_grasped | cup_on_table), dwell: 0.1 s}
ladder: {manipulated: cup_grasped, reached: near}
judging:
  {post_success: 0.3 s, episode_clear: 0.2 s, evidence_window: 0.15 s, settled_distance: 2 mm, settled_angle: 1 deg}
constraints:
  stays: {role: cup, severity: high, sentence: On the table until held., formula: cup_on_table W cup_grasped}
  settles:
    role: cup
    severity: low
    sentence: After a drop everything is slow within a quarter of a second.
    trigger: some_dropped
    obligation: F[0,0.25s] all_slow
    recovery: F all_slow
  upright:
    {role: cup, severity: medium, sentence: Upright., formula: G cup_upright, recovery: "F G[0,0.1s] cup_upright"}
  both: {role: all, severity: medium, sentence: Never both at once., formula: G !(some_dropped & !cup_upright)}
  waits: {role: cup, severity: low, sentence: Held after a drop., formula: "G (some_dropped -> F[0,2s] cup_grasped)"}
  lids: {role: lid, severity: low, sentence: No lid to speak of., formula: G !lid_on}
"""


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    path = tmp_path_factory.mktemp("spec") / "wild.yaml"
    path.write_text(WILD)
    return load_spec(path)


def live(trace: Trace, spec: Spec, step_limit: int | None = None) -> tuple[list[StepReport], Judgement]:
    monitor = SafetyMonitor(spec, trace.scene, trace.channels, trace.control_rate_hz, step_limit=step_limit)
    reports = [monitor.step(frame) for frame in trace.frames()]
    return reports, monitor.judgement()


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31), steps=st.integers(1, 70), name=st.sampled_from(["wild", "default", "maniguard-compat"])
)
def test_live_equals_record(seed: int, steps: int, name: str, wild: Spec) -> None:
    spec = wild if name == "wild" else load_spec("clutter-dry", name)
    trace = random_trace(seed, steps)
    reports, judgement = live(trace, spec)
    assert judgement == judge(trace, spec)
    assert json.dumps(judgement.to_dict()) == json.dumps(judge(trace, spec).to_dict())
    assert Judgement.from_dict(json.loads(json.dumps(judgement.to_dict()))) == judgement
    line = timeline(trace, spec)
    assert line.judgement == judgement
    for item in line.propositions:
        assert item.margin.tobytes() == np.array([report.margins[item.name] for report in reports]).tobytes()
        assert item.truth.tolist() == [report.propositions[item.name] for report in reports]
    for constraint in line.constraints:
        assert list(constraint.verdict) == [report.verdicts[constraint.name] for report in reports]
    assert line.engaged.tolist() == [report.engaged for report in reports]
    assert line.success.tolist() == [report.success for report in reports]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), steps=st.integers(1, 60))
def test_episodes_agree_with_the_verdicts(seed: int, steps: int, wild: Spec) -> None:
    """A rule is broken only inside its episodes, at their first frame, and never at their end."""
    trace = random_trace(seed, steps)
    line = timeline(trace, wild)
    for constraint in line.constraints:
        broken = np.array([verdict is Verdict.PERM_VIOL for verdict in constraint.verdict])
        assert not (broken & ~constraint.in_episode).any()
        for episode in line.judgement.constraint(constraint.name).episodes:
            assert broken[episode.start_step]
            assert episode.recovered == (episode.end_step is not None)
            assert episode.severity >= 0
            assert episode.evidence.step == episode.start_step
            if episode.end_step is not None:
                assert episode.end_step > episode.start_step


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**31), steps=st.integers(1, 80), limit=st.one_of(st.none(), st.integers(0, 90)))
def test_identities_of_the_readings(seed: int, steps: int, limit: int | None) -> None:
    _, judgement = live(random_trace(seed, steps), load_spec("clutter-dry"), limit)
    default, strict, literal = (read(judgement, protocol) for protocol in ("maniguard", "strict", "paper-literal"))
    assert set(default.violated) <= set(strict.violated)
    assert set(literal.violated) <= set(default.violated)
    assert default.safe or not strict.safe
    assert default.safe or default.engaged
    for reading in (default, strict, literal):
        assert reading.safe == (not reading.violated)
        assert reading.safe == (reading.first_violation_step is None)
        assert reading.success == default.success
        assert reading.success == (judgement.ladder == "success")
        assert (reading.first_violation_step is None) == (not any(reading.counted_steps.values()))
    assert not default.post_success_violation or not strict.safe


def test_noise_shows_every_kind_of_outcome(wild: Spec) -> None:
    """The laws above must be about something: episodes that end and do not, triggers of all ends, successes."""
    judgements = [judge(random_trace(seed, 80), wild) for seed in range(25)]
    episodes = [e for j in judgements for c in j.constraints for e in c.episodes]
    assert {e.recovered for e in episodes} == {True, False}
    ends = {t.end for j in judgements for c in j.constraints for t in c.triggers}
    assert ends == {"fulfilled", "violated", "cut-off"}
    assert {j.success_step is None for j in judgements} == {True, False}
    assert {c.pending for j in judgements for c in j.constraints} == {True, False}
    assert all(j.constraint("lids").status == "not-applicable" for j in judgements)
    assert {c.episodes == c.engaged_episodes for j in judgements for c in j.constraints} == {True, False}


def test_a_stored_record_is_judged_the_same(tmp_path: Path) -> None:
    trace = random_trace(5, 60)
    write_trace(tmp_path / "t.h5", trace)
    _, judgement = live(trace, load_spec("clutter-dry"))
    assert judge(read_trace(tmp_path / "t.h5"), load_spec("clutter-dry")) == judgement


def test_a_monitor_can_be_used_again() -> None:
    trace, other = random_trace(5, 40), random_trace(6, 40)
    spec = load_spec("clutter-dry")
    monitor = SafetyMonitor(spec, clutter_scene(), trace.channels, RATE_HZ)
    for frame in other.frames():
        monitor.step(frame)
    monitor.reset()
    for frame in trace.frames():
        monitor.step(frame)
    assert monitor.judgement() == judge(trace, spec)
