"""From what a vla-eval model server announces to the contract: which images it wants, and what its numbers mean.

A specification is a map from a component's name to `{"name", "dims", "format", "range", "accepts"}`. Formats are words;
the ones that have one meaning in maniguard are here, any other is refused rather than guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maniguard.errors import alternatives
from maniguard.policies.contract import (
    CAMERAS,
    PROMPT,
    STATE,
    ActionSpec,
    ContractError,
    ObservationSpec,
    image,
)

#: Images of a vla-eval observation are the keys that begin so, followed by the camera's name in `images`.
IMAGE_PREFIX = "images/"

IMAGE_FORMAT = "rgb_hwc_uint8"
LANGUAGE_FORMAT = "language"
#: A component of which the server says nothing: its meaning is a matter between its user and the benchmark.
RAW_FORMAT = "raw"

#: What maniguard's own benchmark declares, see `maniguard.integrations.vla_eval`.
JOINT_FORMAT, OPENING_FORMAT = "joint_position_absolute_rad", "opening_01"
#: The word that servers of joint-space policies use; how many joints and what follows them it leaves open.
STATE_FORMAT = "joint_positions"

# The names under which benchmarks send their view of the scene, and the one at the wrist.
_SCENE_NAMES = ("image", "images", "agentview", "primary", "base_camera")
_WRIST_NAMES = ("wrist", "wrist_image", "hand_camera")


@dataclass(frozen=True)
class Wishes:
    """What the user says of the observation: camera by the server's name for it, image size, whether to send the state.

    None leaves it to what the server announces.
    """

    cameras: Mapping[str, str] | None = None
    size_px: int = 256
    state: bool | None = None


def observation_specs(name: str, announced: Mapping[str, Any], wishes: Wishes) -> tuple[ObservationSpec, ...]:
    """Return what server `name` is shown: images in the order announced, the state if it wants it, and the prompt.

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
    state = _wants_state(name, components, wants) if wishes.state is None else wishes.state
    return (
        *([STATE] if state else []),
        *(image(IMAGE_PREFIX + key, camera, wishes.size_px) for key, camera in cameras.items()),
        PROMPT,
    )


def action_spec(name: str, announced: Any, horizon: int, dims: int) -> ActionSpec:
    """Return what the rows (horizon, dims) of server `name` mean; ContractError when that is not what can be executed.

    Without a specification, or with a raw one, eight columns are taken as joint targets and gripper opening.
    """
    components = _components(name, "action_spec", announced)
    formats = {key: component["format"] for key, component in components.items()}
    if formats and set(formats.values()) not in ({RAW_FORMAT}, {JOINT_FORMAT, OPENING_FORMAT}):
        theirs = ", ".join(f"{key}: {text}" for key, text in formats.items())
        raise ContractError(
            f"policy {name!r} announces actions as {theirs}; maniguard executes {JOINT_FORMAT} (7) with "
            f"{OPENING_FORMAT} (1), or eight raw columns of that meaning"
        )
    return ActionSpec(horizon, dims)


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


def _wants_state(name: str, components: Mapping[str, Mapping[str, Any]], wants: set[str]) -> bool:
    if not components:
        return True
    others = {
        key: component
        for key, component in components.items()
        if component["format"] not in (IMAGE_FORMAT, LANGUAGE_FORMAT)
    }
    for key, component in others.items():
        formats = {component["format"], *component["accepts"]}
        if key not in ("state", "states") or not formats & {RAW_FORMAT, STATE_FORMAT}:
            raise ContractError(
                f"policy {name!r} expects {key!r} as {component['format']}; maniguard offers state as {STATE_FORMAT}, "
                f"or nothing with ?state=no"
            )
    return bool(others) or "send_state" in wants


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
