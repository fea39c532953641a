"""What a sandbox imitates beyond its protocols, as command line and environment give it: quotas, delays, API keys."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from meshcap.errors import UserError

if TYPE_CHECKING:
    from sandbox.appsync.behaviour import Behaviour, Delay


def behaviour(region: str, quotas: bool, delays: Mapping[str, str | None]) -> Behaviour:
    """Quotas of the region if they are wanted, and delays by option (--latency, --lambda-latency, --cold-start).

    Raises UserError with every fault.
    """
    from sandbox.appsync.behaviour import Behaviour

    chosen: dict[str, Delay] = {}
    faults = []
    for option, text in delays.items():
        if text is None:
            continue
        try:
            chosen[option] = _delay(text)
        except ValueError as fault:
            faults.append(f"{option} {text!r}: {fault}; write median and 99th percentile, like 20ms,120ms")
    if faults:
        raise UserError("\n".join(faults))
    quota = Behaviour.quotas_of(region) if quotas else Behaviour()
    return quota.with_delays(chosen.get("--latency"), chosen.get("--lambda-latency"), chosen.get("--cold-start"))


def _delay(text: str) -> Delay:
    from capacity.scenario.quantities import parse_duration_s
    from sandbox.appsync.behaviour import Delay

    parts = [1000 * parse_duration_s(part.strip()) for part in text.split(",")]
    if len(parts) != 2:
        raise ValueError("one duration instead of two" if len(parts) == 1 else f"{len(parts)} durations instead of two")
    return Delay(*parts)


FURTHER_KEYS = "MESHCAP_FURTHER_API_KEYS"
"""Environment variable of a sandbox's API keys beside that of MESHCAP_API_KEY: keys stand on no command line."""


def further_api_keys(text: str) -> tuple[tuple[str, ...], dict[str, float]]:
    """Keys and their expiry in epoch seconds, from `da2-two,da2-three@2026-12-31T00:00:00Z`; a time without offset is
    UTC. Raises UserError with every fault, by the number of the key."""
    keys: list[str] = []
    expires_s: dict[str, float] = {}
    faults = []
    for number, each in enumerate(filter(None, (part.strip() for part in text.split(","))), 1):
        key, at, time = each.partition("@")
        if not key:
            faults.append(f"key {number} is empty")
            continue
        keys.append(key)
        if not at:
            continue
        try:
            expiry = datetime.fromisoformat(time)
        except ValueError:
            faults.append(f"key {number} expires at {time!r}, which is no time")
            continue
        expires_s[key] = (expiry if expiry.tzinfo else expiry.replace(tzinfo=UTC)).timestamp()
    if faults:
        raise UserError(f"{FURTHER_KEYS}: {'; '.join(faults)}; example: da2-second@2026-12-31T00:00:00Z,da2-third")
    return tuple(keys), expires_s
