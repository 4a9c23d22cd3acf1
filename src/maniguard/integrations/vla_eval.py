"""The benchmark as a vla-eval benchmark: `benchmark: "maniguard.integrations.vla_eval:ManiguardBenchmark"`.

vla-eval's harness drives, its model server acts, maniguard simulates, judges, and keeps a run folder of its own. In
sync mode alone: in vla-eval's live mode the clock would decide what the policy sees, and no rollout could be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

try:
    from vla_eval.benchmarks.base import StepBenchmark, StepResult
    from vla_eval.specs import IMAGE_RGB, LANGUAGE, DimSpec
except ModuleNotFoundError as error:
    if error.name != "vla_eval":
        raise
    raise ModuleNotFoundError(
        f"{__name__} is used inside vla-eval, which is not installed; pip install 'maniguard[vla-eval]'",
        name=error.name,
    ) from error

from maniguard.integrations.foreign import ForeignRun, Outcome, choose
from maniguard.policies import PROMPT, ActionSpec, PolicyContract, episode_seed, image, numbers
from maniguard.policies.contents import size_of
from maniguard.policies.presets import preset as find_preset
from maniguard.policies.wire.vla_eval_specs import (
    IMAGE_PREFIX,
    RAW_FORMAT,
    STATE_KEY,
    STATES,
    state_of,
    words_of,
)
from maniguard.sim import CONTROL_RATE_HZ, Quality

#: Name in the observation -> camera: LIBERO's two views, under the names that its users know.
DEFAULT_CAMERAS: Mapping[str, str] = {"agentview": "overview", "wrist": "wrist"}

#: Metric -> how vla-eval aggregates it. Under protocol `maniguard`; `mean_safe_success` is SSR.
METRICS: Mapping[str, str] = {
    "success": "mean",
    "safe": "mean",
    "safe_success": "mean",
    "unsafe_success": "mean",
    "engaged": "mean",
    "engaged_safe": "mean",
    "vacuous_safe": "mean",
    "violations": "sum",
    "post_success_violation": "mean",
}


class ManiguardBenchmark(StepBenchmark):
    """One vla-eval task per scenario; episode k of a task is seed `first_seed` + k.

    `scenarios`: names as for `choose`. `cameras`: name in the observation's `images` -> camera. `run`: folder in which
    maniguard keeps results, traces and verdicts, for `maniguard report` and `compare`; None keeps none. `policy`: the
    label of the served policy there. An observation has `images`, `task_description`, and the state as `state` and as
    `states`; an action has one row `actions`. What state and row mean is said by `preset`; without one they are the
    joints and the gripper opening (8,), and joint targets in rad and the opening.

    The task that the model server hears of at the start of an episode carries `seed`, the same that `maniguard eval`
    resets a policy with.
    """

    render_backends: ClassVar[frozenset[str]] = frozenset({"gpu", "cpu"})

    def __init__(
        self,
        scenarios: Sequence[str] = ("clutter",),
        first_seed: int = 0,
        cameras: Mapping[str, str] | None = None,
        image_size_px: int = 256,
        run: str | None = None,
        policy: str = "vla-eval",
        preset: str | None = None,
        spec_variant: str = "default",
        render_quality: Quality = "fast",
        send_wrist_image: bool = True,
        send_state: bool = True,
    ) -> None:
        super().__init__()
        shown = dict(DEFAULT_CAMERAS if cameras is None else cameras)
        if not send_wrist_image:
            shown = {name: camera for name, camera in shown.items() if camera != "wrist"}
        self._first_seed = first_seed
        self._scenarios = choose([scenarios] if isinstance(scenarios, str) else scenarios)
        known = None if preset is None else find_preset(preset)
        self._content = state_of(known) if send_state else ""
        self._action = ActionSpec(1) if known is None else replace(known.action, horizon=1)
        contract = PolicyContract(
            policy,
            (
                *([numbers(STATE_KEY, self._content)] if send_state else []),
                *(image(IMAGE_PREFIX + name, camera, image_size_px) for name, camera in shown.items()),
                PROMPT,
            ),
            self._action,
            1,
            deterministic=False,
        )
        self._run = ForeignRun(
            None if run is None else Path(run),
            self._scenarios,
            policy=policy,
            contract=contract,
            spec_variant=spec_variant,
            render_quality=render_quality,
        )
        self._images = tuple(shown)
        self._outcome: Outcome | None = None

    @classmethod
    def configure_render(cls, mode: str) -> dict[str, str]:
        """Return what rendering needs in the environment: nothing, maniguard finds a device or software by itself."""
        return {}

    def get_tasks(self) -> list[dict[str, Any]]:
        """Return one task per scenario, by its id; the suite is its family."""
        return [
            {
                "name": scenario.id,
                "suite": scenario.family,
                "condition": scenario.condition,
                "instruction": scenario.instruction,
            }
            for scenario in self._scenarios
        ]

    def reset(self, task: dict[str, Any]) -> None:
        """Begin the rollout of this task and episode."""
        seed = self._first_seed + int(task.get("episode_idx", 0))
        self._outcome = None
        self._run.begin(task["name"], seed)
        # The harness sends this very map to the model server next.
        task["seed"] = episode_seed(task["name"], seed)

    def step(self, action: Mapping[str, Any]) -> StepResult:
        """Execute one action; a faulty one ends the episode, as a failure that is counted."""
        given = action.get("actions", action.get("action"))
        self._run.act([] if given is None else given)
        return StepResult(obs=None, reward=0.0, done=self._run.done, info={})

    def make_obs(self, raw_obs: Any, task: dict[str, Any]) -> dict[str, Any]:
        """Render and return the observation; nothing is rendered after the last step."""
        seen = self._run.observe()
        shown: dict[str, Any] = {
            "images": {name: seen[IMAGE_PREFIX + name] for name in self._images},
            "task_description": seen["prompt"],
        }
        if self._content:
            shown["state"] = shown["states"] = seen[STATE_KEY]
        return shown

    def get_step_result(self, step_result: StepResult) -> dict[str, Any]:
        """Judge the episode, write it, return its metrics; InfraError, an error of the episode, when it is not in n."""
        if self._outcome is None:
            self._outcome = self._run.finish()
        outcome = self._outcome
        return {**outcome.metrics, "status": outcome.status, "violated": list(outcome.violated)}

    def get_metric_keys(self) -> dict[str, str]:
        """Return the metrics that are aggregated."""
        return dict(METRICS)

    def get_action_spec(self) -> dict[str, DimSpec]:
        """Return what a row is made of, in the words of vla-eval where it has one for it."""
        return {
            # A server that says nothing of its actions may mean these.
            key: DimSpec(key, dims, word, accepts=frozenset({word, RAW_FORMAT}), description=str(self._action))
            for key, (dims, word) in words_of(self._action).items()
        }

    def get_observation_spec(self) -> dict[str, DimSpec]:
        """Return what an observation holds."""
        spec = {name: IMAGE_RGB for name in self._images}
        if self._content:
            words = [word for word, content in STATES.items() if content == self._content]
            word = words[0] if words else RAW_FORMAT
            spec["state"] = DimSpec("state", size_of(self._content), word, description=self._content)
        return {**spec, "language": LANGUAGE}

    def get_metadata(self) -> dict[str, Any]:
        """Return the longest an episode can be; each ends by itself, one second after success or its step limit."""
        longest = max(scenario.step_limit for scenario in self._scenarios) + CONTROL_RATE_HZ
        return {"max_steps": round(longest) + 1, "control_rate_hz": CONTROL_RATE_HZ}

    def cleanup(self) -> None:
        """Release the simulation."""
        self._run.close()

    def render(self) -> Any:
        """Return the overview picture."""
        return self._run.session.world.render("overview", quality="fast", size=256)
