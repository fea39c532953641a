"""A search for the highest rate as it may end: three rates held, two not, one of which the generator could not send."""

from __future__ import annotations

from capacity.studies.highest_rate import HighestRate, Limits, Probe


def probe(factor: float, p99_ms: float | None, lost: float | None, *gave_way: str, outcome: str = "") -> Probe:
    """A run of `factor` times 64 requests/s."""
    return Probe(
        factor=factor,
        run=f"2026-11-30T13-3{factor:.0f}-00Z-classroom-x{factor:g}",
        held=not gave_way,
        outcome=outcome or ("failed" if gave_way else "passed"),
        gave_way=list(gave_way),
        planned_requests_per_s=64 * factor,
        requests_per_s=63.8 * factor,
        deliveries_per_s=252 * factor,
        achieved=0.997,
        p99_ms=p99_ms,
        lost=lost,
        generator_cpu_percent=9 * factor,
        forecast_usd=0.012 * factor,
    )


SEARCH = HighestRate(
    scenario_name="classroom",
    scenario_digest="5e1f0c2ba9d84763",
    target="sandbox",
    limits=Limits(),
    probe_hold_s=20,
    status="out of probes",
    probes=[
        probe(1, 9, 0),
        probe(2, 11, 0),
        probe(4, 19, 0),
        probe(
            8,
            None,
            None,
            "81 % of the plan was sent while the busiest process used 97 % of a core",
            outcome="not valid",
        ),
        probe(6, 340, 12, "latency.p(99) < 100ms: 340 ms", "deliveries.lost == 0: 12"),
    ],
)
