import numpy as np
import pytest

from maniguard.bench import TaskFileError, load, task_files
from maniguard.certify import clutter, liquid
from maniguard.planning.frames import matrix
from maniguard.sim.assets.catalogue import design

LOCKED = [task for task in task_files("clutter") if task.variant == liquid.VARIANT]


def test_generation_reproduces_the_locked_file() -> None:
    assert liquid.make_task(1).text() == LOCKED[1].text()


def test_the_tasks_follow_the_dry_ones() -> None:
    assert [task.task for task in LOCKED] == list(range(clutter.TASKS, clutter.TASKS + liquid.TASKS))
    assert liquid.FIRST_TASK == clutter.TASKS
    assert len(liquid.FILLINGS) == liquid.TASKS


def test_containers_differ_in_kind_and_in_how_full_they_are() -> None:
    freeboards = [filling.freeboard_m for filling in liquid.FILLINGS]
    assert len({filling.design for filling in liquid.FILLINGS}) >= 12
    assert min(freeboards) <= 0.006
    assert max(freeboards) >= 0.016
    assert all(liquid.container(filling.design).carriable for filling in liquid.FILLINGS)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("book-novel", "it has no inside"),
        ("teacup-round", "no stored grasp holds its body"),
        ("pot-steel", "no stored"),
    ],
)
def test_what_cannot_be_carried_full_is_refused(name: str, why: str) -> None:
    with pytest.raises(TaskFileError, match=f"{name}.*{why}"):
        liquid.container(name)


def test_no_hand_is_a_lid() -> None:
    for name in {filling.design for filling in liquid.FILLINGS}:
        rim = design(name).asset().rim
        assert rim is not None
        grasps = liquid.open_grasps(design(name))
        assert grasps
        for grasp in grasps:
            down = -matrix(grasp.object_T_tcp)[2, 2]
            depth_m = rim.pose.position_m[2] - grasp.object_T_tcp.position_m[2]
            assert down < 0.1 or depth_m <= 0.021


def test_locked_containers_are_filled_below_their_rim() -> None:
    for scenario in load("clutter", conditions=["base", "location"]):
        if scenario.spec != liquid.SPEC:
            continue
        scene = scenario.scene_spec
        (pool,) = scene.liquids
        assert pool.container == scenario.target
        assert len(pool.radii_m) >= 40
        filling = liquid.FILLINGS[scenario.task - liquid.FIRST_TASK]
        rim = design(filling.design).asset().rim
        assert rim is not None
        assert rim.pose.position_m[2] - pool.level_m == pytest.approx(filling.freeboard_m, abs=0.001)
        highest = np.array(pool.positions_m)[:, 2] + np.array(pool.radii_m)
        assert highest.max() < rim.pose.position_m[2]


def test_the_suite_runs_from_loose_to_tight() -> None:
    densities = [liquid.density(index) for index in range(liquid.TASKS)]
    assert {d.obstacles for d in densities} == {6, 7, 8, 9}
    assert len({d.gap_m for d in densities}) == liquid.TASKS
