"""From the XML of somebody else's model to a compiled one: mesh files found again, textures left out."""

from __future__ import annotations

import hashlib
import xml.etree.ElementTree as ElementTree
from pathlib import Path, PurePosixPath

import mujoco

from maniguard.audit.errors import AuditError

# What names a file that the physics needs, by tag.
_SHAPES = ("mesh", "hfield", "skin")
_LOOKS = ("texture", "material")


def xml_digest(text: str) -> str:
    """Return what tells models apart: the sha256 of their XML."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def compile_model(text: str, *, assets: Path | None = None, folder: Path | None = None) -> mujoco.MjModel:
    """Compile a model that was written on another machine.

    A mesh is looked for at the path that the XML gives (relative ones from `folder`), then under `assets` by the
    longest end of its path that exists there. Textures and materials are dropped: nothing is rendered. AuditError names
    the first file that is missing, or says what MuJoCo says.
    """
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise AuditError(f"the model is not XML: {error}") from error
    if root.tag != "mujoco":
        raise AuditError(f"the model's XML starts with <{root.tag}>, not <mujoco>")
    _drop_looks(root)
    _find_files(root, assets, folder)
    try:
        return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))
    except ValueError as error:
        raise AuditError(f"MuJoCo {mujoco.__version__} does not compile the model: {_one_line(error)}") from error


def _drop_looks(root: ElementTree.Element) -> None:
    for parent in root.iter():
        for child in list(parent):
            if child.tag in _LOOKS:
                parent.remove(child)
        parent.attrib.pop("material", None)


def _find_files(root: ElementTree.Element, assets: Path | None, folder: Path | None) -> None:
    meshdir = ""
    for compiler in root.iter("compiler"):
        meshdir = compiler.attrib.pop("meshdir", compiler.attrib.pop("assetdir", meshdir))
        for key in ("meshdir", "assetdir", "texturedir"):
            compiler.attrib.pop(key, None)
    for tag in _SHAPES:
        for element in root.iter(tag):
            name = element.attrib.get("file")
            if name is not None:
                element.attrib["file"] = str(_found(name, meshdir, assets, folder))
                if tag == "mesh" and "name" not in element.attrib:
                    # MuJoCo names a mesh after its file, which may have moved but not changed its name.
                    element.attrib["name"] = PurePosixPath(name).stem


def _found(name: str, meshdir: str, assets: Path | None, folder: Path | None) -> Path:
    stated = PurePosixPath(meshdir) / name
    for candidate in (Path(stated), *(() if folder is None else (folder / stated, folder / name))):
        if candidate.is_absolute() and candidate.is_file():
            return candidate
    if folder is not None and (folder / stated).is_file():
        return (folder / stated).resolve()
    if assets is not None:
        parts = [part for part in stated.parts if part not in ("/", "..", ".")]
        for first in range(len(parts)):
            candidate = assets.joinpath(*parts[first:])
            if candidate.is_file():
                return candidate.resolve()
        raise AuditError(f"the model needs {name}, and no end of that path exists under --assets {assets}")
    raise AuditError(
        f"the model needs {name}, which is not on this machine; give the folder with its meshes by --assets"
    )


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
