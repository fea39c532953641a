"""What a sandbox imitates beyond its protocols, from the options of the command line: quotas, delays, API keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def api_keys(further: Sequence[str]) -> tuple[tuple[str, ...], dict[str, float]]:
    """Keys and their expiry in epoch seconds, from `da2-key` and `da2-key@2026-12-31T00:00:00Z`; a time without offset
    is UTC. Raises UserError with every fault."""
    keys: list[str] = []
    expires_s: dict[str, float] = {}
    faults = []
    for each in further:
        key, at, time = each.partition("@")
        if not key:
            faults.append(f"--api-key {each!r} names no key; example: --api-key da2-second@2026-12-31T00:00:00Z")
            continue
        keys.append(key)
        if not at:
            continue
        try:
            expiry = datetime.fromisoformat(time)
        except ValueError:
            faults.append(f"--api-key {each!r}: {time!r} is no time; example: da2-second@2026-12-31T00:00:00Z")
            continue
        expires_s[key] = (expiry if expiry.tzinfo else expiry.replace(tzinfo=UTC)).timestamp()
    if faults:
        raise UserError("\n".join(faults))
    return tuple(keys), expires_s
