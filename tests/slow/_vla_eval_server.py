"""Model servers of the group vla_eval: run in the environment of the genuine package, and know nothing of maniguard.

`python -P _vla_eval_server.py --port N --args.kind sway|still|chunk|fail|announce|shift|replay [--args.actions FILE]`;
goes through vla-eval's own `run_server`, which is what `vla-eval serve` starts.
"""

import numpy as np
from vla_eval.model_servers.predict import PredictModelServer
from vla_eval.model_servers.serve import run_server
from vla_eval.specs import (
    GRIPPER_CLOSE_POS,
    IMAGE_RGB,
    LANGUAGE,
    POSITION_DELTA,
    ROTATION_AA,
    STATE_EEF_POS_AA_GRIP,
    STATE_JOINT,
    DimSpec,
)

JOINTS = DimSpec("joints", 7, "joint_position_absolute_rad")
OPENING = DimSpec("gripper", 1, "opening_01", (0.0, 1.0))


class Swayer(PredictModelServer):
    """Reaches forward and down from the first pose of an episode, with a sway that the seed of the episode draws.

    What it answers depends on the images too, so that any pixel that is lost on the way changes the trace.
    """

    def __init__(self, kind: str = "sway", actions: str = "") -> None:
        super().__init__(chunk_size=8 if kind == "chunk" else None)
        self.kind = kind
        self.recorded = np.load(actions) if actions else None
        self.episodes = {}

    def get_action_spec(self):
        if self.kind == "announce":
            return {"torque": DimSpec("torque", 8, "newton_metres")}
        if self.kind == "shift":
            return {"position": POSITION_DELTA, "rotation": ROTATION_AA, "gripper": GRIPPER_CLOSE_POS}
        return {"joints": JOINTS, "gripper": OPENING}

    def get_observation_spec(self):
        state = STATE_EEF_POS_AA_GRIP if self.kind == "shift" else STATE_JOINT
        return {"agentview": IMAGE_RGB, "wrist": IMAGE_RGB, "state": state, "language": LANGUAGE}

    async def on_episode_start(self, config, ctx):
        self._chunk_buffers.pop(ctx.session_id, None)
        phase = np.random.default_rng(config["task"]["seed"]).uniform(0, 2 * np.pi, 8)
        self.episodes[ctx.session_id] = {"phase": phase, "step": 0}

    def predict(self, obs, ctx):
        episode = self.episodes[ctx.session_id]
        if "start" not in episode:
            episode["start"] = np.asarray(obs["state"], np.float64)
        if self.kind == "fail" and episode["step"] >= 3:
            raise ValueError("the weights are gone")
        if self.kind == "replay":
            episode["step"] += 1
            return {"actions": self.recorded[min(episode["step"], len(self.recorded)) - 1]}
        if self.kind == "shift":
            # Down to 6 cm above the table and 25 cm forward, in LIBERO's units of 5 cm.
            goal, episode["step"] = episode["start"][:3] + np.array([0.25, 0.0, -0.4]), episode["step"] + 1
            shift = np.clip((goal - np.asarray(obs["state"][:3], np.float64)) / 0.05, -0.5, 0.5)
            turn = 0.05 * np.sin(episode["step"] / 20 + episode["phase"][:3])
            return {"actions": np.concatenate([shift, turn, [-1.0]])}
        rows = 8 if self.kind == "chunk" else 1
        time_s = (episode["step"] + 1 + np.arange(rows))[:, None] / 20.0
        episode["step"] += rows
        seen = sum(float(image.mean()) for image in obs["images"].values()) / 510.0 + len(obs["task_description"]) / 1e3
        ramp = np.minimum(time_s / 4.0, 1.0)
        phase = episode["phase"]
        actions = episode["start"] + 0.05 * ramp * np.sin(2 * np.pi * 0.2 * time_s + phase)
        if self.kind != "still":
            # Deep enough to sweep over the table, or not, by the seed.
            actions[:, 1:2] += (1.2 if phase[1] > np.pi else 0.7) * ramp
            actions[:, 3:4] += 0.1 * ramp
            actions[:, 0:1] += (0.6 * np.sin(0.5 * time_s) + 0.5 * (seen - 0.5)) * ramp
        actions[:, 7] = np.clip(actions[:, 7], 0.0, 1.0)
        return {"actions": actions if rows > 1 else actions[0]}


if __name__ == "__main__":
    run_server(Swayer)
