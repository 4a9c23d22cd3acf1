"""The Gymnasium face of a rollout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from maniguard import bench
from maniguard.errors import ManiguardError, alternatives
from maniguard.rollout.observation import make_observation
from maniguard.rollout.session import ACTION_SIZE, Session
from maniguard.sim import CAMERAS, CONTROL_RATE_HZ, JOINT_LIMITS_RAD, Quality, SceneSpec, World
from maniguard.spec import Spec, load_spec


class EnvUsageError(ManiguardError):
    """A wrong use of the environment."""


class _Needs:
    def __init__(self, cameras: Mapping[str, str], image_size_px: int) -> None:
        self.cameras, self.image_size_px, self.privileged = cameras, image_size_px, False


class ManiguardEnv(gym.Env[dict[str, Any], NDArray[np.float32]]):
    """One benchmark scenario as a Gymnasium environment.

    Observation: `state` (8,) float32 (joint positions in rad, gripper opening 0 to 1) and one (S, S, 3) uint8 image per
    camera in `cameras`, under the camera's name. Action: (8,) float32, absolute joint targets in rad and gripper
    opening 0 to 1. Reward: 1 in the step in which success is latched while no counted rule has been broken, else 0.
    `terminated` one second after success, `truncated` one second after the step limit. `info` holds `instruction`,
    `success`, `safe`, `engaged`, `violations` (names of the constraints that are rejected so far) and `step`.

    `options={"scenario": ID}` at reset switches the scenario.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": CONTROL_RATE_HZ}  # noqa: RUF012

    def __init__(
        self,
        scenario: str = "clutter-dry-00/base",
        *,
        cameras: Sequence[str] = (),
        image_size_px: int = 256,
        render_mode: str | None = None,
        render_quality: Quality = "fast",
        spec_variant: str = "default",
    ) -> None:
        for camera in cameras:
            if camera not in CAMERAS:
                raise EnvUsageError(f"no camera {camera!r}; the world has {alternatives(CAMERAS)}")
        if render_mode not in (None, "rgb_array"):
            raise EnvUsageError(f"no render mode {render_mode!r}; there is None and 'rgb_array'")
        self.render_mode = render_mode
        self._needs = _Needs({f"image/{camera}": camera for camera in cameras}, image_size_px)
        self._quality = render_quality
        self._variant = spec_variant
        low = np.append(JOINT_LIMITS_RAD[:, 0], 0.0).astype(np.float32)
        high = np.append(JOINT_LIMITS_RAD[:, 1], 1.0).astype(np.float32)
        self.action_space = gym.spaces.Box(low, high, (ACTION_SIZE,), np.float32)
        spaces: dict[str, gym.Space[Any]] = {
            "state": gym.spaces.Box(-np.inf, np.inf, (ACTION_SIZE,), np.float32),
        }
        for camera in cameras:
            spaces[camera] = gym.spaces.Box(0, 255, (image_size_px, image_size_px, 3), np.uint8)
        self.observation_space = gym.spaces.Dict(spaces)
        self._scenario = bench.get(scenario)
        self._world: World | None = None
        self._session: Session | None = None
        self._rewarded = False

    @property
    def session(self) -> Session:
        """The rollout in progress; EnvUsageError before the first reset."""
        if self._session is None:
            raise EnvUsageError("the environment has not been reset yet; call reset() first")
        return self._session

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a rollout; the seed changes nothing in the locked scene, it only enters the record."""
        super().reset(seed=seed)
        wanted = (options or {}).get("scenario")
        if wanted is not None and wanted != self._scenario.id:
            self._scenario = bench.get(wanted)
            self.close()
        if self._world is None:
            self._world = World(SceneSpec.from_dict(self._scenario.scene))
        self._session = Session(
            self._scenario,
            self._spec(),
            self._world,
            seed=0 if seed is None else seed,
            policy="gymnasium",
            render_quality=self._quality if self._needs.cameras else None,
        )
        self._rewarded = False
        return self._observation(), self._info()

    def step(self, action: NDArray[np.float32]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Advance one control step (0.05 s)."""
        session = self.session
        if session.done:
            raise EnvUsageError("the rollout has ended; call reset() before the next step()")
        report = session.advance(action)
        reward = 0.0
        if report.success and not self._rewarded:
            self._rewarded = True
            reward = 1.0 if session.reading().safe else 0.0
        terminated = session.done and report.success
        truncated = session.done and not report.success
        return self._observation(), reward, terminated, truncated, self._info()

    def render(self) -> NDArray[np.uint8] | None:
        """Return the overview camera's picture where the render mode is `rgb_array`."""
        if self.render_mode is None:
            return None
        return self.session.world.render("overview", quality=self._quality, size=self._needs.image_size_px)

    def close(self) -> None:
        """Release the world and its renderers."""
        if self._world is not None:
            self._world.close()
        self._world = self._session = None

    def _spec(self) -> Spec:
        return load_spec(self._scenario.spec, variant=self._variant)

    def _observation(self) -> dict[str, Any]:
        session = self.session
        made = make_observation(
            session.world,
            session.frame,
            self._needs,
            instruction=self._scenario.instruction,
            step=session.step_index,
            spec=self._scenario.spec,
            render_quality=self._quality,
        )
        observation: dict[str, Any] = {"state": made["observation/state"]}
        for key, camera in self._needs.cameras.items():
            observation[camera] = made[key]
        return observation

    def _info(self) -> dict[str, Any]:
        reading = self.session.reading()
        return {
            "instruction": self._scenario.instruction,
            "scenario": self._scenario.id,
            "success": reading.success,
            "safe": reading.safe,
            "engaged": reading.engaged,
            "violations": reading.violated,
            "step": self.session.step_index,
        }
