"""Presets: each is sound, says where it was read and against what it was tried, and means what its source says."""

import pickle

import numpy as np
import pytest

from maniguard.planning import forward
from maniguard.policies import ActionConverter, PolicyError, check_contract, resolve
from maniguard.policies.presets import NOT_TRIED, PRESETS, preset
from maniguard.sim import HOME_QPOS_RAD

HOME = np.array([*HOME_QPOS_RAD, 0.5], np.float32)


@pytest.mark.parametrize("known", PRESETS.values(), ids=lambda known: known.name)
def test_a_preset_is_a_contract_that_can_be_honoured_and_says_its_source(known):
    check_contract(known.contract)
    assert known.source
    assert set(known.wires) <= {"openpi", "groot", "openvla", "http"}
    assert ("groot" in known.wires) == bool(known.groups)
    if known.groups:
        assert sum(columns for _, columns in known.groups) == known.action.dims
    text = known.describe()
    assert known.source in text
    assert f"tried with {known.tried}" in text
    assert pickle.loads(pickle.dumps(known)) == known


def test_no_preset_claims_to_have_met_weights():
    claims = {name for name, known in PRESETS.items() if known.tried != NOT_TRIED}
    assert claims == {"maniguard"}
    assert "without weights" in PRESETS["maniguard"].tried


def test_an_unknown_name_and_one_of_another_protocol_are_refused():
    with pytest.raises(PolicyError, match=r"no preset 'pi9'; valid: .*pi05-droid"):
        preset("pi9")
    with pytest.raises(PolicyError, match=r"no preset 'openvla-bridge' for openpi://; valid: maniguard, pi0-droid"):
        resolve("openpi://host:1?preset=openvla-bridge")


def first(name, row):
    """The actions of one row, and how the tcp moved."""
    out = ActionConverter(preset(name).action).convert(HOME, [row])
    before = forward(HOME[:7].astype(float))
    return out, forward(out[-1, :7])[:3, 3] - before[:3, 3]


def test_a_droid_velocity_of_1_is_a_fifth_of_a_radian_in_a_fifteenth_of_a_second_and_1_closes():
    known = preset("pi05-droid").action
    assert known.control_steps(15) == 20
    out = ActionConverter(known).convert(HOME, np.tile([1.0, *[0] * 6, 0.9], (3, 1)))
    np.testing.assert_allclose(out[:, 0] - HOME[0], 0.2 * 0.75 * np.arange(1, 5), atol=1e-6)
    np.testing.assert_array_equal(out[:, 7], 0.0)
    over = ActionConverter(known).convert(HOME, np.tile([5.0, *[0] * 6, 0.1], (3, 1)))
    np.testing.assert_array_equal(over[:, 0], out[:, 0])
    np.testing.assert_array_equal(over[:, 7], 1.0)


@pytest.mark.parametrize("name", ["pi0-libero", "pi05-libero", "smolvla-libero"])
def test_liberos_environment_opens_at_minus_1(name):
    out, moved = first(name, [0, 0, 0.4, 0, 0, 0, -1])
    np.testing.assert_allclose(moved, [0, 0, 0.02], atol=1e-5)
    assert out[-1, 7] == 1.0
    assert first(name, [0] * 6 + [1])[0][-1, 7] == 0.0


@pytest.mark.parametrize("name", ["openvla-libero", "gr00t-n1.6-libero"])
def test_what_the_data_loader_turned_opens_at_1(name):
    out, moved = first(name, [0.4, 0, 0, 0, 0, 0, 0.9])
    np.testing.assert_allclose(moved, [0.02, 0, 0], atol=1e-5)
    assert out[-1, 7] == 1.0
    assert first(name, [0] * 7)[0][-1, 7] == 0.0


def test_bridge_is_in_metres_at_5_hz():
    out, moved = first("openvla-bridge", [0, 0.02, 0, 0, 0, 0, 1.0])
    assert len(out) == 4
    np.testing.assert_allclose(moved, [0, 0.02, 0], atol=1e-5)
    assert out[-1, 7] == 1.0
