"""How the cost of a control step grows with objects (5, 10, 20, 40) and with grains of liquid (0, 40, 80, 160).

    python benchmarks/world_cost.py [--steps 120] [--repeats 3] [--out benchmarks/results/world_cost.json]

The arm moves among the objects and pushes some of them; grains are in a beaker beside ten objects. Times are processor
times of this process, contacts and frames included, rendering not; the fastest repeat counts, because other jobs can
only slow it down. `--check` compares docs/world.md with the results and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from physics_speed import actions

from maniguard.sim import CONTROL_STEP_S, LiquidSpec, ObjectSpec, SceneSpec, World, fill
from maniguard.sim.assets import design
from maniguard.trace.scene import Pose

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "world.md"
BEGIN, END = "<!-- figures: world_cost -->\n", "<!-- end of figures -->\n"
OBJECTS = (5, 10, 20, 40)
GRAINS = (0, 40, 80, 160)
DESIGNS = (
    "mug-classic",
    "tumbler",
    "can-beans",
    "bowl-small",
    "box-tea",
    "jar-jam",
    "bottle-beer",
    "teacup-round",
    "tin-tea",
    "candle-short",
)
BEAKER_M = (0.3, 0.47)


def objects(count: int) -> tuple[ObjectSpec, ...]:
    """Return objects on a grid of 12 cm, the same ten designs over and over, those nearest the arm first."""
    rows = [(0.34 + 0.12 * (i // 7), -0.36 + 0.12 * (i % 7)) for i in range(42)]
    return tuple(
        design(DESIGNS[i % len(DESIGNS)]).object_spec(f"object{i}", "obstacle", Pose((x, y, 0.0)))
        for i, (x, y) in enumerate(rows[:count])
    )


def beaker() -> ObjectSpec:
    return design("tea-beaker").object_spec("beaker", "container", Pose((*BEAKER_M, 0.0)))


def measure(spec: SceneSpec, steps: int, repeats: int) -> dict[str, Any]:
    started = time.process_time()
    world = World(spec)
    build_s = time.process_time() - started
    plan = actions(world, steps)
    best, contacts = np.inf, []
    for _ in range(repeats):
        world.reset()
        started = time.process_time()
        for action in plan:
            world.step(action)
        best = min(best, (time.process_time() - started) / steps)
        contacts.append(int(world.data.ncon))
    return {
        "degrees_of_freedom": int(world.model.nv),
        "contacts_at_end": contacts[-1],
        "build_s": round(build_s, 3),
        "control_step_ms": round(1e3 * best, 2),
        "real_time_factor": round(CONTROL_STEP_S / best, 1),
    }


def run(steps: int, repeats: int) -> dict[str, Any]:
    by_objects = [{"objects": n, **measure(SceneSpec(objects(n)), steps, repeats)} for n in OBJECTS]
    by_grains = []
    for grains in GRAINS:
        liquids: tuple[LiquidSpec, ...] = ()
        if grains:
            liquids = (fill(beaker(), rng=np.random.default_rng(0), count=grains),)
        spec = SceneSpec((*objects(10), beaker()), liquids=liquids)
        by_grains.append({"grains": grains, **measure(spec, steps, repeats)})
    return {
        "benchmark": "world_cost",
        "control_steps": steps,
        "by_objects": by_objects,
        "by_grains_beside_ten_objects": by_grains,
        "versions": {"mujoco": mujoco.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "machine": platform.machine(),
    }


def table(result: dict[str, Any]) -> str:
    """Return the figures as they stand in the page."""
    head = "| scene | degrees of freedom | contacts | control step | real time |\n|---|---|---|---|---|\n"
    lines = []
    for row in result["by_objects"]:
        lines.append((f"{row['objects']} objects", row))
    for row in result["by_grains_beside_ten_objects"]:
        lines.append((f"10 objects and a beaker with {row['grains']} grains", row))
    return head + "".join(
        f"| {name} | {row['degrees_of_freedom']} | {row['contacts_at_end']} | {row['control_step_ms']:.2f} ms "
        f"| {row['real_time_factor']:.1f} × |\n"
        for name, row in lines
    )


def updated(page: str, result: dict[str, Any]) -> str:
    """Return the page with the table of these results."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + table(result) + END + rest.partition(END)[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "world_cost.json")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        page = PAGE.read_text()
        return int(updated(page, json.loads(options.out.read_text())) != page)
    result = run(options.steps, options.repeats)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=2) + "\n")
    PAGE.write_text(updated(PAGE.read_text(), result))
    print(table(result), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
