"""Saves a small policy with random weights and its processors to FOLDER; runs in LeRobot's environment.

`python -P _lerobot_checkpoint.py FOLDER [without-statistics|ensemble|diffusion]`
"""

import sys

import torch
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy
from lerobot.policies.diffusion.configuration_diffusion import DiffusionConfig
from lerobot.policies.diffusion.modeling_diffusion import DiffusionPolicy
from lerobot.policies.factory import make_pre_post_processors
from lerobot.policies.pretrained import PreTrainedPolicy

SIZE_PX = 64
# The arm low over the table, among the objects of the scenario: the policy sways about it, by what its random weights
# say of pictures and state.
HOME = torch.tensor([-0.2, 0.8, 0.0, -1.7, 0.0, 1.57, 0.785, 0.6])
SPREAD = torch.tensor([0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.3])
SPANS = {"mean": HOME, "std": SPREAD, "min": HOME - SPREAD, "max": HOME + SPREAD}


def features() -> dict[str, object]:
    visual = PolicyFeature(type=FeatureType.VISUAL, shape=(3, SIZE_PX, SIZE_PX))
    return {
        "input_features": {
            "observation.state": PolicyFeature(type=FeatureType.STATE, shape=(8,)),
            "observation.images.overview": visual,
            "observation.images.wrist": visual,
        },
        "output_features": {"action": PolicyFeature(type=FeatureType.ACTION, shape=(8,))},
        "pretrained_backbone_weights": None,
        "device": "cpu",
    }


def act(kind: str) -> PreTrainedPolicy:
    """Chunks of 20 of which 10 are executed, or every observation with temporal ensembling."""
    smoothed = kind == "ensemble"
    return ACTPolicy(
        ACTConfig(
            chunk_size=20,
            n_action_steps=1 if smoothed else 10,
            temporal_ensemble_coeff=0.01 if smoothed else None,
            dim_model=64,
            n_heads=4,
            dim_feedforward=128,
            n_encoder_layers=1,
            n_vae_encoder_layers=1,
            **features(),
        )
    )


def diffusion() -> PreTrainedPolicy:
    """Looks at two observations at a time, and draws random numbers."""
    return DiffusionPolicy(
        DiffusionConfig(
            n_obs_steps=2,
            horizon=8,
            n_action_steps=4,
            use_group_norm=True,
            down_dims=(32, 64),
            n_groups=4,
            spatial_softmax_num_keypoints=4,
            diffusion_step_embed_dim=16,
            num_inference_steps=3,
            **features(),
        )
    )


def main(folder: str, kind: str = "") -> None:
    torch.manual_seed(0)
    policy = diffusion() if kind == "diffusion" else act(kind)
    policy.save_pretrained(folder)
    grey = torch.full((3, 1, 1), 0.5)
    picture = {"mean": grey, "std": grey / 2, "min": grey - 0.5, "max": grey + 0.5}
    statistics = {
        "observation.state": SPANS,
        "observation.images.overview": picture,
        "observation.images.wrist": picture,
        "action": SPANS,
    }
    if kind == "without-statistics":
        del statistics["action"]
    before, after = make_pre_post_processors(policy.config, dataset_stats=statistics)
    before.save_pretrained(folder)
    after.save_pretrained(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
