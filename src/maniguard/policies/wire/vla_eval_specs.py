"""From what a vla-eval model server announces to the contract: which images it wants, and what its numbers mean.

A specification is a map from a component's name to `{"name", "dims", "format", "range", "accepts"}`. Formats are words.
They leave units open: what a shift of 1 is, in metres, depends on the controller that the checkpoint was trained with.
So joint targets are executed as announced, and the end effector only with a preset that says the units; what the server
announces must then agree with it. Any word that is not here is refused rather than guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from maniguard.errors import alternatives
from maniguard.policies.action import ActionSpec, ContractError
from maniguard.policies.contents import DEFAULT_CONTENT
from maniguard.policies.contract import CAMERAS, PROMPT, ObservationSpec, image, numbers
from maniguard.policies.presets import Preset

#: Images of a vla-eval observation are the keys that begin so, followed by the camera's name in `images`.
IMAGE_PREFIX = "images/"
STATE_KEY = "state"

IMAGE_FORMAT = "rgb_hwc_uint8"
LANGUAGE_FORMAT = "language"
#: A component of which the server says nothing: its meaning is a matter between its user and the benchmark.
RAW_FORMAT = "raw"

#: What maniguard's own benchmark declares, see `maniguard.integrations.vla_eval`.
JOINT_FORMAT, OPENING_FORMAT = "joint_position_absolute_rad", "opening_01"
#: The word that servers of joint-space policies use; how many joints and what follows them it leaves open.
STATE_FORMAT = "joint_positions"

STATES: Mapping[str, str] = {
    STATE_FORMAT: DEFAULT_CONTENT,
    "eef_pos3_axisangle3_gripper2": "x+y+z+rx+ry+rz+fingers",
    "eef_pos3_euler3_gripper2": "x+y+z+roll+pitch+yaw+fingers",
}
# Format of a component -> what an action specification must say for it: attribute and value.
_MEANINGS: Mapping[str, tuple[str, str]] = {
    JOINT_FORMAT: ("convention", "joint_position"),
    "delta_xyz": ("convention", "ee_delta"),
    "absolute_xyz": ("convention", "ee_pose"),
    "axis_angle": ("rotation", "axis-angle"),
    "euler_xyz": ("rotation", "rpy"),
}
# Format of a gripper -> what it may mean: pairs of the numbers for closed and open.
_GRIPPERS: Mapping[str, tuple[tuple[float, float], ...]] = {
    OPENING_FORMAT: ((0.0, 1.0),),
    "binary_close_positive": ((1.0, -1.0),),
    "binary_close_negative": ((-1.0, 1.0),),
    "binary_close_01": ((1.0, 0.0),),
    # Which end is open it does not say.
    "continuous_01": ((0.0, 1.0), (1.0, 0.0)),
}

# The names under which benchmarks send their view of the scene, and the one at the wrist.
_SCENE_NAMES = ("image", "images", "agentview", "primary", "base_camera")
_WRIST_NAMES = ("wrist", "wrist_image", "hand_camera")


@dataclass(frozen=True)
class Wishes:
    """What the user says: camera by the server's name for it, image size, what the state holds, the preset.

    `state` is a content such as `joints+opening`, "" for no state. None leaves it to the preset, then to what the
    server announces.
    """

    cameras: Mapping[str, str] | None = None
    size_px: int | None = None
    state: str | None = None
    preset: Preset | None = None


def observation_specs(name: str, announced: Mapping[str, Any], wishes: Wishes) -> tuple[ObservationSpec, ...]:
    """Return what server `name` is shown: the state if it wants it, images in the order announced, and the prompt.

    A server that announces nothing is shown `agentview` and `wrist`, as by LIBERO, and the state. ContractError for an
    image or a state that maniguard cannot tell the meaning of.
    """
    components = _components(name, "observation_spec", announced.get("observation_spec"))
    params = announced.get("observation_params")
    wants = {key for key, value in params.items() if value is True} if isinstance(params, Mapping) else set()
    cameras = dict(wishes.cameras) if wishes.cameras is not None else _cameras(name, components, wants)
    unknown = [camera for camera in cameras.values() if camera not in CAMERAS]
    if unknown:
        raise ContractError(f"policy {name!r}: no camera {unknown[0]!r}; maniguard has {alternatives(CAMERAS)}")
    preset = wishes.preset
    size_px = wishes.size_px or (256 if preset is None else preset.contract.image_size_px)
    state = _state(name, components, wants, preset) if wishes.state is None else wishes.state
    return (
        *([numbers(STATE_KEY, state)] if state else []),
        *(image(IMAGE_PREFIX + key, camera, size_px) for key, camera in cameras.items()),
        PROMPT,
    )


def action_spec(name: str, announced: Any, horizon: int, dims: int, preset: Preset | None = None) -> ActionSpec:
    """Return what the rows (horizon, dims) of server `name` mean: what the preset says, else joint targets.

    ContractError where the server announces something else, with both sides.
    """
    meaning = ActionSpec(horizon, dims) if preset is None else replace(preset.action, horizon=horizon, dims=dims)
    components = _components(name, "action_spec", announced)
    for key, component in components.items():
        text = component["format"]
        if text in _GRIPPERS:
            # The ends must come out as ends: 0 to 1 read as -1 to 1 would never open, or never close.
            told_ends = [meaning.gripper.opening(ends).tolist() for ends in _GRIPPERS[text]]
            fits = [0.0, 1.0] in told_ends
        elif text == RAW_FORMAT:
            fits = True
        elif text in _MEANINGS:
            attribute, value = _MEANINGS[text]
            fits = getattr(meaning, attribute) == value
        else:
            fits = False
        if not fits:
            told = ", ".join(f"{other}: {entry['format']}" for other, entry in components.items())
            what = "without a preset it is" if preset is None else f"preset {preset.name!r} says"
            raise ContractError(
                f"policy {name!r} announces its actions as {told}; {key} does not fit: {what} {meaning}; "
                f"valid: ?preset=NAME with one that agrees, see `maniguard policies`"
            )
    return meaning


def state_of(preset: Preset | None) -> str:
    """Return what the state of a vla-eval observation holds: all numbers of the preset, or joints and opening."""
    held = [] if preset is None else [spec.content for spec in preset.observations if spec.dtype == "float32"]
    return "+".join(content for content in held if content) or DEFAULT_CONTENT


def words_of(action: ActionSpec) -> Mapping[str, tuple[int, str]]:
    """Return the components of a row, each with its columns and its format; "raw" where vla-eval has no word."""
    words = {meaning: word for word, meaning in _MEANINGS.items()}
    columns: dict[str, tuple[int, str]] = {}
    arm = words.get(("convention", action.convention), RAW_FORMAT)
    if action.end_effector:
        columns["position"] = (3, arm)
        columns["rotation"] = (action.dims - 4, words.get(("rotation", action.rotation), RAW_FORMAT))
    else:
        columns["joints"] = (action.dims - 1, arm)
    ends = (action.gripper.closed, action.gripper.open)
    grips = {(1.0, -1.0): "binary_close_positive", (1.0, 0.0): "binary_close_01", (-1.0, 1.0): "binary_close_negative"}
    columns["gripper"] = (1, OPENING_FORMAT if ends == (0.0, 1.0) else grips.get(ends, RAW_FORMAT))
    return columns


def _cameras(name: str, components: Mapping[str, Mapping[str, Any]], wants: set[str]) -> dict[str, str]:
    if not components:
        return {"agentview": "overview", "wrist": "wrist"}
    cameras: dict[str, str] = {}
    for key, component in components.items():
        if component["format"] != IMAGE_FORMAT:
            continue
        if key in _WRIST_NAMES:
            cameras[key] = "wrist"
        elif key in CAMERAS:
            cameras[key] = key
        elif key in _SCENE_NAMES:
            cameras[key] = "overview"
        else:
            raise ContractError(
                f"policy {name!r} expects an image {key!r}, and which camera that is nobody says; "
                f"say it with ?cameras={key}:CAMERA, of {alternatives(CAMERAS)}"
            )
    if "send_wrist_image" in wants and "wrist" not in cameras.values():
        cameras["wrist"] = "wrist"
    return cameras


def _state(name: str, components: Mapping[str, Mapping[str, Any]], wants: set[str], preset: Preset | None) -> str:
    """Return what the state holds; "" where the server wants none."""
    usual = state_of(preset)
    others = {
        key: component
        for key, component in components.items()
        if component["format"] not in (IMAGE_FORMAT, LANGUAGE_FORMAT)
    }
    for key, component in others.items():
        formats = (component["format"], *component["accepts"])
        known = [STATES[text] for text in formats if text in STATES]
        if key not in ("state", "states") or not (known or RAW_FORMAT in formats):
            raise ContractError(
                f"policy {name!r} expects {key!r} as {component['format']}; maniguard offers a state as "
                f"{alternatives(STATES)}, anything it can compute with ?state=CONTENT, or nothing with ?state=no"
            )
        return known[0] if known else usual
    return usual if not components or "send_state" in wants else ""


def _components(name: str, what: str, announced: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return the announced components, each with a format and what it accepts; none where nothing is announced."""
    if announced is None:
        return {}
    if not isinstance(announced, Mapping):
        raise ContractError(f"policy {name!r} announces its {what} as {type(announced).__name__}, not a map")
    read: dict[str, Mapping[str, Any]] = {}
    for key, component in announced.items():
        text = component.get("format") if isinstance(component, Mapping) else None
        accepts = component.get("accepts", []) if isinstance(component, Mapping) else []
        if not isinstance(text, str) or not isinstance(accepts, list):
            raise ContractError(f"policy {name!r} announces a malformed {what}: {key} is {str(component)[:80]}")
        read[str(key)] = {"format": text, "accepts": [entry for entry in accepts if isinstance(entry, str)]}
    return read
