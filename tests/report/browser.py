"""A real browser for tests: headless Chromium over its DevTools protocol."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)


class Page:
    """One tab. `errors` collects console errors and uncaught exceptions, `requests` the addresses asked for."""

    def __init__(self, connection: ClientConnection, session: str) -> None:
        self._connection, self._session = connection, session
        self._numbers = itertools.count(100)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._loaded = False
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters, "sessionId": self._session}
        self._connection.send(json.dumps(message))
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            answer = self._receive(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
        raise TimeoutError(method)

    def _receive(self, deadline: float) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._connection.recv(timeout=max(0.1, deadline - time.monotonic())))
        if message.get("sessionId") == self._session and "method" in message:
            self._note(message["method"], message["params"])
        return message

    def _note(self, method: str, parameters: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(parameters["args"]))
        elif method == "Page.loadEventFired":
            self._loaded = True

    def open(self, address: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Load an address and wait until it has drawn itself."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        # From another document, or an address that differs after its # would not be loaded anew.
        for target in ("about:blank", address):
            self._loaded = False
            self.call("Page.navigate", url=target)
            deadline = time.monotonic() + 20
            while not self._loaded:
                self._receive(deadline)
        self.requests = [request for request in self.requests if request != "about:blank"]
        self.settle()

    def settle(self) -> None:
        """Wait for two animation frames."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def run(self, expression: str) -> Any:
        """Evaluate JavaScript and return its (awaited) value."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "JavaScript failed"))
        return answer["result"].get("value")

    def wait_for(self, condition: str, *, seconds: float = 20.0) -> None:
        """Wait until a JavaScript expression is true."""
        deadline = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > deadline:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def choose(self, control: str, value: str) -> None:
        """Give the control with this id a value, as a user would."""
        self.run(
            f"(() => {{ const node = document.getElementById({json.dumps(control)}); node.value = {json.dumps(value)};"
            " node.dispatchEvent(new Event('input', {bubbles: true}));"
            " node.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )
        self.settle()

    def press(self, key: str, selector: str) -> None:
        """Press a key while the element has the focus."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def texts(self, selector: str) -> list[str]:
        """Return the visible text of every element that matches."""
        nodes = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return list(self.run(f"{nodes}.map(n => (n.innerText ?? n.textContent).trim())"))

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """Save a PNG of the page."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser() -> Iterator[Page]:
    """Start Chromium with a fresh profile, yield one page, and end it."""
    if CHROMIUM is None:
        raise FileNotFoundError("no Chromium on this machine; on Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory(prefix="maniguard-browser-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with connect(_address(Path(profile), process), max_size=None, proxy=None) as connection:
                yield Page(connection, _attach(connection))
        finally:
            process.terminate()
            process.wait(20)


def _address(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """Chromium writes its port and path into its profile when it listens."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            port, path = (profile / "DevToolsActivePort").read_text().split("\n")[:2]
        except (FileNotFoundError, ValueError):
            time.sleep(0.05)
            continue
        return f"ws://127.0.0.1:{port}{path}"
    raise RuntimeError("Chromium did not start")


def _attach(connection: ClientConnection) -> str:
    def ask(number: int, method: str, **parameters: Any) -> dict[str, Any]:
        connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(connection.recv(timeout=60))).get("id") != number:
            pass
        return dict(answer["result"])

    target = ask(1, "Target.createTarget", url="about:blank")["targetId"]
    return str(ask(2, "Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
