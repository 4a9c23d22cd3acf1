from __future__ import annotations

import json
import struct

import mujoco
import numpy as np
import pytest
from tests.sim.assets._geometry import outside_pieces

from maniguard.sim import ObjectSpec, SceneSpec, World
from maniguard.sim.assets import AssetError, add_asset, build
from maniguard.sim.assets.foreign import ImportOptions, MeshError, TriangleMesh, decompose, import_mesh, read_mesh
from maniguard.sim.assets.kinds.foreign import unpack
from maniguard.sim.assets.mesh import lathe
from maniguard.sim.assets.pieces import hull_piece, mass_properties
from maniguard.sim.scene import AssetSpec

BLOCK = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (0.03, 0.02, 0.04)
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
FACES = np.array([t for q in QUADS for t in (q[:3], (q[0], q[2], q[3]))])
CUP = [(0.0, 0.0), (0.03, 0.0), (0.032, 0.08), (0.027, 0.08), (0.025, 0.006), (0.0, 0.006)]


def _options(**changes) -> ImportOptions:
    return ImportOptions(**{"name": "thing", "category": "mug", **changes})


def _obj(path, vertices, faces):
    lines = [f"v {x} {y} {z}" for x, y, z in vertices]
    lines += ["f " + " ".join(f"{i + 1}//1" for i in face) for face in faces]
    path.write_text("# made by a test\nvn 0 0 1\n" + "\n".join(lines) + "\n")
    return path


def _cup(path):
    mesh = lathe("cup", np.array(CUP), segments=24)
    return _obj(path, mesh.vertices, mesh.faces)


def _binary_stl(path, vertices, faces):
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *vertices[face].ravel(), 0) for face in faces)
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(faces)) + body)
    return path


def _text_stl(path, vertices, faces):
    facets = []
    for face in faces:
        corners = "\n".join(f"vertex {x} {y} {z}" for x, y, z in vertices[face])
        facets.append(f"facet normal 0 0 0\nouter loop\n{corners}\nendloop\nendfacet")
    path.write_text("solid block\n" + "\n".join(facets) + "\nendsolid block\n")
    return path


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    path = _cup(tmp_path_factory.mktemp("meshes") / "cup.obj")
    spec = import_mesh(path, _options(container=True))
    path.unlink()
    return spec


@pytest.mark.parametrize(("write", "name"), [(_obj, "b.obj"), (_binary_stl, "b.stl"), (_text_stl, "t.STL")])
def test_every_format_gives_the_same_block(tmp_path, write, name):
    mesh = read_mesh(write(tmp_path / name, BLOCK, FACES))
    assert mesh.vertices.shape == (8, 3)
    assert len(mesh.faces) == 12
    assert abs(mesh.volume) == pytest.approx(0.06 * 0.04 * 0.08, rel=1e-5)


def test_a_convex_mesh_becomes_one_piece_and_stands_on_its_base(tmp_path):
    spec = import_mesh(
        _obj(tmp_path / "block.obj", BLOCK * 1000, FACES[:, ::-1]), _options(scale=0.001, category="box")
    )
    asset = build(spec.asset, spec.appearance, spec.mass_kg, spec.friction)
    assert len(asset.pieces) == 1
    assert asset.size_m == pytest.approx((0.06, 0.04, 0.08))
    assert np.asarray(asset.hull.vertices_m)[:, 2].min() == 0.0
    assert spec.mass_kg == pytest.approx(0.06 * 0.04 * 0.08 * 950, abs=0.001)
    assert {g.width_m for g in spec.grasps} >= {0.04, 0.06}
    assert "container" not in spec.properties


def test_the_axis_that_points_up_is_turned_up(tmp_path):
    path = _obj(tmp_path / "block.obj", BLOCK, FACES)
    heights = {}
    for up in ("x", "y", "z"):
        spec = import_mesh(path, _options(up=up))
        asset = build(spec.asset, spec.appearance, spec.mass_kg, spec.friction)
        heights[up] = asset.height_m
        assert asset.visuals[0].volume_m3 > 0
    assert heights == pytest.approx({"x": 0.06, "y": 0.04, "z": 0.08})


def test_a_cup_stays_hollow_and_holds_something(cup):
    asset, spec = build(cup.asset, cup.appearance, cup.mass_kg, cup.friction), cup
    assert 8 <= len(asset.pieces) <= 32
    assert asset.interior.size_m[2] == pytest.approx(0.074, abs=0.001)
    assert 0.02 < asset.interior.size_m[0] < 0.0275
    assert {"container", "open", "fragile"} <= set(spec.properties)
    # The middle is free down to near the floor, the wall is where it is drawn.
    free = np.array([(0.0, 0.0, z) for z in (0.02, 0.04, 0.06, 0.079)])
    assert outside_pieces(asset, free).min() > 0.012
    assert outside_pieces(asset, asset.visuals[0].vertices).max() < 1e-4
    assert mass_properties(asset.pieces).volume_m3 == pytest.approx(asset.visuals[0].volume_m3, rel=0.35)


