"""The example servers, started as their docstrings say."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from maniguard.policies import ChunkedActor, resolve

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE, PLAIN = EXAMPLES / "policy_server.py", EXAMPLES / "plain_policy_server.py"


def test_the_example_serves_a_policy_that_opens_the_gripper_and_holds_the_arm(tmp_path):
    assert len(EXAMPLE.read_text().splitlines()) <= 30
    process = subprocess.Popen([sys.executable, str(EXAMPLE), "0"], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        host, port = process.stdout.readline().split()
        actor = ChunkedActor(resolve(f"openpi://{host}:{port}")())
        assert actor.needs.cameras == {"observation/image": "overview"}
        assert actor.needs.image_size_px == 224
        actor.reset(scenario_id="any", seed=0, instruction="wait")
        state = np.linspace(0.0, 0.7, 8).astype(np.float32)
        seen = {"observation/state": state, "observation/image": np.zeros((224, 224, 3), np.uint8), "prompt": "wait"}
        path = np.stack([actor.act(seen) for _ in range(8)])
        actor.close()
        np.testing.assert_array_equal(path[:, :7], np.repeat(state[None, :7].astype(float), 8, axis=0))
        assert (np.diff(path[:, 7]) > 0).all()
        assert path[-1, 7] == 1.0
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_plain_example_serves_without_maniguard_and_holds_still(tmp_path):
    source = PLAIN.read_text()
    assert len(source.splitlines()) <= 30
    assert "import maniguard" not in source
    assert "from maniguard" not in source
    process = subprocess.Popen([sys.executable, str(PLAIN), "0"], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        host, port = process.stdout.readline().split()
        policy = resolve(f"openpi://{host}:{port}")()
        assert (policy.contract.action.horizon, policy.contract.executed_steps) == (16, 8)
        actor = ChunkedActor(policy)
        actor.reset(scenario_id="any", seed=0, instruction="wait")
        state = np.linspace(0.0, 0.7, 8).astype(np.float32)
        seen = {key: np.zeros((256, 256, 3), np.uint8) for key in actor.needs.cameras}
        for _ in range(20):
            action = actor.act({"observation/state": state, "prompt": "wait", **seen})
            np.testing.assert_array_equal(action, state.astype(float))
        actor.close()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
