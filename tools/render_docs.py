"""Renders the pictures of the documentation into docs/images/*.webp: `python tools/render_docs.py`."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from maniguard import bench
from maniguard.sim import SceneSpec, World

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
LIMIT_BYTES = 150_000
SIZE_PX = 1024

# name -> tiles from left to right, each a scenario; all by the camera that policies see.
PICTURES = {
    "start": ("clutter-dry-04/base",),
    "conditions": tuple(f"clutter-dry-03/{condition}" for condition in ("base", "target", "location", "environment")),
    "family-clutter-liquid": ("clutter-liquid-09/base", "clutter-liquid-17/base"),
    "family-dusty": ("dusty-04/base", "dusty-14/base"),
    "family-lid": ("lid-23/base", "lid-13/base"),
    "family-jar": ("jar-01/base", "jar-19/base"),
    "family-stack": ("stack-00/base", "stack-16/base", "stack-20/base"),
}
CAMERA = "overview"
# What is kept of each picture: left, upper, right, lower edge as shares of it. The rest is table top and wall.
KEPT = (0.12, 0.06, 1.0, 0.94)


def render(scenario_id: str, size_px: int) -> Image.Image:
    """Render a scenario's start so that what is kept of it is `size_px` wide."""
    full = round(size_px / (KEPT[2] - KEPT[0]))
    world = World(SceneSpec.from_dict(bench.get(scenario_id).scene))
    try:
        world.reset()
        image = Image.fromarray(world.render(CAMERA, quality="studio", size=full))
    finally:
        world.close()
    return image.crop(tuple(round(full * share) for share in KEPT))


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
        width = SIZE_PX if len(tiles) == 1 else SIZE_PX // 2
        images = [render(scenario_id, width) for scenario_id in tiles]
        sheet = Image.new("RGB", (sum(image.width for image in images), images[0].height))
        left = 0
        for image in images:
            sheet.paste(image, (left, 0))
            left += image.width
        path = FOLDER / f"{name}.webp"
        print(path.name, sheet.size, save(sheet, path), "bytes")


if __name__ == "__main__":
    main()
