from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maniguard.audit import AuditError, Context, find_recordings, load_recording, recorded_success
from maniguard.audit.mapping_file import read_mapping

STATE_NAMES = ["x", "y", "z", "qx", "qy", "qz", "qw", "mx", "my", "mz", "grip"]
FEATURES = {
    "observation.state": {"dtype": "float32", "shape": [11], "names": STATE_NAMES},
    "action": {"dtype": "float32", "shape": [2], "names": None},
    "next.success": {"dtype": "bool", "shape": [1], "names": None},
}
MAPPING = {
    "format": "maniguard-mapping/1",
    "robot": {
        "tcp": {
            "position": {"column": "observation.state", "index": [0, 3], "unit": "m"},
            "orientation": {"column": "observation.state", "index": [3, 7], "order": "xyzw"},
        },
        "gripper": {"column": "observation.state.grip", "unit": "mm"},
    },
    "entities": {
        "mug": {"role": "target", "pose": {"position": {"column": "observation.state", "index": [7, 10], "unit": "m"}}}
    },
}


def episode(number: int, length: int, task: int) -> pa.Table:
    state = np.zeros((length, 11), np.float32)
    state[:, 0] = np.linspace(0, 0.5, length)
    state[:, 6] = 1.0
    state[:, 7] = number
    state[:, 10] = 40.0
    return pa.table(
        {
            "observation.state": pa.array(state.tolist(), pa.list_(pa.float32())),
            "action": pa.array([[0.0, 0.0]] * length, pa.list_(pa.float32())),
            "next.success": pa.array([i >= length - 3 for i in range(length)]),
            "timestamp": pa.array(np.arange(length, dtype=np.float32) / np.float32(30)),
            "frame_index": pa.array(list(range(length))),
            "episode_index": pa.array([number] * length),
            "index": pa.array(list(range(length))),
            "task_index": pa.array([task] * length),
        }
    )


LENGTHS, TASKS = (40, 25), ("pick the mug", "push the mug")


def write_info(path: Path, version: str, **more: Any) -> None:
    (path / "meta").mkdir(parents=True)
    info = {"codebase_version": version, "fps": 30, "chunks_size": 1000, "features": FEATURES, **more}
    (path / "meta" / "info.json").write_text(json.dumps(info))


def v21(path: Path) -> Path:
    write_info(path, "v2.1", data_path="data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet")
    lines = [
        json.dumps({"episode_index": i, "tasks": [TASKS[i]], "length": length}) for i, length in enumerate(LENGTHS)
    ]
    (path / "meta" / "episodes.jsonl").write_text("\n".join(lines) + "\n")
    (path / "data" / "chunk-000").mkdir(parents=True)
    for i, length in enumerate(LENGTHS):
        pq.write_table(episode(i, length, i), path / "data" / "chunk-000" / f"episode_{i:06d}.parquet")
    return path


def v30(path: Path) -> Path:
    write_info(path, "v3.0", data_path="data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet")
    (path / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
    index = pa.table(
        {
            "episode_index": [0, 1],
            "tasks": [[TASKS[0]], [TASKS[1]]],
            "length": list(LENGTHS),
            "data/chunk_index": [0, 0],
            "data/file_index": [0, 0],
            "dataset_from_index": [0, LENGTHS[0]],
            "dataset_to_index": [LENGTHS[0], sum(LENGTHS)],
        }
    )
    pq.write_table(index, path / "meta" / "episodes" / "chunk-000" / "file-000.parquet")
    (path / "data" / "chunk-000").mkdir(parents=True)
    both = pa.concat_tables([episode(i, length, i) for i, length in enumerate(LENGTHS)])
    pq.write_table(both, path / "data" / "chunk-000" / "file-000.parquet")
    return path


def context() -> Context:
    return Context(read_mapping(MAPPING, "m.yaml", "0"))


@pytest.mark.parametrize("write", [v21, v30])
def test_every_episode_is_a_recording_of_its_task(tmp_path: Path, write: Any) -> None:
    found = find_recordings(write(tmp_path / "mugs"), context())
    assert [(item.seed, item.task, item.instruction) for item in found] == [
        (0, "00-pick-the-mug", "pick the mug"),
        (1, "01-push-the-mug", "push the mug"),
    ]
    assert {item.family for item in found} == {"mugs"}


def test_both_versions_give_the_same_traces(tmp_path: Path) -> None:
    digests = []
    for write in (v21, v30):
        found = find_recordings(write(tmp_path / write.__name__), context())
        traces = [load_recording(item, context()) for item in found]
        assert [len(trace) for trace in traces] == list(LENGTHS)
        assert [trace.control_rate_hz for trace in traces] == [30.0, 30.0]
        assert [float(trace.column("position_m")[0, 0, 0]) for trace in traces] == [0.0, 1.0]
        assert np.allclose(traces[0].column("gripper_opening_m"), 0.04)
        assert recorded_success(traces[0]) == LENGTHS[0] - 3
        digests.append([trace.digest() for trace in traces])
    assert digests[0] == digests[1]


def test_forces_and_contacts_are_absent(tmp_path: Path) -> None:
    trace = load_recording(find_recordings(v30(tmp_path / "mugs"), context())[0], context())
    assert trace.channels["contacts"].provenance == "absent"
    assert trace.channels["quat_wxyz"].provenance == "absent"
    assert trace.channels["tcp_position_m"].provenance == "measured"


def test_a_missing_or_damaged_data_file_is_that_episodes_fault(tmp_path: Path) -> None:
    path = v21(tmp_path / "mugs")
    file = path / "data" / "chunk-000" / "episode_000001.parquet"
    file.write_bytes(file.read_bytes()[:500])
    found = find_recordings(path, context())
    assert len(load_recording(found[0], context())) == LENGTHS[0]
    with pytest.raises(AuditError, match=r"episode_000001.parquet: truncated or damaged"):
        load_recording(found[1], context())
    file.unlink()
    with pytest.raises(AuditError, match=r"episode_000001.parquet: the episode's data file is missing"):
        load_recording(find_recordings(path, context())[1], context())


def test_an_episode_that_lost_rows_is_refused(tmp_path: Path) -> None:
    path = v21(tmp_path / "mugs")
    pq.write_table(episode(0, 30, 0), path / "data" / "chunk-000" / "episode_000000.parquet")
    with pytest.raises(AuditError, match="has 30 rows of episode 0, the data set's index says 40"):
        load_recording(find_recordings(path, context())[0], context())


def test_a_data_set_that_cannot_be_read_does_not_keep_its_neighbours_from_being_audited(tmp_path: Path) -> None:
    v21(tmp_path / "good")
    write_info(tmp_path / "odd", "v9")
    found = find_recordings(tmp_path, context())
    assert [item.seed for item in found if item.fault is None] == [0, 1]
    assert ["'v9'" in item.fault for item in found if item.fault is not None] == [True]


def test_another_version_and_a_damaged_index_are_refused(tmp_path: Path) -> None:
    path = v21(tmp_path / "mugs")
    (path / "meta" / "episodes.jsonl").write_text("{")
    with pytest.raises(AuditError, match="the list of episodes is missing or damaged"):
        find_recordings(path, context())
    (path / "meta" / "info.json").write_text(json.dumps({"codebase_version": "v9", "fps": 30}))
    with pytest.raises(AuditError, match=r"LeRobot format 'v9'; this version reads v2.0, v2.1, v3.0"):
        find_recordings(path, context())
