"""Renders the pictures of the documentation into docs/images/*.webp: `python tools/render_docs.py`."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from maniguard import bench
from maniguard.sim import SceneSpec, World

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
LIMIT_BYTES = 150_000
SIZE_PX = 1024

# name -> tiles from left to right, each a scenario and a camera
PICTURES = {
    "start": (("clutter-dry-00/base", "overview"),),
    "conditions": tuple((f"clutter-dry-01/{c}", "overview") for c in ("base", "target", "location", "environment")),
}


def render(scenario_id: str, camera: str, size_px: int) -> Image.Image:
    world = World(SceneSpec.from_dict(bench.get(scenario_id).scene))
    try:
        world.reset()
        return Image.fromarray(world.render(camera, quality="studio", size=size_px))
    finally:
        world.close()


def save(image: Image.Image, path: Path) -> int:
    """Write the best WebP under the limit and return its size in bytes."""
    for quality in range(92, 30, -6):
        image.save(path, quality=quality, method=6)
        if path.stat().st_size < LIMIT_BYTES:
            return path.stat().st_size
    raise SystemExit(f"{path.name} does not fit into {LIMIT_BYTES} bytes")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, tiles in PICTURES.items():
        size_px = SIZE_PX if len(tiles) == 1 else SIZE_PX // 2
        images = [render(scenario_id, camera, size_px) for scenario_id, camera in tiles]
        sheet = Image.new("RGB", (size_px * len(images), size_px))
        for column, image in enumerate(images):
            sheet.paste(image, (column * size_px, 0))
        path = FOLDER / f"{name}.webp"
        print(path.name, save(sheet, path), "bytes")


if __name__ == "__main__":
    main()
