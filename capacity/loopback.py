"""Which addresses are this machine's alone: what may be loaded, or listened on, without anybody's leave."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback_host(host: str) -> bool:
    """Whether a host name or address is this machine's loopback interface."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_loopback(url: str | None) -> bool:
    """Whether a URL's host is this machine's loopback interface; None is not."""
    return is_loopback_host(urlsplit(url or "").hostname or "")
