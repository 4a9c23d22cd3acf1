from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from logs import mapping_values, mug_columns

from maniguard.audit import AuditError, Context, find_recordings, load_recording, recorded_success
from maniguard.audit.mapping_file import read_mapping
from maniguard.trace import Trace


def read(path: Path, values: dict[str, object]) -> Trace:
    context = Context(read_mapping(values, "m.yaml", "0"))
    (found,) = find_recordings(path, context)
    return load_recording(found, context)


def write_npz(path: Path, **changes: np.ndarray) -> Path:
    np.savez(path / "pick.npz", **{**mug_columns(), **changes})
    return path / "pick.npz"


def write_csv(path: Path) -> Path:
    columns = {}
    for name, values in mug_columns().items():
        if values.ndim == 1:
            columns[name] = values
        else:
            columns |= {f"{name}{i}": values[:, i] for i in range(values.shape[1])}
    rows = [",".join(columns)]
    rows += [",".join(repr(float(v)) for v in row) for row in zip(*columns.values(), strict=True)]
    (path / "pick.csv").write_text("\n".join(rows) + "\n")
    return path / "pick.csv"


def test_an_npz_becomes_a_trace_in_si_units(tmp_path: Path) -> None:
    trace = read(write_npz(tmp_path), mapping_values())
    assert len(trace) == 60
    assert trace.meta.family == "lab"
    assert trace.meta.scenario_id == "pick/recorded"
    assert [entity.name for entity in trace.scene.entities] == ["table", "mug", "franka"]
    assert trace.column("position_m")[-1, 1].tolist() == pytest.approx([0.1, 0.0, 0.25])
    assert np.allclose(trace.column("gripper_opening_m")[[0, -1]], [0.08, 0.07])
    assert np.allclose(trace.column("robot_qpos_rad")[0], np.linspace(0, 1, 7))
    assert trace.column("tcp_quat_wxyz")[0].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert trace.column("wrench")[-1, 2] == -3.0
    assert recorded_success(trace) == 40
    assert trace.scene.entity("mug").properties == ("fragile",)


def test_channels_say_what_was_recorded(tmp_path: Path) -> None:
    channels = read(write_npz(tmp_path), mapping_values()).channels
    assert channels["position_m"] == ("measured", "instantaneous")
    assert channels["wrench"] == ("measured", "instantaneous")
    assert channels["linear_m_s"] == ("recomputed", "instantaneous")
    for name in ("contacts", "contact_force", "action", "dust_left", "joint_position"):
        assert channels[name].provenance == "absent"


def test_a_csv_gives_the_same_trace(tmp_path: Path) -> None:
    values = mapping_values()
    robot, mug = values["robot"], values["entities"]["mug"]
    robot["joints"] = {"columns": [f"q{i}" for i in range(7)], "unit": "rad"}
    robot["tcp"] = {
        "position": {"columns": ["tcp0", "tcp1", "tcp2"], "unit": "m"},
        "orientation": {"columns": ["tcp3", "tcp4", "tcp5", "tcp6"], "order": "xyzw"},
    }
    mug["pose"] = {
        "position": {"columns": ["mug_pos0", "mug_pos1", "mug_pos2"], "unit": "mm"},
        "orientation": {"columns": [f"mug_quat{i}" for i in range(4)], "order": "wxyz"},
    }
    values["wrench"] = {"columns": [f"ft{i}" for i in range(6)], "unit": "N"}
    assert read(write_csv(tmp_path), values).digest() == read(write_npz(tmp_path), mapping_values()).digest()


def test_contact_by_distance_is_worked_out_and_says_so(tmp_path: Path) -> None:
    values = mapping_values(contact={"surrogate": "distance", "max": "1 mm"})
    trace = read(write_npz(tmp_path), values)
    assert trace.channels["contacts"] == ("recomputed", "instantaneous")
    assert trace.channels["contact_force"].provenance == "absent"
    names = [entity.name for entity in trace.scene.entities]

    def partners(step: int) -> set[tuple[str, str]]:
        rows = trace.frame_contacts(step)
        parts = [[p.name for p in entity.parts] for entity in trace.scene.entities]
        return {
            (names[a], f"{names[b]}.{parts[b][q]}")
            for a, b, q in zip(rows.entity_a, rows.entity_b, rows.part_b, strict=True)
        }

    assert partners(0) == {("table", "mug.body")}
    assert partners(15) == {("table", "mug.body"), ("mug", "franka.left_finger"), ("mug", "franka.right_finger")}
    assert partners(59) == {("mug", "franka.left_finger"), ("mug", "franka.right_finger")}
    assert np.isnan(trace.contacts.peak_force_n).all()
    rows = trace.frame_contacts(0)
    assert np.allclose(rows.normal[0], (0.0, 0.0, 1.0), atol=1e-5)
    assert abs(float(rows.distance_m[0])) < 1e-6