def test_a_grain_falls_into_the_cup_and_lies_on_its_floor(cup):
    asset = build(cup.asset, cup.appearance, cup.mass_kg, cup.friction)
    model_spec = mujoco.MjSpec()
    add_asset(model_spec, model_spec.worldbody.add_body(name="cup"), asset, "cup/")
    ball = model_spec.worldbody.add_body(name="ball", pos=(0.004, 0.002, 0.1))
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.006, 0, 0), mass=0.001)
    model = model_spec.compile()
    data = mujoco.MjData(model)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    x, y, z = data.body("ball").xpos
    assert np.hypot(x, y) < 0.02
    assert 0.008 < z < 0.02


def test_an_imported_object_lives_in_a_scene_after_a_trip_through_json(cup):
    again = ObjectSpec.from_dict(json.loads(json.dumps(cup.to_dict())))
    assert again == cup
    world = World(SceneSpec((again,)))
    frame = world.reset()
    column = world.scene.index("thing")
    assert frame.position_m[column] == pytest.approx((0.5, 0.0, 0.0), abs=0.001)
    assert world.scene.entity("thing").interior is not None
    world.close()


def test_more_pieces_come_nearer_to_the_mesh():
    mesh = lathe("cup", np.array(CUP), segments=24)
    welded = _welded(mesh)
    volumes = []
    for count in (1, 8, 32):
        pieces = decompose(welded, method="hull" if count == 1 else "cuts", max_pieces=count)
        assert len(pieces) <= count
        volumes.append(sum(mass_properties([hull_piece(points)]).volume_m3 for points in pieces))
    assert volumes[0] > 1.3 * volumes[1]
    assert volumes[1] > 1.3 * volumes[2]
    assert volumes[2] < 1.2 * welded.volume
    assert volumes[2] >= 0.99 * welded.volume


def _welded(mesh) -> TriangleMesh:
    points, inverse = np.unique(np.round(mesh.vertices, 9), axis=0, return_inverse=True)
    faces = inverse.reshape(-1)[mesh.faces]
    keep = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])
    return TriangleMesh("cup", points, faces[keep])


@pytest.mark.parametrize(
    ("faces", "changes", "message"),
    [
        (FACES[:-1], {}, r"block.obj: the mesh has holes: 3 of 33 edges"),
        (np.concatenate([FACES, FACES]), {}, r"more than two faces"),
        (FACES, {"scale": 20.0}, r"is no size of a thing on a table"),
        (FACES, {"scale": 0.01}, r"is no size of a thing on a table"),
        (FACES, {"scale": 0.0}, r"scale must be positive"),
        (FACES, {"mass_kg": 0.0}, r"a mass of 0.0 kg is not within"),
        (FACES, {"mass_kg": 80.0}, r"a mass of 80.0 kg is not within"),
        (FACES, {"container": True}, r"a container without inside"),
        (FACES, {"category": "gizmo"}, r"category 'gizmo' is not known; valid are"),
        (FACES, {"up": "w"}, r"axis 'w' cannot be up"),
        (FACES, {"method": "magic"}, r"decomposition 'magic' is not known"),
        (FACES, {"max_pieces": 0}, r"pieces must be 1 to 256"),
    ],
)
def test_meshes_that_cannot_be_objects_are_refused_by_name(tmp_path, faces, changes, message):
    with pytest.raises(MeshError, match=message):
        import_mesh(_obj(tmp_path / "block.obj", BLOCK, faces), _options(**changes))


def test_a_flat_mesh_has_no_volume(tmp_path):
    flat = BLOCK * (1, 1, 0)
    with pytest.raises(MeshError, match="no volume"):
        import_mesh(_obj(tmp_path / "flat.obj", flat, FACES), _options())


def test_a_substance_that_is_not_known_is_refused(tmp_path):
    with pytest.raises(AssetError, match="substance 'unobtainium' is not known"):
        import_mesh(_obj(tmp_path / "block.obj", BLOCK, FACES), _options(substance="unobtainium"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.glb", b"glTF", r"\.glb is no mesh that can be read; give \.stl or \.obj"),
        ("a.obj", b"v 0 0 zero\n", "not a readable OBJ"),
        ("a.obj", b"v 0 0 0\nf 1 2 9\n", "names a vertex that the file does not hold"),
        ("a.obj", b"v 0 0 0\n", "holds no triangles"),
        ("a.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not a finite number"),
        ("a.stl", b"\0" * 90, "not a readable STL"),
        ("a.stl", b"solid x\nvertex 0 0 0\nvertex 1 0 0\n", "a facet has not three vertices"),
    ],
)
def test_files_that_are_no_meshes_are_refused_by_name(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MeshError, match=message):
        read_mesh(tmp_path / name)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MeshError, match="coacd is not installed; install it, or use --method cuts"):
        import_mesh(_obj(tmp_path / "block.obj", BLOCK, FACES), _options(method="coacd"))


def test_a_damaged_shape_is_told():
    with pytest.raises(AssetError, match="'shape' is damaged"):
        unpack("bm90IHppcHBlZA==")
    with pytest.raises(AssetError, match="'shape' is damaged"):
        build(AssetSpec("mesh", {"shape": "%%%"}), {}, 0.1, (0.5, 0.0, 0.0))
