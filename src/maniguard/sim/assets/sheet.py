"""A picture of the catalogue: every design in a cell of its own, in the same light, with its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from maniguard.sim.assets.asset import AssetError
from maniguard.sim.assets.catalogue import CATALOGUE, design
from maniguard.sim.assets.elements import add_asset

PITCH_M = 0.8
GROUND_RGBA = (0.80, 0.785, 0.76, 1.0)
FOV_DEG = 24.0
TURN_DEG = -18.0
# What is anchored has its front at -x: it is turned to the camera.
ANCHORED_TURN_DEG = 58.0


def contact_sheet(
    names: Sequence[str] | None = None, *, columns: int = 8, cell_px: int = 220, caption: bool = True
) -> NDArray[np.uint8]:
    """Draw designs (all of them when `names` is None) in rows of `columns`; returns (H, W, 3).

    Each cell is `cell_px` square and shows its object as large as fits. AssetError for unknown or no names.
    """
    chosen = list(CATALOGUE) if names is None else list(names)
    if not chosen or columns < 1 or cell_px < 32:
        raise AssetError("a contact sheet needs at least one design, one column and cells of 32 px")
    assets = [design(name).asset() for name in chosen]
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth = spec.visual.global_.offheight = cell_px
    spec.visual.global_.fovy = FOV_DEG
    spec.visual.quality.offsamples = 8
    spec.visual.quality.shadowsize = 2048
    spec.visual.map.znear, spec.visual.map.zfar, spec.visual.map.shadowclip = 0.01, 30.0, 0.6
    spec.stat.extent = 1.0
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = (0.46, 0.46, 0.47), (0.16, 0.16, 0.16), (0.1, 0.1, 0.1)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(200, 200, 1), rgba=GROUND_RGBA)
    key = spec.worldbody.add_light(name="key", type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, castshadow=True)
    key.dir, key.diffuse, key.specular = (0.4, 0.45, -0.8), (0.52, 0.5, 0.46), (0.3, 0.3, 0.3)
    turns = [np.radians(ANCHORED_TURN_DEG if asset.anchored else TURN_DEG) for asset in assets]
    for index, (asset, turn) in enumerate(zip(assets, turns, strict=True)):
        half_turn = turn / 2.0
        body = spec.worldbody.add_body(
            name=str(index), pos=(PITCH_M * index, 0.0, 0.0), quat=(np.cos(half_turn), 0.0, 0.0, np.sin(half_turn))
        )
        add_asset(spec, body, asset, f"{index}/")
    model = spec.compile()
    data = mujoco.MjData(model)
    for index, asset in enumerate(assets):
        for number, joint in enumerate(asset.joints):
            # Shown as it starts, and drawers a little open.
            shown = joint.start if joint.kind == "hinge" else (0.55 if number == 0 else 0.0) * joint.upper
            data.joint(f"{index}/{joint.name}").qpos[0] = shown
    rows = -(-len(chosen) // columns)
    sheet = Image.new("RGB", (columns * cell_px, rows * cell_px), tuple(int(255 * c) for c in GROUND_RGBA[:3]))
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(max(10, cell_px // 17))
    camera, option = mujoco.MjvCamera(), mujoco.MjvOption()
    option.geomgroup[:] = 0
    option.geomgroup[:3] = 1
    camera.azimuth, camera.elevation = 90.0, -24.0
    renderer = mujoco.Renderer(model, cell_px, cell_px)
    try:
        for index, (name, asset) in enumerate(zip(chosen, assets, strict=True)):
            vertices = np.asarray(asset.hull.vertices_m)
            middle = (vertices.max(axis=0) + vertices.min(axis=0)) / 2.0
            reach = float(np.linalg.norm(vertices - middle, axis=1).max())
            aside = np.cos(turns[index]) * middle[0] - np.sin(turns[index]) * middle[1]
            camera.lookat = (PITCH_M * index + aside, 0.0, 0.92 * middle[2])
            if any(joint.kind == "hinge" for joint in asset.joints):
                # An open lid stands out above the hull, which is that of the closed one.
                camera.lookat[2] += 0.4 * reach
                reach *= 1.3
            camera.distance = (1.3 if asset.anchored else 1.12) * reach / np.sin(np.radians(FOV_DEG / 2.0))
            # The shadow map follows the object.
            model.light_pos[0] = np.asarray(camera.lookat) - 0.4 * np.asarray(key.dir)
            mujoco.mj_forward(model, data)
            renderer.update_scene(data, camera, option)
            renderer.scene.flags[mujoco.mjtRndFlag.mjRND_HAZE] = False
            x, y = index % columns * cell_px, index // columns * cell_px
            picture = Image.fromarray(renderer.render())
            if index == 0:
                red, green, blue = np.asarray(picture)[2, 2].tolist()
                sheet.paste((red, green, blue), (0, 0, *sheet.size))
            sheet.paste(picture, (x, y))
            if caption:
                draw.text((x + cell_px / 2, y + 0.95 * cell_px), name, font=font, fill=(60, 56, 52), anchor="mm")
    finally:
        renderer.close()
    return np.asarray(sheet)


def save_sheet(names: Sequence[str] | None, path: Path, *, columns: int = 10, cell_px: int = 160) -> None:
    """Draw designs into a PNG or WebP file; AssetError names what cannot be drawn or written."""
    ending = path.suffix.lower()
    if ending not in (".png", ".webp"):
        raise AssetError(f"{path}: a picture is written as .png or .webp, not as {ending or 'a file without ending'}")
    picture = Image.fromarray(contact_sheet(names, columns=columns, cell_px=cell_px))
    if ending == ".webp":
        picture.save(path, quality=72, method=6)
    else:
        picture.save(path)
