import copy
from dataclasses import replace

import pytest

from maniguard import bench
from maniguard.certify import verify

TASK = [bench.get(f"clutter-dry-00/{c}") for c in bench.CONDITIONS]


def tampered(change, condition: str = "base", **fields: object) -> bench.Scenario:
    scenario = bench.get(f"clutter-dry-00/{condition}")
    scene = copy.deepcopy(dict(scenario.scene))
    change(scene)
    return replace(scenario, scene=scene, step_limit=40, **fields)


def test_a_shipped_task_is_sound() -> None:
    report = verify(TASK)
    assert report.findings == ()
    assert "5 scenarios of 1 tasks, 2 distinct physics: all sound" in report.summary


def goal_at_start(scene: dict) -> None:
    x, y, _ = next(o for o in scene["objects"] if o["role"] == "target")["world_T_object"]["position_m"]
    scene["goal"]["center_m"] = [x, y, 0.03]


def hang(scene: dict) -> None:
    scene["objects"][1]["world_T_object"]["position_m"][2] += 0.08


@pytest.mark.parametrize(
    ("scenario", "finding"),
    [
        (tampered(goal_at_start), "succeeds by itself"),
        (tampered(lambda s: s["objects"][1].update(mass_kg=0.5)), "built with another shape or inertia"),
        (tampered(lambda s: s["objects"][1].update(category="ufo")), "unknown category 'ufo'"),
        (tampered(lambda s: s["objects"][1].update(mass_kg=0.5), "language"), "its physics differs from the base's"),
    ],
)
def test_defects_are_found_and_named(scenario: bench.Scenario, finding: str) -> None:
    report = verify([scenario])
    assert any(finding in text and text.startswith(scenario.id) for text in report.findings), report.findings


def test_what_falls_by_itself_is_found() -> None:
    # It falls while settling, so it is off its locked pose although it then stands still.
    report = verify([tampered(hang)])
    assert any("settles" in text for text in report.findings), report.findings
