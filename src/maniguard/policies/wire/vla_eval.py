"""Client of a model server that speaks the vla-eval protocol: `vla-eval://HOST:PORT`.

Every frame is a msgpack map of type, payload, seq and timestamp. The client says HELLO and the server answers with its
name and, if it declares them, its specifications of actions and observations. A rollout is EPISODE_START, one
OBSERVATION after the other, each answered by an ACTION, and EPISODE_END. An observation holds `images` by camera name,
`task_description`, and the state under both names in use, `state` and `states`. An ACTION is one row `actions` (D,) or
a chunk (H, D): a server with a chunk of its own answers one row of it at a time.

EPISODE_START carries `{"task": {"name": instruction, "seed": seed}}`. Connection: as for openpi servers. Within a
rollout a lost connection is never taken up again; between rollouts, and for the first request of one, the client
connects anew once, and the server must announce the same as before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard import __version__
from maniguard.errors import ManiguardError, alternatives
from maniguard.policies.action import ContractError
from maniguard.policies.contents import size_of
from maniguard.policies.contract import PROMPT_KEY, PolicyContract, check_contract
from maniguard.policies.policy import PolicyError
from maniguard.policies.presets import preset
from maniguard.policies.wire.address import COMMON, DEFAULT_EXECUTED_STEPS, read_address
from maniguard.policies.wire.blank import BLANK_TEXT, blank_observation, listed
from maniguard.policies.wire.codec import CodecError
from maniguard.policies.wire.link import LostError, PolicyConnectionError, PolicyLink
from maniguard.policies.wire.vla_eval_codec import (
    IMAGE_FORMATS,
    PROTOCOL_VERSION,
    ImageFormat,
    Message,
    MessageType,
    decode_message,
    encode_message,
)
from maniguard.policies.wire.vla_eval_specs import (
    IMAGE_PREFIX,
    STATE_KEY,
    Wishes,
    action_spec,
    observation_specs,
)
from maniguard.rollout.faults import PolicyFault

# The version is that of the software at the other end and changes no meaning.
_UNCHECKED = ("harness_version",)

_FORM = (
    "vla-eval://HOST:PORT[?preset=NAME&cameras=NAME:CAMERA,…&size_px=N&state=CONTENT|no&images=png|raw&execute=N"
    "&wait_s=SECONDS&timeout_s=SECONDS]"
)


@dataclass(frozen=True)
class VlaEvalOptions:
    """Where the server is, what it is shown, and how patient the client is.

    `wishes`: cameras, image size, state and preset, before what the server announces. `images`: how images travel; both
    ways are lossless. `execute`: rows of each chunk to execute. `wait_s`: how long to wait for somebody to listen.
    `timeout_s`: how long to wait for one answer.
    """

    host: str
    port: int
    wishes: Wishes = field(default_factory=Wishes)
    images: ImageFormat = "png"
    execute: int | None = None
    wait_s: float = 10.0
    timeout_s: float = 300.0

    @staticmethod
    def parse(url: str) -> VlaEvalOptions:
        """Read `vla-eval://HOST:PORT[?…]`; PolicyError when it is not of this form."""
        if not url.startswith("vla-eval://"):
            raise PolicyError(f"policy {url!r} is not of the form {_FORM}")
        kinds: dict[str, Callable[[str], Any]] = {
            **COMMON,
            "size_px": int,
            "preset": preset,
            "cameras": partial(_cameras, url),
            "state": partial(_state, url),
            "images": partial(_images, url),
        }
        host, port, values = read_address(url, _FORM, kinds)
        wishes = Wishes(**{key: values.pop(key) for key in ("cameras", "size_px", "state", "preset") if key in values})
        return VlaEvalOptions(host, port, wishes, **values)


class VlaEvalPolicy:
    """A policy behind a vla-eval model server. Connects when it is made, and checks the contract then.

    The server is asked once about a blank observation, which warms it up and shows how many rows it answers.
    """

    def __init__(self, options: VlaEvalOptions) -> None:
        self._options = options
        self._link = PolicyLink(
            options.host, options.port, kind="vla-eval", wait_s=options.wait_s, timeout_s=options.timeout_s
        )
        self._seq = 0
        self._start: dict[str, Any] = {}
        self._in_episode = False
        self._steps = 0
        try:
            self._announced = self._open()
            self._contract = self._agree()
        except ManiguardError:
            self._link.close()
            raise

    @property
    def contract(self) -> PolicyContract:
        """What the server announced, completed by what its first answer showed."""
        return self._contract

    def reset(self, *, seed: int, instruction: str) -> None:
        """Begin a rollout: end the last one; connect anew where the connection is gone."""
        self._end()
        self._start = {"task": {"name": str(instruction), "seed": int(seed)}}
        if not self._link.is_open:
            self._reopen()

    def infer(self, observation: Mapping[str, Any]) -> NDArray[Any]:
        """Send the contract's part of `observation`, return the actions (H, D).

        PolicyFault when the server answers an error or no actions; PolicyConnectionError when it does not answer.
        """
        payload = self._payload(observation)
        first = not self._in_episode
        try:
            reply = self._ask(payload)
        except LostError:
            if not first:
                raise
            # Nothing of this rollout has happened yet: an idle connection may have died since the last one.
            self._reopen()
            reply = self._ask(payload)
        self._steps += 1
        return self._actions(reply)

    def close(self) -> None:
        """End the rollout and hang up."""
        self._end()
        self._link.close()

    def _open(self) -> dict[str, Any]:
        self._in_episode = False
        self._link.open()
        hello = {
            "harness_version": f"maniguard {__version__}",
            "protocol_version": PROTOCOL_VERSION,
            "benchmark": "maniguard",
        }
        reply = self._exchange(MessageType.HELLO, hello, MessageType.HELLO, ContractError)
        theirs = reply.get("protocol_version")
        if theirs != PROTOCOL_VERSION:
            self._link.close()
            raise ContractError(
                f"policy server {self._link.address} speaks version {theirs!r} of the vla-eval protocol; "
                f"this client speaks {PROTOCOL_VERSION}"
            )
        return {key: value for key, value in reply.items() if key not in _UNCHECKED}

    def _reopen(self) -> None:
        now = self._open()
        if now != self._announced:
            self._link.close()
            keys = sorted(key for key in {*now, *self._announced} if now.get(key) != self._announced.get(key))
            raise ContractError(
                f"policy server {self._link.address} came back with another {keys[0]}: {now.get(keys[0])!r}; "
                f"this run began with {self._announced.get(keys[0])!r}"
            )

    def _agree(self) -> PolicyContract:
        named = self._announced.get("model_server")
        name = f"vla-eval {named}" if isinstance(named, str) and named else "vla-eval"
        seen = observation_specs(name, self._announced, self._options.wishes)
        blank = blank_observation(seen) | {PROMPT_KEY: BLANK_TEXT}
        self._start = {"task": {"name": BLANK_TEXT, "seed": 0}}
        try:
            actions = self._actions(self._ask(self._payload(blank)))
        except PolicyFault as error:
            raise ContractError(f"{error}; it was asked about a blank observation: {listed(seen)}") from error
        self._end()
        if actions.ndim != 2 or actions.shape[0] < 1:
            raise ContractError(
                f"policy server {self._link.address} answers actions of shape {actions.shape}, not (D,) or (H, D)"
            )
        horizon = int(actions.shape[0])
        announced, wishes = self._announced.get("action_spec"), self._options.wishes
        spec = action_spec(name, announced, horizon, int(actions.shape[1]), wishes.preset)
        usual = DEFAULT_EXECUTED_STEPS if wishes.preset is None else wishes.preset.executed_steps
        executed = self._options.execute or min(usual, horizon)
        contract = PolicyContract(name, seen, spec, executed, deterministic=False)
        check_contract(contract)
        return contract

    def _payload(self, observation: Mapping[str, Any]) -> dict[str, Any]:
        payload: dict[str, Any] = {"task_description": observation[PROMPT_KEY]}
        images = {
            key.removeprefix(IMAGE_PREFIX): value for key, value in observation.items() if key.startswith(IMAGE_PREFIX)
        }
        if images:
            payload["images"] = images
        if STATE_KEY in observation:
            payload["state"] = payload["states"] = observation[STATE_KEY]
        return payload

    def _ask(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self._in_episode:
            self._send(MessageType.EPISODE_START, self._start)
            self._in_episode, self._steps = True, 0
        return self._exchange(MessageType.OBSERVATION, payload, MessageType.ACTION, PolicyFault)

    def _end(self) -> None:
        if self._in_episode and self._link.is_open:
            try:
                self._send(MessageType.EPISODE_END, {"metrics": {}, "steps": self._steps})
            except LostError:
                # What a server that is gone remembers of the rollout is gone with it.
                self._link.close()
        self._in_episode = False

    def _send(self, kind: MessageType, payload: Mapping[str, Any]) -> None:
        self._seq += 1
        message = Message(kind, payload, self._seq, time.time())
        self._link.send(encode_message(message, images=self._options.images))

    def _exchange(
        self, kind: MessageType, payload: Mapping[str, Any], wanted: MessageType, refusal: type[ManiguardError]
    ) -> Mapping[str, Any]:
        self._send(kind, payload)
        address, frame = self._link.address, self._link.receive("an answer")
        try:
            reply = decode_message(frame)
        except CodecError as error:
            self._link.close()
            raise PolicyConnectionError(
                f"policy server {address} does not speak the vla-eval protocol: {error}"
            ) from error
        if reply.type is MessageType.ERROR:
            self._link.close()
            said = " ".join(str(reply.payload.get("error", "no reason given")).split())
            raise refusal(f"policy server {address} reported an error: {said}")
        if reply.type is not wanted or reply.seq != self._seq:
            self._link.close()
            raise PolicyConnectionError(
                f"policy server {address} answered message {self._seq} ({kind}) with {reply.type.value!r} to message "
                f"{reply.seq}; the vla-eval protocol has {wanted.value!r} to message {self._seq} there"
            )
        return reply.payload

    def _actions(self, reply: Mapping[str, Any]) -> NDArray[Any]:
        actions = reply.get("actions", reply.get("action"))
        if isinstance(actions, list):
            try:
                actions = np.asarray(actions, np.float64)
            except (TypeError, ValueError):
                actions = None
        if not isinstance(actions, np.ndarray):
            raise PolicyFault(
                f"policy server {self._link.address} answered without an array 'actions'; the answer has "
                f"{alternatives(reply)}"
            )
        return actions[None] if actions.ndim == 1 else actions


def _cameras(url: str, text: str) -> Mapping[str, str]:
    pairs = [part.partition(":") for part in text.split(",") if part]
    cameras = {name: camera for name, colon, camera in pairs if colon and name and camera}
    if len(cameras) != len(pairs):
        raise PolicyError(f"policy {url!r}: cameras={text!r} is not of the form NAME:CAMERA,NAME:CAMERA")
    return cameras


def _state(url: str, text: str) -> str:
    if text == "no":
        return ""
    # A plus sign stands for a space in an address, and nobody would write %2B.
    content = text.replace(" ", "+")
    try:
        size_of(content)
    except ContractError as error:
        raise PolicyError(f"policy {url!r}: state={content!r}: {error}; or no") from error
    return content


def _images(url: str, text: str) -> ImageFormat:
    for known in IMAGE_FORMATS:
        if text == known:
            return known
    raise PolicyError(f"policy {url!r}: images={text!r}; valid: {alternatives(IMAGE_FORMATS)}")
