from dataclasses import replace

import numpy as np
import pytest

from maniguard.bench import read_task, task_files
from maniguard.bench.layout import gap
from maniguard.certify import stack
from maniguard.certify.drawing import UnfitError
from maniguard.certify.piling import Piled, closest, levels, pile_high, pile_in, rested
from maniguard.planning import matrix
from maniguard.sim import SceneSpec
from maniguard.sim.assets.catalogue import design
from maniguard.trace.scene import Pose

LOCKED = task_files("stack")
HOME = Pose((0.5, 0.0, 0.0))


@pytest.mark.parametrize("index", [4, 24])
def test_generation_reproduces_the_locked_file(index: int) -> None:
    assert stack.make_task(index).text() == LOCKED[index].text()


def test_the_three_kinds_come_in_turn_and_no_two_tasks_are_alike() -> None:
    assert [stack.kind(index) for index in range(stack.TASKS)] == [task.variant for task in LOCKED]
    assert {kind: sum(task.variant == kind for task in LOCKED) for kind in stack.KINDS} == {
        "same": 10,
        "flat": 9,
        "receptacle": 9,
    }
    assert len({(stack.target(index).name, stack.load(index)) for index in range(stack.TASKS)}) == stack.TASKS
    assert {stack.load(index) for index in range(stack.TASKS)} == {2, 3, 4}
    assert all(task.difficulty["stacked"] == stack.load(task.task) for task in LOCKED)


@pytest.mark.parametrize("task", LOCKED, ids=lambda task: task.id)
def test_a_locked_task_is_one_pile_that_moves_as_a_whole(task) -> None:
    base, away = (task.scenario(condition).scene_spec for condition in ("base", "location"))
    assert [spec.role for spec in base.objects] == ["target", *["stacked"] * stack.load(task.task)]
    if task.variant == "same":
        assert task.target.startswith("bottom_")
        assert len({spec.asset for spec in map(_comparable, base.objects)}) == 1
    target = base.objects[0].world_T_object
    for scene in (base, away):
        reach = max(np.hypot(*v[:2]) for v in stack.target(task.task).asset().hull.vertices_m)
        apart = np.subtract(scene.goal.pose.position_m, scene.objects[0].world_T_object.position_m)[:2]
        assert np.linalg.norm(apart) > reach + stack.GOAL_RADIUS_M
    shift = np.subtract(away.objects[0].world_T_object.position_m, target.position_m)
    assert 0.10 < np.linalg.norm(shift) < 0.14
    for before, after in zip(base.objects, away.objects, strict=True):
        here = np.linalg.inv(matrix(target)) @ matrix(before.world_T_object)
        there = np.linalg.inv(matrix(away.objects[0].world_T_object)) @ matrix(after.world_T_object)
        np.testing.assert_allclose(there, here, atol=1e-5)


def _comparable(spec):
    return replace(spec, asset=(spec.asset.kind, tuple(sorted(spec.asset.params.items()))))


def test_towers_stand_askew_on_each_other_and_cups_in_each_other() -> None:
    blocks = pile_high(design("block-wood"), 3, np.random.default_rng(1))
    assert [round(one.z_m, 3) for one in blocks] == [0.0, 0.05, 0.1, 0.15]
    assert levels(blocks) == 4
    cups = pile_high(design("stacking-red"), 2, np.random.default_rng(1))
    assert cups[1].z_m < design("stacking-red").asset().height_m
    assert closest(cups) == 0.0025


def test_piles_keep_their_levels_and_leave_room_beside() -> None:
    rng = np.random.default_rng(3)
    first, rest = [design(n) for n in ("can-corn", "box-sugar")], [design(n) for n in ("egg-cup-wood", "tea-beaker")]
    for _ in range(5):
        piled = pile_in(design("tray-white"), first, rest, 3, rng)
        assert levels(piled) <= 3
        assert [one.on for one in piled[:3]] == [None, 0, 0]
        assert gap(piled[1].outline, piled[2].outline) > 0.009
        assert closest(piled) > 0.009
        for one in piled[1:3]:
            assert np.all(np.abs(one.base) < np.array(design("tray-white").asset().support_regions[0].size_m[:2]))


def test_no_room_and_no_stand_are_refused() -> None:
    cans = [design(n) for n in ("can-beans", "can-corn", "jar-honey")]
    with pytest.raises(UnfitError, match="no room"):
        pile_in(design("bowl-small"), cans, [], 2, np.random.default_rng(0))
    top = Piled(design("tea-beaker"), 0.045, 0.0, 0.0, 0.1, 0)
    bottom = Piled(design("can-beans"), 0.0, 0.0, 0.0, 0.0, None)
    objects = tuple(
        one.design.object_spec(name, role, one.placed(HOME))
        for one, name, role in ((bottom, "can", "target"), (top, "beaker", "stacked"))
    )
    with pytest.raises(UnfitError, match="does not stand"):
        rested(SceneSpec(objects))


def test_rest_is_where_it_is_touched_not_where_it_is_drawn() -> None:
    tray, cube = design("tray-white"), design("puzzle-cube")
    piled = pile_in(tray, [cube], [], 2, np.random.default_rng(0))
    objects = tuple(one.design.object_spec(f"o{k}", "stacked", one.placed(HOME)) for k, one in enumerate(piled))
    scene = rested(SceneSpec(objects))
    before, after = (s.objects[1].world_T_object.position_m for s in (SceneSpec(objects), scene))
    assert after[:2] == before[:2]
    assert after[2] > before[2] + 0.0005


def test_files_are_small(tmp_path) -> None:
    assert sum(len(task.text()) for task in LOCKED) < 1_500_000
    (tmp_path / "a.json").write_text(LOCKED[0].text())
    assert read_task(tmp_path / "a.json").text() == LOCKED[0].text()
