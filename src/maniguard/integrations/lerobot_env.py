"""The benchmark as LeRobot's evaluation drives it: a Gymnasium environment of one scenario, with our verdicts kept.

`lerobot-eval` writes down successes and rewards alone; what rules were broken goes to a run folder of maniguard. The
distribution `lerobot_env_maniguard` registers this environment under `--env.type=maniguard`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from maniguard.bench import Scenario
from maniguard.integrations.foreign import ForeignRun, ForeignRunError, Outcome
from maniguard.policies import ActionSpec, PolicyContract, image, numbers
from maniguard.policies.contents import size_of
from maniguard.policies.presets import preset as find_preset
from maniguard.policies.wire.vla_eval_specs import state_of
from maniguard.sim import CONTROL_RATE_HZ, JOINT_LIMITS_RAD, Quality

#: What a LeRobot policy calls its observations.
IMAGE_PREFIX, STATE_KEY = "observation.images.", "observation.state"


def meaning(preset: str | None) -> tuple[str, ActionSpec]:
    """Return what the state of a policy of this preset holds and what one row means; PolicyError for an unknown one."""
    known = None if preset is None else find_preset(preset)
    return state_of(known), ActionSpec(1) if known is None else replace(known.action, horizon=1)


def read_cameras(text: str) -> dict[str, str]:
    """Read `overview,wrist` or `top=overview,hand=wrist` into name -> camera; ForeignRunError for another form."""
    pairs = [part.strip().partition("=") for part in text.split(",") if part.strip()]
    cameras = {name: camera if equals else name for name, equals, camera in pairs}
    if len(cameras) != len(pairs) or not all(cameras) or not all(cameras.values()):
        raise ForeignRunError(f"cameras {text!r} are not of the form NAME=CAMERA,NAME=CAMERA")
    return cameras


class LeRobotEnv(gym.Env[dict[str, Any], NDArray[np.float32]]):
    """One scenario. Observation: `pixels` by camera name and `agent_pos`; an action is one row.

    What both mean is said by `preset`; without one they are the joints and the gripper opening (8,), and joint targets
    in rad and the opening.

    `reset(seed=K)` begins the rollout of seed K, without a seed the one after the last. Reward is 1 at the end of a
    rollout that succeeded safely. `info` at the end holds `is_success`, the metrics of `Outcome` under their names, and
    `violated`. A rollout that is not in n, because the simulation or the scene is at fault, raises InfraError.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": int(CONTROL_RATE_HZ)}  # noqa: RUF012

    def __init__(
        self,
        scenario: Scenario,
        *,
        cameras: Mapping[str, str],
        image_size_px: int = 256,
        run: str | None = None,
        policy: str = "lerobot",
        preset: str | None = None,
        spec_variant: str = "default",
        render_quality: Quality = "fast",
        render_mode: str = "rgb_array",
        among: tuple[Scenario, ...] = (),
    ) -> None:
        content, action = meaning(preset)
        contract = PolicyContract(
            policy,
            (
                numbers(STATE_KEY, content),
                *(image(IMAGE_PREFIX + name, camera, image_size_px) for name, camera in cameras.items()),
            ),
            action,
            1,
            deterministic=False,
        )
        # `among`: all scenarios of the run, so that each environment describes the same one.
        self._run = ForeignRun(
            None if run is None else Path(run),
            among or (scenario,),
            policy=policy,
            contract=contract,
            spec_variant=spec_variant,
            render_quality=render_quality,
        )
        self._scenario, self._images, self._size_px = scenario, tuple(cameras), image_size_px
        self.render_mode, self._quality = render_mode, render_quality
        self.task, self.task_description = scenario.id, scenario.instruction
        self._max_episode_steps = scenario.step_limit + round(CONTROL_RATE_HZ) + 1
        self._next_seed = 0
        if action.native:
            low = np.append(JOINT_LIMITS_RAD[:, 0], 0.0).astype(np.float32)
            high = np.append(JOINT_LIMITS_RAD[:, 1], 1.0).astype(np.float32)
        else:
            high = np.full(action.dims, np.inf, np.float32)
            low = -high
        self.action_space = gym.spaces.Box(low, high, (action.dims,), np.float32)
        picture = gym.spaces.Box(0, 255, (image_size_px, image_size_px, 3), np.uint8)
        self.observation_space = gym.spaces.Dict(
            {
                "agent_pos": gym.spaces.Box(-np.inf, np.inf, (size_of(content),), np.float32),
                "pixels": gym.spaces.Dict(dict.fromkeys(self._images, picture)),
            }
        )
        self._frame: NDArray[np.uint8] | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a rollout; the seed changes nothing in the locked scene, it names the rollout."""
        super().reset(seed=seed)
        number = self._next_seed if seed is None else int(seed)
        self._next_seed, self._frame = number + 1, None
        self._run.begin(self._scenario.id, number)
        return self._observation(), {"is_success": False}

    def step(self, action: NDArray[np.float32]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Execute one action for 0.05 s; the last one also judges and writes the rollout."""
        self._run.act(np.asarray(action))
        # Before it is finished: the last observation and picture are of its last frame.
        seen = self._observation()
        if not self._run.done:
            return seen, 0.0, False, False, {"is_success": False}
        if self._frame is not None:
            self.render()
        outcome: Outcome = self._run.finish()
        metrics = outcome.metrics
        info: dict[str, Any] = {"is_success": metrics["success"], **metrics, "violated": ",".join(outcome.violated)}
        succeeded = bool(metrics["success"])
        return seen, float(metrics["safe_success"]), succeeded, not succeeded, info

    def render(self) -> NDArray[np.uint8]:
        """Return the overview picture; once the rollout is over, the last one again, black if nobody looked before."""
        if self._run.playing:
            world = self._run.session.world
            self._frame = world.render("overview", quality=self._quality, size=self._size_px)
        elif self._frame is None:
            self._frame = np.zeros((self._size_px, self._size_px, 3), np.uint8)
        return self._frame

    def close(self) -> None:
        """Release the simulation."""
        self._run.close()

    def _observation(self) -> dict[str, Any]:
        seen = self._run.observe()
        return {
            "agent_pos": seen[STATE_KEY],
            "pixels": {name: seen[IMAGE_PREFIX + name] for name in self._images},
        }
