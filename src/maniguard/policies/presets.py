"""What is known of published checkpoints: what they look at, what their numbers mean, how many rows are executed.

Data, no code: a preset is chosen by name in a policy's address, `openpi://HOST:PORT?preset=pi05-droid`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from maniguard.errors import alternatives
from maniguard.policies.action import ActionSpec, GripperRange
from maniguard.policies.contract import DEFAULT_OBSERVATIONS, ObservationSpec, PolicyContract, image, numbers, text
from maniguard.policies.policy import PolicyError

NOT_TRIED = "no genuine server"


@dataclass(frozen=True)
class Preset:
    """One checkpoint's conventions. `wires`: the protocols its server speaks, as in an address.

    `action.horizon` is the usual one; what a server announces or answers counts. `groups`: the names under which a
    GR00T server has the columns of a row, in order, each with how many. `source`: where the conventions were read;
    `tried`: against what they were tried here. `note`: what differs from the checkpoint's own benchmark.
    """

    name: str
    wires: tuple[str, ...]
    observations: tuple[ObservationSpec, ...]
    action: ActionSpec
    executed_steps: int
    source: str
    note: str = ""
    tried: str = NOT_TRIED
    groups: tuple[tuple[str, int], ...] = ()
    unnorm_key: str | None = None

    @property
    def contract(self) -> PolicyContract:
        """The contract of a policy of this kind, with the usual number of rows."""
        return PolicyContract(self.name, self.observations, self.action, self.executed_steps, deterministic=False)

    def describe(self) -> str:
        """Return the preset as a few lines of text."""
        lines = [self.contract.describe(), f"  spoken over {', '.join(f'{wire}://' for wire in self.wires)}"]
        if self.unnorm_key is not None:
            lines.append(f"  unnorm_key {self.unnorm_key}")
        lines += [f"  note: {self.note}"] if self.note else []
        return "\n".join([*lines, f"  source: {self.source}", f"  tried with {self.tried}"])


_OPEN_IS_0 = GripperRange(closed=1.0, open=0.0, binary=True)
_OPEN_IS_1 = GripperRange(closed=0.0, open=1.0, binary=True)
_OPEN_IS_MINUS_1 = GripperRange(closed=1.0, open=-1.0)

# --- DROID: joints at 15 Hz ---

_DROID_SEEN = (
    image("observation/exterior_image_1_left", "overview", 224),
    image("observation/wrist_image_left", "wrist", 224),
    numbers("observation/joint_position", "joints"),
    numbers("observation/gripper_position", "closing"),
    text("prompt"),
)
# DROID's controller turns a velocity of 1 into a joint difference of 0.2 rad per step of 1/15 s.
_DROID_VELOCITY = ActionSpec(10, convention="joint_delta", gripper=_OPEN_IS_0, rate_hz=15.0, unit_rad=0.2, limit=1.0)
_DROID = "openpi, examples/droid/main.py and src/openpi/policies/droid_policy.py; DROID, robot_ik_solver.py"
_DROID_NOTE = "8 rows of 1/15 s are 10 control steps and two thirds, of which 10 are executed"

# --- LIBERO: robosuite's OSC_POSE controller at 20 Hz, 5 cm and 0.5 rad per unit ---

_LIBERO_STATE = "x+y+z+rx+ry+rz+fingers"
_LIBERO_SEEN = (
    image("observation/image", "overview", 224),
    image("observation/wrist_image", "wrist", 224),
    numbers("observation/state", _LIBERO_STATE),
    text("prompt"),
)
_LIBERO_ACTION = ActionSpec(10, 7, "ee_delta", gripper=_OPEN_IS_MINUS_1, unit_m=0.05, unit_rad=0.5, limit=1.0)
_LIBERO = "openpi, examples/libero/main.py and src/openpi/policies/libero_policy.py; robosuite, osc_pose.json"
_LIBERO_NOTE = (
    "positions are in the frame of the robot's base; LIBERO's own are in its world's. Images are upright, as those "
    "that its client turns by 180 degrees"
)


def _groot_libero() -> Preset:
    axes = ("x", "y", "z", "roll", "pitch", "yaw")
    state = ("x", "y", "z", "rx", "ry", "rz")
    return Preset(
        "gr00t-n1.6-libero",
        ("groot",),
        (
            image("video.image", "overview"),
            image("video.wrist_image", "wrist"),
            *(numbers(f"state.{key}", content) for key, content in zip(axes, state, strict=True)),
            numbers("state.gripper", "fingers"),
            text("prompt"),
        ),
        replace(_LIBERO_ACTION, horizon=16, gripper=_OPEN_IS_1),
        8,
        "Isaac-GR00T N1.6, embodiment_configs.py (libero_sim) and gr00t/eval/sim/LIBERO/libero_env.py",
        note=f"what its keys call roll, pitch and yaw is a rotation vector. {_LIBERO_NOTE}",
        groups=(*((axis, 1) for axis in axes), ("gripper", 1)),
    )


def _groot_joints(name: str, cameras: tuple[str, str], action: ActionSpec, source: str, note: str) -> Preset:
    closing = "opening" if action.gripper.open else "closing"
    return Preset(
        name,
        ("groot",),
        (
            image(f"video.{cameras[0]}", "overview"),
            image(f"video.{cameras[1]}", "wrist"),
            numbers("state.joint_position", "joints"),
            numbers("state.gripper_position", closing),
            text("prompt"),
        ),
        action,
        8,
        source,
        note=note,
        groups=(("joint_position", 7), ("gripper_position", 1)),
    )


_ALL = (
    Preset(
        "maniguard",
        ("openpi",),
        DEFAULT_OBSERVATIONS,
        ActionSpec(16),
        8,
        "this project: what is assumed of an openpi server that says nothing",
        tried="openpi-client 0.1.2 and its codec, without weights",
    ),
    Preset("pi0-droid", ("openpi",), _DROID_SEEN, _DROID_VELOCITY, 8, _DROID, _DROID_NOTE),
    Preset("pi0-fast-droid", ("openpi",), _DROID_SEEN, _DROID_VELOCITY, 8, _DROID, _DROID_NOTE),
    Preset("pi05-droid", ("openpi",), _DROID_SEEN, replace(_DROID_VELOCITY, horizon=15), 8, _DROID, _DROID_NOTE),
    Preset(
        "pi05-droid-jointpos",
        ("openpi",),
        _DROID_SEEN,
        ActionSpec(15, gripper=_OPEN_IS_0, rate_hz=15.0),
        15,
        "sim-evals, README, and openpi configurations *_droid_jointpos: absolute joint positions, gripper cut at 0.5",
    ),
    Preset("pi0-libero", ("openpi",), _LIBERO_SEEN, replace(_LIBERO_ACTION, horizon=50), 5, _LIBERO, _LIBERO_NOTE),
    Preset("pi0-fast-libero", ("openpi",), _LIBERO_SEEN, _LIBERO_ACTION, 5, _LIBERO, _LIBERO_NOTE),
    Preset("pi05-libero", ("openpi",), _LIBERO_SEEN, _LIBERO_ACTION, 5, _LIBERO, _LIBERO_NOTE),
    Preset(
        "smolvla-libero",
        ("openpi",),
        (
            image("observation.images.image", "overview"),
            image("observation.images.image2", "wrist"),
            numbers("observation.state", _LIBERO_STATE),
            text("prompt"),
        ),
        replace(_LIBERO_ACTION, horizon=50),
        10,
        "LeRobot, envs/libero.py and policies/smolvla: chunks of 50, actions of LIBERO's environment",
        note=f"a LeRobot policy does not speak openpi by itself, a server around it must. {_LIBERO_NOTE}",
    ),
    Preset(
        "openvla-bridge",
        ("openvla", "http"),
        (image("image", "overview"), text("instruction")),
        ActionSpec(1, 7, "ee_delta", gripper=_OPEN_IS_1, rate_hz=5.0, rotation="rpy"),
        1,
        "OpenVLA, README and vla-scripts/deploy.py; BridgeData V2: metres, radians, 5 Hz, gripper 1 open",
        note="trained on a WidowX, not on a Panda",
        unnorm_key="bridge_orig",
    ),
    Preset(
        "openvla-libero",
        ("openvla", "http"),
        (image("image", "overview"), text("instruction")),
        replace(_LIBERO_ACTION, horizon=1, gripper=_OPEN_IS_1),
        1,
        "OpenVLA, experiments/robot/robot_utils.py: LIBERO's units, gripper 0 closed and 1 open, cut in the middle",
        note="give unnorm_key where the checkpoint has statistics of several data sets",
    ),
    _groot_joints(
        "gr00t-maniguard",
        ("overview_image", "wrist_image"),
        ActionSpec(16),
        "this project: keys for a fine-tune on its own demonstrations",
        "",
    ),
    _groot_joints(
        "gr00t-n1.6-droid",
        ("exterior_image_1_left", "wrist_image_left"),
        ActionSpec(32, gripper=_OPEN_IS_0, rate_hz=15.0),
        "Isaac-GR00T, examples/DROID/main_gr00t.py: joint and gripper positions, gripper cut at 0.5, 15 Hz",
        "a checkpoint that announces older images or the state eef_9d is refused: maniguard keeps no history",
    ),
    _groot_libero(),
)

PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in _ALL}


def preset(name: str, wire: str | None = None) -> Preset:
    """Return the preset of this name, spoken over `wire` if given; PolicyError lists those that there are."""
    valid = [each.name for each in _ALL if wire is None or wire in each.wires]
    if name not in valid:
        where = "" if wire is None else f" for {wire}://"
        raise PolicyError(f"there is no preset {name!r}{where}; valid: {alternatives(valid, limit=20)}")
    return PRESETS[name]
