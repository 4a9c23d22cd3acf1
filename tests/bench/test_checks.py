import copy
from collections.abc import Callable

import pytest
from tests.bench.conftest import task

from maniguard.bench.canonical import TaskFileError
from maniguard.bench.checks import check_scenario, geometry_of, same_geometry
from maniguard.bench.scenario import Scenario
from maniguard.bench.taskfile import TaskFile
from maniguard.sim import SceneSpecError
from maniguard.sim.assets.catalogue import design
from maniguard.trace.scene import Pose


def changed(change: Callable[[dict], object], **fields: object) -> Scenario:
    base = copy.deepcopy(dict(task().base))
    change(base["scene"])
    return task(base=base, **fields).scenario("base")


def move(index: int, x: float, y: float) -> Callable[[dict], object]:
    return lambda scene: scene["objects"][index]["world_T_object"].update(position_m=[x, y, 0.0])


def test_a_sound_scenario_passes(small_task: TaskFile) -> None:
    for scenario in small_task.scenarios():
        check_scenario(scenario)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (move(1, 0.75, 0.12), r"'can_of_beans' stands 0\.760 m .* outside 0\.3 to 0\.7"),
        (move(2, 0.1, 0.1), "'bud_vase' stands"),
        (move(1, 0.5, 0.03), "'mug' and 'can_of_beans' overlap"),
        (lambda s: s["objects"][1].update(category="teleporter"), "'can_of_beans' has unknown category 'teleporter'"),
        (lambda s: s["objects"][1].update(role="target"), "role 'target' belongs to"),
        (lambda s: s.update(goal=None), "has no goal"),
        (lambda s: s["goal"].update(center_m=[0.9, 0.0, 0.2]), "the goal is 0.900 m"),
        (lambda s: s["objects"][0].update(grasps=[]), "no grasp on a feature of at most 70 mm"),
        (lambda s: s["objects"].pop(0), "'mug' is not in the scene"),
    ],
)
def test_broken_rules_are_named_with_the_object(change: Callable[[dict], object], message: str) -> None:
    with pytest.raises(TaskFileError, match=message):
        check_scenario(changed(change))


def with_lid(name: str) -> Callable[[dict], object]:
    lid = design(name).object_spec("lid", "lid", Pose((0.45, -0.15, 0.0))).to_dict()
    return lambda scene: scene["objects"].__setitem__(2, lid)


def test_a_lid_must_fit_the_target() -> None:
    canister = design("canister-steel").object_spec("mug", "target", Pose((0.5, 0.0, 0.0))).to_dict()

    def fitting(scene: dict) -> None:
        scene["objects"][0] = canister
        with_lid("lid-steel")(scene)

    check_scenario(changed(fitting))
    with pytest.raises(TaskFileError, match=r"lid 'lid' does not fit container 'mug': the plug's radius of"):
        check_scenario(changed(with_lid("lid-steel")))
    with pytest.raises(TaskFileError, match=r"'can_of_beans' has the role of a lid: .* is no lid: it has no plug"):
        check_scenario(changed(lambda s: s["objects"][1].update(role="lid")))


def test_a_bad_field_is_the_scene_readers_error() -> None:
    with pytest.raises(SceneSpecError, match="object 'mug'"):
        check_scenario(changed(lambda s: s["objects"][0].update(mass_kg=-1.0)))


def test_geometry_is_measured_and_compared_with_a_tolerance(small_task: TaskFile) -> None:
    objects = small_task.scenario("base").scene_spec.objects
    built = geometry_of(objects)
    assert set(built) == {"mug", "can_of_beans", "bud_vase"}
    assert built["can_of_beans"]["size_m"][2] == pytest.approx(0.1, abs=0.002)
    mug = built["mug"]
    assert same_geometry(small_task.geometry["mug"], mug)
    assert same_geometry({**mug, "volume_cm3": mug["volume_cm3"] * 1.00005}, mug)
    assert not same_geometry({**mug, "volume_cm3": mug["volume_cm3"] * 1.001}, mug)
    assert not same_geometry({**mug, "pieces": mug["pieces"] + 1}, mug)
    assert not same_geometry(None, mug)
    assert not same_geometry({k: v for k, v in mug.items() if k != "pieces"}, mug)
