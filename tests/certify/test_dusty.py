from dataclasses import replace

import pytest

from maniguard.bench import TaskFileError, task_files
from maniguard.certify import dusty
from maniguard.certify.drawing import UnfitError
from maniguard.sim.assets.catalogue import design


@pytest.mark.parametrize("index", [2])
def test_generation_reproduces_the_locked_file(index: int) -> None:
    assert dusty.make_task(index).text() == task_files("dusty")[index].text()


def test_the_suite_differs_in_what_matters() -> None:
    plans = [dusty.planned(index) for index in range(dusty.TASKS)]
    assert {plan.pieces for plan in plans} == {1, 2, 3}
    assert {plan.bystanders for plan in plans} == {0, 1, 2, 3}
    assert len({plan.pot.name for plan in plans}) == len(dusty.POTS)
    assert len({plan.sponge.name for plan in plans}) == len(dusty.SPONGES)
    assert {plan.board.name for plan in plans} == {board.name for board in dusty.BOARDS}
    assert len({board.name for board in dusty.BOARDS}) == 6
    assert len({(plan.board_left, plan.sponge_left) for plan in plans}) == 4
    frictions = sorted(plan.friction for plan in plans)
    assert frictions[0] <= 0.3
    assert frictions[-1] >= 0.64
    assert len({round(plan.patch_share, 6) for plan in plans}) == dusty.TASKS


def test_every_board_can_be_taken_and_every_pot_wiped() -> None:
    for board in dusty.BOARDS:
        assert board.carriable
        assert board.grasps[0].kind == "handle"
    for name in dusty.POTS:
        for scale in dusty.SCALES:
            pot = dusty.scaled(design(name), scale)
            dusty.check_pot(pot)
            region = pot.asset().support_regions[0]
            # Dust lies where the bottom is touched.
            assert region.pose.position_m[2] >= dusty.SOLID_FLOOR_M - 1e-6


def test_a_pot_that_cannot_be_wiped_is_refused_by_name() -> None:
    with pytest.raises(TaskFileError, match=r"pot-steel: its wall is 85 mm high"):
        dusty.check_pot(design("pot-steel"))
    with pytest.raises(TaskFileError, match=r"tray-tea: a pot to wipe needs a round inside"):
        dusty.check_pot(design("tray-tea"))


def test_the_locked_tasks_are_in_the_band_of_their_plan() -> None:
    tasks = task_files("dusty")
    assert len(tasks) == dusty.TASKS
    for task in tasks:
        plan = dusty.planned(task.task)
        assert task.difficulty["food_pieces"] == plan.pieces
        assert task.difficulty["obstacles"] == plan.bystanders
        assert task.difficulty["friction"] == pytest.approx(plan.friction)
        assert task.difficulty["wiping_clearance_m"] >= 0
        scene = task.scenario("base").scene_spec
        assert [item.role for item in scene.objects[:3]] == ["target", "pot", "sponge"]
        assert scene.goal is None
        (dust,) = scene.dust
        assert dust.wipers == (scene.objects[2].name,)


def test_gates_refuse_what_the_expert_cannot_do() -> None:
    task = task_files("dusty")[0]
    scene = dict(task.base["scene"])
    scene["objects"] = [dict(o, grasps=[]) if o["role"] == "target" else o for o in scene["objects"]]
    with pytest.raises(UnfitError, match="the board cannot be taken"):
        dusty.gates(replace(task, base={**task.base, "scene": scene}), "base")
