"""Chromium without a window, driven over its DevTools protocol: open a page, see it, and see what it asked for."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

BINARY = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


class Page:
    """One tab: the requests that left it, the errors on its console, and pictures of it."""

    def __init__(self, connection: ClientConnection):
        self._connection = connection
        self._last_id = 0
        self.requests: list[str] = []
        self.errors: list[str] = []
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a DevTools method and return its result; events that come meanwhile are noted."""
        self._last_id += 1
        self._connection.send(json.dumps({"id": self._last_id, "method": method, "params": parameters}))
        while True:
            message = self._receive()
            if message.get("id") == self._last_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return dict(message["result"])

    def _receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._connection.recv(timeout=30))
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            case "Runtime.exceptionThrown":
                self.errors.append(str(message["params"]["exceptionDetails"]))
            case "Log.entryAdded" if message["params"]["entry"]["level"] == "error":
                self.errors.append(message["params"]["entry"]["text"])
            case "Runtime.consoleAPICalled":
                self.errors.append(str(message["params"]["args"]))
        return message

    def open(self, path: Path, *, width: int, scheme: str = "light", media: str = "screen", height: int = 900) -> None:
        """Load a file at a width in CSS pixels, in a colour scheme, for the screen or for print."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        self.call("Page.navigate", url=path.resolve().as_uri())
        while self._receive().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript in the page and return its value."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """Save a PNG of the whole page, or of what the window shows."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))
        path.write_bytes(base64.b64decode(answer["data"]))

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def pdf(self, path: Path) -> None:
        """Print to A4."""
        self.call("Emulation.clearDeviceMetricsOverride")
        self.call("Emulation.setEmulatedMedia", media="")
        answer = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        path.write_bytes(base64.b64decode(answer["data"]))


@contextmanager
def chromium() -> Iterator[Page]:
    """Start Chromium with an empty profile, yield its page, and end it."""
    assert BINARY is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # its processes may still be writing
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0"]
        quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
        process = subprocess.Popen(
            [BINARY, *options, *quiet, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": profile},
        )
        try:
            with connect(_page_url(Path(profile)), max_size=None) as connection:
                yield Page(connection)
        finally:
            process.terminate()
            process.wait(timeout=20)


def _page_url(profile: Path) -> str:
    from urllib.request import urlopen

    port_file = profile / "DevToolsActivePort"
    for _ in range(200):
        if port_file.exists() and len(lines := port_file.read_text().splitlines()) >= 2:
            with urlopen(f"http://127.0.0.1:{lines[0]}/json/list", timeout=10) as answer:
                pages = [target for target in json.load(answer) if target["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
        time.sleep(0.1)
    raise RuntimeError("Chromium did not start within 20 s")
