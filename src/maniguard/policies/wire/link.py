"""A websocket to a policy server: patient when it connects, bounded when it waits, gone for good once it is lost."""

from __future__ import annotations

import socket
import struct
import time

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage
from websockets.protocol import State
from websockets.sync.client import ClientConnection, connect

from maniguard.policies.wire.address import bracketed
from maniguard.policies.wire.codec import MAX_MESSAGE_BYTES
from maniguard.rollout.faults import InfraError

_RETRY_S = 0.25


class PolicyConnectionError(InfraError):
    """A policy server that cannot be reached, does not answer in time, hung up, or does not speak the protocol."""


class LostError(PolicyConnectionError):
    """The connection was there and is gone."""


class Patience:
    """Waits for `whom` to listen at `address`, for `wait_s` seconds from when it is made."""

    def __init__(self, address: str, wait_s: float, whom: str = "policy server") -> None:
        self._address, self._wait_s, self._whom = address, wait_s, whom
        self._give_up_at = time.monotonic() + wait_s

    def try_again(self, error: Exception | None = None) -> None:
        """Return a little later, when it is time for the next try; PolicyConnectionError when there is to be none."""
        if time.monotonic() >= self._give_up_at:
            why = "" if error is None else f": {error}"
            raise PolicyConnectionError(
                f"no {self._whom} listens on {self._address} (waited {self._wait_s:g} s{why}); "
                f"start one, or wait longer with ?wait_s=SECONDS"
            ) from error
        time.sleep(_RETRY_S)


class PolicyLink:
    """One connection to `ws://HOST:PORT`, opened by `open` and anew by the next `open`.

    `wait_s`: how long to wait for somebody to listen. `timeout_s`: how long to wait for one message. `kind` names the
    protocol in messages. Every failure is a PolicyConnectionError and leaves the link closed.
    """

    def __init__(self, host: str, port: int, *, kind: str, wait_s: float, timeout_s: float) -> None:
        self.address = f"ws://{bracketed(host)}:{port}"
        self._host, self._kind, self._wait_s, self._timeout_s = host, kind, wait_s, timeout_s
        self._connection: ClientConnection | None = None
        self._sends_are_bounded = False

    @property
    def is_open(self) -> bool:
        """Whether there is a connection that nobody has closed yet, as far as is known."""
        return self._connection is not None and self._connection.state is State.OPEN

    def open(self) -> None:
        """Connect, hanging up on what there was."""
        self.close()
        patience = Patience(self.address, self._wait_s)
        while True:
            try:
                # Keepalive pings are off: a server that blocks its event loop while a model compiles answers none,
                # and would be hung up on. No proxy: robots and their servers stand in one network.
                self._connection = connect(
                    self.address,
                    compression=None,
                    max_size=MAX_MESSAGE_BYTES,
                    ping_interval=None,
                    open_timeout=self._timeout_s,
                    close_timeout=1.0,
                    proxy=None,
                )
                break
            except (InvalidHandshake, InvalidMessage) as error:
                # A server that goes away in the middle of the handshake says nothing; one of another kind does.
                if not isinstance(error.__cause__, EOFError | ConnectionError):
                    raise PolicyConnectionError(f"{self.address} is no {self._kind} policy server: {error}") from error
                patience.try_again(error)
            except socket.gaierror as error:
                raise PolicyConnectionError(f"no host {self._host!r} for policy server {self.address}") from error
            except TimeoutError as error:
                raise PolicyConnectionError(
                    f"policy server {self.address} did not open a connection within {self._timeout_s:g} s"
                ) from error
            except (OSError, ConnectionClosed) as error:  # nobody there, or somebody who is just going
                patience.try_again(error)
        self._sends_are_bounded = False

    def send(self, message: bytes) -> None:
        """Send one binary frame; LostError when the peer is gone."""
        connection = self._live()
        try:
            if not self._sends_are_bounded:
                # A peer that has stopped reading would block a large send for ever. Not set when connecting: a server
                # that turns us away has closed the socket by then, and what it said is still to be received.
                limit = struct.pack("@ll", int(self._timeout_s) + 1, 0)
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
                self._sends_are_bounded = True
            connection.send(message)
        except OSError as error:
            self.close()
            raise LostError(f"policy server {self.address} hung up ({error.strerror or error})") from error
        except ConnectionClosed as error:
            raise self._lost(error, "hung up") from error

    def receive(self, what: str) -> str | bytes:
        """Return the next frame; `what` says in messages what was waited for."""
        connection = self._live()
        try:
            return connection.recv(timeout=self._timeout_s)
        except TimeoutError as error:
            self.close()
            raise PolicyConnectionError(
                f"policy server {self.address} did not send {what} within {self._timeout_s:g} s; "
                f"wait longer with ?timeout_s=SECONDS"
            ) from error
        except ConnectionClosed as error:
            raise self._lost(error, f"hung up before it sent {what}") from error

    def close(self) -> None:
        """Hang up; harmless when there is no connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _live(self) -> ClientConnection:
        if self._connection is None:
            raise PolicyConnectionError(
                f"the connection to policy server {self.address} was lost earlier in this rollout"
            )
        return self._connection

    def _lost(self, error: ConnectionClosed, what: str) -> LostError:
        # With the peer's close frame the reason is known; without one the process or the network went away.
        frame = error.rcvd or error.sent
        reason = f"{frame.code} {frame.reason}".strip() if frame is not None else "no close frame: killed or cut off"
        self.close()
        return LostError(f"policy server {self.address} {what} ({reason})")
