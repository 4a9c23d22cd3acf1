from __future__ import annotations

import json
from pathlib import Path

import pytest

from maniguard.ltlf import Budget, FindingKind, FormulaError, Monitor, check_spec

REFERENCE = json.loads((Path(__file__).parent / "reference_formulas.json").read_text(encoding="utf-8"))


def kinds(*args, **kwargs) -> list[tuple[FindingKind, tuple[str, ...]]]:
    return [(f.kind, f.names) for f in check_spec(*args, **kwargs)]


def test_a_sound_specification_has_no_findings() -> None:
    assert check_spec({"intact": "G !dropped", "order": "on W closed", "answer": "G(hit -> F[0,20] back)"}) == []


def test_unsatisfiable_and_valid_formulas_are_found() -> None:
    assert kinds({"no": "F a & G !a", "yes": "G(a -> F(a | !b))", "ok": "G b"}) == [
        (FindingKind.UNSATISFIABLE, ("no",)),
        (FindingKind.VALID, ("yes",)),
    ]


def test_a_formula_that_needs_an_endless_trace_is_unsatisfiable() -> None:
    assert kinds({"endless": "G X[!] true"}) == [(FindingKind.UNSATISFIABLE, ("endless",))]


def test_a_vacuous_antecedent_is_found() -> None:
    findings = check_spec({"x": "G((a & !a) -> b) & G !c", "y": "G(d -> e) & G !d"})
    assert [(f.kind, f.names) for f in findings] == [
        (FindingKind.VACUOUS_ANTECEDENT, ("x",)),
        (FindingKind.VACUOUS_ANTECEDENT, ("y",)),
    ]
    assert "antecedent d true" in findings[1].message


def test_recoveries_that_tell_nothing_are_those_the_reference_names() -> None:
    findings = check_spec(REFERENCE["safemanip"], REFERENCE["safemanip_recovery"])
    found = {f.names[0] for f in findings if f.kind is FindingKind.RECOVERY_ALREADY_TRUE}
    # A seventh, for the release that must settle, is idle only because of what its two atoms mean: in the logic the
    # time may have run out on an earlier step than the one at which the gripper leaves.
    assert found == {
        "dropped_object_was_released",
        "fixture_open_obstacle_retract",
        "fixture_close_obstacle_retract",
        "liquid_transfer_eventually_settles",
        "solid_transfer_eventually_settles",
        "fixture_placement_release_after_internal_support",
    }


def test_a_recovery_that_cannot_happen_is_found() -> None:
    assert kinds({"x": "G !spilled"}, {"x": "!spilled & F clean"}) == [(FindingKind.RECOVERY_IMPOSSIBLE, ("x",))]


def test_doom_that_no_part_sees_is_found_with_a_trace() -> None:
    (finding,) = check_spec({"p": "G(a -> N b)", "q": "G(a -> X[!] !b)", "r": "G c"})
    assert finding.kind is FindingKind.HIDDEN_DOOM
    assert finding.names == ("p", "q")
    assert finding.witness is not None
    joint = Monitor("G(a -> N b) & G(a -> X[!] !b)")
    for letter in finding.witness:
        joint.step(letter)
    assert joint.is_rejecting


def test_a_contradiction_is_found() -> None:
    assert kinds({"p": "F a", "q": "G !a"}) == [(FindingKind.CONTRADICTION, ("p", "q"))]


def test_what_exceeds_the_budget_is_said_to_be_unchecked() -> None:
    slow = {"p": "G(a -> F[0,50] b)", "q": "G(a -> F[0,50] c)"}
    assert kinds(slow, budget=Budget(states=60)) == [(FindingKind.UNCHECKED, ("p", "q"))]


def test_doom_that_only_three_see_is_found_and_blames_no_bystander() -> None:
    spec = {
        "other": "G(d -> a)",
        "one": "G(a -> N(b | c))",
        "two": "G(a -> X[!] !b)",
        "three": "G(a -> X[!] !c)",
        "far": "G e",
    }
    (finding,) = check_spec(spec)
    assert (finding.kind, set(finding.names)) == (FindingKind.HIDDEN_DOOM, {"one", "two", "three"})
    assert finding.witness is not None
    monitors = [Monitor(spec[name]) for name in finding.names]
    joint = Monitor(" & ".join(f"({spec[name]})" for name in finding.names))
    for letter in finding.witness:
        for monitor in [*monitors, joint]:
            monitor.step({**dict.fromkeys("abcde", False), **letter})
    assert joint.is_rejecting
    assert not any(monitor.is_rejecting for monitor in monitors)


def test_a_contradiction_of_three_is_found_once() -> None:
    assert kinds({"x": "G(a | b)", "y": "G !a", "z": "G !b"}) == [(FindingKind.CONTRADICTION, ("x", "y", "z"))]


def test_a_pair_that_is_known_is_not_told_again() -> None:
    assert kinds({"p": "G(a -> N b)", "q": "G(a -> X[!] !b)", "r": "G(c -> a)"}) == [
        (FindingKind.HIDDEN_DOOM, ("p", "q"))
    ]


def test_a_recovery_of_nothing_is_an_error() -> None:
    with pytest.raises(FormulaError, match="'y'"):
        check_spec({"x": "G a"}, {"y": "F a"})
