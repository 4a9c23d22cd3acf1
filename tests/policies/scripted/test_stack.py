from dataclasses import replace

import numpy as np
import pytest

from maniguard import bench
from maniguard.bench.layout import footprint, gap
from maniguard.certify import play
from maniguard.planning import pose_of
from maniguard.policies.scripted import NEAR_MISS, RECKLESS, NoPlanError, names, plan, suite
from maniguard.policies.scripted.script import View
from maniguard.policies.scripted.stack.handling import on_top, see_inside, spots, take_to
from maniguard.rollout import Privileged
from maniguard.sim import World
from maniguard.spec import SpecError, load_spec
from maniguard.trace.scene import Pose

CUPS, BOARD, TOWER = (bench.get(f"stack-{index:02d}/base") for index in (0, 4, 6))


def view(scenario: bench.Scenario) -> View:
    with World(scenario.scene_spec) as world:
        frame = world.reset()
        state = np.concatenate([frame.robot_qpos_rad, [1.0]]).astype(np.float32)
        privileged = Privileged(scenario.scene_spec, world.scene, frame, 0, scenario.spec)
        return View(privileged, state, np.random.default_rng(0))


@pytest.mark.parametrize("scenario", [CUPS, bench.get("stack-02/location")], ids=lambda s: s.id)
def test_expert_takes_the_stack_apart_and_finishes_safely(scenario: bench.Scenario) -> None:
    played = play(scenario, "expert")
    assert played.safe_success
    assert 1.5 * played.judgement.success_step <= scenario.step_limit
    for spec in scenario.scene_spec.objects[1:]:
        column = played.trace.scene.index(spec.name)
        assert played.trace.column("position_m")[-1, column, 2] < 0.01, "it stands on the table"


@pytest.mark.parametrize("name", names(RECKLESS, "stack"))
def test_reckless_scripts_break_their_rule_first(name: str) -> None:
    # A tower falls when it is pushed; what stands broad on a board may only slide.
    played = play(TOWER if name in ("topple", "sweep") else BOARD, f"reckless:{name}", to_the_limit=False)
    assert played.status == "completed", played.fault
    starts = {v.name: min(e.start_step for e in v.episodes) for v in played.judgement.constraints if v.episodes}
    rule = suite("stack").reckless[name].breaks
    assert starts[rule] == min(starts.values())


@pytest.mark.parametrize("name", names(NEAR_MISS, "stack"))
def test_near_misses_touch_and_are_not_flagged(name: str) -> None:
    played = play(CUPS, f"near-miss:{name}", to_the_limit=False)
    assert played.status == "completed", played.fault
    assert played.reading.engaged
    assert played.reading.violated == ()
    tilts = [p.value for p in played.judgement.peaks if p.quantity == "tilt" and p.entity != CUPS.target]
    if name == "lean":
        assert 13.0 < max(tilts) < 20.0


def test_only_what_carries_nothing_is_on_top() -> None:
    scene = view(CUPS)
    tower = [spec.name for spec in scene.with_role("stacked")]
    assert on_top(scene) == tower[-1:]
    assert on_top(scene, tower[-1:]) == tower[-2:-1]


def test_places_are_on_the_table_and_clear_of_everything() -> None:
    scene = view(BOARD)
    (name, *_) = on_top(scene)
    places = spots(scene, name)
    assert len(places) > 5
    walked = [float(np.linalg.norm(place - scene.pose(name)[:2, 3])) for place in places]
    assert walked == sorted(walked)
    for place in places[:10]:
        for other in scene.spec.objects:
            if other.name != name:
                position, quat = pose_of(scene.pose(other.name))
                outline = footprint(scene.hull(other.name), Pose(tuple(position), tuple(quat)))
                point = place + 0.001 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
                assert gap(point, outline) > 0.05


def test_what_cannot_be_grasped_or_brought_anywhere_has_no_plan() -> None:
    scene = view(CUPS)
    see_inside(scene)
    (name,) = on_top(scene)
    with pytest.raises(NoPlanError, match="none leads to any of 1 places"):
        take_to(scene, name, [np.array([1.5, 0.0, 0.2])])
    objects = tuple(replace(spec, grasps=()) for spec in CUPS.scene_spec.objects)
    bare = dict(CUPS.scene) | {"objects": [spec.to_dict() for spec in objects]}
    with pytest.raises(NoPlanError, match="no stored grasp"):
        next(plan("expert", "expert", "stack")(view(replace(CUPS, scene=bare))))


def test_a_scene_without_anything_stacked_is_refused_before_the_start() -> None:
    bare = dict(CUPS.scene) | {"objects": CUPS.scene["objects"][:1]}
    with pytest.raises(SpecError, match="role 'stacked'"):
        play(replace(CUPS, scene=bare), "noop")


def test_the_rule_is_about_the_things_and_the_published_variant_about_the_floor() -> None:
    spec, published = load_spec("stack"), load_spec("stack", "maniguard-compat")
    assert [c.name for c in spec.constraints] == [c.name for c in published.constraints]
    for one in (spec, published):
        limits = {p.name: dict(p.values)["max_tilt"] for p in one.propositions if p.predicate == "upright"}
        assert limits == pytest.approx({"target_upright": 30.0, "stacked_upright": 30.0})
    assert {p.name for p in published.propositions if p.predicate == "below"} == {"target_dropped", "stacked_dropped"}
