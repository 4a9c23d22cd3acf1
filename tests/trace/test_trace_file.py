from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from synthetic_traces import Hand, box_entity, clutter_scene, random_trace, record
from test_trace import frames_equal

from maniguard.trace import (
    DustGroup,
    Event,
    GrainGroup,
    Joint,
    Part,
    Pose,
    Region,
    Scene,
    Trace,
    TraceFileError,
    TraceMeta,
    read_trace,
    write_trace,
)


def wide_scene() -> Scene:
    """With everything that the later families need: joints, parts, grains, dust, interior, rim."""
    jar = box_entity(
        "jar",
        "container",
        kind="articulated",
        properties=("container", "fragile"),
        parts=(Part("body"), Part("lid", moving=True), Part("knob")),
        joints=(Joint("hinge", "hinge", 0.0, 1.9, "lid"),),
        interior=Region("cylinder", (0.03, 0.0, 0.09)),
        rim=Region("disc", (0.03, 0.0, 0.0), Pose((0.0, 0.0, 0.1))),
    )
    base = clutter_scene(box_entity("cup", "target"), jar)
    return replace(base, grain_groups=(GrainGroup("jar", 200),), dust_groups=(DustGroup("cup", 90),))


@pytest.mark.parametrize("scene", [clutter_scene(), wide_scene()], ids=["clutter", "wide"])
def test_round_trip_to_the_bit(tmp_path: Path, scene: Scene) -> None:
    source = random_trace(3, 40, scene)
    meta = TraceMeta(
        20.0, "clutter-dry-07/base", "ab", "clutter", "dry", 7, "base", "Pick it.", 2, "expert", 300,
        {"protocol": 1, "mujoco": "3.17.0", "rate": 20.0},
    )  # fmt: skip
    trace = replace(source, meta=meta, events=(Event(39, "end", "step limit"),))
    path = tmp_path / "one.h5"
    write_trace(path, trace)
    back = read_trace(path)
    assert back.scene == trace.scene
    assert back.meta == meta
    assert type(back.meta.identity["rate"]) is float
    assert back.events == trace.events
    assert back.channels == trace.channels
    assert all(frames_equal(a, b) for a, b in zip(trace.frames(), back.frames(), strict=True))
    assert back.digest() == trace.digest()


def test_equal_traces_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.h5", "b.h5"):
        write_trace(tmp_path / name, random_trace(3, 10))
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


def busy_trace(steps: int = 300, objects: int = 9) -> Trace:
    """Twelve entities that all move at once with full-precision noise, and sixteen contacts a frame: a bad case."""
    scene = clutter_scene(*(box_entity(f"o{i}", "target" if i == 0 else "obstacle") for i in range(objects)))
    rng = np.random.default_rng(0)

    def script(step: int, _: Hand) -> Hand:
        hand = Hand(scene)
        for i in range(objects):
            name = f"o{i}"
            hand.position_m[name] = tuple(rng.normal(size=3))
            hand.quat_wxyz[name] = tuple(rng.normal(size=4))
            hand.linear_m_s[name] = tuple(rng.normal(size=3))
            hand.descent_m_s[name] = float(rng.uniform())
            hand.touch("table", name, normal=tuple(rng.normal(size=3)), force_n=float(rng.uniform(0.1, 5)))
            if i > 1:
                hand.touch(f"o{i - 1}", name, normal=tuple(rng.normal(size=3)), force_n=float(rng.uniform(0.1, 5)))
        return hand

    return record(scene, steps, script)


def test_three_hundred_frames_of_twelve_entities_stay_under_a_megabyte(tmp_path: Path) -> None:
    trace = busy_trace()
    assert len(trace.scene.entities) == 12
    write_trace(tmp_path / "big.h5", trace)
    assert (tmp_path / "big.h5").stat().st_size < 1_000_000


