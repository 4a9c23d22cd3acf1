"""A ZeroMQ REQ socket that is tied to one run of one server, and knows at once when that server is gone.

ZeroMQ by itself waits for ever, and connects again by itself: a server that was killed and started anew would answer
as if it were the same, with nothing of the rollout in its memory. So reconnection is off, the events of the socket are
watched while waiting, and a socket that lost its server, or was given up on, is closed and never used again. An answer
that comes late has nowhere to go.
"""

from __future__ import annotations

import importlib
import socket
import time
from typing import Any

from maniguard.policies.policy import PolicyError
from maniguard.policies.wire.codec import MAX_MESSAGE_BYTES
from maniguard.policies.wire.link import LostError, Patience, PolicyConnectionError


class GrootLink:
    """One connection to a ZeroMQ address, opened by `open` and anew, with a new socket, by the next `open`.

    `wait_s`: how long to wait for somebody to listen. `timeout_s`: how long to wait for one message. Every failure of
    the network is a PolicyConnectionError and leaves the link closed; PolicyError when pyzmq is not installed.
    """

    def __init__(self, host: str, address: str, *, wait_s: float, timeout_s: float) -> None:
        self.address = address
        self._host, self._wait_s, self._timeout_s = host, wait_s, timeout_s
        self._zmq, self._monitor = _zeromq()
        self._context: Any = None
        self._socket: Any = None
        self._events: Any = None

    @property
    def is_open(self) -> bool:
        """Whether there is a connection, as far as is known."""
        if self._socket is not None and self._has_hung_up():
            self.close()
        return self._socket is not None

    def open(self) -> None:
        """Connect, hanging up on what there was."""
        zmq, patience = self._zmq, Patience(self.address, self._wait_s, "GR00T policy server")
        refused = {zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL, zmq.EVENT_HANDSHAKE_FAILED_AUTH}
        over = {zmq.EVENT_CLOSED, zmq.EVENT_DISCONNECTED, zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL}
        try:
            socket.getaddrinfo(self._host, None)
        except socket.gaierror as error:
            raise PolicyConnectionError(f"no host {self._host!r} for policy server {self.address}") from error
        self.close()
        while True:
            self._connect()
            # Somebody who listens has as long as for an answer; nobody there is known at once.
            until = time.monotonic() + max(self._wait_s, min(self._timeout_s, 10.0))
            while (event := self._event(until)) != zmq.EVENT_HANDSHAKE_SUCCEEDED:
                if event in refused:
                    self.close()
                    raise PolicyConnectionError(f"{self.address} does not speak ZeroMQ")
                if event is None or event in over:
                    break
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                return
            self.close()
            patience.try_again()

    def send(self, message: bytes, what: str) -> None:
        """Send one request; LostError when the server is gone, and when it takes no request in time."""
        self._wait(self._zmq.POLLOUT, f"took no request for {what}", f"hung up before it was asked for {what}")
        # Not waited for again: what was writable a moment ago is written, or lost with its connection.
        try:
            self._socket.send(message, self._zmq.NOBLOCK)
        except self._zmq.Again as error:
            raise self._lost(f"hung up before it was asked for {what}") from error

    def receive(self, what: str) -> bytes:
        """Return the answer; LostError when the server is gone, PolicyConnectionError when none comes in time."""
        self._wait(
            self._zmq.POLLIN,
            f"did not answer {what}",
            f"hung up before it answered {what}, or answered with over {MAX_MESSAGE_BYTES} bytes",
        )
        answer: bytes = self._socket.recv()
        return answer

    def close(self) -> None:
        """Hang up and throw away whatever is still on its way; harmless when there is no connection."""
        if self._context is not None:
            if self._socket is not None:
                self._socket.disable_monitor()
            self._context.destroy(linger=0)
            self._context = self._socket = self._events = None

    def _connect(self) -> None:
        zmq = self._zmq
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.REQ)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.IPV6, int(":" in self._host))
        self._socket.setsockopt(zmq.RECONNECT_IVL, -1)
        # Nothing is queued for a server that is not there.
        self._socket.setsockopt(zmq.IMMEDIATE, 1)
        self._socket.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
        self._events = self._socket.get_monitor_socket()
        self._socket.connect(self.address)

    def _wait(self, flag: int, late: str, gone: str) -> None:
        """Wait until the socket is ready; what is ready counts before a hang-up that came after it."""
        zmq, give_up_at = self._zmq, time.monotonic() + self._timeout_s
        if self._socket is None:
            raise PolicyConnectionError(
                f"the connection to policy server {self.address} was lost earlier in this rollout"
            )
        poller = zmq.Poller()
        poller.register(self._socket, flag)
        poller.register(self._events, zmq.POLLIN)
        while (left_s := give_up_at - time.monotonic()) > 0:
            ready = dict(poller.poll(int(left_s * 1000) + 1))
            if self._events in ready and flag == zmq.POLLOUT and self._has_hung_up():
                raise self._lost(gone)
            if self._socket in ready:
                return
            if self._events in ready and self._has_hung_up():
                raise self._lost(gone)
        self.close()
        raise PolicyConnectionError(
            f"policy server {self.address} {late} within {self._timeout_s:g} s; wait longer with ?timeout_s=SECONDS"
        )

    def _event(self, until: float) -> int | None:
        """Return the next event of the socket, or None when there is none by `until`."""
        if not self._events.poll(max(0, int((until - time.monotonic()) * 1000))):
            return None
        return int(self._monitor.recv_monitor_message(self._events)["event"])

    def _has_hung_up(self) -> bool:
        gone = False
        while (event := self._event(0.0)) is not None:
            gone = gone or event == self._zmq.EVENT_DISCONNECTED
        return gone

    def _lost(self, what: str) -> LostError:
        self.close()
        return LostError(f"policy server {self.address} {what}")


def _zeromq() -> tuple[Any, Any]:
    try:
        return importlib.import_module("zmq"), importlib.import_module("zmq.utils.monitor")
    except ModuleNotFoundError as error:
        raise PolicyError("groot:// needs pyzmq, which is not installed: pip install 'maniguard[groot]'") from error
