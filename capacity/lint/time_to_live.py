"""Short-lived items without TTL: they are stored for ever, or deleted for write units that TTL doesn't take.

Source: Developer Guide, TTL (read 2026-11-30): deletes by TTL consume no write units in the table's own region.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from capacity.lint.finding import Finding
from capacity.lint.subject import Subject

NAME = "time-to-live"
TITLE = "Missing TTL"
_MILLION = 1_000_000.0
_SHORT_LIVED = re.compile(
    r"session|token|cache|log(s|\b|_|$)|event|heartbeat|presence|lock|otp|nonce|notification|temp|audit|history"
    r"|connection|job|queue|timeline|message",
    re.IGNORECASE,
)
_EXPIRY = re.compile(r"ttl$|expir|valid_?until|delete_?(at|after)|purge", re.IGNORECASE)


def check(subject: Subject) -> Iterator[Finding]:
    """A table without TTL whose name or whose samples' attributes speak of items that end."""
    table = subject.table
    if table.ttl_attribute is not None or "time to live" not in subject.described.knows:
        return
    expiries = _expiries(subject)
    named = _SHORT_LIVED.search(table.name)
    if not expiries and named is None:
        return
    why = f"items carry {expiries[0]}" if expiries else f"its name speaks of {named.group().lower()}" if named else ""
    prices = subject.prices
    gigabytes = subject.item_bytes * _MILLION / 1e9
    stored = prices.cost_usd("dynamodb.storage.standard_gb_month", gigabytes)
    deleted = prices.cost_usd("dynamodb.on_demand.write_unit", subject.put_units * _MILLION)
    attribute = expiries[0] if expiries else "expires_at"
    yield subject.finding(
        NAME,
        "advice",
        None,
        f"no TTL, though {why}: each million items ({subject.sized}) stays as {gigabytes:.3g} GB for {stored:.2f} USD "
        f"a month, every month; deleting it by hand takes {subject.put_units * _MILLION:,.0f} write units, "
        f"{deleted:.2f} USD on demand ({prices.region}). TTL takes none.",
        f"Set TimeToLiveSpecification: {{AttributeName: {attribute}, Enabled: true}}, epoch seconds as a Number.",
        storage_gb_per_million_items=gigabytes,
        storage_usd_per_month=stored,
        delete_usd_per_million_items=deleted,
    )


def _expiries(subject: Subject) -> list[str]:
    names = dict.fromkeys(name for item in subject.items for name in item)
    return [name for name in (*names, *subject.table.attribute_types) if _EXPIRY.search(name)]
