"""Renders each room as one sees it who stands in it, into docs/images: `python tools/render_rooms.py`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from maniguard import bench
from maniguard.sim import RoomSpec, SceneSpec, World
from maniguard.sim.cameras import _looking
from maniguard.sim.room import ROOMS

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
SCENARIO = "clutter-dry-03/base"
EYE_M, TARGET_M, FOVY_DEG = (2.05, -1.3, 0.85), (0.1, 0.12, 0.1), 50.0
SIZE_PX, HEIGHT_PX = 480, 360


def render(name: str, scene: SceneSpec) -> Image.Image:
    """Render one room with the scene's table in it, twice as large as kept."""
    with World(replace(scene, room=RoomSpec(name), goal=None)) as world:
        camera = world.model.camera("overview")
        camera.pos[:], camera.fovy[:] = EYE_M, FOVY_DEG
        camera.quat[:] = _looking(EYE_M, TARGET_M)
        # What the camera was told is worked out when the world returns to its start.
        world.reset()
        pixels = world.render("overview", quality="studio", size=2 * SIZE_PX)
    top = (2 * SIZE_PX - 2 * HEIGHT_PX) // 2
    return Image.fromarray(np.ascontiguousarray(pixels[top : top + 2 * HEIGHT_PX])).resize(
        (SIZE_PX, HEIGHT_PX), Image.Resampling.LANCZOS
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    scene = SceneSpec.from_dict(bench.get(SCENARIO).scene)
    for name in ROOMS:
        path = options.out / f"rooms-{name}.webp"
        render(name, scene).save(path, quality=82, method=6)
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
