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
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.policies.contract import (
    CONVENTIONS,
    DEFAULT_OBSERVATIONS,
    PROMPT_KEY,
    ActionSpec,
    ContractError,
    PolicyContract,
    check_contract,
)
from maniguard.policies.policy import PolicyError
from maniguard.policies.wire.codec import CodecError, decode, encode
from maniguard.policies.wire.link import LostError, PolicyConnectionError, PolicyLink
from maniguard.rollout.faults import InfraError, PolicyFault

METADATA_KEY = "maniguard"
RESET_KEY = "maniguard/reset"

# Rows of a chunk that are executed when the server does not say: the usual choice for chunks of 10 to 50.
DEFAULT_EXECUTED_STEPS = 8


@dataclass(frozen=True)
class OpenpiOptions:
    """Where the server is and how patient the client is.

    `execute`: rows of each chunk to execute, in place of what the server announces. `wait_s`: how long to wait for
    somebody to listen. `timeout_s`: how long to wait for one answer; the first inference of a compiled model can take
    a minute.
    """

    host: str
    port: int
    execute: int | None = None
    wait_s: float = 10.0
    timeout_s: float = 300.0

    @staticmethod
    def parse(url: str) -> OpenpiOptions:
        """Read `openpi://HOST:PORT[?execute=N&wait_s=S&timeout_s=S]`; PolicyError when it is not of this form."""
        form = "openpi://HOST:PORT[?execute=N&wait_s=SECONDS&timeout_s=SECONDS]"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
            pairs = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        except ValueError as error:
            raise PolicyError(f"policy {url!r}: {error}; valid: {form}") from error
        if parts.scheme != "openpi" or not host or not port or parts.path not in ("", "/") or parts.fragment:
            raise PolicyError(f"policy {url!r} is not of the form {form}")
        kinds = {"execute": int, "wait_s": float, "timeout_s": float}
        values: dict[str, Any] = {}
        for key, text in pairs.items():
            if key not in kinds:
                raise PolicyError(f"policy {url!r}: unknown option {key!r}; valid: {alternatives(kinds)}")
            try:
                values[key] = kinds[key](text)
            except ValueError as error:
                raise PolicyError(f"policy {url!r}: {key}={text!r} is not a number") from error
            if not (np.isfinite(values[key]) and (values[key] > 0 or (key == "wait_s" and values[key] == 0))):
                raise PolicyError(f"policy {url!r}: {key}={text} must be positive")
        return OpenpiOptions(host, port, **values)

    @property
    def address(self) -> str:
        """The websocket address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"ws://{host}:{self.port}"


class OpenpiPolicy:
    """A policy behind an openpi websocket server. Connects when it is made, and checks the contract then.

    A server that announces no contract is asked once about a blank observation with the default keys, which shows its
    chunk's shape and warms it up; its contract is then: the default observations, convention joint_position, 8 rows
    executed (all, if the chunk has fewer), not deterministic.
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
        return contract

    def _named(self, values: Any) -> PolicyContract:
        contract = PolicyContract.from_dict(values)
        if self._options.execute is not None:
            contract = replace(contract, executed_steps=self._options.execute)
        return contract

    def _probed(self) -> PolicyContract:
        blank: dict[str, Any] = {
            spec.key: np.zeros(spec.shape, spec.dtype) for spec in DEFAULT_OBSERVATIONS if spec.dtype != "str"
        }
        blank[PROMPT_KEY] = "hold still"
        try:
            actions = self._actions(self._ask(blank))
        except PolicyFault as error:
            keys = ", ".join(f"{spec.key} {spec}" for spec in DEFAULT_OBSERVATIONS)
            raise ContractError(f"{error}; it announces no contract and was sent {keys}") from error
        convention = next(iter(CONVENTIONS))
        if not isinstance(actions, np.ndarray) or actions.ndim != 2 or actions.shape[0] < 1:
            got = f"shape {actions.shape}" if isinstance(actions, np.ndarray) else type(actions).__name__
            raise ContractError(
                f"policy server {self._options.address} answers actions of {got}; "
                f"maniguard executes (H, {CONVENTIONS[convention]}) {convention!r}"
            )
        horizon, dims = actions.shape
        executed = self._options.execute or min(DEFAULT_EXECUTED_STEPS, horizon)
        return PolicyContract(
            "openpi", DEFAULT_OBSERVATIONS, ActionSpec(horizon, dims, convention), executed, deterministic=False
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


def _brief(contract: PolicyContract) -> str:
    return ", ".join(
        f"{field.name}={getattr(contract, field.name)!r}" for field in fields(contract) if field.name != "observations"
    )
