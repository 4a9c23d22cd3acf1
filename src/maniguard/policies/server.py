"""Serve any policy in the openpi websocket protocol: `maniguard serve`."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import Server, ServerConnection
from websockets.asyncio.server import serve as listen
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from maniguard.policies.action import ContractError
from maniguard.policies.batching import Batcher, BatchPolicy
from maniguard.policies.contents import PROMPT
from maniguard.policies.contract import PolicyContract, check_contract, check_observation
from maniguard.policies.foreign import ForeignCode
from maniguard.policies.policy import Policy, PolicyError, PolicyFactory
from maniguard.policies.registry import resolve
from maniguard.policies.wire.codec import MAX_MESSAGE_BYTES, CodecError, decode, encode
from maniguard.policies.wire.openpi import METADATA_KEY, RESET_KEY
from maniguard.rollout.faults import PolicyFault

DEFAULT_PORT = 8000
HEALTH_PATH = "/healthz"
_INTERNAL_ERROR, _TRY_AGAIN_LATER = 1011, 1013

logger = logging.getLogger("maniguard.policies.server")


@dataclass(frozen=True)
class ServerOptions:
    """Where to listen and what to take.

    `host` is loopback unless told otherwise: the protocol has neither encryption nor a password. `port` 0 takes a
    free one. `batch`: how many requests are answered together at most.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    max_message_bytes: int = MAX_MESSAGE_BYTES
    max_clients: int = 64
    batch: int = 1


def serve(
    policy: str | Callable[[], Policy],
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    *,
    ready: Callable[[str, int], None] | None = None,
    max_message_bytes: int = MAX_MESSAGE_BYTES,
    max_clients: int = 64,
    batch: int = 1,
) -> None:
    """Serve `policy` (a spec for `resolve`, or a class) until SIGINT or SIGTERM, then hang up (1001) and return.

    `ready` is called with host and port once clients are accepted. Runs in the main thread. An inference
    that is running at the end is waited for; a second signal ends the process at once. `batch` above 1 needs a
    stateless policy with `infer_batch`, see `BatchPolicy`. PolicyError: unknown or privileged policy, address in use.
    No scenario, task family or simulator is needed.
    """
    factory = (
        resolve(policy) if isinstance(policy, str) else PolicyFactory(getattr(policy, "__name__", "policy"), policy)
    )
    if not host.strip():
        # To the system an empty host is every interface of the machine.
        raise PolicyError("cannot listen on an empty host; valid: 127.0.0.1, or 0.0.0.0 for every network there is")
    if not 0 <= port <= 65535:
        raise PolicyError(f"cannot listen on port {port}; valid: 1 to 65535, or 0 for a free one")
    if batch < 1:
        raise PolicyError(f"cannot answer {batch} requests together; valid: 1 or more")
    options = ServerOptions(host, port, max_message_bytes, max_clients, batch)
    asyncio.run(_serve_until_signalled(factory, options, ready))


