"""Rules of validity that a scenario can be held to without running it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from maniguard.bench.canonical import TaskFileError, normal
from maniguard.bench.layout import REACH_M, footprint, gap, inside, reach
from maniguard.bench.prompts import check_instruction
from maniguard.bench.scenario import Scenario
from maniguard.errors import alternatives
from maniguard.sim import AssetSpec, ObjectSpec
from maniguard.sim.assets import Asset, build
from maniguard.sim.assets.asset import AssetError
from maniguard.sim.assets.categories import CATEGORIES
from maniguard.sim.assets.fitting import misfit
from maniguard.sim.assets.pieces import mass_properties

MAX_GRASP_WIDTH_M = 0.070
# What reaches down to this height stands on the table; anything else stands on or in something else.
ON_TABLE_M = 0.0025
_SPECS_WITH_GOAL = ("clutter-dry", "clutter-liquid", "lid", "stack", "jar")
TARGET_ROLE, LID_ROLE = "target", "lid"


def check_scenario(scenario: Scenario) -> None:
    """Refuse a scenario that is not valid; TaskFileError or SceneSpecError names the object and the rule.

    Checked are: target and goal, categories, the reach band of every object and of the goal, that everything stands
    on the table, or on or in something that does, and that what stands on the table does not overlap from above, a
    stored grasp for the target on a feature that fits the gripper, that a lid fits the target, and the instruction.
    """
    scene, where = scenario.scene_spec, scenario.id
    if scenario.target not in [spec.name for spec in scene.objects]:
        raise TaskFileError(
            f"{where}: target {scenario.target!r} is not in the scene; "
            f"it has {alternatives(o.name for o in scene.objects)}"
        )
    targets = [spec.name for spec in scene.objects if spec.role == TARGET_ROLE]
    if targets != [scenario.target]:
        raise TaskFileError(f"{where}: role 'target' belongs to {targets}; it must belong to {scenario.target!r} alone")
    for spec in scene.objects:
        _check_object(spec, where)
    if scene.goal is None and scenario.spec in _SPECS_WITH_GOAL:
        raise TaskFileError(f"{where}: the scene has no goal")
    if scene.goal is not None:
        goal_reach = reach(scene.goal.pose)
        if not REACH_M[0] <= goal_reach <= REACH_M[1]:
            raise TaskFileError(
                f"{where}: the goal is {goal_reach:.3f} m from the base, outside {REACH_M[0]} to {REACH_M[1]} m"
            )
    if not any(grasp.width_m <= MAX_GRASP_WIDTH_M for grasp in scene.object(scenario.target).grasps):
        raise TaskFileError(f"{where}: target {scenario.target!r} has no grasp on a feature of at most 70 mm")
    for lid in scene.objects:
        if lid.role == LID_ROLE:
            _check_lid(lid, scene.object(scenario.target), where)
    _check_places(scenario)
    check_instruction(scenario.instruction, scenario.target, {spec.name: spec.role for spec in scene.objects}, where)


def asset_of(spec: ObjectSpec) -> Asset:
    """Return the built asset of an object, in neutral looks; the same object for equal descriptions."""
    return _asset(spec.asset.kind, tuple(sorted(spec.asset.params.items())), spec.mass_kg, spec.friction)


def geometry_of(objects: Iterable[ObjectSpec]) -> dict[str, dict[str, Any]]:
    """Return measures of the shape of each object as the present code builds it, by name.

    Enough of them that a change of shape shows, and as numbers, so that they can be compared with a tolerance.
    """
    return {spec.name: normal(_measures(asset_of(spec))) for spec in objects}


def same_geometry(stored: Any, built: Mapping[str, Any]) -> bool:
    """Return whether stored measures are those of an object as built, to 1 part in 10 000 or 2 micrometres."""
    if not isinstance(stored, Mapping) or set(stored) != set(built):
        return False
    pairs = [(np.asarray(stored[key], dtype=np.float64), np.asarray(value)) for key, value in built.items()]
    return all(a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=2e-6) for a, b in pairs)


def _measures(asset: Asset) -> dict[str, Any]:
    return {
        "pieces": len(asset.pieces),
        "size_m": [float(v) for v in asset.size_m],
        "volume_cm3": mass_properties(asset.pieces).volume_m3 * 1e6,
        "center_of_mass_m": [float(v) for v in asset.center_of_mass_m],
        "inertia_kg_mm2": [float(v) * 1e6 for v in np.diag(asset.inertia)],
    }


@lru_cache(maxsize=512)
def _asset(
    kind: str, params: tuple[tuple[str, float | str], ...], mass_kg: float, friction: tuple[float, float, float]
) -> Asset:
    return build(AssetSpec(kind, dict(params)), {}, mass_kg, friction)


def _check_object(spec: ObjectSpec, where: str) -> None:
    if spec.category not in CATEGORIES:
        raise TaskFileError(
            f"{where}: object {spec.name!r} has unknown category {spec.category!r}; there is {alternatives(CATEGORIES)}"
        )
    distance = reach(spec.world_T_object)
    if asset_of(spec).anchored:
        # What is fixed is reached at its front, which the makers of tasks prove by planning.
        return
    if not REACH_M[0] <= distance <= REACH_M[1]:
        raise TaskFileError(
            f"{where}: object {spec.name!r} stands {distance:.3f} m from the base, "
            f"outside {REACH_M[0]} to {REACH_M[1]} m"
        )


def _check_lid(lid: ObjectSpec, container: ObjectSpec, where: str) -> None:
    try:
        reason = misfit(asset_of(lid), asset_of(container))
    except AssetError as error:
        raise TaskFileError(f"{where}: object {lid.name!r} has the role of a lid: {error}") from None
    if reason is not None:
        raise TaskFileError(f"{where}: lid {lid.name!r} does not fit container {container.name!r}: {reason}")


def _check_places(scenario: Scenario) -> None:
    scene, where = scenario.scene_spec, scenario.id
    prints = {spec.name: footprint(asset_of(spec).hull, spec.world_T_object) for spec in scene.objects}
    standing = [spec.name for spec in scene.objects if _lowest_m(spec) <= ON_TABLE_M]
    for index, name in enumerate(standing):
        if not inside(prints[name], scene.table.center_m, scene.table.size_m, 0.0):
            raise TaskFileError(f"{where}: object {name!r} does not stand on the table")
        for other_name in standing[index + 1 :]:
            if gap(prints[name], prints[other_name]) < 0:
                raise TaskFileError(f"{where}: objects {name!r} and {other_name!r} overlap")
    for spec in scene.objects:
        if spec.name not in standing and not any(gap(prints[spec.name], prints[name]) < 0 for name in standing):
            raise TaskFileError(f"{where}: object {spec.name!r} hangs over nothing that stands on the table")


def _lowest_m(spec: ObjectSpec) -> float:
    w, x, y, z = spec.world_T_object.quat_wxyz
    down = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    return float((np.asarray(asset_of(spec).hull.vertices_m) @ down).min()) + spec.world_T_object.position_m[2]
