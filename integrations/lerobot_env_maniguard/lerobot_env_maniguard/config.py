"""`--env.type=maniguard`: which scenarios, what a policy sees, where the verdicts go."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium as gym
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.envs.configs import EnvConfig
from lerobot.envs.utils import freeze_after_episode_end

from maniguard.integrations import choose
from maniguard.integrations.lerobot_env import IMAGE_PREFIX, STATE_KEY, LeRobotEnv, meaning, read_cameras
from maniguard.policies.contents import size_of
from maniguard.sim import CONTROL_RATE_HZ

logger = logging.getLogger(__name__)


@EnvConfig.register_subclass("maniguard")
@dataclass
class ManiguardEnvConfig(EnvConfig):
    """One group of tasks per family, one task per scenario; see the package's README for the options."""

    task: str | None = "clutter-dry-00/base"
    fps: int = int(CONTROL_RATE_HZ)
    run: str | None = None
    cameras: str = "overview,wrist"
    image_size_px: int = 256
    policy_label: str = "lerobot"
    preset: str | None = None
    spec_variant: str = "default"
    render_quality: str = "fast"
    features: dict[str, PolicyFeature] = field(default_factory=dict)
    features_map: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = self.image_size_px
        content, action = meaning(self.preset)
        self.features = {
            "action": PolicyFeature(type=FeatureType.ACTION, shape=(action.dims,)),
            "agent_pos": PolicyFeature(type=FeatureType.STATE, shape=(size_of(content),)),
        }
        self.features_map = {"action": "action", "agent_pos": STATE_KEY}
        for name in read_cameras(self.cameras):
            self.features[f"pixels/{name}"] = PolicyFeature(type=FeatureType.VISUAL, shape=(size, size, 3))
            self.features_map[f"pixels/{name}"] = IMAGE_PREFIX + name

    @property
    def gym_kwargs(self) -> dict[str, Any]:
        """What every environment is made with."""
        return {
            "cameras": read_cameras(self.cameras),
            "image_size_px": self.image_size_px,
            "run": self.run,
            "policy": self.policy_label,
            "preset": self.preset,
            "spec_variant": self.spec_variant,
            "render_quality": self.render_quality,
        }

    def create_envs(self, n_envs: int, use_async_envs: bool = False) -> dict[str, dict[int, gym.vector.VectorEnv]]:
        """Return family -> task number -> vector environment; processes are started when they are first needed."""
        if self.run is None:
            logger.warning("verdicts are not kept: give --env.run=FOLDER")
        scenarios = tuple(choose([name.strip() for name in (self.task or "").split(",") if name.strip()]))
        made: dict[str, dict[int, gym.vector.VectorEnv]] = {}
        for scenario in scenarios:
            one = partial(LeRobotEnv, scenario, among=scenarios, **self.gym_kwargs)
            group = made.setdefault(scenario.family, {})
            # Frozen at their end: else the vector would reset a finished environment, which begins another rollout.
            copies = [freeze_after_episode_end(one) for _ in range(n_envs)]
            mode = gym.vector.AutoresetMode.NEXT_STEP
            group[len(group)] = (
                gym.vector.AsyncVectorEnv(copies, context="forkserver", autoreset_mode=mode)
                if use_async_envs and n_envs > 1
                else gym.vector.SyncVectorEnv(copies, autoreset_mode=mode)
            )
        return made
