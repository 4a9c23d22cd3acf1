"""Client of an OpenVLA server: `openvla://HOST:PORT` or `http://HOST:PORT/act`, HTTP POST of JSON with arrays.

A request is `{"image": (H, W, 3) uint8, "instruction": text, "unnorm_key": text}`, the last one if given. The reply is
one row of seven numbers or several, as an array or a list, or as JSON text once more. A server that fails says the
text "error" with status 200. The protocol has no reset and announces nothing.

Each request is a connection of its own, so that a server that was restarted is not noticed and need not be: it is asked
about one image at a time and remembers nothing.
"""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import alternatives
from maniguard.policies.action import ContractError
from maniguard.policies.contract import CAMERAS, PolicyContract, check_contract, image
from maniguard.policies.policy import PolicyError
from maniguard.policies.presets import Preset, preset
from maniguard.policies.wire.address import COMMON, DEFAULT_EXECUTED_STEPS, bracketed, checked_size, read_address
from maniguard.policies.wire.blank import blank_observation, listed
from maniguard.policies.wire.codec import CodecError
from maniguard.policies.wire.json_numpy import from_json, to_json
from maniguard.policies.wire.link import Patience, PolicyConnectionError
from maniguard.rollout.faults import PolicyFault

#: A chunk of 1000 rows as text is a tenth of this.
MAX_REPLY_BYTES = 1024 * 1024
IMAGE_KEY, INSTRUCTION_KEY = "image", "instruction"
# What a proxy answers for a server that is down, starting or overrun: says nothing of the policy.
_NOBODY_THERE = (502, 503, 504)


@dataclass(frozen=True)
class OpenvlaOptions:
    """Where the server is, what is known of its checkpoint, and how patient the client is; the last three as openpi's.

    `unnorm_key`: whose statistics the server is to use, in place of the preset's.
    """

    host: str
    port: int
    preset: Preset
    unnorm_key: str | None = None
    execute: int | None = None
    wait_s: float = 10.0
    timeout_s: float = 300.0

    @staticmethod
    def parse(url: str) -> OpenvlaOptions:
        """Read `openvla://HOST:PORT?preset=NAME[&…]` or `http://HOST:PORT/act?…`; PolicyError when it is neither."""
        form = (
            "openvla://HOST:PORT?preset=NAME[&unnorm_key=KEY&camera=NAME&size_px=N&execute=N&wait_s=SECONDS&"
            "timeout_s=SECONDS], or http://HOST:PORT/act?… of the same"
        )
        scheme = url.partition("://")[0]
        if scheme not in ("openvla", "http"):
            raise PolicyError(f"policy {url!r} is not of the form {form}")
        paths = ("/act",) if scheme == "http" else ("", "/", "/act")
        words: dict[str, Any] = {"preset": lambda name: preset(name, "openvla"), "unnorm_key": str, "camera": str}
        host, port, values = read_address(url, form, {**COMMON, **words, "size_px": int}, paths)
        # No default: a wrong guess of units or gripper sign looks like a bad policy.
        if "preset" not in values:
            raise PolicyError(f"policy {url!r} does not say what its numbers mean; valid: {form}")
        chosen: Preset = values.pop("preset")
        (seen,) = (spec for spec in chosen.observations if spec.camera is not None)
        camera = values.pop("camera", seen.camera)
        if camera not in CAMERAS:
            raise PolicyError(f"policy {url!r}: no camera {camera!r}; valid: {alternatives(CAMERAS)}")
        size_px = checked_size(url, values.pop("size_px", seen.shape[0]))
        others = tuple(spec for spec in chosen.observations if spec.camera is None)
        chosen = replace(chosen, observations=(image(seen.key, camera, size_px), *others))
        return OpenvlaOptions(host, port, chosen, **{"unnorm_key": chosen.unnorm_key, **values})

    @property
    def address(self) -> str:
        """The HTTP address."""
        return f"http://{bracketed(self.host)}:{self.port}/act"


