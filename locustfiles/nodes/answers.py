"""What an answer to a GraphQL request means: done, refused by the service, or no valid answer at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import orjson

Outcome = Literal["ok", "refused", "error"]

# A client that is told one of these has lost its place in the group and disconnects (public client code, 2026-09).
_DISCONNECTING = frozenset(("GroupNotFound", "Unauthorized", "NodeNotFound"))


@dataclass(slots=True)
class Answer:
    """One answer. `data` is the operation's own field, None unless the outcome is ok."""

    outcome: Outcome
    data: Any = None
    error_type: str | None = None
    error_message: str | None = None
    received: bool = True
    """False when nothing came back: whether the service did the work is then unknown."""

    @property
    def disconnects(self) -> bool:
        """Whether a client leaves its group on this answer."""
        if self.outcome != "refused":
            return False
        return self.error_type in _DISCONNECTING or "not found" in (self.error_message or "").lower()


def read_answer(operation: str, status: int, content: bytes) -> Answer:
    """Read an HTTP answer of the service; `status` is its HTTP status."""
    try:
        document = orjson.loads(content)
        errors = document.get("errors") if status == 200 or content else None
    except (orjson.JSONDecodeError, AttributeError):
        return Answer("error", error_type=f"HTTP {status}", error_message=_excerpt(content))
    if errors:
        first = errors[0] if isinstance(errors, list) else errors
        error_type = first.get("errorType") if isinstance(first, dict) else None
        message = first.get("message") if isinstance(first, dict) else first
        return Answer(
            "refused",
            error_type=str(error_type or f"HTTP {status}")[:100],
            error_message=None if message is None else str(message)[:500],
        )
    if status != 200:
        return Answer("error", error_type=f"HTTP {status}", error_message=_excerpt(content))
    return Answer("ok", data=(document.get("data") or {}).get(operation))


def no_answer(exception: BaseException) -> Answer:
    """The connection failed or the answer did not come in time."""
    return Answer("error", error_type=type(exception).__name__, error_message=str(exception)[:200], received=False)


def _excerpt(content: bytes) -> str:
    return content[:200].decode("utf-8", "replace")
