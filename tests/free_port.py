"""Ports for programs that must be told one before they listen."""

from __future__ import annotations

import itertools
import os
import socket
from contextlib import suppress

_ports = itertools.count(20_000 + os.getpid() % 240 * 50)
"""Below those that systems give away on their own, and others in each process that runs tests beside this one."""


def free_port() -> int:
    """A TCP port of loopback that nobody listens on, and that nobody is given before the program listens on it."""
    while True:
        port = next(_ports)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
