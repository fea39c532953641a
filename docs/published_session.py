"""Writes docs/published_session.md: the published cost estimate of one session, redone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path

from capacity.pricing.prices import load
from capacity.pricing.published_session import (
    PublishedLine,
    RealSession,
    Variant,
    corrections,
    document,
    printed_price,
    published_lines,
    real_session,
    total_as_printed,
    unit_price,
)

PAGE = Path(__file__).with_suffix(".md")
OLD, NEW = load("ap-northeast-1", "2024-10"), load("ap-northeast-1", "2024-11")
TITLES: dict[Variant, str] = {"websocket": "WebSocket", "polling": "Polling"}
REAL: dict[Variant, RealSession] = {variant: real_session(variant, OLD) for variant in TITLES}
COLUMNS = {
    "requests": "appsync.operation",
    "deliveries": "appsync.realtime",
    "reads": "dynamodb.on_demand.read",
    "writes, indexes too": "dynamodb.on_demand.write",
    "Lambda": "lambda",
}


def page() -> str:
    """The whole page."""
    parts = [_opening(), "## With its own assumptions", *map(_published, TITLES), _price_parts(), _faults()]
    parts += ["## With the real rules", *map(_real, TITLES), _findings()]
    return "\n\n".join(parts) + "\n"


def _opening() -> str:
    source = document()["source"]
    return "# A published estimate, redone\n\n" + _text(
        f"""The system's own cost document ({source["title"]}, {source["date"]:%Y-%m}) prices one 35-minute session of a
        host and five members: three nodes report every second for ten minutes, and 50 batches of events are sent. This
        page follows it with its own assumptions to the last digit it prints, and then charges the same session by the
        rules of DynamoDB and AppSync. `python docs/published_session.py` writes it, and a test holds it against the
        model."""
    )


def _published(variant: Variant) -> str:
    rows = published_lines(variant)
    exact = sum((row.exact for row in rows), Decimal(0))
    return "\n\n".join(
        [
            f"{TITLES[variant]}, total printed ${document()[variant]['total']}:",
            _table(("line", "count", "unit, $", "exact, $", "printed, $", "follows"), map(_published_row, rows)),
            _text(
                f"""Sum with the unit prices as printed: ${total_as_printed(variant)}; with the unit prices as they
                follow from their parts: ${exact:.8f}."""
            ),
        ]
    )


def _published_row(row: PublishedLine) -> Sequence[str]:
    follows = "yes" if row.follows else "**no**"
    return row.line, f"{row.count:,}", _plain(row.unit_usd), _plain(row.exact), str(row.printed), follows


def _price_parts() -> str:
    rows = []
    for name, call in document()["calls"].items():
        found = "derived" if call.get("derived") else "stated"
        rows.append((name, _plain(unit_price(name)), _plain(printed_price(name)), _parts(call["made_of"]), found))
    return "\n\n".join(
        [
            _text(
                """The prices per call are made of unit prices. *Derived* marks those whose parts the document does not
                name and that were found from its figure:"""
            ),
            _table(("call", "from its parts, $", "printed, $", "parts", ""), rows),
        ]
    )


def _faults() -> str:
    shares = document()["group_hour"]["shares_percent"]
    exact, printed = _plain(unit_price("pollGroupData")), _plain(printed_price("pollGroupData"))
    named = ", ".join(f"{name} {percent} %" for name, percent in shares.items())
    hour, minutes = Decimal(document()["group_hour"]["printed"]), document()["session"]["minutes"]
    scaled = Decimal(document()["websocket"]["total"]) * 60 / minutes
    requests = hour * shares["requests"] / 100 / unit_price("operation")
    writes = hour * shares["writes"] / 100 / unit_price("write")
    lambda_ms = {name: NEW.unit_usd(f"lambda.{name}_gb_second") / 8 / 1000 for name in ("x86", "arm")}
    faults = (
        f"""**The price of a poll was rounded before it was multiplied.** Ten status rows and three event reads make
        ${exact}; the document multiplies ${printed} and ends $0.000026 short. It is the only line that does not follow
        from the document's own assumptions.""",
        f"**Its shares of a group-hour add up to {sum(shares.values())} %**, not to 100: {named}.",
        f"""**Its group-hour of ${hour} does not follow.** The session's total is ${scaled:.4f} an hour; and by its own
        shares and prices the group would make {writes:,.0f} writes with {requests:,.0f} requests, of which none makes
        more than one but for joining, leaving and event batches.""",
        f"""**Lambda's millisecond.** ${_plain(unit_price("lambda_ms"))} at 128 MB is ARM's ${lambda_ms["arm"]:.12f}
        rounded up; on x86 it is ${lambda_ms["x86"]:.12f}. The session spends too little on Lambda for it to show.""",
        """**Logs, data transfer and storage are not in it.** `meshcap cost` shows what AppSync's request logs and the
        answers on their way out would add.""",
        """**Old prices.** Its on-demand prices had been halved 17 months before it was written, on 2024-11-01.""",
        """**Whole read units.** AppSync reads eventually consistent unless asked otherwise: half a unit per 4 KB.""",
        """**One unit per row.** A Query adds its rows up and rounds once: ten rows of about 400 bytes are half a unit,
        not ten.""",
        """**No index writes.** A status put writes GroupIdIndex too, and a host's heartbeat both indexes.""",
        """**Deliveries to four.** AppSync delivers to every subscriber, the sender included: to six.""",
        """**Calls left out**: five of six createDomain, every listGroupsByDomain, the statuses that each member reads
        on joining, and over WebSocket the sync of each node every 15 seconds, which is 840 requests a session.""",
        """**Five pollers of six.** The host polls as well.""",
        """**Connecting is a message** that is billed, once per node.""",
        """**An event batch is not free of reads.** fireEventsByNode checks the group: half a unit.""",
        """**Deletes.** It counts 1 + 3m for a dissolution. The deployed code deletes every row it finds, and then a
        node's own record once for every node *and* status row: 9 + 8 in this session, in which three nodes have
        reported, and 12 + 11 when all six have.""",
    )
    return "## What does not follow, or is not so\n\n" + _bullets(faults)


