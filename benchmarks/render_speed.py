"""Pictures a second on one core: sets of five 256 x 256 views in `fast`, single views in both qualities.

    python benchmarks/render_speed.py [--sets 60] [--out benchmarks/results/render_speed.json]

Software rendering, ten objects on the table. Times are processor times of this process, the median of all sets.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

import mujoco
import numpy as np
from physics_speed import ten_objects

from maniguard.sim import CAMERAS, World


def milliseconds(call, count: int) -> float:
    taken = []
    for _ in range(count):
        started = time.process_time()
        call()
        taken.append(time.process_time() - started)
    return 1e3 * float(np.median(taken))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "render_speed.json")
    options = parser.parse_args()
    with World(ten_objects()) as world:
        world.reset()
        started = time.process_time()
        world.render("overview")
        first_ms = 1e3 * (time.process_time() - started)
        five = milliseconds(lambda: [world.render(camera) for camera in CAMERAS], options.sets)
        one = milliseconds(lambda: world.render("overview"), options.sets)
        world.render("overview", "studio")
        studio = milliseconds(lambda: world.render("overview", "studio"), max(options.sets // 6, 3))
        result = {
            "benchmark": "render_speed",
            "size_px": 256,
            "first_picture_ms": round(first_ms, 1),
            "fast_five_cameras_ms": round(five, 2),
            "fast_sets_per_second": round(1e3 / five, 1),
            "fast_one_camera_ms": round(one, 2),
            "studio_one_camera_ms": round(studio, 2),
            "mesh_faces": int(world.model.nmeshface),
            "versions": {"mujoco": mujoco.__version__, "numpy": np.__version__, "python": platform.python_version()},
            "machine": platform.machine(),
        }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
