"""API keys: several, each with an expiry of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

MISSING = "Valid authorization header not provided."
REFUSED = "You are not authorized to make this call."


class Unauthorized(Exception):
    """No key, an unknown one, or one past its expiry; the message is AppSync's."""


class ApiKeys:
    """`expires_s`: key -> epoch seconds after which it is refused; a key that is not named does not expire."""

    def __init__(
        self, keys: Iterable[str], clock: Callable[[], float], expires_s: Mapping[str, float] | None = None
    ) -> None:
        self._expires_s: dict[str, float | None] = {key: (expires_s or {}).get(key) for key in keys}
        self._clock = clock

    def check(self, key: Any) -> None:
        """Raises Unauthorized."""
        if not key:
            raise Unauthorized(MISSING)
        try:
            expires_s = self._expires_s[key]
        except (KeyError, TypeError):
            raise Unauthorized(REFUSED) from None
        if expires_s is not None and self._clock() >= expires_s:
            raise Unauthorized(REFUSED)
