from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from worlds import kitchen_xml, simulate, write_demos

from maniguard.audit import AuditError, Context, Mapping, find_recordings, load_recording, recorded_success
from maniguard.audit.bddl import meanings_of_bddl
from maniguard.audit.mapping_file import read_mapping
from maniguard.audit.robomimic import natural

XML = kitchen_xml()
BDDL = """(define (problem LIBERO_Tabletop_Manipulation)
  (:fixtures main_table - table wooden_cabinet_1 - wooden_cabinet)
  (:objects akita_black_bowl_1 - akita_black_bowl plate_1 - plate)
  (:goal (And (On akita_black_bowl_1 plate_1))))"""


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    return simulate(XML, 12)


@pytest.fixture
def libero(tmp_path: Path, states: np.ndarray) -> Path:
    return write_demos(
        tmp_path / "put_the_bowl_on_the_plate_demo.hdf5",
        {"demo_0": (XML, states), "demo_2": (XML, states), "demo_10": (XML, states[:, :-1])},
        rewards={"demo_0": np.eye(12)[-1], "demo_2": np.zeros(12)},
        problem_info=json.dumps({"language_instruction": "put the bowl on the plate"}),
        bddl_file_name="bddl_files/libero_spatial/put_the_bowl_on_the_plate.bddl",
        bddl_file_content=BDDL,
    )


def test_every_demonstration_is_a_repeat_of_the_files_task(libero: Path) -> None:
    found = find_recordings(libero, Context())
    assert [(item.seed, item.item) for item in found] == [(0, "demo_0"), (2, "demo_2"), (10, "demo_10")]
    assert {item.task for item in found} == {"put_the_bowl_on_the_plate_demo"}
    assert {item.family for item in found} == {"libero_spatial"}
    assert {item.instruction for item in found} == {"put the bowl on the plate"}
    assert found[0].digest == found[1].digest != found[2].digest


def test_a_demonstration_becomes_a_trace(libero: Path, states: np.ndarray) -> None:
    context = Context()
    trace = load_recording(find_recordings(libero, context)[0], context)
    assert len(trace) == len(states)
    assert trace.control_rate_hz == 20.0
    assert trace.meta.condition == "recorded"
    assert trace.meta.policy == "recorded"
    assert recorded_success(trace) == 11
    roles = {entity.name: entity.role for entity in trace.scene.entities}
    assert roles["akita_black_bowl_1"] == "target"
    assert roles["plate_1"] == "destination"
    assert trace.scene.entity("plate_1").category == "plate"
    assert "fragile" in trace.scene.entity("plate_1").properties


def test_the_reward_follows_the_action_by_one_state(tmp_path: Path, states: np.ndarray) -> None:
    file = write_demos(tmp_path / "a.hdf5", {"demo_0": (XML, states)}, rewards={"demo_0": np.eye(12)[4]})
    trace = load_recording(find_recordings(file, Context())[0], Context())
    assert recorded_success(trace) == 5


def test_shaped_rewards_are_no_flag_whatever_the_arguments_say(tmp_path: Path, states: np.ndarray) -> None:
    file = write_demos(tmp_path / "a.hdf5", {"demo_0": (XML, states)}, rewards={"demo_0": np.linspace(0, 1, 12)})
    assert recorded_success(load_recording(find_recordings(file, Context())[0], Context())) is None
    # LIBERO's files say that their rewards are shaped; they are zeros and a final one.
    file = write_demos(tmp_path / "b.hdf5", {"demo_0": (XML, states)}, rewards={"demo_0": np.eye(12)[-1]})
    with h5py.File(file, "a") as opened:
        opened["data"].attrs["env_args"] = json.dumps({"env_kwargs": {"reward_shaping": True}})
    assert recorded_success(load_recording(find_recordings(file, Context())[0], Context())) == 11


def test_no_reward_is_failure_and_no_column_of_rewards_is_nothing(
    libero: Path, tmp_path: Path, states: np.ndarray
) -> None:
    context = Context()
    assert recorded_success(load_recording(find_recordings(libero, context)[1], context)) == -1
    silent = write_demos(tmp_path / "silent.hdf5", {"demo_0": (XML, states)})
    assert recorded_success(load_recording(find_recordings(silent, context)[0], context)) is None


def test_a_mapping_names_another_flag(tmp_path: Path, states: np.ndarray) -> None:
    file = write_demos(tmp_path / "a.hdf5", {"demo_0": (XML, states)}, rewards={"demo_0": np.eye(12)[4]})
    with h5py.File(file, "a") as opened:
        opened["data/demo_0/my_flag"] = np.eye(12)[7]
    mapping = read_mapping({"format": "maniguard-mapping/1", "success": {"column": "my_flag"}}, "m.yaml", "")
    assert recorded_success(load_recording(find_recordings(file, Context())[0], Context(mapping))) == 8
    missing = read_mapping({"format": "maniguard-mapping/1", "success": {"column": "other"}}, "m.yaml", "")
    with pytest.raises(AuditError, match="no 'other'; it has"):
        load_recording(find_recordings(file, Context())[0], Context(missing))


def test_states_of_the_wrong_length_are_that_demonstrations_fault(libero: Path) -> None:
    context = Context()
    with pytest.raises(
        AuditError, match=r"demo_10: the states have 46 numbers each, the model needs 1 \+ 24 \+ 22 = 47"
    ):
        load_recording(find_recordings(libero, context)[2], context)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_truncated_file_is_a_recording_with_a_fault(libero: Path, share: float) -> None:
    content = libero.read_bytes()
    libero.write_bytes(content[: int(len(content) * share)])
    (found,) = find_recordings(libero, Context())
    with pytest.raises(AuditError, match="truncated, damaged or no robomimic file"):
        load_recording(found, Context())