class OpenvlaPolicy:
    """A policy behind an OpenVLA server.

    Asked once about a blank observation when it is made, which warms it up and shows how many rows it answers. The
    contract is that of the preset with as many rows, not deterministic.
    """

    def __init__(self, options: OpenvlaOptions) -> None:
        self._options, self._columns = options, options.preset.action.dims
        self._wait_for_listener()
        try:
            self._horizon = len(self._ask(blank_observation(options.preset.observations)))
        except PolicyFault as error:
            raise ContractError(
                f"{error}; preset {options.preset.name!r} has {options.preset.action}; it was asked about a blank "
                f"observation: {listed(options.preset.observations)}"
            ) from error
        self._contract = replace(
            options.preset.contract,
            action=replace(options.preset.action, horizon=self._horizon),
            executed_steps=options.execute or min(DEFAULT_EXECUTED_STEPS, self._horizon),
        )
        check_contract(self._contract)

    @property
    def contract(self) -> PolicyContract:
        """What the preset and the answer to the blank observation say together."""
        return self._contract

    def reset(self, *, seed: int, instruction: str) -> None:
        """Do nothing: the server is not told, its protocol has no reset."""

    def infer(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Ask for rows (H, 7).

        PolicyFault for an error or a mis-shaped answer, PolicyConnectionError for none.
        """
        rows = self._ask(observation)
        if len(rows) != self._horizon:
            raise PolicyFault(f"{self._options.address} answered {len(rows)} rows; it answered {self._horizon} before")
        return rows

    def close(self) -> None:
        """Do nothing: no connection outlives a request."""

    def _ask(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        options = self._options
        request: dict[str, Any] = {
            IMAGE_KEY: to_json(observation[IMAGE_KEY]),
            INSTRUCTION_KEY: observation[INSTRUCTION_KEY],
        }
        if options.unnorm_key is not None:
            request["unnorm_key"] = options.unnorm_key
        status, body = self._post(json.dumps(request).encode())
        if status in _NOBODY_THERE:
            raise PolicyConnectionError(f"{options.address} answered with HTTP status {status}: {body[:120]!r}")
        if status != 200:
            raise PolicyFault(f"{options.address} answered with HTTP status {status}: {body[:120]!r}")
        try:
            reply = from_json(body)
            if isinstance(reply, str) and reply.lstrip()[:1] in ("[", "{"):
                reply = from_json(reply.encode())
        except CodecError as error:
            raise PolicyConnectionError(f"{options.address} does not speak OpenVLA's protocol: {error}") from error
        if isinstance(reply, str):
            raise PolicyFault(f"{options.address} reported an error: {reply[:120]!r}; its log says which")
        return self._checked(reply)

    def _checked(self, reply: Any) -> NDArray[np.float64]:
        wanted = f"expected {self._columns} numbers, or rows of them"
        try:
            rows = np.asarray(reply)
        except ValueError as error:
            raise PolicyFault(f"{self._options.address} answered rows of unequal length; {wanted}") from error
        if rows.dtype.kind not in "fiu":
            raise PolicyFault(f"{self._options.address} answered {type(reply).__name__}; {wanted}")
        if rows.ndim not in (1, 2) or rows.shape[-1] != self._columns or not len(rows):
            raise PolicyFault(f"{self._options.address} answered shape {rows.shape}; {wanted}")
        return np.atleast_2d(rows).astype(np.float64)

    def _post(self, message: bytes) -> tuple[int, bytes]:
        options, give_up_at = self._options, time.monotonic() + self._options.timeout_s
        late = f"{options.address} did not answer within {options.timeout_s:g} s; wait longer with ?timeout_s=SECONDS"
        connection = http.client.HTTPConnection(options.host, options.port, timeout=options.timeout_s)
        try:
            connection.request("POST", "/act", message, {"Content-Type": "application/json"})
            answer, body = connection.getresponse(), b""
            while part := answer.read1(65536):
                body += part
                if len(body) > MAX_REPLY_BYTES:
                    raise PolicyConnectionError(f"{options.address} answered with over {MAX_REPLY_BYTES} bytes")
                # A server that sends a byte now and then never lets the socket's own time run out.
                if time.monotonic() > give_up_at:
                    raise PolicyConnectionError(late)
            return answer.status, body
        except TimeoutError as error:
            raise PolicyConnectionError(late) from error
        except (OSError, http.client.HTTPException) as error:
            raise PolicyConnectionError(
                f"{options.address} gave no answer: {str(error) or type(error).__name__}"
            ) from error
        finally:
            connection.close()

    def _wait_for_listener(self) -> None:
        options, patience = self._options, Patience(self._options.address, self._options.wait_s)
        while True:
            try:
                socket.create_connection((options.host, options.port), options.timeout_s).close()
                return
            except socket.gaierror as error:
                raise PolicyConnectionError(f"no host {options.host!r} for policy server {options.address}") from error
            except OSError as error:
                patience.try_again(error)
