"""Saves a small ACT policy with random weights and its processors to FOLDER; runs in LeRobot's environment.

`python -P _lerobot_checkpoint.py FOLDER [without-statistics|two-steps]`
"""

import sys

import torch
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy
from lerobot.policies.factory import make_pre_post_processors

SIZE_PX = 64
# The arm over the table: the policy sways about it, by what its random weights say of pictures and state.
HOME = torch.tensor([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785, 0.6])
SPREAD = torch.tensor([0.3, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.3])


def main(folder: str, kind: str = "") -> None:
    torch.manual_seed(0)
    visual = PolicyFeature(type=FeatureType.VISUAL, shape=(3, SIZE_PX, SIZE_PX))
    config = ACTConfig(
        input_features={
            "observation.state": PolicyFeature(type=FeatureType.STATE, shape=(8,)),
            "observation.images.overview": visual,
            "observation.images.wrist": visual,
        },
        output_features={"action": PolicyFeature(type=FeatureType.ACTION, shape=(8,))},
        chunk_size=20,
        n_action_steps=10,
        dim_model=64,
        n_heads=4,
        dim_feedforward=128,
        n_encoder_layers=1,
        n_vae_encoder_layers=1,
        pretrained_backbone_weights=None,
        device="cpu",
        temporal_ensemble_coeff=None,
    )
    if kind == "ensemble":
        config.n_action_steps, config.temporal_ensemble_coeff = 1, 0.01
    policy = ACTPolicy(config)
    policy.save_pretrained(folder)
    picture = {"mean": torch.full((3, 1, 1), 0.5), "std": torch.full((3, 1, 1), 0.25)}
    statistics = {
        "observation.state": {"mean": HOME, "std": SPREAD},
        "observation.images.overview": picture,
        "observation.images.wrist": picture,
        "action": {"mean": HOME, "std": SPREAD},
    }
    if kind == "without-statistics":
        del statistics["action"]
    before, after = make_pre_post_processors(config, dataset_stats=statistics)
    before.save_pretrained(folder)
    after.save_pretrained(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
