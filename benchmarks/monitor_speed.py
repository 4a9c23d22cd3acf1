"""How much time judging costs: grounding and monitor per control step, live and from the record.

    python benchmarks/monitor_speed.py [--out benchmarks/results/monitor_speed.json]

`hand_made` takes scenes of 6 and 12 entities with a carried target, without any simulation, judged in a row. `in_loop`
lets the arm of a benchmark scenario move and times physics and monitor in turn, step by step, as a rollout does; its
share is the one of a run. Times are processor times of this process. `compile_ms` is what each shipped formula takes.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from maniguard import bench
from maniguard.ltlf import compile_bad_prefix, parse
from maniguard.monitor import SafetyMonitor, judge
from maniguard.sim import SceneSpec, World
from maniguard.spec import library, load_spec
from maniguard.trace import (
    Box,
    Contacts,
    Entity,
    Frame,
    Hull,
    Joint,
    Part,
    Pose,
    Region,
    Scene,
    Trace,
    TraceBuilder,
    TraceMeta,
    simulation_channels,
)
from maniguard.trace.trace import column_types

RATE_HZ = 20.0
PARTS = ("body", *(f"link{i}" for i in range(1, 8)), "hand", "left_finger", "right_finger")


def prism(sides: int, radius_m: float, height_m: float) -> Hull:
    """A regular prism standing on its origin: a cylinder as assets approximate it."""
    angles = np.arange(sides) * 2 * np.pi / sides
    ring = [(float(radius_m * np.cos(a)), float(radius_m * np.sin(a))) for a in angles]
    vertices = [(x, y, 0.0) for x, y in ring] + [(x, y, height_m) for x, y in ring]
    faces = []
    for i in range(sides):
        j = (i + 1) % sides
        faces += [(i, j, sides + j), (i, sides + j, sides + i)]
    for i in range(1, sides - 1):
        faces += [(0, i + 1, i), (sides, sides + i, sides + i + 1)]
    return Hull(tuple(vertices), tuple(faces))


def scene_of(objects: int) -> Scene:
    """Table, floor, panda and `objects` cylinders with hulls of 48 vertices."""
    flat = Region("rectangle", (0.5, 0.7, 0.0), Pose((0.0, 0.0, 0.4)))
    table = Entity(
        "table", "support", "table", "support", boxes=(Box((0, 0, 0.38), (0.5, 0.7, 0.02)),), support_regions=(flat,)
    )
    floor = Entity("floor", "support", "floor", "room", support_regions=(Region("rectangle", (5.0, 5.0, 0.0)),))
    panda = Entity(
        "panda",
        "robot",
        "panda",
        "robot",
        parts=tuple(Part(name, moving=name != "body") for name in PARTS),
        joints=tuple(Joint(f"joint{i}", "hinge", -3.0, 3.0, f"link{i}") for i in range(1, 8)),
    )
    things = tuple(
        Entity(f"object{i}", "object", "can", "obstacle" if i else "target", movable=True, hull=prism(24, 0.03, 0.1))
        for i in range(objects)
    )
    return Scene((table, floor, panda, *things), goal=Region("sphere", (0.06, 0.0, 0.0), Pose((0.2, 0.3, 0.55))))


def record(scene: Scene, steps: int) -> Trace:
    """The target is carried on a sine while everything else trembles; two fingers hold it."""
    rng = np.random.default_rng(0)
    objects = [i for i, e in enumerate(scene.entities) if e.movable]
    builder = TraceBuilder(scene, simulation_channels(), TraceMeta(RATE_HZ))
    panda = scene.index("panda")
    home = rng.uniform(-0.3, 0.3, (len(objects), 2))
    for step in range(steps):
        values = {name: np.zeros(shape, dtype) for name, (shape, dtype) in column_types(scene).items()}
        values["quat_wxyz"][:, 0] = values["part_quat_wxyz"][:, 0] = values["tcp_quat_wxyz"][0] = 1.0
        for i, column in enumerate(objects):
            values["position_m"][column] = (*home[i], 0.4)
        lift = 0.2 * np.sin(step / 40) if step > 20 else 0.0
        values["position_m"][objects[0]] = (0.2, 0.3, 0.4 + max(lift, 0.0))
        values["linear_m_s"][:] = rng.normal(size=(len(scene.entities), 3)) * 1e-4
        pairs = [(0, 0, c, 0, (0.0, 0.0, 1.0)) for c in objects if c != objects[0] or lift <= 0]
        pairs += [(a, 0, b, 0, (1.0, 0.0, 0.0)) for a, b in pairwise(objects[1:])][:6]
        if step > 20:
            pairs += [(panda, 9, objects[0], 0, (0.0, 1.0, 0.0)), (panda, 10, objects[0], 0, (0.0, -1.0, 0.0))]
        pairs.sort(key=lambda p: p[:4])
        index = np.array([p[:4] for p in pairs], np.int16)
        force = rng.uniform(0.5, 3.0, len(pairs)).astype(np.float32)
        contacts = Contacts(
            *(index[:, k].copy() for k in range(4)),
            normal=np.array([p[4] for p in pairs], np.float32),
            position_m=np.zeros((len(pairs), 3), np.float32),
            peak_force_n=force,
            impulse_n_s=force,
            distance_m=np.zeros(len(pairs), np.float32),
            at_end=np.ones(len(pairs), np.bool_),
        )
        values |= {"time_s": step / RATE_HZ, "action_saturated": 0, "gripper_opening_m": np.float32(0.05)}
        builder.append(Frame(contacts=contacts, **values))
    return builder.build()


def best_of(repeats: int, work: object) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def hand_made(entities: int, frames_wanted: int, repeats: int) -> dict[str, float]:
    """Judge a scene of so many entities, live and from its record."""
    spec = load_spec("clutter-dry")
    scene = scene_of(entities - 3)
    trace = record(scene, frames_wanted)
    frames = list(trace.frames())

    def live() -> None:
        monitor = SafetyMonitor(spec, scene, trace.channels, RATE_HZ)
        for frame in frames:
            monitor.step(frame)

    def construct() -> None:
        SafetyMonitor(spec, scene, trace.channels, RATE_HZ)

    building = best_of(repeats, construct)
    batch = best_of(repeats, lambda: judge(trace, spec))
    return {
        "construction_ms": 1e3 * building,
        "live_us_per_step": 1e6 * (best_of(repeats, live) - building) / len(frames),
        "record_us_per_frame": 1e6 * batch / len(frames),
        "record_frame_constraints_per_s": len(frames) * len(spec.constraints) / batch,
    }


def in_loop(steps: int, repeats: int) -> dict[str, float | int | str]:
    """Move the arm of a scenario and time physics and monitor of each step in turn."""
    scenario = bench.load(family="clutter")[0]
    spec = load_spec(scenario.spec)
    world = World(SceneSpec.from_dict(scenario.scene))
    shares, medians = [], []
    for _ in range(repeats):
        frame = world.reset()
        monitor = SafetyMonitor(spec, world.scene, world.channels, RATE_HZ)
        monitor.step(frame)
        home = np.append(frame.robot_qpos_rad.astype(float), 1.0)
        physics_s, judging_s, contacts = [], [], 0
        for step in range(steps):
            swing = 0.25 * np.sin(step / 20) * np.array([1, 1, 0.5, 0.5, 0.3, 0.2, 0.5, 0])
            start = time.process_time()
            frame = world.step(home + swing)
            between = time.process_time()
            monitor.step(frame)
            judging_s.append(time.process_time() - between)
            physics_s.append(between - start)
            contacts += len(frame.contacts)
        shares.append(sum(judging_s) / sum(physics_s))
        medians.append((np.median(physics_s), np.median(judging_s)))
    best = int(np.argmin([physics for physics, _ in medians]))
    result = {
        "scenario": scenario.id,
        "entities": len(world.scene.entities),
        "contacts_mean": round(contacts / steps, 1),
        "physics_ms_per_step": 1e3 * float(medians[best][0]),
        "judging_us_per_step": 1e6 * float(medians[best][1]),
        "judging_share_of_physics": float(np.median(shares)),
    }
    world.close()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    result = {
        "benchmark": "monitor_speed",
        "steps": arguments.steps,
        "hand_made": {str(n): hand_made(n, arguments.steps, arguments.repeats) for n in (6, 12)},
        "in_loop": in_loop(arguments.steps, arguments.repeats),
        "compile_ms": {
            f"{name}/{c.name}": 1e3
            * best_of(arguments.repeats, lambda c=c: compile_bad_prefix(parse(c.formula, rate_hz=RATE_HZ)))
            for name in library()
            for c in load_spec(name).constraints
        },
        "versions": {"numpy": np.__version__, "python": platform.python_version()},
        "machine": platform.machine(),
    }
    text = json.dumps(result, indent=2)
    if arguments.out is not None:
        arguments.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
