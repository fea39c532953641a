"""When a group counts as missing though its item is still there: the rule of every operation that names a group."""

from __future__ import annotations

from enum import Enum
from typing import Any

from sandbox.appsync.context import Util


class Absence(Enum):
    """Why a stored group is not there any more."""

    EXPIRED = "past its expiresAt"
    HOST_GONE = "no heartbeat of its host within the host TTL"


def absence_of(group: dict[str, Any], now_s: int, util: Util) -> Absence | None:
    """None while the group is there. group: as a layout reads it, with `aliveUntil`; now_s: whole epoch seconds."""
    expires_at = group.get("expiresAt")
    if expires_at is not None and now_s > util.iso8601_to_epoch_ms(expires_at) // 1000:
        return Absence.EXPIRED
    return Absence.HOST_GONE if now_s > group["aliveUntil"] else None
