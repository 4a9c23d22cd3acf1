"""Speed of the world with ten objects on one core: real-time factor, and what latching contacts in every substep costs.

    python benchmarks/physics_speed.py [--steps 300] [--repeats 5] [--out benchmarks/results/physics_speed.json]

The arm moves among the objects and pushes some of them. Times are processor times of this process, in blocks of 15
control steps, with and without latching in turn; the fastest repeat of each block counts, because other jobs can only
slow it down. The first time through is not among them: it also works out how to reduce the patterns of contacts it
meets, which is given apart.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from machine_facts import busy_cores, machine_facts, results_path, write_result

from maniguard.sim import CONTROL_STEP_S, SUBSTEPS, SceneSpec, World, goal_sphere
from maniguard.sim.assets import CATALOGUE
from maniguard.sim.contacts import ContactLatch
from maniguard.sim.world import Snapshot
from maniguard.trace.frame import Contacts
from maniguard.trace.scene import Pose

BLOCK_STEPS = 15
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
    started = time.process_time()
    for action in plan:
        world.step(action)
    return time.process_time() - started


def blocks(world: World, plan: list[np.ndarray]) -> list[tuple[Snapshot, list[np.ndarray]]]:
    """Cut a plan into blocks, each with the state that it starts in."""
    world.reset()
    out = []
    for first in range(0, len(plan), BLOCK_STEPS):
        block = plan[first : first + BLOCK_STEPS]
        out.append((world.snapshot(), block))
        for action in block:
            world.step(action)
    return out


def latching_alone_s(latch: ContactLatch) -> float:
    """Return what latching a control step takes where no physics comes in between, which empties the caches."""
    taken = []
    for _ in range(20):
        started = time.process_time()
        for substep in range(SUBSTEPS):
            latch.record(substep)
        latch.reduce()
        taken.append(time.process_time() - started)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    spec = ten_objects()
    started = time.process_time()
    world = World(spec)
    build_s = time.process_time() - started
    started = time.process_time()
    world.reset()
    settle_s = time.process_time() - started
    plan = actions(world, options.steps)
    busy = busy_cores()
    first_s = seconds(world, plan)
    latch, nothing = world._latch, NoLatch()
    taken: dict[object, list[list[float]]] = {latch: [], nothing: []}
    pieces = blocks(world, plan)
    for _ in range(options.repeats):
        for rows in taken.values():
            rows.append([])
        for snapshot, block in pieces:
            for kind, rows in taken.items():
                world.restore(snapshot)
                world._latch = kind
                # One step that is not counted brings this way of stepping back into the caches.
                world.step(block[0])
                rows[-1].append(seconds(world, block[1:]))
    latched_s, plain_s = (float(np.min(rows, axis=0).sum()) for rows in (taken[latch], taken[nothing]))
    steps = sum(len(block) - 1 for _, block in pieces)
    world._latch = latch
    world.reset()
    contacts, alone = [], []
    for index, action in enumerate(plan):
        world.step(action)
        contacts.append(int(world.data.ncon))
        if index % BLOCK_STEPS == 0:
            alone.append(latching_alone_s(latch))
    simulated_s = steps * CONTROL_STEP_S
    result = {
        "benchmark": "physics_speed",
        "objects": [item.category for item in spec.objects],
        "geoms": int(world.model.ngeom),
        "contacts_mean": round(float(np.mean(contacts)), 1),
        "control_steps": steps,
        "others_keep_busy_cores": busy,
        "build_s": round(build_s, 3),
        "settle_s": round(settle_s, 3),
        "control_step_ms": round(1e3 * latched_s / steps, 3),
        "latching_us_per_control_step": round(1e6 * (latched_s - plain_s) / steps, 1),
        "latching_us_without_physics_between": round(1e6 * float(np.median(alone)), 1),
        "real_time_factor": round(simulated_s / latched_s, 2),
        "real_time_factor_without_latching": round(simulated_s / plain_s, 2),
        "latching_share_of_physics": round((latched_s - plain_s) / plain_s, 4),
        "real_time_factor_first_time": round(options.steps * CONTROL_STEP_S / first_s, 2),
        **machine_facts(),
    }
    write_result(options.out, result)


if __name__ == "__main__":
    main()