async def _serve_until_signalled(
    factory: PolicyFactory,
    options: ServerOptions,
    ready: Callable[[str, int], None] | None,
) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    server = PolicyServer(factory, options)
    stopped = asyncio.ensure_future(stop.wait())
    try:
        starting = asyncio.ensure_future(server.start())
        await asyncio.wait([starting, stopped], return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            return
        bound_host, bound_port = starting.result()
        if ready is not None:
            ready(bound_host, bound_port)
        await stopped
    finally:
        stopped.cancel()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        await server.close()


@dataclass
class _Seat:
    """One client's policy: made or taken from the idle ones at its first request."""

    policy: Policy | None = None
    begun: bool = field(default=False)


class PolicyServer:
    """Answers openpi clients with one policy; everything that touches the policy happens on one thread of its own.

    The event loop stays free while a model compiles or infers, so pings and health checks are answered. A stateless
    policy is one shared instance; any other gets one instance per connection, reused by later ones. Requests are
    answered one at a time, or in batches, in the order in which they came. A connection's next message is not read
    before the last one is answered, so that each has one place in the queue at most and nobody starves.
    """

    def __init__(self, factory: PolicyFactory, options: ServerOptions) -> None:
        self._factory, self._options = factory, options
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="policy")
        self._idle: list[Policy] = []
        self._all: list[Policy] = []
        self._clients = 0
        self._server: Server | None = None
        self._contract: PolicyContract | None = None
        self._metadata = b""
        self._batcher: Batcher | None = None

    @property
    def contract(self) -> PolicyContract:
        """The contract of the served policy, known once started."""
        if self._contract is None:
            raise RuntimeError("the policy server has not been started")
        return self._contract

    async def start(self) -> tuple[str, int]:
        """Make the policy, check its contract, listen; return the address. PolicyError when it cannot be served."""
        contract = await asyncio.get_running_loop().run_in_executor(self._thread, self._load_first)
        self._contract = contract
        announced = {
            "contract": contract.to_dict(),
            "reset": True,
            "max_message_bytes": self._options.max_message_bytes,
        }
        self._metadata = encode({METADATA_KEY: announced})
        try:
            # Pings go out to keep the way through routers open, but a late answer is no reason to hang up: a client
            # may be busy with physics. A request with an Origin comes from a web page, which has no business here.
            self._server = await listen(
                self._converse,
                self._options.host,
                self._options.port,
                compression=None,
                max_size=self._options.max_message_bytes,
                ping_interval=20,
                ping_timeout=None,
                origins=[None],
                process_request=_answer_health_check,
            )
        except (OSError, UnicodeError) as error:  # a name that no host can have is the latter
            where = f"{self._options.host}:{self._options.port}"
            said = getattr(error, "strerror", None) or error
            raise PolicyError(f"cannot listen on {where}: {said}") from error
        host, port = next(iter(self._server.sockets)).getsockname()[:2]
        return str(host), int(port)

    async def close(self) -> None:
        """Hang up on all clients, wait for the running inference, close the policies."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        policies, self._all = self._all, []
        loop = asyncio.get_running_loop()
        closing = [loop.run_in_executor(self._thread, policy.close) for policy in policies]
        for failure in await asyncio.gather(*closing, return_exceptions=True):
            if failure is not None:
                logger.error("a policy could not be closed: %s: %s", type(failure).__name__, failure)
        self._thread.shutdown(wait=False)

    async def _converse(self, connection: ServerConnection) -> None:
        if self._clients >= self._options.max_clients:
            await _refuse(
                connection, f"this server takes {self._options.max_clients} clients at once", _TRY_AGAIN_LATER
            )
            return
        self._clients += 1
        seat = _Seat()
        try:
            await connection.send(self._metadata)
            async for message in connection:
                # Waited for rather than awaited: an error of the policy is the client's to hear and the log's to keep.
                answering: asyncio.Future[bytes]
                if self._batcher is None:
                    answering = asyncio.get_running_loop().run_in_executor(self._thread, self._answer, seat, message)
                else:
                    answering = asyncio.wrap_future(self._batcher.submit(message))
                await asyncio.wait([answering])
                error = answering.exception()
                if error is not None:
                    await self._abandon(seat, error)
                    await _refuse(connection, f"{type(error).__name__}: {error}", _INTERNAL_ERROR)
                    return
                await connection.send(answering.result())
        except ConnectionClosed as closed:
            logger.info("client hung up: %s", closed)
        finally:
            self._clients -= 1
            if seat.policy is not None and not self.contract.stateless:
                self._idle.append(seat.policy)

    async def _abandon(self, seat: _Seat, error: BaseException) -> None:
        if isinstance(error, CodecError | ContractError | ProtocolError):
            logger.warning("refused a request: %s", error)
            return
        logger.error("the policy failed", exc_info=error)
        if not self.contract.stateless and seat.policy is not None:
            # What state a failed policy is in, nobody knows: the next client gets a new one.
            policy, seat.policy = seat.policy, None
            self._all.remove(policy)
            closing = asyncio.get_running_loop().run_in_executor(self._thread, policy.close)
            await asyncio.wait([closing])
            if closing.exception() is not None:
                logger.error("the failed policy could not be closed either", exc_info=closing.exception())

    def _load_first(self) -> PolicyContract:
        policy = self._factory()
        contract = policy.contract
        if contract.privileged:
            policy.close()
            raise PolicyError(
                f"policy {self._factory.spec!r} is privileged: it reads the simulator's state, which no client has; "
                f"valid: policies that see only what their contract lists"
            )
        check_contract(contract)
        if self._options.batch > 1:
            contract = self._in_batches(policy, contract)
        with ForeignCode(PolicyError, f"policy {self._factory.spec!r}", "reset"):
            policy.reset(seed=0, instruction="")
        self._all.append(policy)
        self._idle.append(policy)
        return contract

    def _in_batches(self, policy: Policy, contract: PolicyContract) -> PolicyContract:
        if not contract.stateless or not isinstance(policy, BatchPolicy):
            policy.close()
            raise PolicyError(
                f"policy {self._factory.spec!r} cannot be served in batches: that takes a stateless contract and "
                f"infer_batch; it has {'a' if contract.stateless else 'no'} stateless contract and "
                f"{'infer_batch' if isinstance(policy, BatchPolicy) else 'no infer_batch'}"
            )
        self._batcher = Batcher(
            policy, self._options.batch, self._thread, read=lambda message: self._read(message)[0], write=self._reply
        )
        # Who shares a batch depends on who asks when, and sums over batches of another size end in other last digits.
        return replace(contract, batch=self._options.batch, deterministic=False)

    def _seated(self, seat: _Seat) -> Policy:
        if seat.policy is None:
            if self.contract.stateless:
                seat.policy = self._all[0]
            elif self._idle:
                seat.policy = self._idle.pop()
            else:
                seat.policy = self._factory()
                self._all.append(seat.policy)
            seat.begun = False
        return seat.policy

    def _read(self, message: str | bytes) -> tuple[Mapping[str, Any], Any]:
        """Return the observation of a request, what the contract names alone, and what it says of a reset."""
        if isinstance(message, str):
            raise ProtocolError("a request is a binary msgpack frame, not text")
        request = decode(message)
        if not isinstance(request, Mapping):
            raise ProtocolError(f"a request is a map of observation keys, not {type(request).__name__}")
        observation = dict(request)
        reset = observation.pop(RESET_KEY, None)
        check_observation(self.contract, observation)
        return {spec.key: observation[spec.key] for spec in self.contract.observations}, reset

    def _reply(self, actions: Any, **timing: float) -> bytes:
        name = self.contract.name
        if actions is None:
            raise PolicyFault(f"policy {name!r} gave no actions")
        try:
            return encode({"actions": actions, **({"server_timing": timing} if timing else {})})
        except CodecError as error:
            raise PolicyFault(f"policy {name!r} gave actions that cannot be sent: {error}") from error

    def _answer(self, seat: _Seat, message: str | bytes) -> bytes:
        observation, reset = self._read(message)
        policy = self._seated(seat)
        if not self.contract.stateless and (reset is not None or not seat.begun):
            prompts = [spec.key for spec in self.contract.observations if spec.holds == PROMPT]
            policy.reset(**_reset_arguments(reset, str(observation[prompts[0]]) if prompts else ""))
        seat.begun = True
        # The protocol has a place for timings; nothing here depends on them.
        started = time.perf_counter()
        actions = policy.infer(observation)
        return self._reply(actions, infer_ms=(time.perf_counter() - started) * 1e3)


class ProtocolError(PolicyError):
    """A request that is none of this protocol."""


def _reset_arguments(reset: Any, prompt: str) -> dict[str, Any]:
    if reset is None:  # a client that knows no reset: its connection is one long rollout
        return {"seed": 0, "instruction": prompt}
    seed = reset.get("seed") if isinstance(reset, Mapping) else None
    instruction = reset.get("instruction") if isinstance(reset, Mapping) else None
    if type(seed) is not int or seed < 0 or not isinstance(instruction, str):
        raise ProtocolError(
            f"{RESET_KEY!r} is a map of seed (integer, 0 or more) and instruction (text), not {reset!r}"
        )
    return {"seed": seed, "instruction": instruction}


def _answer_health_check(connection: ServerConnection, request: Request) -> Response | None:
    if request.path == HEALTH_PATH:
        return connection.respond(HTTPStatus.OK, "OK\n")
    return None


async def _refuse(connection: ServerConnection, text: str, code: int) -> None:
    await connection.send(text)
    await connection.close(code, "the reason is in the text frame before this")