def test_a_nominal_force_is_the_same_for_every_touch(tmp_path: Path) -> None:
    values = mapping_values(
        contact={"surrogate": "distance", "max": "1 mm"}, contact_force={"surrogate": "nominal", "force": "1 N"}
    )
    trace = read(write_npz(tmp_path), values)
    assert trace.channels["contact_force"] == ("recomputed", "instantaneous")
    assert set(trace.contacts.peak_force_n.tolist()) == {1.0}


def test_a_sensor_that_feels_a_touch_is_a_contact(tmp_path: Path) -> None:
    pressed = np.where(np.arange(60) >= 10, 2.5, 0.0)
    values = mapping_values(
        contacts=[{"a": "franka.left_finger", "b": "mug", "force": {"column": "tactile", "unit": "N"}}]
    )
    trace = read(write_npz(tmp_path, tactile=pressed), values)
    assert trace.channels["contact_force"] == ("measured", "instantaneous")
    assert len(trace.frame_contacts(9)) == 0
    assert trace.frame_contacts(10).peak_force_n.tolist() == [2.5]


def test_a_rate_stands_for_a_missing_column_of_times(tmp_path: Path) -> None:
    trace = read(write_npz(tmp_path), mapping_values(time=None, rate_hz=20))
    assert np.allclose(trace.column("time_s"), np.arange(60) / 20.0)
    with pytest.raises(AuditError, match="neither 'time' nor 'rate_hz'"):
        read(write_npz(tmp_path), mapping_values(time=None))


def test_an_irregular_table_is_brought_to_the_rate_of_the_mapping(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    columns = mug_columns(400)
    columns["t"] = np.cumsum(rng.uniform(0.002, 0.015, 400))
    columns["mug_pos"] = np.column_stack([100 * columns["t"], np.zeros(400), np.full(400, 50.0)])
    np.savez(tmp_path / "pick.npz", **columns)
    trace = read(tmp_path / "pick.npz", mapping_values(rate_hz=20))
    assert trace.control_rate_hz == 20.0
    expected = 0.1 * (columns["t"][0] + trace.column("time_s"))
    assert np.allclose(trace.column("position_m")[:, 1, 0], expected, atol=1e-6)


def test_what_lies_at_the_start_has_its_rest_axis_upwards(tmp_path: Path) -> None:
    lying = np.tile((np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0), (60, 1))
    trace = read(write_npz(tmp_path, mug_quat=lying), mapping_values())
    assert trace.scene.entity("mug").rest_axis == (0.0, 1.0, 0.0)


def test_positions_without_orientations_leave_that_channel_absent(tmp_path: Path) -> None:
    values = mapping_values()
    del values["entities"]["mug"]["pose"]["orientation"]
    trace = read(write_npz(tmp_path), values)
    assert trace.channels["quat_wxyz"].provenance == "absent"
    assert trace.channels["position_m"].provenance == "measured"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mug_pos": np.full((60, 3), np.nan)}, r"column 'mug_pos' holds a number that is none \(NaN\) at sample 0"),
        ({"mug_quat": np.zeros((60, 4))}, "mug_quat: the quaternion at sample 0 has length 0"),
        ({"t": np.r_[np.arange(59), 3.0] / 20.0}, "runs backwards after sample 58"),
        ({"mug_pos": np.zeros((60, 2))}, "2 numbers where 3 belong"),
        ({"tcp": np.zeros((60, 6))}, "column 'tcp' has 6 numbers, the index asks for 7"),
    ],
)
def test_bad_columns_are_refused(tmp_path: Path, change: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(AuditError, match=message):
        read(write_npz(tmp_path, **change), mapping_values())


def test_an_unknown_column_lists_the_valid_ones(tmp_path: Path) -> None:
    values = mapping_values(wrench={"column": "force", "unit": "N"})
    with pytest.raises(AuditError, match=r"m\.yaml\.wrench: the recording has no column 'force'; it has done, finger"):
        read(write_npz(tmp_path), values)


def test_a_table_without_a_mapping_says_what_is_missing(tmp_path: Path) -> None:
    context = Context()
    (found,) = find_recordings(write_npz(tmp_path), context)
    with pytest.raises(AuditError, match="no mapping"):
        load_recording(found, context)


def test_a_damaged_npz_and_a_ragged_csv_are_refused(tmp_path: Path) -> None:
    path = write_npz(tmp_path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(AuditError, match="truncated, damaged or no npz file"):
        read(path, mapping_values())
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("t,x\n0,1\n0.05\n")
    with pytest.raises(AuditError, match="line 3 has 1 cells, the header 2"):
        read(ragged, mapping_values())
