"""What a GR00T server announces of its modalities, against what is known of its checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maniguard.policies.action import ContractError
from maniguard.policies.contract import ObservationSpec
from maniguard.policies.presets import Preset

#: How the keys of a contract begin that are a server's video and state keys.
VIDEO, STATE = "video.", "state."

#: What a server announces: modality -> (keys, number of steps).
Announced = Mapping[str, tuple[tuple[str, ...], int]]


def announced_modalities(reply: Any, known: Preset, address: str) -> Announced:
    """Return what a server announces; ContractError with both sides where it is not what `known` has.

    Keys must be the same, one step of video and state, consecutive steps of actions from 0. Joint groups must not be
    announced as end-effector ones.
    """
    wanted: dict[str, tuple[str, ...] | None] = {
        "video": keys_of(known.observations, VIDEO),
        "state": keys_of(known.observations, STATE),
        "action": tuple(key for key, _ in known.groups),
        "language": None,
    }
    announced: dict[str, tuple[tuple[str, ...], int]] = {}
    for modality, expected in wanted.items():
        config = reply.get(modality) if isinstance(reply, Mapping) else None
        told = config if isinstance(config, Mapping) else {}
        keys: Any = told.get("modality_keys")
        steps: Any = told.get("delta_indices")
        if not _is_list_of(keys, str) or not _is_list_of(steps, int):
            raise ContractError(
                f"GR00T server {address} announces {modality} as {str(config)[:200]}; "
                f"valid: modality_keys, a list of names, and delta_indices, a list of steps"
            )
        expected = tuple(keys[:1]) if expected is None else expected
        if sorted(keys) != sorted(expected):
            raise ContractError(
                f"GR00T server {address} announces {modality} keys {', '.join(keys)}; preset {known.name!r} has "
                f"{', '.join(expected)}; name yours with ?preset=NAME, ?video=KEY:CAMERA,… or ?keys=OURS:YOURS,…"
            )
        # The present step alone: maniguard keeps no history of images.
        valid = list(range(len(steps))) if modality == "action" else [0]
        if list(steps) != valid:
            raise ContractError(
                f"GR00T server {address} announces {modality} at steps {steps}; "
                f"maniguard {'executes consecutive steps from 0' if modality == 'action' else 'shows step 0 alone'}"
            )
        if modality == "action" and not known.action.end_effector:
            _refuse_end_effector(told.get("action_configs"), keys, address, known)
        announced[modality] = (tuple(keys), len(steps))
    return announced


def _refuse_end_effector(configs: Any, keys: list[str], address: str, known: Preset) -> None:
    for key, config in zip(keys, configs if isinstance(configs, list) else [], strict=False):
        kind = str(config.get("type", "")).lower() if isinstance(config, Mapping) else ""
        if kind == "eef":
            raise ContractError(
                f"GR00T server {address} announces action {key!r} of type {kind!r}; preset {known.name!r} has "
                f"{known.action}"
            )


def keys_of(specs: tuple[ObservationSpec, ...], prefix: str) -> tuple[str, ...]:
    """Return the server's keys of a contract's keys that begin with `prefix`, in their order."""
    return tuple(spec.key.removeprefix(prefix) for spec in specs if spec.key.startswith(prefix))


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(type(entry) is kind for entry in value)
