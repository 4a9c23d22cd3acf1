"""A policy of your own behind a websocket: `python examples/policy_server.py 8000`, then `--policy openpi://127.0.0.1:8000`."""

import sys

import numpy as np

from maniguard.policies import PROMPT, STATE, ActionSpec, PolicyContract, image
from maniguard.policies.server import serve


class OpenAndWait:
    """Opens the gripper within one chunk and holds the arm; put your model where the chunk is made."""

    contract = PolicyContract(
        "open-and-wait", (STATE, image("observation/image", "overview", 224), PROMPT), ActionSpec(horizon=8), 8, True
    )

    def reset(self, *, seed: int, instruction: str) -> None: ...

    def infer(self, observation):
        chunk = np.repeat(observation["observation/state"][None], 8, axis=0)  # 7 joints in rad, gripper 0 to 1
        chunk[:, 7] = np.linspace(chunk[0, 7], 1.0, 8)
        return chunk

    def close(self) -> None: ...


if __name__ == "__main__":
    serve(OpenAndWait, port=int(sys.argv[1]), ready=lambda host, port: print(host, port, flush=True))
