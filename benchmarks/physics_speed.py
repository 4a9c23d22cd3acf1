"""Speed of the world with ten objects on one core: real-time factor, and what latching contacts in every substep costs.

    python benchmarks/physics_speed.py [--steps 300] [--repeats 5] [--out benchmarks/results/physics_speed.json]

The arm moves among the objects and pushes some of them. Times are processor times of this process; with and without
latching are measured in turn, and the fastest repeat of each counts, because other jobs can only slow it down.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

import mujoco
import numpy as np

from maniguard.sim import CONTROL_STEP_S, SceneSpec, World, goal_sphere
from maniguard.sim.assets import CATALOGUE
from maniguard.trace.frame import Contacts
from maniguard.trace.scene import Pose

CATEGORIES = ("mug", "bowl", "plate", "wine_glass", "bottle", "can", "jar", "box", "pot", "vase")


def ten_objects() -> SceneSpec:
    """Return a table with one object each of ten categories, in two and a half rows."""
    by_category = {design.category: design for design in CATALOGUE.values()}
    objects = []
    for index, category in enumerate(CATEGORIES):
        row, column = divmod(index, 4)
        place = Pose((0.36 + 0.17 * row, -0.36 + 0.24 * column, 0.0))
        objects.append(by_category[category].object_spec(f"object{index}", "obstacle", place))
    return SceneSpec(tuple(objects), goal_sphere((0.45, -0.3, 0.3), 0.05))


class NoLatch:
    """Stands in for the latch and records nothing."""

    def record(self, substep: int) -> None: ...

    def reduce(self) -> Contacts:
        return Contacts.empty()


def actions(world: World, steps: int) -> list[np.ndarray]:
    """Lower the arm into the objects and sweep it to and fro."""
    start = np.array(world.spec.robot_qpos_rad)
    time_s = np.arange(1, steps + 1) * CONTROL_STEP_S
    lowered = np.minimum(time_s / 2.0, 1.0)
    swing = 0.35 * np.sin(0.8 * time_s)
    out = []
    for low, turn in zip(lowered, swing, strict=True):
        out.append(np.append(start + low * np.array([0, 1.135, 0, -0.033, 0, 1.169, 0]) + turn * np.eye(7)[0], 1.0))
    return out


def seconds(world: World, plan: list[np.ndarray]) -> float:
    world.reset()
    started = time.process_time()
    for action in plan:
        world.step(action)
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "physics_speed.json")
    options = parser.parse_args()
    spec = ten_objects()
    started = time.process_time()
    world = World(spec)
    build_s = time.process_time() - started
    started = time.process_time()
    world.reset()
    settle_s = time.process_time() - started
    plan = actions(world, options.steps)
    latch, nothing = world._latch, NoLatch()
    latched, plain, contacts = [], [], []
    for _ in range(options.repeats):
        world._latch = latch
        latched.append(seconds(world, plan))
        world._latch = nothing
        plain.append(seconds(world, plan))
    world._latch = latch
    world.reset()
    for action in plan:
        world.step(action)
        contacts.append(int(world.data.ncon))
    simulated_s = options.steps * CONTROL_STEP_S
    result = {
        "benchmark": "physics_speed",
        "objects": [item.category for item in spec.objects],
        "geoms": int(world.model.ngeom),
        "contacts_mean": round(float(np.mean(contacts)), 1),
        "control_steps": options.steps,
        "build_s": round(build_s, 3),
        "settle_s": round(settle_s, 3),
        "control_step_ms": round(1e3 * min(latched) / options.steps, 3),
        "real_time_factor": round(simulated_s / min(latched), 2),
        "real_time_factor_without_latching": round(simulated_s / min(plain), 2),
        "latching_share_of_physics": round((min(latched) - min(plain)) / min(plain), 4),
        "versions": {"mujoco": mujoco.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "machine": platform.machine(),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
