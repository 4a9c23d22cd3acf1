from __future__ import annotations

from pathlib import Path

import pytest

from maniguard.audit import AuditError
from maniguard.audit.modelfile import compile_model

TETRAHEDRON = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def model(mesh: str, compiler: str = "") -> str:
    return f"""<mujoco><compiler {compiler}/>
      <asset><mesh name="m" file="{mesh}"/><texture name="t" type="2d" file="/nowhere/wood.png"/>
      <material name="w" texture="t"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="m" material="w"/></body></worldbody></mujoco>"""


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    folder = tmp_path / "assets" / "stable_objects" / "mug"
    folder.mkdir(parents=True)
    (folder / "mug.obj").write_text(TETRAHEDRON)
    return tmp_path / "assets"


def test_a_mesh_is_found_by_the_end_of_its_path(assets: Path) -> None:
    elsewhere = "/opt/elsewhere/venv/libero/assets/stable_objects/mug/mug.obj"
    assert compile_model(model(elsewhere), assets=assets).nmesh == 1
    assert compile_model(model(elsewhere), assets=assets / "stable_objects").nmesh == 1


def test_a_mesh_dir_and_the_models_own_folder_count(assets: Path) -> None:
    text = model("mug/mug.obj", 'meshdir="stable_objects"')
    assert compile_model(text, folder=assets).nmesh == 1
    assert compile_model(text, assets=assets).nmesh == 1


def test_textures_are_left_out(assets: Path) -> None:
    compiled = compile_model(model(str(assets / "stable_objects" / "mug" / "mug.obj")))
    assert compiled.ntex == compiled.nmat == 0


def test_a_missing_mesh_is_named_with_the_option(assets: Path) -> None:
    with pytest.raises(AuditError, match=r"needs /far/plate\.obj, which is not on this machine; .* --assets"):
        compile_model(model("/far/plate.obj"))
    with pytest.raises(AuditError, match=r"needs /far/plate\.obj, and no end of that path exists under --assets"):
        compile_model(model("/far/plate.obj"), assets=assets)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco><worldbody>", "not XML"),
        ("<robot/>", "starts with <robot>, not <mujoco>"),
        ("<mujoco><worldbody><body><geom type='box'/></body></worldbody></mujoco>", "does not compile the model"),
    ],
)
def test_what_is_no_model_is_refused(text: str, message: str) -> None:
    with pytest.raises(AuditError, match=message):
        compile_model(text)