def test_a_demonstration_without_its_model_is_refused(tmp_path: Path, states: np.ndarray) -> None:
    file = write_demos(tmp_path / "a.hdf5", {"demo_0": (XML, states)})
    with h5py.File(file, "a") as opened:
        del opened["data/demo_0"].attrs["model_file"]
    with pytest.raises(AuditError, match="no attribute 'model_file'"):
        load_recording(find_recordings(file, Context())[0], Context())


def test_time_that_runs_backwards_is_refused(tmp_path: Path, states: np.ndarray) -> None:
    wrong = states.copy()
    wrong[6, 0] = 0.0
    file = write_demos(tmp_path / "a.hdf5", {"demo_0": (XML, wrong)})
    with pytest.raises(AuditError, match="runs backwards after sample 5"):
        load_recording(find_recordings(file, Context())[0], Context())


def test_an_unknown_name_in_a_mapping_lists_the_valid_ones(libero: Path) -> None:
    mapping = read_mapping({"format": "maniguard-mapping/1", "entities": {"bowl": {"role": "target"}}}, "m.yaml", "")
    with pytest.raises(AuditError, match=r"no entity 'bowl'; it has akita_black_bowl_1, floor, plate_1, robot0"):
        load_recording(find_recordings(libero, Context())[0], Context(mapping))


def test_a_mapping_refines_what_the_model_says(libero: Path) -> None:
    mapping = read_mapping(
        {
            "format": "maniguard-mapping/1",
            "entities": {
                "*": {"role": "obstacle"},
                "plate_1": {"role": "destination", "category": "saucer", "properties": ["fragile"]},
                "wooden_cabinet_1": {"interior": {"site": "wooden_cabinet_1_top_region"}},
                "spoon_*": {"role": "tool"},
            },
            "ignore": ["table"],
            "robot": {"name": "panda"},
        },
        "m.yaml",
        "",
    )  # fmt: skip
    trace = load_recording(find_recordings(libero, Context())[0], Context(mapping))
    scene = trace.scene
    assert scene.entity("plate_1").role == "destination"
    assert (scene.entity("plate_1").category, scene.entity("plate_1").properties) == ("saucer", ("fragile",))
    assert scene.entity("akita_black_bowl_1").role == "obstacle"
    assert "table" not in [entity.name for entity in scene.entities]
    assert "panda" in [entity.name for entity in scene.entities]
    interior = scene.entity("wooden_cabinet_1").interior
    assert interior is not None
    assert interior.size_m == (0.07, 0.08, 0.02)


def test_robosuites_own_folders_are_read(tmp_path: Path, states: np.ndarray) -> None:
    folder = tmp_path / "ep_1700000000_1"
    folder.mkdir()
    (folder / "model.xml").write_text(XML)
    infos = np.array([{"actions": np.zeros(7)}], dtype=object)
    np.savez(folder / "state_1700000002_2.npz", states=states[8:], action_infos=infos, env="Kitchen", successful=True)
    np.savez(folder / "state_1700000001_1.npz", states=states[:8], action_infos=infos, env="Kitchen")
    (found,) = find_recordings(tmp_path, Context())
    trace = load_recording(found, Context())
    assert len(trace) == 12
    assert recorded_success(trace) == 11
    (folder / "model.xml").write_bytes(b"<mujoco>\xff</mujoco>")
    with pytest.raises(AuditError, match=r"model\.xml is not UTF-8 text"):
        load_recording(found, Context())
    (folder / "model.xml").unlink()
    with pytest.raises(AuditError, match=r"no model.xml"):
        load_recording(found, Context())


def test_files_that_were_written_within_one_second_are_read_in_their_order(tmp_path: Path, states: np.ndarray) -> None:
    """Names hold the decimals of the second without the zeros at their end: .45 comes before .5."""
    (tmp_path / "model.xml").write_text(XML)
    np.savez(tmp_path / "state_1700000001_45.npz", states=states[:5])
    np.savez(tmp_path / "state_1700000001_5.npz", states=states[5:])
    (found,) = find_recordings(tmp_path, Context())
    assert np.allclose(load_recording(found, Context()).columns["time_s"], states[:, 0] - states[0, 0])


def test_a_problem_file_gives_roles_and_nonsense_gives_none() -> None:
    found = meanings_of_bddl(BDDL)
    assert {name: item.role for name, item in found.items()} == {
        "main_table": None,
        "wooden_cabinet_1": None,
        "akita_black_bowl_1": "target",
        "plate_1": "destination",
    }
    assert meanings_of_bddl("<_io.TextIOWrapper name='x.bddl'>") == {}


def test_demo_2_comes_before_demo_10() -> None:
    assert sorted(["demo_10", "demo_2", "demo_0"], key=natural) == ["demo_0", "demo_2", "demo_10"]


def test_equal_names_in_two_folders_are_told_apart(tmp_path: Path, states: np.ndarray) -> None:
    for folder in ("monday", "tuesday"):
        (tmp_path / folder).mkdir()
        write_demos(tmp_path / folder / "demo.hdf5", {"demo_0": (XML, states)})
    found = find_recordings(tmp_path, Context(Mapping(dataset="lab")))
    assert [item.task for item in found] == ["monday-demo", "tuesday-demo"]
