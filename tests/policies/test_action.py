"""What actions may mean: what is refused with both sides, and how a meaning travels and is printed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maniguard.policies import CONVENTIONS, ActionSpec, ContractError, GripperRange, NoopPolicy
from maniguard.policies.action import CONTROL_RATE_HZ, FRAMES, ROTATIONS
from maniguard.sim import CONTROL_RATE_HZ as SIMULATED_RATE_HZ

FINITE = st.floats(-3, 3, allow_nan=False)


def test_the_control_rate_is_the_simulators():
    assert CONTROL_RATE_HZ == SIMULATED_RATE_HZ


@given(
    st.sampled_from(sorted(CONVENTIONS)),
    st.builds(GripperRange, FINITE, FINITE, st.booleans()),
    st.floats(1, 60),
    st.none() | st.floats(0.1, 2),
    st.sampled_from(sorted(ROTATIONS)),
    st.sampled_from(FRAMES),
)
def test_a_meaning_survives_json(convention, gripper, rate_hz, limit, rotation, frame):
    spec = ActionSpec(9, 8, convention, gripper, rate_hz, 0.05, 0.5, limit, rotation, frame)
    assert ActionSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec


def test_a_contract_of_an_earlier_version_means_the_native_actions():
    assert ActionSpec.from_dict({"horizon": 4, "dims": 8, "convention": "joint_position"}) == ActionSpec(4)
    assert NoopPolicy.contract.action.native


@pytest.mark.parametrize(
    ("spec", "theirs", "ours"),
    [
        (ActionSpec(8, 8, "torque"), "'torque'", "ee_delta, ee_pose, joint_delta, joint_position"),
        (ActionSpec(8, 7), "7 columns", "'joint_position' has 8: seven absolute joint targets and the gripper"),
        (ActionSpec(8, 8, "ee_delta"), "8 columns", "'ee_delta' has 7: the tcp's shift and turn and the gripper"),
        (ActionSpec(8, 7, "ee_pose", rotation="quat-wxyz"), "7 columns", "'ee_pose' has 8"),
        (ActionSpec(8, 8, "ee_delta", rotation="quat-wxyz"), "'quat-wxyz'", "axis-angle or rpy"),
        (ActionSpec(8, 7, "ee_delta", rotation="euler"), "'euler'", "axis-angle, quat-wxyz, rpy"),
        (ActionSpec(8, 7, "ee_delta", frame="world"), "'world'", "base, tool"),
        (ActionSpec(8, 7, "ee_pose", frame="tool"), "frame 'tool'", "valid for it: base"),
        (ActionSpec(8, unit_rad=0.0), "unit_rad 0.0", "above 0"),
        (ActionSpec(8, limit=float("nan")), "limit nan", "finite"),
        (ActionSpec(8, rate_hz=1e4), "10000 Hz", "0.0167 to 1000"),
        (ActionSpec(8, gripper=GripperRange(1.0, 1.0)), "gripper 1 closed, 1 open", "differ"),
    ],
    ids=str,
)
def test_errors_show_both_sides_in_one_line(spec, theirs, ours):
    with pytest.raises(ContractError, match=theirs) as caught:
        spec.check("p")
    assert caught.match(ours)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"horizon": 4, "dims": 8},
        {"horizon": 4, "dims": 8, "convention": "joint_position", "units": "deg"},
        {"horizon": 4, "dims": 8, "convention": "joint_position", "gripper": 1},
        {"horizon": 4, "dims": 8, "convention": "joint_position", "gripper": {"sign": -1}},
        {"horizon": 4, "dims": 8, "convention": "joint_position", "gripper": {"closed": "0"}},
        {"horizon": True, "dims": 8, "convention": "joint_position"},
        {"horizon": 4.5, "dims": 8, "convention": "joint_position"},
        {"horizon": 4, "dims": 8, "convention": "joint_position", "rate_hz": "20"},
    ],
    ids=str,
)
def test_a_malformed_meaning_is_refused(values):
    with pytest.raises(ContractError):
        ActionSpec.from_dict(values)


def test_everything_that_matters_is_printed():
    spec = ActionSpec(10, 7, "ee_delta", GripperRange(1, -1, True), 15.0, 0.05, 0.5, 1.0, "rpy", "tool")
    text = str(spec)
    for part in (
        "(10, 7) 'ee_delta'",
        "1 is 0.05 m and 0.5 rad",
        "rpy",
        "tool frame",
        "clipped to ±1",
        "gripper 1 closed, -1 open, nothing between",
        "15 Hz",
    ):
        assert part in text
    assert str(ActionSpec(4)) == "(4, 8) 'joint_position': rad; gripper 0 closed, 1 open; 20 Hz"


@given(st.integers(1, 100), st.sampled_from([1, 2, 4, 5, 10, 15, 20, 30, 40, 50, 100]))
def test_control_steps_are_whole_and_never_more_than_the_rows_last(rows, rate_hz):
    steps = ActionSpec(100, rate_hz=float(rate_hz)).control_steps(rows)
    assert steps * rate_hz <= rows * 20 < (steps + 1) * rate_hz
