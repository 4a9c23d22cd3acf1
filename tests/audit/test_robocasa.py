from __future__ import annotations

import gzip
import json
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from worlds import kitchen_xml, simulate, write_demos

from maniguard.audit import AuditError, Context, find_recordings, load_recording, recorded_success
from maniguard.audit.epmeta import meanings_of_meta

META = {
    "lang": "put the bowl on the plate",
    "object_cfgs": [
        {"name": "obj", "info": {"cat": "bowl"}},
        {"name": "distr_1", "info": {"cat": "plate"}},
        {"name": "container"},
    ],
    "fixtures": {"microwave_main_group": {"cls": "Microwave"}},
}


def rename(xml: str) -> str:
    return xml.replace("akita_black_bowl_1", "obj").replace("plate_1", "distr_1")


@pytest.fixture
def data_set(tmp_path: Path) -> Path:
    """An episode in the documented layout of RoboCasa365, its kitchen a small one without meshes."""
    path = tmp_path / "PickPlace"
    states = simulate(kitchen_xml(), 10)
    folder = path / "extras" / "episode_000003"
    folder.mkdir(parents=True)
    (path / "extras" / "dataset_meta.json").write_text(json.dumps({"env_args": {"env_name": "PickPlaceToPlate"}}))
    np.savez(folder / "states.npz", states=states)
    (folder / "model.xml.gz").write_bytes(gzip.compress(rename(kitchen_xml()).encode()))
    (folder / "ep_meta.json").write_text(json.dumps(META))
    info = {"codebase_version": "v2.1", "fps": 20, "chunks_size": 1000, "features": {}}
    (path / "meta").mkdir()
    (path / "meta" / "info.json").write_text(json.dumps(info))
    (path / "meta" / "episodes.jsonl").write_text(json.dumps({"episode_index": 3, "tasks": ["x"], "length": 10}))
    table = pa.table({"episode_index": [3] * 10, "frame_index": list(range(10)), "next.reward": [0.0] * 8 + [1.0] * 2})
    (path / "data" / "chunk-000").mkdir(parents=True)
    pq.write_table(table, path / "data" / "chunk-000" / "episode_000003.parquet")
    return path


def test_an_episode_is_read_from_its_extras(data_set: Path) -> None:
    (found,) = find_recordings(data_set, Context())
    assert (found.seed, found.family, found.instruction) == (3, "PickPlaceToPlate", "put the bowl on the plate")
    trace = load_recording(found, Context())
    assert len(trace) == 10
    assert recorded_success(trace) == 8
    assert trace.scene.entity("obj").category == "bowl"
    assert trace.scene.entity("obj").role == "target"
    assert trace.scene.entity("distr_1").role == "obstacle"
    assert "graspable" in trace.scene.entity("obj").properties


def test_the_same_meta_data_count_in_robocasas_hdf5(tmp_path: Path) -> None:
    states = simulate(kitchen_xml(), 5)
    path = write_demos(tmp_path / "demo.hdf5", {"demo_0": (rename(kitchen_xml()), states)})
    with h5py.File(path, "a") as file:
        file["data/demo_0"].attrs["ep_meta"] = json.dumps(META)
    (found,) = find_recordings(path, Context())
    trace = load_recording(found, Context())
    assert found.instruction == trace.meta.instruction == "put the bowl on the plate"
    assert (trace.scene.entity("obj").category, trace.scene.entity("obj").role) == ("bowl", "target")


def test_categories_of_objects_and_classes_of_fixtures_are_looked_up() -> None:
    found = meanings_of_meta(META)
    assert "microwave" in found["microwave_main_group"].properties
    assert found["container"].role is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("states.npz", b"PK\x03\x04 not whole", "states.npz: truncated, damaged or no npz"),
        ("model.xml.gz", b"\x1f\x8b\x08", "model.xml.gz is missing or damaged"),
        (
            "model.xml.gz",
            gzip.compress(b"<mujoco/>" * 50)[:15] + bytes(range(40)),
            "model.xml.gz is missing or damaged",
        ),
        ("model.xml.gz", gzip.compress(b"<mujoco>\xff</mujoco>"), "model.xml.gz is missing or damaged"),
        ("ep_meta.json", b"{", "ep_meta.json is damaged"),
    ],
)
def test_a_damaged_file_is_named(data_set: Path, name: str, content: bytes, message: str) -> None:
    (data_set / "extras" / "episode_000003" / name).write_bytes(content)
    (found,) = find_recordings(data_set, Context())
    with pytest.raises(AuditError, match=message):
        load_recording(found, Context())
