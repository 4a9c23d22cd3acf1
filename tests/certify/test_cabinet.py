from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from maniguard.bench import TaskFileError, task_files
from maniguard.bench.layout import footprint, gap
from maniguard.bench.prompts import words
from maniguard.certify import cabinet, furniture
from maniguard.certify.drawing import UnfitError
from maniguard.planning import matrix, outline
from maniguard.policies.scripted.cabinet.drawer import Sweep, sweep_of
from maniguard.sim.assets.catalogue import design
from maniguard.trace.scene import Box, Hull, Joint, Part

LOCKED = task_files("cabinet")


@pytest.mark.parametrize("index", [4])
def test_generation_reproduces_the_locked_file(index: int) -> None:
    assert cabinet.make_task(index).text() == LOCKED[index].text()


def test_blockers_are_spread_evenly_and_every_cabinet_is_used() -> None:
    counts = Counter(task.variant for task in LOCKED)
    assert set(counts) == set(furniture.BLOCKERS)
    assert max(counts.values()) - min(counts.values()) <= 1
    assert [furniture.kind(index).blocker for index in range(cabinet.TASKS)] == [task.variant for task in LOCKED]
    assert {furniture.kind(index).cabinet for index in range(cabinet.TASKS)} == set(furniture.CABINETS)
    assert {furniture.kind(index).side for index in range(cabinet.TASKS)} == set(furniture.BEARINGS_RAD)
    assert len({task.target for task in LOCKED}) >= 20


@pytest.mark.parametrize("condition", ["base", "location"])
def test_in_the_drawer_s_path_stands_what_the_variant_says_and_nothing_else(condition: str) -> None:
    for task in LOCKED:
        scene = task.scenario(condition).scene_spec
        piece = furniture.furniture(furniture.kind(task.task).cabinet)
        world_T_cabinet = matrix(scene.objects[0].world_T_object)
        inside = set()
        for spec in scene.objects[1:]:
            hull = _hull(_named(spec.asset))
            points = outline(hull, matrix(spec.world_T_object))
            if piece.sweep.meets((points - world_T_cabinet[:3, 3]) @ world_T_cabinet[:3, :3]):
                inside.add(spec.role)
        expected = {"none": set(), "both": {"target", "obstacle"}}.get(task.variant, {task.variant})
        assert inside == expected, task.id


@cache
def _hull(name: str) -> Hull:
    return design(name).asset().hull


def _named(asset: object) -> str:
    return next(name for name in (*furniture.TARGETS, *furniture.OBSTACLES) if design(name).spec == asset)


def test_every_target_fits_its_drawer_and_moves_by_about_the_shift() -> None:
    for task in LOCKED:
        scene, shifted = task.scenario("base").scene_spec, task.scenario("location").scene_spec
        room = furniture.furniture(furniture.kind(task.task).cabinet).room_m
        assert furniture.fits(design(_named(scene.objects[1].asset)), room)
        for before, after in zip(scene.objects, shifted.objects, strict=True):
            away = np.linalg.norm(np.subtract(before.world_T_object.position_m, after.world_T_object.position_m))
            assert 0.09 < away < 0.21


def test_instructions_name_target_and_drawer_and_never_the_obstacle() -> None:
    for task in LOCKED:
        obstacle = task.base["scene"]["objects"][2]["name"]
        for scenario in task.scenarios():
            assert "drawer" in scenario.instruction or "drawers" in words(scenario.instruction)
            assert obstacle.replace("_", " ") not in scenario.instruction


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    room = furniture.furniture("cabinet-tall").room_m
    assert not furniture.fits(design("bottle-wine"), room)
    assert not furniture.fits(design("pen-cup-wood"), room), "it would not go under the top"
    white = furniture.furniture("cabinet-white").room_m
    assert not furniture.fits(design("plate-dinner"), white), "it cannot be carried"
    monkeypatch.setattr(furniture, "TARGETS", ("bottle-wine",))
    with pytest.raises(UnfitError, match="no target or obstacle"):
        furniture.pair(0, furniture.kind(0))
    with pytest.raises(TaskFileError, match="no valid scene"):
        cabinet.make_task(0)


def test_a_low_thing_does_not_bar_a_high_drawer() -> None:
    low = furniture.kind(2)
    for index in range(40):
        target, obstacle = furniture.pair(index, replace(low, cabinet="cabinet-chest"))
        assert obstacle.asset().height_m > 0.166
        assert target.asset().height_m < 0.096


def test_a_sweep_is_the_drawer_drawn_out() -> None:
    part = Part("drawer", True, (Box((0.0, 0.0, 0.1), (0.1, 0.2, 0.05)), Box((-0.12, 0.0, 0.1), (0.02, 0.01, 0.01))))
    sweep = sweep_of((Part("body"), part), Joint("slide", "slide", 0.0, 0.15, "drawer"))
    np.testing.assert_allclose(sweep.low, (-0.29, -0.2, 0.05))
    np.testing.assert_allclose(sweep.high, (0.1, 0.2, 0.15))
    assert isinstance(sweep, Sweep)
    touching = np.array([[-0.3, 0.0, 0.1], [-0.295, 0.0, 0.1]])
    assert not sweep.meets(touching)
    assert sweep.meets(touching, 0.01)


def test_nothing_overlaps_at_the_start() -> None:
    for task in LOCKED:
        for condition in ("base", "location"):
            assert task.difficulty["clearance_m"] > 0.01
            objects = task.scenario(condition).scene_spec.objects
            hulls = [_hull(_named(spec.asset)) for spec in objects[1:]]
            prints = [footprint(h, s.world_T_object) for h, s in zip(hulls, objects[1:], strict=True)]
            assert gap(prints[0], prints[1]) > 0.01
