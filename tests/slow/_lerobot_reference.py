"""What LeRobot itself makes of a checkpoint: its own path from observation to action, as in its evaluation.

`python -P _lerobot_reference.py CHECKPOINT SEEN.npz SEED OUT.npy`: SEEN holds `states` (N, 8), `overview` and `wrist`
(N, S, S, 3); OUT gets the actions (N, 8). Runs in LeRobot's environment.
"""

import random
import sys

import numpy as np
import torch
from lerobot.configs import PreTrainedConfig
from lerobot.envs.utils import preprocess_observation
from lerobot.policies.factory import get_policy_class, make_pre_post_processors


def main(folder: str, seen_path: str, seed: str, out: str) -> None:
    config = PreTrainedConfig.from_pretrained(folder)
    policy = get_policy_class(config.type).from_pretrained(folder)
    before, after = make_pre_post_processors(config, pretrained_path=folder)
    seen = np.load(seen_path)
    torch.manual_seed(int(seed))
    np.random.seed(int(seed))  # noqa: NPY002 (the generator that policies draw from)
    random.seed(int(seed))
    policy.reset()
    actions = []
    for state, overview, wrist in zip(seen["states"], seen["overview"], seen["wrist"], strict=True):
        observation = preprocess_observation(
            {"agent_pos": state[None], "pixels": {"overview": overview[None], "wrist": wrist[None]}}
        )
        observation["task"] = ["put it down"]
        with torch.inference_mode():
            action = after(policy.select_action(before(observation)))
        actions.append(action[0].numpy().copy())
    np.save(out, np.stack(actions))


if __name__ == "__main__":
    main(*sys.argv[1:])
