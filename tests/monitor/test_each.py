"""Rules about each entity of a role: as many rules as entities, and none of them hears of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_traces import RATE_HZ, clutter_scene, random_trace

from maniguard.monitor import SafetyMonitor, judge, timeline
from maniguard.spec import Spec, SpecError, check, load_spec
from maniguard.trace import Trace

HEAD = """
format: maniguard-spec/1
name: each
title: Each by itself
summary: Rules with an automaton for every entity.
defaults:
  upright: {max_tilt: 20 deg}
  dropped: {fall: 5 cm, landing_speed: 1 m/s, support_angle: 60 deg, opposing_angle: 120 deg}
judging:
  {post_success: 0.3 s, episode_clear: 0.2 s, evidence_window: 0.15 s, settled_distance: 2 mm, settled_angle: 1 deg}
"""
RULES = """
propositions:
  upright: {predicate: upright, of: things, quantifier: each}
  dropped: {predicate: dropped, of: things, quantifier: each}
  slow: {predicate: at_rest, of: things, quantifier: each, max_speed: 0.5 m/s}
constraints:
  settles:
    {role: things, each: things, severity: low, sentence: Slow soon after a drop., trigger: dropped,
     obligation: "F[0,0.25s] slow", recovery: "X[!] F slow"}
  stands: {role: things, each: things, severity: medium, sentence: Upright until dropped., formula: upright W dropped}
"""
EACH = HEAD + "bindings: {things: {task_relevant: true, count: 2+}}" + RULES
ONE = HEAD + "bindings: {things: {entity: NAME, count: 1}}" + RULES


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Spec]:
    folder = tmp_path_factory.mktemp("each")
    texts = {"": EACH, **{name: ONE.replace("NAME", name) for name in ("cup", "vase")}}
    out = {}
    for name, text in texts.items():
        path = folder / f"each{name}.yaml"
        path.write_text(text)
        out[name] = load_spec(path)
    return out


def some_trace(seed: int) -> Trace:
    return random_trace(seed, 60)


def movable() -> list[str]:
    return [entity.name for entity in clutter_scene().entities if entity.movable]


def test_the_scene_has_what_these_tests_are_about() -> None:
    assert {"cup", "vase"} <= set(movable())


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_each_judges_every_entity_as_a_rule_about_it_alone_would(specs: dict[str, Spec], seed: int) -> None:
    trace = some_trace(seed)
    together = judge(trace, specs[""])
    for name in ("cup", "vase"):
        alone = judge(trace, specs[name])
        for verdict in alone.constraints:
            found = together.constraint(verdict.name)
            mine = [replace(e, instance=()) for e in found.episodes if e.instance == (name,)]
            # Atoms are named after their entity; everything else is equal to the bit.
            assert mine == [replace(e, instance=()) for e in verdict.episodes]
            triggers = [(t.step, t.end, t.end_step) for t in found.triggers if t.instance == (name,)]
            assert triggers == [(t.step, t.end, t.end_step) for t in verdict.triggers]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_live_and_recorded_judgements_are_equal(specs: dict[str, Spec], seed: int) -> None:
    trace = some_trace(seed)
    monitor = SafetyMonitor(specs[""], trace.scene, trace.channels, RATE_HZ, step_limit=trace.meta.step_limit)
    for step in range(len(trace)):
        report = monitor.step(trace.frame(step))
    assert monitor.judgement() == judge(trace, specs[""])
    labels = {f"{rule}[{name}]" for rule in ("settles", "stands") for name in movable()}
    assert set(report.verdicts) == labels
    assert {line.name for line in timeline(trace, specs[""]).constraints} == labels


def test_the_language_says_what_is_wrong_with_an_each(tmp_path: Path) -> None:
    def refused(text: str) -> str:
        path = tmp_path / "wrong.yaml"
        path.write_text(text)
        with pytest.raises(SpecError) as error:
            load_spec(path)
        return str(error.value)

    assert "only a constraint with 'each: things' can use it" in refused(EACH.replace("each: things, ", "", 1))
    assert "unknown role 'cups'; bound are things" in refused(EACH.replace("each: things", "each: cups", 1))
    assert "engagement needs a single one" in refused(EACH + "engagement: upright\n")
    goal = "goal: {sentence: Stands., formula: upright, dwell: 0.1 s}\n"
    assert "is about each of 'things'" in refused(EACH + goal)
    twice = EACH.replace(
        "constraints:",
        "  apart: {predicate: on, of: things, quantifier: each, to: things, to_quantifier: each, max_gap: 1 cm,\n"
        "          min_force: 0 N, memory: 0.2 s}\nconstraints:",
    )
    assert "bind a second role" in refused(twice)


def test_lint_finds_a_role_that_a_rule_is_about_in_vain(tmp_path: Path) -> None:
    path = tmp_path / "vain.yaml"
    path.write_text(
        EACH.replace(
            "upright: {predicate: upright, of: things, quantifier: each}",
            "upright: {predicate: upright, of: things, quantifier: all}",
        ).replace("upright W dropped", "G upright")
    )
    findings = check(path)
    assert any("no proposition of the rule is about each of 'things'" in f.message for f in findings)


def test_a_rule_about_pairs_has_one_automaton_for_each_pair_of_different_things(tmp_path: Path) -> None:
    path = tmp_path / "pairs.yaml"
    path.write_text(
        HEAD
        + """
bindings:
  things: {task_relevant: true, count: 2+}
  others: {task_relevant: true, count: 2+}
propositions:
  resting:
    {predicate: on, of: things, quantifier: each, to: others, to_quantifier: each, max_gap: 1 cm, min_force: 0 N,
     memory: 0.2 s}
constraints:
  apart: {role: things, each: [things, others], severity: low, sentence: Nothing on another., formula: G !resting}
"""
    )
    trace = some_trace(3)
    lines = timeline(trace, load_spec(path)).constraints
    names = movable()
    assert {line.name for line in lines} == {f"apart[{a}, {b}]" for a in names for b in names if a != b}
