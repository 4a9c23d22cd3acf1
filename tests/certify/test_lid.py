from dataclasses import replace

import numpy as np
import pytest

from maniguard.bench import BASE, TaskFileError, get, task_files
from maniguard.certify import lid
from maniguard.certify.drawing import UnfitError
from maniguard.certify.lid_plans import LIQUID, PLANS, check_plan
from maniguard.planning import inverted, matrix
from maniguard.sim.assets.catalogue import design

LOCKED = task_files("lid")


@pytest.mark.parametrize("index", [5, 13])
def test_generation_reproduces_the_locked_file(index: int) -> None:
    assert lid.make_task(index).text() == LOCKED[index].text()


def test_all_three_kinds_of_lids_and_all_sorts_of_contents() -> None:
    assert len(PLANS) == lid.TASKS == len(LOCKED)
    kinds = [task.variant for task in LOCKED]
    assert {kind: kinds.count(kind) >= 6 for kind in ("knob", "handle", "cap")} == dict.fromkeys(set(kinds), True)
    assert len({plan.lid for plan in PLANS}) >= 12
    assert len({plan.container for plan in PLANS}) >= 12
    assert len(set(PLANS)) == len(PLANS)
    assert {plan.obstacles for plan in PLANS} == {0, 1, 2, 3, 4, 5}
    assert sum(plan.inside == LIQUID for plan in PLANS) >= 5
    assert sum(plan.inside == "" for plan in PLANS) <= 6


def test_every_lid_fits_and_one_that_does_not_is_refused() -> None:
    for plan in PLANS:
        check_plan(plan)
        assert design(plan.container).carriable
    with pytest.raises(TaskFileError, match=r"'cap-cork' on 'canister-stone': .*too small.*it fits carafe, flagon"):
        check_plan(replace(PLANS[0], lid="cap-cork"))
    with pytest.raises(TaskFileError, match="no design 'lid-brass'"):
        check_plan(replace(PLANS[0], lid="lid-brass"))


@pytest.mark.parametrize("task", LOCKED, ids=lambda task: task.id)
def test_what_is_inside_is_inside_and_moves_with_its_container(task) -> None:
    base, moved = (task.scenario(condition).scene_spec for condition in (BASE, "location"))
    shift = [
        np.linalg.norm(np.subtract(b.world_T_object.position_m[:2], a.world_T_object.position_m[:2]))
        for a, b in zip(base.objects, moved.objects, strict=True)
    ]
    assert all(0.15 < length < 0.21 for length in shift)
    assert [spec.role for spec in base.objects[:2]] == ["target", "lid"]
    within = [
        inverted(matrix(scene.objects[0].world_T_object)) @ matrix(spec.world_T_object)
        for scene in (base, moved)
        for spec in scene.objects
        if spec.role == "content"
    ]
    if PLANS[task.task].inside == LIQUID:
        assert base.liquids[0].container == task.target
    if within:
        np.testing.assert_allclose(within[0], within[1], atol=1e-5)
        assert np.hypot(*within[0][:2, 3]) < 0.03
    assert len(within) == (0 if PLANS[task.task].inside in ("", LIQUID) else 2)


def test_gates_refuse_what_cannot_be_done() -> None:
    scene = get("lid-04/base").scene_spec
    bare = replace(scene, objects=tuple(replace(o, grasps=()) if o.role == "lid" else o for o in scene.objects))
    with pytest.raises(UnfitError, match="the lid cannot be brought over"):
        lid.gates(bare)
    goal = replace(scene.goal, pose=replace(scene.goal.pose, position_m=(1.3, 0.0, 0.2)))
    with pytest.raises(UnfitError, match="cannot be brought to the goal"):
        lid.gates(replace(scene, goal=goal))
