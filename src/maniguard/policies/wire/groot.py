"""Client of a GR00T N1.6 policy server: `groot://HOST:PORT`, msgpack over ZeroMQ REQ/REP.

A request is `{"endpoint": NAME, "data": {…}}`; `ping`, `get_modality_config`, `reset` and `get_action` are used, `kill`
never. An observation is `{"video": {key: (1, 1, H, W, 3)}, "state": {key: (1, 1, D)}, "language": {key: [[text]]}}`.
The reply to `get_action` is `[actions, info]` with `actions` key -> (1, H, D); a map with `error` in place of a reply
is an error. The contract's keys are `video.KEY`, `state.KEY` and the instruction's.

Connection: as for openpi, see `GrootLink`. Within a rollout a lost server is never taken up again; between rollouts,
and for the reset of one, the client connects anew once, and what the server announces must be the same as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.policies.action import ContractError, GripperRange
from maniguard.policies.contract import (
    CAMERAS,
    PolicyContract,
    check_contract,
    image,
)
from maniguard.policies.policy import PolicyError
from maniguard.policies.presets import Preset, preset
from maniguard.policies.wire.address import COMMON, bracketed, checked_size, read_address
from maniguard.policies.wire.blank import blank_observation, listed
from maniguard.policies.wire.codec import CodecError
from maniguard.policies.wire.groot_codec import decode, encode
from maniguard.policies.wire.groot_link import GrootLink
from maniguard.policies.wire.groot_modalities import STATE, VIDEO, Announced, announced_modalities, keys_of
from maniguard.policies.wire.link import LostError, PolicyConnectionError
from maniguard.rollout.faults import PolicyFault

DEFAULT_PRESET = "gr00t-maniguard"


@dataclass(frozen=True)
class GrootOptions:
    """Where the server is, what is known of its checkpoint, how patient the client is; the last three as openpi's."""

    host: str
    port: int
    preset: Preset
    execute: int | None = None
    wait_s: float = 10.0
    timeout_s: float = 300.0

    @staticmethod
    def parse(url: str) -> GrootOptions:
        """Read `groot://HOST:PORT[?preset=NAME&…]`; PolicyError when it is not of this form."""
        form = (
            "groot://HOST:PORT[?preset=NAME&video=KEY:CAMERA,KEY:CAMERA&keys=OURS:YOURS,OURS:YOURS&"
            "gripper=CLOSED:OPEN&size_px=N&execute=N&wait_s=SECONDS&timeout_s=SECONDS]"
        )
        if not url.startswith("groot://"):
            raise PolicyError(f"policy {url!r} is not of the form {form}")
        words: dict[str, Any] = {"preset": lambda name: preset(name, "groot")}
        words |= dict.fromkeys(("video", "keys", "gripper"), str)
        host, port, values = read_address(url, form, {**COMMON, **words, "size_px": int})
        chosen = values.pop("preset", None) or preset(DEFAULT_PRESET)
        if "keys" in values:
            chosen = _renamed(url, chosen, values.pop("keys"))
        if "gripper" in values:
            chosen = replace(chosen, action=replace(chosen.action, gripper=_gripper(url, values.pop("gripper"))))
        images = [spec for spec in chosen.observations if spec.camera is not None]
        size_px = checked_size(url, values.pop("size_px", images[0].shape[0]))
        cameras = {spec.key: str(spec.camera) for spec in images}
        if "video" in values:
            cameras = {VIDEO + key: camera for key, camera in _cameras(url, values.pop("video")).items()}
        seen = (
            *(image(key, camera, size_px) for key, camera in cameras.items()),
            *(spec for spec in chosen.observations if spec.camera is None),
        )
        return GrootOptions(host, port, replace(chosen, observations=seen), **values)

    @property
    def address(self) -> str:
        """The ZeroMQ address."""
        return f"tcp://{bracketed(self.host)}:{self.port}"