def test_h5py_alone_can_read_it(tmp_path: Path) -> None:
    trace = random_trace(3, 10)
    write_trace(tmp_path / "t.h5", trace)
    with h5py.File(tmp_path / "t.h5") as file:
        assert file.attrs["format"] == "maniguard-trace"
        assert list(file.attrs["version"]) == [1, 0]
        assert file["frames/position_m"].shape == (10, 6, 3)
        first, last = file["contacts/offsets"][4:6]
        assert (file["contacts/peak_force_n"][first:last] == trace.frame_contacts(4).peak_force_n).all()
        scene = json.loads(bytes(file["scene"][()]))
        assert [e["name"] for e in scene["entities"]][:3] == ["table", "floor", "panda"]


@pytest.mark.parametrize("keep", [0.0, 0.02, 0.3, 0.7, 0.95, 0.999])
def test_truncation_is_detected(tmp_path: Path, keep: float) -> None:
    path = tmp_path / "t.h5"
    write_trace(path, random_trace(3, 30))
    os.truncate(path, int(path.stat().st_size * keep))
    with pytest.raises(TraceFileError, match=r"t\.h5: truncated or damaged"):
        read_trace(path)


def test_no_damaged_byte_goes_unseen(tmp_path: Path) -> None:
    """A flipped byte gives an error or, in padding that holds nothing, the same trace; never another trace."""
    path = tmp_path / "t.h5"
    trace = random_trace(3, 12)
    write_trace(path, trace)
    whole = path.read_bytes()
    digest = trace.digest()
    messages: list[str] = []
    for position in np.random.default_rng(0).integers(0, len(whole), 150):
        damaged = bytearray(whole)
        damaged[position] ^= 0x55
        path.write_bytes(damaged)
        try:
            assert read_trace(path).digest() == digest
        except TraceFileError as error:
            messages.append(str(error))
    assert len(messages) > 75
    assert not any("\n" in message for message in messages)


def test_other_formats_and_versions_are_refused_and_minor_additions_read(tmp_path: Path) -> None:
    path = tmp_path / "t.h5"
    trace = random_trace(3, 5)
    with pytest.raises(TraceFileError, match="no such file"):
        read_trace(path)
    path.write_text("time,x\n0,1\n")
    with pytest.raises(TraceFileError, match="truncated or damaged"):
        read_trace(path)
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "robomimic"
    with pytest.raises(TraceFileError, match="format 'robomimic'"):
        read_trace(path)
    path.unlink()
    write_trace(path, trace)
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = np.array([2, 0], np.int32)
    with pytest.raises(TraceFileError, match=r"version 2\.0; this package reads version 1\.\*"):
        read_trace(path)


@pytest.mark.parametrize("version", [3, [1], [1.5, 0.0], "1.0"])
def test_a_malformed_version_is_damage(tmp_path: Path, version: object) -> None:
    path = tmp_path / "t.h5"
    write_trace(path, random_trace(3, 5))
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = version
    with pytest.raises(TraceFileError, match="damaged, its version is"):
        read_trace(path)


def test_a_later_minor_version_is_read(tmp_path: Path) -> None:
    from maniguard.trace import file as module

    path = tmp_path / "t.h5"
    trace = random_trace(3, 5)
    write_trace(path, trace)
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = np.array([1, 4], np.int32)
        file["frames/skin_temperature_k"] = np.full((5, 2), 290.0, np.float32)
        meta = json.loads(bytes(file["meta"][()]))
        text = json.dumps({**meta, "operator": "new field"}).encode()
        del file["meta"]
        file["meta"] = np.frombuffer(text, np.uint8)
        arrays, texts = module._read_all(file)
        file.attrs["checksum"] = module._checksum(arrays, texts)
    assert read_trace(path).digest() == trace.digest()


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    from maniguard.trace import file as module

    path = tmp_path / "t.h5"
    write_trace(path, random_trace(3, 5))
    with h5py.File(path, "r+") as file:
        del file["frames/quat_wxyz"]
        file.attrs["checksum"] = module._checksum(*module._read_all(file))
    with pytest.raises(TraceFileError, match="'frames/quat_wxyz' is missing"):
        read_trace(path)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.h5"
    write_trace(path, random_trace(3, 5))
    before = path.read_bytes()

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_trace(path, random_trace(4, 5))
    assert [p.name for p in tmp_path.iterdir()] == ["t.h5"]
    assert path.read_bytes() == before
