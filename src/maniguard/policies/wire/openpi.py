"""Client of a policy server that speaks the openpi websocket protocol: `openpi://HOST:PORT`.

The server speaks first, with a map of metadata. Each request is an observation map, each reply a map with `actions`
(H, D); a text frame in place of a reply is an error. The protocol has no reset. A server whose metadata holds
`{"maniguard": {"contract": …, "reset": true}}` is told of it by an extra key `maniguard/reset` in the first
observation of a rollout; any other is not.

Connection: tried for `wait_s` while nobody listens. Within a rollout a lost connection is never taken up again,
because what the server remembered of the rollout is lost: PolicyConnectionError, and the rollout is one for the
runner to repeat. Between rollouts, and for the first request of one, the client connects anew once, and the contract
must be the same as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.policies.action import ContractError
from maniguard.policies.contract import ObservationSpec, PolicyContract, check_contract
from maniguard.policies.policy import PolicyError
from maniguard.policies.presets import PRESETS, Preset, preset
from maniguard.policies.wire.address import COMMON, bracketed, read_address
from maniguard.policies.wire.blank import blank_observation, listed
from maniguard.policies.wire.codec import CodecError, decode, encode
from maniguard.policies.wire.link import LostError, PolicyConnectionError, PolicyLink
from maniguard.rollout.faults import InfraError, PolicyFault

METADATA_KEY = "maniguard"
RESET_KEY = "maniguard/reset"


@dataclass(frozen=True)
class OpenpiOptions:
    """Where the server is and how patient the client is.

    `execute`: rows of each chunk to execute, in place of what the server announces. `wait_s`: how long to wait for
    somebody to listen. `timeout_s`: how long to wait for one answer; the first inference of a compiled model can take
    a minute. `preset`: what is known of the checkpoint behind the server.
    """

    host: str
    port: int
    execute: int | None = None
    wait_s: float = 10.0
    timeout_s: float = 300.0
    preset: Preset | None = None

    @staticmethod
    def parse(url: str) -> OpenpiOptions:
        """Read `openpi://HOST:PORT[?preset=NAME&execute=N&wait_s=S&timeout_s=S]`; PolicyError for another form."""
        form = "openpi://HOST:PORT[?preset=NAME&execute=N&wait_s=SECONDS&timeout_s=SECONDS]"
        if not url.startswith("openpi://"):
            raise PolicyError(f"policy {url!r} is not of the form {form}")
        host, port, values = read_address(url, form, {**COMMON, "preset": lambda name: preset(name, "openpi")})
        return OpenpiOptions(host, port, **values)

    @property
    def address(self) -> str:
        """The websocket address."""
        return f"ws://{bracketed(self.host)}:{self.port}"


class OpenpiPolicy:
    """A policy behind an openpi websocket server. Connects when it is made, and checks the contract then.

    A server that announces no contract is asked once about a blank observation with the keys of the preset, which shows
    its chunk's shape and warms it up; its contract is then that of the preset with as many rows as came, not
    deterministic. A server that announces one must agree with the preset, if there is one.
    """

    def __init__(self, options: OpenpiOptions) -> None:
        self._options = options
        self._link = PolicyLink(
            options.host, options.port, kind="openpi", wait_s=options.wait_s, timeout_s=options.timeout_s
        )
        self._announced: Mapping[str, Any] = {}
        self._reset: dict[str, Any] | None = None
        self._first_request = True
        self._known_contract = False
        self._open()
        try:
            self._contract = self._agree()
        except (ContractError, InfraError, PolicyFault):
            self.close()
            raise

    @property
    def contract(self) -> PolicyContract:
        """What the server announced, or what is assumed of a server that announces nothing."""
        return self._contract

    def reset(self, *, seed: int, instruction: str) -> None:
        """Begin a rollout; connects anew where the connection is gone. A server that announced `reset` is told."""
        self._reset = {"seed": int(seed), "instruction": str(instruction)} if self._announced.get("reset") else None
        self._first_request = True
        if not self._link.is_open:
            self._reopen()

    def infer(self, observation: Mapping[str, Any]) -> NDArray[Any]:
        """Send the contract's keys of `observation`, return the reply's actions.

        PolicyFault when the server answers an error or no actions; PolicyConnectionError when it does not answer.
        """
        request = {spec.key: observation[spec.key] for spec in self._contract.observations}
        if self._reset is not None:
            request[RESET_KEY] = self._reset
        try:
            reply = self._ask(request)
        except LostError:
            if not self._first_request:
                raise
            # Nothing of this rollout has happened yet: an idle connection may have died since the last one.
            self._reopen()
            reply = self._ask(request)
        self._first_request, self._reset = False, None
        return self._actions(reply)

    def close(self) -> None:
        """Hang up."""
        self._link.close()

    def _open(self) -> None:
        self._link.open()
        metadata = self._receive("metadata", PolicyConnectionError)
        announced = metadata.get(METADATA_KEY, {})
        if not isinstance(announced, Mapping):
            raise ContractError(
                f"policy server {self._link.address} announces {METADATA_KEY!r} as {announced!r}, not a map"
            )
        self._announced = announced

    def _reopen(self) -> None:
        self._open()
        if "contract" in self._announced or self._known_contract:
            now = self._named(self._announced.get("contract"))
            if now != self._contract:
                self.close()
                raise ContractError(
                    f"policy server {self._options.address} came back with another contract: {_brief(now)}; "
                    f"this run began with {_brief(self._contract)}"
                )
        if self._reset is not None and not self._announced.get("reset"):
            raise ContractError(f"policy server {self._options.address} came back and no longer takes {RESET_KEY!r}")

    def _agree(self) -> PolicyContract:
        self._known_contract = "contract" in self._announced
        contract = self._named(self._announced["contract"]) if self._known_contract else self._probed()
        if contract.privileged:
            raise ContractError(
                f"policy server {self._options.address} announces a privileged policy, {contract.name!r}; "
                f"the simulator's state is not sent over a network"
            )
        check_contract(contract)
        self._check_against_preset(contract)
        return contract

    def _named(self, values: Any) -> PolicyContract:
        contract = PolicyContract.from_dict(values)
        if self._options.execute is not None:
            contract = replace(contract, executed_steps=self._options.execute)
        return contract

    def _probed(self) -> PolicyContract:
        chosen = self._options.preset or PRESETS["maniguard"]
        expected = chosen.action
        try:
            actions = self._actions(self._ask(blank_observation(chosen.observations)))
        except PolicyFault as error:
            sent = listed(chosen.observations)
            raise ContractError(f"{error}; it announces no contract and was sent {sent}") from error
        shape: tuple[int, ...] = actions.shape if isinstance(actions, np.ndarray) else ()
        if len(shape) != 2 or not shape[0] or shape[1] != expected.dims:
            got = f"shape {shape}" if isinstance(actions, np.ndarray) else type(actions).__name__
            raise ContractError(
                f"policy server {self._options.address} answers actions of {got}; preset {chosen.name!r} has "
                f"(rows, {expected.dims}) {expected.convention!r}; `maniguard policies` lists others, for ?preset=NAME"
            )
        return PolicyContract(
            "openpi" if self._options.preset is None else chosen.name,
            chosen.observations,
            replace(expected, horizon=shape[0]),
            self._options.execute or min(chosen.executed_steps, shape[0]),
            deterministic=False,
        )

    def _check_against_preset(self, contract: PolicyContract) -> None:
        chosen = self._options.preset
        if chosen is None:
            return
        sides: tuple[str, str] | None = None
        if _seen(contract.observations) != _seen(chosen.observations):
            sides = (listed(contract.observations), listed(chosen.observations))
        elif not contract.action.same_meaning(chosen.action):
            sides = (f"actions {contract.action}", f"actions {chosen.action}")
        if sides is not None:
            raise ContractError(
                f"policy server {self._options.address} announces {sides[0]}; preset {chosen.name!r} has {sides[1]}"
            )

    def _ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        address, message = self._options.address, encode(request)
        limit = self._announced.get("max_message_bytes")
        if isinstance(limit, int) and len(message) > limit:
            raise ContractError(
                f"this observation is a message of {len(message)} bytes; policy server {address} takes {limit}"
            )
        self._link.send(message)
        return self._receive("an answer")

    def _receive(self, what: str, refusal: type[ManiguardError] = PolicyFault) -> Mapping[str, Any]:
        address, message = self._link.address, self._link.receive(what)
        if isinstance(message, str):
            self.close()
            # openpi servers send a traceback; its last line says what happened
            lines = [line.strip() for line in message.splitlines() if line.strip()] or ["an empty text frame"]
            refused = refusal(f"policy server {address} reported an error: {lines[-1]}")
            refused.add_note(message)
            raise refused
        try:
            decoded = decode(message)
        except CodecError as error:
            self.close()
            raise PolicyConnectionError(
                f"policy server {address} does not speak the openpi protocol: {error}"
            ) from error
        if not isinstance(decoded, Mapping):
            self.close()
            raise PolicyConnectionError(
                f"policy server {address} sent {type(decoded).__name__} as {what}; the openpi protocol has a map there"
            )
        return decoded

    def _actions(self, reply: Mapping[str, Any]) -> Any:
        if "actions" not in reply:
            raise PolicyFault(
                f"policy server {self._options.address} answered without 'actions'; the answer has "
                f"{alternatives(str(key) for key in reply)}"
            )
        return reply["actions"]


def _seen(specs: tuple[ObservationSpec, ...]) -> dict[str, ObservationSpec]:
    """Return what is seen under which key; in which order, and whether a default content is named, is the same."""
    return {spec.key: replace(spec, content=spec.holds) for spec in specs}


def _brief(contract: PolicyContract) -> str:
    return ", ".join(
        f"{field.name}={getattr(contract, field.name)!r}" for field in fields(contract) if field.name != "observations"
    )
