"""The URL of the endpoint under load."""

from __future__ import annotations

from urllib.parse import urlsplit

from capacity.loopback import is_loopback


def target_fault(url: str | None, owned: bool, *, needs_path: bool = True) -> str | None:
    """What is wrong with the URL of the target; None when nothing is. One elsewhere must be `owned` by the user.

    GraphQL `needs_path`, DynamoDB itself does not.
    """
    if not url:
        return "the target is missing"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"{url!r} is no http or https URL"
    if parts.username is not None or parts.password is not None:
        return "the target's URL holds a user name or password, which run.json would keep; leave it out"
    if needs_path and parts.path in ("", "/"):
        return f"{url!r} does not say where GraphQL is"
    if not is_loopback(url) and not owned:
        return f"{parts.hostname} is not on this machine; add --i-own-this-endpoint if it is yours to load"
    return None
