"""Where the time of a rollout goes: physics, latching, reading the state, grounding, monitor, planning, pictures.

    python benchmarks/rollout_cost.py [--tasks 3,7,11,15,0,20] [--policy expert] [--repeats 3] [--out FILE]

Each task is played once by the policy as `maniguard eval` would, on one core, and its parts are timed. Its actions are
then replayed in the same world, in turn with and without latching of contacts, which gives the cost of the latching;
a share of it is also what the caches lose. Everything is processor time, because other work on the machine stretches
wall time; it cannot hide that other work also empties the caches. Records of the state (one per control step) are
always made; pictures only where the policy asks for them, which `expert` does not, so they are timed beside.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from machine_facts import busy_cores, machine_facts, results_path, write_result
from physics_speed import NoLatch

import maniguard.rollout.run
import maniguard.rollout.session
from maniguard import bench
from maniguard.grounding import Grounder
from maniguard.policies import ChunkedActor, resolve
from maniguard.rollout import RolloutResult, run_rollout
from maniguard.sim import CAMERAS, CONTROL_STEP_S, World
from maniguard.sim.reader import FrameReader
from maniguard.spec import load_spec
from maniguard.trace import TraceBuilder


class Stopwatch:
    """Adds the processor time of every call of a function up."""

    def __init__(self, function) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *arguments, **named):
        started = time.process_time()
        result = self.function(*arguments, **named)
        self.seconds += time.process_time() - started
        return result

    def method(self):
        """Return this as a function, which Python binds to instances."""
        return lambda *arguments, **named: self(*arguments, **named)


def play(scenario: bench.Scenario, world: World, policy: str) -> tuple[RolloutResult, dict[str, float]]:
    """Play a scenario; return the rollout and the processor seconds of its parts."""
    actor = ChunkedActor(resolve(policy)())
    watched = {"reading": (FrameReader, "read"), "grounding": (Grounder, "step"), "record": (TraceBuilder, "append")}
    watches = {name: Stopwatch(getattr(owner, method)) for name, (owner, method) in watched.items()}
    for name, (owner, method) in watched.items():
        setattr(owner, method, watches[name].method())
    try:
        started = time.process_time()
        result = run_rollout(scenario, load_spec(scenario.spec), world, actor, seed=0, policy=policy)
        total = time.process_time() - started
    finally:
        for name, (owner, method) in watched.items():
            setattr(owner, method, watches[name].function)
        actor.close()
    clock = result.durations_s
    inner = {name: watch.seconds for name, watch in watches.items()}
    parts = {
        "total": total,
        "world": clock["physics_s"] - inner["reading"],
        **inner,
        "monitor": clock["judging_s"] - inner["grounding"] - inner["record"],
        "policy": clock["policy_s"],
        "observing": clock["observing_s"],
    }
    parts["rest"] = total - sum(seconds for name, seconds in parts.items() if name != "total")
    return result, parts


def replay(world: World, actions: np.ndarray) -> float:
    world.reset()
    started = time.process_time()
    for action in actions:
        world.step(action)
    return time.process_time() - started


def latching_s(world: World, actions: np.ndarray, repeats: int) -> tuple[float, float]:
    """Return the medians of the seconds of a replay without latching, and of what latching adds to it."""
    latch, nothing = world._latch, NoLatch()
    plain, added = [], []
    for _ in range(repeats):
        world._latch = nothing
        plain.append(replay(world, actions))
        world._latch = latch
        added.append(replay(world, actions) - plain[-1])
    return statistics.median(plain), statistics.median(added)


def measure(identifier: str, policy: str, repeats: int) -> dict[str, object]:
    scenario = bench.get(identifier)
    started = time.process_time()
    world = World(scenario.scene_spec)
    world.reset()
    build_s = time.process_time() - started
    with world:
        played = [play(scenario, world, policy) for _ in range(repeats)]
        result = played[0][0]
        parts = {name: statistics.median(p[name] for _, p in played) for name in played[0][1]}
        actions = np.stack([frame.action for frame in result.trace.frames()][1:]).astype(np.float64)
        plain_s, latch_s = latching_s(world, actions, repeats + 2)
        for camera in CAMERAS[:2]:
            world.render(camera)
        picture = Stopwatch(lambda: [world.render(camera) for camera in CAMERAS[:2]])
        for _ in range(20):
            picture()
    steps = len(actions)
    simulated_s = steps * CONTROL_STEP_S
    physics_s = plain_s - parts["reading"]
    costs = {"physics": physics_s, "latching": latch_s} | {n: s for n, s in parts.items() if n != "world"}
    judged = latch_s + parts["grounding"] + parts["monitor"]
    return {
        "objects": len(scenario.scene_spec.objects),
        "control_steps": steps,
        "status": result.status,
        "build_and_settle_s": round(build_s, 3),
        "us_per_control_step": {name: round(1e6 * seconds / steps, 1) for name, seconds in costs.items()},
        "two_pictures_us": round(1e6 * picture.seconds / 20, 1),
        "judging_share_of_physics": round(judged / physics_s, 4),
        "real_time_factor_physics": round(simulated_s / (plain_s + latch_s), 2),
        "real_time_factor": round(simulated_s / parts["total"], 2),
        "real_time_factor_with_build": round(simulated_s / (parts["total"] + build_s), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default="3,7,11,15,0,20")
    parser.add_argument("--policy", default="expert")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    # The loop's own clock counts wall time, as a user wants to see it; here it counts processor time.
    maniguard.rollout.session.perf_counter = time.process_time
    maniguard.rollout.run.perf_counter = time.process_time
    busy = busy_cores()
    tasks = {}
    for index in options.tasks.split(","):
        identifier = f"clutter-dry-{int(index):02d}/base"
        tasks[identifier] = measure(identifier, options.policy, options.repeats)
    ten = [task for task in tasks.values() if task["objects"] == 10] or list(tasks.values())
    facts = ("real_time_factor_physics", "real_time_factor", "real_time_factor_with_build", "judging_share_of_physics")
    write_result(
        options.out,
        {
            "benchmark": "rollout_cost",
            "policy": options.policy,
            "repeats": options.repeats,
            "others_keep_busy_cores": busy,
            "ten_objects_mean": {name: round(float(np.mean([task[name] for task in ten])), 4) for name in facts},
            "targets": {
                "real_time_factor_physics": 10.0,
                "real_time_factor": 7.0,
                "judging_share_of_physics": 0.08,
            },
            "tasks": tasks,
            **machine_facts(),
        },
    )


if __name__ == "__main__":
    main()
