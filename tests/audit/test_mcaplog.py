from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.writer import Writer
from mcap_ros2.writer import Writer as RosWriter

from maniguard.audit import AuditError, Context, find_recordings, load_recording, recorded_success
from maniguard.audit.mapping_file import read_mapping
from maniguard.trace import Trace

MAPPING: dict[str, Any] = {
    "format": "maniguard-mapping/1",
    "dataset": "franka",
    "rate_hz": 20,
    "success": {"column": "/done#data"},
    "robot": {
        "name": "franka",
        "joints": {"columns": [f"/joint_states#position[panda_joint{i}]" for i in range(1, 8)], "unit": "rad"},
        "gripper": {
            "columns": ["/joint_states#position[panda_finger_joint1]", "/joint_states#position[panda_finger_joint2]"],
            "unit": "m",
        },
        "tcp": {
            "position": {"column": "/tcp#pose.position", "unit": "m"},
            "orientation": {"column": "/tcp#pose.orientation", "order": "xyzw"},
        },
    },
    "entities": {
        "mug": {
            "role": "target",
            "pose": {
                "position": {"column": "/objects#poses[0].position", "unit": "m"},
                "orientation": {"column": "/objects#poses[0].orientation", "order": "xyzw"},
            },
        }
    },
    "wrench": {"column": "/wrench#wrench", "unit": "N"},
    "contacts": [{"a": "mug", "b": "franka", "force": {"column": "/touch#force", "unit": "N"}}],
}
NAMES = [*(f"panda_joint{i}" for i in range(1, 8)), "panda_finger_joint1", "panda_finger_joint2"]


def point(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


def messages(seconds: float = 2.0) -> list[tuple[float, str, dict[str, Any]]]:
    """Joints at 100 Hz, poses at 30 and 50 Hz with jitter, a wrench at 400 Hz with one short knock."""
    rng = np.random.default_rng(0)
    turn = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
    found: list[tuple[float, str, dict[str, Any]]] = []
    for t in np.arange(0, seconds, 0.01):
        found.append((t, "/joint_states", {"name": NAMES, "position": [*([t] * 7), 0.02, 0.02]}))
    for t in np.arange(0, seconds, 1 / 30) + rng.uniform(0, 0.005, len(np.arange(0, seconds, 1 / 30))):
        found.append((t, "/objects", {"poses": [{"position": point(0.1 * t, 0, 0.5), "orientation": turn}]}))
    for t in np.arange(0, seconds, 0.02):
        found.append((t, "/tcp", {"pose": {"position": point(0, 0, 0.6), "orientation": turn}}))
    for t in np.arange(0, seconds, 0.0025):
        force = -40.0 if abs(t - 1.013) < 1e-3 else 0.0
        found.append((t, "/wrench", {"wrench": {"force": point(0, 0, force), "torque": point(0, 0, 0)}}))
        found.append((t, "/touch", {"force": -force}))
    found.append((1.5, "/done", {"data": 1}))
    return sorted(found, key=lambda item: item[0])


def write_json(path: Path, content: list[tuple[float, str, dict[str, Any]]]) -> Path:
    with open(path, "wb") as handle:
        writer = Writer(handle)
        writer.start()
        channels: dict[str, int] = {}
        for when, topic, value in content:
            if topic not in channels:
                schema = writer.register_schema(name=topic, encoding="jsonschema", data=b"{}")
                channels[topic] = writer.register_channel(topic, "json", schema)
            nanoseconds = 1_700_000_000_000_000_000 + round(when * 1e9)
            writer.add_message(channels[topic], nanoseconds, json.dumps(value).encode(), nanoseconds)
        writer.finish()
    return path


def read(path: Path, **changes: Any) -> Trace:
    context = Context(read_mapping({**MAPPING, **changes}, "m.yaml", "0"))
    (found,) = find_recordings(path, context)
    return load_recording(found, context)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_json(tmp_path / "pick.mcap", messages())


def test_topics_of_different_rates_become_one_uniform_trace(log: Path) -> None:
    trace = read(log)
    assert trace.control_rate_hz == 20.0
    # From when the last topic starts to when the first one ends.
    start = float(trace.column("robot_qpos_rad")[0, 0])
    assert 0.0 <= start < 0.06
    assert 35 <= len(trace) <= 40
    time = start + trace.column("time_s")
    assert np.allclose(trace.column("robot_qpos_rad")[:, 3], time, atol=1e-5)
    assert np.allclose(trace.column("position_m")[:, 0, 0], 0.1 * time, atol=1e-5)
    assert np.allclose(trace.column("gripper_opening_m"), 0.04)
    assert trace.channels["position_m"] == ("recomputed", "instantaneous")


def test_a_knock_between_two_frames_is_kept(log: Path) -> None:
    trace = read(log)
    assert trace.column("wrench")[:, 2].min() == -40.0
    assert trace.contacts.peak_force_n.tolist() == [40.0]
    assert trace.channels["wrench"] == ("measured", "latched")
    assert trace.channels["contact_force"] == ("measured", "latched")


def test_a_rare_flag_is_success_at_its_moment(log: Path) -> None:
    trace = read(log)
    start = float(trace.column("robot_qpos_rad")[0, 0])
    step = recorded_success(trace)
    assert step is not None
    assert abs(start + step / 20.0 - 1.5) <= 0.026


def test_a_silence_of_more_than_a_quarter_second_is_refused(tmp_path: Path) -> None:
    content = [item for item in messages() if not (item[1] == "/objects" and 0.8 < item[0] < 1.2)]
    with pytest.raises(AuditError, match=r"/objects#poses\[0\]\.position: 0\.4.* s without a sample"):
        read(write_json(tmp_path / "gap.mcap", content))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"wrench": {"column": "/force#wrench", "unit": "N"}}, "no topic '/force'; it has /done, /joint_states"),
        ({"wrench": {"column": "/wrench#force", "unit": "N"}}, "the message has no 'force'; it has wrench"),
        ({"wrench": {"column": "/wrench", "unit": "N"}}, "must be TOPIC#PATH"),
        (
            {"robot": {"joints": {"column": "/joint_states#position[elbow]", "unit": "rad"}}, "contacts": []},
            r"position\[elbow\]: the message names panda_finger_joint1",
        ),
    ],
)
def test_a_topic_or_path_that_is_not_there_is_named(log: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(AuditError, match=message):
        read(log, **changes)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5])
