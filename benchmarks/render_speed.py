"""Pictures a second on one core: sets of five 256 x 256 views in `fast`, single views in both qualities.

    python benchmarks/render_speed.py [--sets 60] [--out benchmarks/results/render_speed.json]

Software rendering, ten objects on the table. Times are processor times of this process, the median of all sets.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from machine_facts import busy_cores, machine_facts, results_path, write_result
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
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    busy = busy_cores()
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
            "others_keep_busy_cores": busy,
            "first_picture_ms": round(first_ms, 1),
            "fast_five_cameras_ms": round(five, 2),
            "fast_sets_per_second": round(1e3 / five, 1),
            "fast_one_camera_ms": round(one, 2),
            "studio_one_camera_ms": round(studio, 2),
            "mesh_faces": int(world.model.nmeshface),
            **machine_facts(),
        }
    write_result(options.out, result)


if __name__ == "__main__":
    main()