class GrootPolicy:
    """A policy behind a GR00T N1.6 server. Connects when it is made, and checks the contract then.

    The modalities that the server announces must be those of the preset. It is then reset and asked once about a blank
    observation, which warms it up and shows the columns, which it does not announce. The contract is that of the preset
    with as many rows as announced, not deterministic.
    """

    def __init__(self, options: GrootOptions) -> None:
        self._options, self._preset = options, options.preset
        self._link = GrootLink(options.host, options.address, wait_s=options.wait_s, timeout_s=options.timeout_s)
        with ExitStack() as undo:
            undo.callback(self.close)
            self._config = self._open()
            self._contract = self._agree()
            undo.pop_all()

    @property
    def contract(self) -> PolicyContract:
        """What preset, announcement and the answer to the blank observation say together."""
        return self._contract

    def reset(self, *, seed: int, instruction: str) -> None:
        """Begin a rollout: connect again if need be, call `reset` with `{"options": {"seed": seed}}`."""
        request = {"options": {"seed": int(seed)}}
        if not self._link.is_open:
            self._reopen()
        try:
            self._call("reset", request)
        except LostError:
            # Nothing of this rollout has happened yet: an idle connection may have died since the last one.
            self._reopen()
            self._call("reset", request)

    def infer(self, observation: Mapping[str, Any]) -> NDArray[Any]:
        """Ask for a chunk (H, dims), the groups of the preset side by side.

        PolicyFault for an error or a mis-shaped answer, PolicyConnectionError for none.
        """
        asked: dict[str, dict[str, Any]] = {"video": {}, "state": {}, "language": {}}
        for spec in self._preset.observations:
            value = observation[spec.key]
            if spec.key.startswith(VIDEO):
                asked["video"][spec.key.removeprefix(VIDEO)] = value[None, None]
            elif spec.key.startswith(STATE):
                asked["state"][spec.key.removeprefix(STATE)] = np.asarray(value, np.float32)[None, None]
            else:
                asked["language"][self._config["language"][0][0]] = [[value]]
        return self._chunk(self._call("get_action", {"observation": asked, "options": None}))

    def close(self) -> None:
        """Hang up."""
        self._link.close()

    def _agree(self) -> PolicyContract:
        rows = self._config["action"][1]
        contract = replace(
            self._preset.contract,
            action=replace(self._preset.action, horizon=rows),
            executed_steps=self._options.execute or min(self._preset.executed_steps, rows),
        )
        check_contract(contract)
        # Of a server that knows no reset every rollout would be a fault of the policy.
        self._call("reset", {"options": {"seed": 0}}, refusal=ContractError)
        try:
            self.infer(blank_observation(contract.observations))
        except PolicyFault as error:
            sent = listed(contract.observations)
            raise ContractError(f"{error}; it was asked about a blank observation: {sent}") from error
        return contract

    def _open(self) -> Announced:
        self._link.open()
        self._call("ping", refusal=PolicyConnectionError)
        return announced_modalities(
            self._call("get_modality_config", refusal=ContractError), self._preset, self._options.address
        )

    def _reopen(self) -> None:
        now = self._open()
        if now != self._config:
            self.close()
            raise ContractError(
                f"GR00T server {self._options.address} came back and announces {now}; "
                f"this run began with {self._config}"
            )

    def _call(
        self, endpoint: str, data: Mapping[str, Any] | None = None, refusal: type[ManiguardError] = PolicyFault
    ) -> Any:
        address = self._options.address
        self._link.send(encode({"endpoint": endpoint} | ({"data": data} if data is not None else {})), endpoint)
        try:
            reply = decode(self._link.receive(endpoint))
        except CodecError as error:
            self.close()
            raise PolicyConnectionError(f"policy server {address} does not speak GR00T's protocol: {error}") from error
        if isinstance(reply, Mapping) and "error" in reply:
            lines = [line.strip() for line in str(reply["error"]).splitlines() if line.strip()] or ["no reason given"]
            raise refusal(f"GR00T server {address} reported an error in {endpoint}: {lines[-1]}")
        return reply

    def _chunk(self, reply: Any) -> NDArray[Any]:
        address, rows = self._options.address, self._config["action"][1]
        actions = reply[0] if isinstance(reply, list) and reply else None
        if not isinstance(actions, Mapping):
            raise PolicyFault(
                f"GR00T server {address} answered {type(reply).__name__} without actions; valid: [actions, info]"
            )
        parts = []
        for key, columns in self._preset.groups:
            shape, value = (1, rows, columns), actions.get(key)
            if value is None:
                raise PolicyFault(
                    f"GR00T server {address} answered without action {key!r}; "
                    f"the answer has {alternatives(str(name) for name in actions)}"
                )
            if not isinstance(value, np.ndarray) or value.shape != shape or value.dtype.kind not in "fiu":
                got = f"{value.shape} {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
                raise PolicyFault(f"GR00T server {address} answered action {key!r} as {got}; expected numbers {shape}")
            parts.append(value[0].astype(np.float64))
        return np.concatenate(parts, axis=1)


def _cameras(url: str, text: str) -> dict[str, str]:
    pairs = _pairs(text)
    if not pairs or not set(pairs.values()) <= set(CAMERAS):
        raise PolicyError(
            f"policy {url!r}: video={text!r} is not KEY:CAMERA,KEY:CAMERA with cameras from {alternatives(CAMERAS)}"
        )
    return pairs


def _renamed(url: str, known: Preset, text: str) -> Preset:
    pairs, names = _pairs(text), {key for key, _ in known.groups} | set(keys_of(known.observations, STATE))
    after = [pairs.get(name, name) for name in sorted(names)]
    if not pairs or not set(pairs) <= names or len(set(after)) != len(after):
        raise PolicyError(
            f"policy {url!r}: keys={text!r} is not OURS:YOURS,OURS:YOURS with each of yours once and ours from "
            f"{alternatives(names)}"
        )
    groups = tuple((pairs.get(key, key), columns) for key, columns in known.groups)
    seen = tuple(
        replace(spec, key=STATE + pairs.get(spec.key.removeprefix(STATE), spec.key.removeprefix(STATE)))
        if spec.key.startswith(STATE)
        else spec
        for spec in known.observations
    )
    return replace(known, groups=groups, observations=seen)


def _gripper(url: str, text: str) -> GripperRange:
    closed, _, opened = text.partition(":")
    try:
        ends = float(closed), float(opened)
    except ValueError as error:
        raise PolicyError(f"policy {url!r}: gripper={text!r} is not CLOSED:OPEN, two numbers") from error
    if not np.isfinite(ends).all() or ends[0] == ends[1]:
        raise PolicyError(f"policy {url!r}: gripper={text!r}: the two numbers must be finite and differ")
    return GripperRange(*ends)


def _pairs(text: str) -> dict[str, str]:
    """Return what `A:B,C:D` pairs; nothing where it is not of this form or pairs something twice."""
    pairs = [entry.partition(":")[::2] for entry in text.split(",")]
    good = all(key and value for key, value in pairs) and len(dict(pairs)) == len(pairs)
    return dict(pairs) if good else {}