def test_a_truncated_log_is_refused(log: Path, share: float) -> None:
    content = log.read_bytes()
    log.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(AuditError, match="truncated, damaged or no MCAP file"):
        read(log)


def test_damage_within_a_compressed_chunk_is_refused(log: Path) -> None:
    content = bytearray(log.read_bytes())
    for place in range(400, 5000, 7):
        content[place] ^= 0x55
    log.write_bytes(bytes(content))
    with pytest.raises(AuditError, match="truncated, damaged or no MCAP file"):
        read(log)


def test_messages_of_ros_2_are_read_with_their_own_times(tmp_path: Path) -> None:
    schema_text = (
        "std_msgs/Header header\nstring[] name\nfloat64[] position\n"
        "================\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
        "================\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec"
    )
    path = tmp_path / "ros.mcap"
    with open(path, "wb") as handle:
        writer = RosWriter(handle)
        schema = writer.register_msgdef("test_msgs/msg/Stamped", schema_text)
        for i in range(40):
            stamp = {"sec": 5 + i // 20, "nanosec": (i % 20) * 50_000_000}
            message = {
                "header": {"stamp": stamp, "frame_id": ""},
                "name": ["x", "y", "z"],
                "position": [i * 0.01, 0.0, 0.0],
            }
            writer.write_message("/mug", schema, message, log_time=i * 50_000_000 + (i % 3) * 9_000_000)
        writer.finish()
    values = {
        "format": "maniguard-mapping/1",
        "time": {"column": "header.stamp", "unit": "s"},
        "entities": {
            "mug": {"pose": {"position": {"columns": [f"/mug#position[{axis}]" for axis in "xyz"], "unit": "m"}}}
        },
    }
    context = Context(read_mapping(values, "m.yaml", "0"))
    trace = load_recording(find_recordings(path, context)[0], context)
    assert trace.control_rate_hz == 20.0
    assert np.allclose(trace.column("position_m")[:, 0, 0], np.arange(40) * 0.01)
    assert trace.channels["position_m"].provenance == "measured"
