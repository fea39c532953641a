"""What an hour of a load costs, on demand, in closed form: for comparing one change with another."""

from __future__ import annotations

from dataclasses import replace

from capacity.pricing.prices import PriceList
from capacity.studies.pressure import Load, Model

_FOREVER_S = 1e12  # nobody arrives any more


def hour_usd(model: Model, load: Load, prices: PriceList) -> float:
    """Dollars of one hour of the hold: requests, units of the table and its indexes, deliveries and connections."""
    load = replace(load, ramp_s=_FOREVER_S)
    typical, total = model.typical(load), 0.0
    for operation, rate in model.rates_per_s(load).items():
        units = sum(
            amount * prices.unit_usd(f"dynamodb.on_demand.{kind}_unit")
            for (_, kind), amount in typical[operation].units.items()
        )
        total += rate * (prices.unit_usd("appsync.operation") + units)
    listeners = load.websocket * load.nodes
    published = listeners * (load.reports_per_s + load.event_batches_per_s)
    total += published * load.nodes_per_group * prices.unit_usd("appsync.realtime_message")
    return 3600 * total + 60 * listeners * prices.unit_usd("appsync.connection_minute")