def _real(variant: Variant) -> str:
    so_far, steps = 0.0, []
    for step in corrections(variant, OLD, NEW):
        so_far += step.usd
        if abs(step.usd) >= 5e-7:
            steps.append((step.what, f"{step.usd:+.6f}", f"{so_far:.6f}"))
    real = REAL[variant]
    named = {line.operation for line in real.lines if line.operation}
    operations = sorted(named, key=lambda name: (-round(real.usd_of(name), 12), name))
    calls = [
        (name, f"{real.calls(name):,}", *(f"{real.usd_of(name, price) * 1000:.4f}" for price in COLUMNS.values()))
        for name in operations
    ]
    return "\n\n".join(
        [
            f"{TITLES[variant]}:",
            _table(("step", "change, $", "session, $"), steps),
            f"Its calls in thousandths of a dollar, at the document's prices (total {real.usd * 1000:.3f}):",
            _table(("operation", "calls", *COLUMNS), calls),
        ]
    )


def _findings() -> str:
    websocket, polling = (real_session(variant, NEW).usd for variant in TITLES)
    before, after = (Decimal(document()[variant]["total"]) for variant in TITLES)
    request, read = unit_price("operation") * 10**6, unit_price("read") * 10**6
    two, one = 34 * request + 34 * read / 2, 30 * request + 30 * read
    findings = (
        f"""Polling costs {polling / websocket:.2f} times as much as WebSocket, not {after / before:.2f} times. A poll
        is charged one read unit where 13 were counted, and WebSocket's deliveries and syncs are more.""",
        f"""At today's prices a session costs ${websocket:.4f} over WebSocket and ${polling:.4f} by polling, not
        ${before:.4f} and ${after:.4f}.""",
        f"""Joining two polling queries into one did not make polling dearer (from ${document()["two_queries"]["total"]}
        to ${_plain(5250 * printed_price("pollGroupData"))}, as printed). At the document's prices a polling node's
        minute fell from {two:.1f} to {one:.1f} millionths of a dollar: 34 requests and 17 read units before, 30 of each
        since.""",
    )
    return "## What it changes\n\n" + _bullets(findings)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _text(text: str, **options: str) -> str:
    return textwrap.fill(" ".join(text.split()), 118, break_long_words=False, break_on_hyphens=False, **options)


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(_text(text, initial_indent="* ", subsequent_indent="  ") for text in texts)


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _parts(made_of: dict[str, int]) -> str:
    names = {"operation": "request", "lambda_request": "Lambda call", "lambda_ms": "ms of Lambda"}
    return " + ".join(f"{count} {names.get(unit, unit)}" for unit, count in made_of.items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
