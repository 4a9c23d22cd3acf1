import numpy as np
import pytest

from maniguard.bench import task_files
from maniguard.bench.layout import smallest_gap
from maniguard.certify import clutter, packing
from maniguard.certify.crowd import gates
from maniguard.certify.drawing import UnfitError
from maniguard.sim import TableSpec
from maniguard.sim.assets.catalogue import design


@pytest.mark.parametrize("index", [0, 8])
def test_generation_reproduces_the_locked_file(index: int) -> None:
    assert clutter.make_task(index).text() == task_files("clutter")[index].text()


def test_another_id_is_another_draw_of_the_same_difficulty() -> None:
    task = clutter.make_task(0, task_id="clutter-dry-00-again")
    locked = task_files("clutter")[0]
    assert task.base["scene"] != locked.base["scene"]
    assert task.difficulty["obstacles"] == locked.difficulty["obstacles"]
    assert task.target == locked.target


def test_targets_can_be_held_level_and_have_names_without_colour() -> None:
    designs = clutter.targets()
    assert len(designs) >= clutter.TASKS
    assert len({d.category for d in designs[: clutter.TASKS]}) >= 12
    assert not any("olive" in d.noun for d in designs)
    assert all(d.grasps for d in designs)
    assert [d.name for d in clutter.targets()] == [d.name for d in designs]


def test_the_suite_runs_from_loose_to_tight() -> None:
    densities = [clutter.density(index) for index in range(clutter.TASKS)]
    assert {d.obstacles for d in densities} == {6, 7, 8, 9}
    lows = sorted(d.gap_m[0] for d in densities)
    assert lows[0] < 0.01
    assert lows[-1] > 0.025
    assert len(set(lows)) == clutter.TASKS


def test_packing_keeps_the_gap_and_moving_keeps_everything_apart() -> None:
    rng = np.random.default_rng(5)
    hulls = [design(name).asset().hull for name in ("mug-classic", "can-beans", "vase-bud", "box-tea")]
    placed = [packing.put(hulls[0], 0.5, 0.0, 0.3)]
    for hull in hulls[1:]:
        one = packing.pack_one(hull, placed, (0.5, 0.0), 0.02, TableSpec(), rng)
        assert one is not None
        gap = smallest_gap(one.polygon, [p.polygon for p in placed])
        assert 0.02 <= gap < 0.03
        assert packing.allowed(one, TableSpec())
        placed.append(one)
    shifted = packing.moved(hulls, placed, 0.025, 0.01, TableSpec(), rng)
    assert shifted is not None
    for before, after in zip(placed, shifted, strict=True):
        step = np.subtract(after.pose.position_m, before.pose.position_m)
        assert 0.020 < np.linalg.norm(step) < 0.030
        assert after.pose.quat_wxyz == pytest.approx(before.pose.quat_wxyz, abs=2e-6)
    for index, one in enumerate(shifted):
        others = [p.polygon for k, p in enumerate(shifted) if k != index]
        assert smallest_gap(one.polygon, others) >= 0.01


def test_gates_refuse_what_cannot_be_done() -> None:
    from dataclasses import replace

    from maniguard.bench import get

    scene = get("clutter-dry-00/base").scene_spec
    ungraspable = replace(scene, objects=tuple(replace(o, grasps=()) for o in scene.objects))
    with pytest.raises(UnfitError, match="cannot be brought to the goal"):
        gates(ungraspable, clutter.SPEC)
