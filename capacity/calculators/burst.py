"""How long does a burst last, when is the first request throttled, and what would prevent it?"""

from __future__ import annotations

import math

from capacity.calculators.answer import Answer, CalculatorError, amount, duration, finite
from capacity.dynamodb.burst import Burst, refill_s
from capacity.dynamodb.inverse import largest_key_share, smallest_setting
from capacity.dynamodb.partitions import new_partitions
from capacity.dynamodb.table import Throughput
from capacity.physics.parameters import DEFAULT, Kind

LONGEST_S = 7 * 86_400


def burst(
    supply: float,
    demand: float,
    *,
    kind: Kind = "write",
    for_s: float | None = None,
    partitions: int | None = None,
    key_share: float = 0.0,
    idle_s: float = math.inf,
) -> Answer:
    """A steady demand on provisioned throughput, both in units per second, in the deck's world of an even split.

    `for_s`: how long the demand lasts, for the smallest setting that survives it. `partitions`: by default what a new
    table of this setting has. `key_share`: part of the demand on one key, 0 to 1. `idle_s`: seconds without traffic
    before. Raises CalculatorError for numbers out of range.
    """
    faults = [
        text
        for wrong, text in (
            (supply <= 0, f"supply must be above 0 units/s, got {amount(supply)}"),
            (demand < 0, f"demand must not be negative, got {amount(demand)}"),
            (not 0 <= key_share <= 1, f"the share of one key lies between 0 and 1, got {amount(key_share)}"),
            (partitions is not None and partitions < 1, f"there is at least 1 partition, got {partitions}"),
            (not 1 <= (1 if for_s is None else for_s) <= LONGEST_S, f"it lasts from 1 s to 7 days, got {for_s} s"),
            (idle_s < 0, f"idle time must not be negative, got {amount(idle_s)}"),
        )
        if wrong
    ]
    if faults:
        raise CalculatorError("; ".join(faults) + "; example: --supply 150 --demand 200 --kind read")
    ceiling = DEFAULT.ceiling(kind)
    throughput = Throughput(supply, 0) if kind == "read" else Throughput(0, supply)
    count = new_partitions(throughput) if partitions is None else partitions
    asked = Burst(supply, demand, ceiling, count, key_share, idle_s)
    setting = smallest_setting([demand], ceiling=ceiling, key_share=key_share, burst=False)
    share = largest_key_share(supply, demand, ceiling, partitions=count)
    figures = {
        "partitions": count,
        "bank_units": asked.bank_units,
        "hottest_partition_supply": asked.hottest_supply,
        "hottest_partition_demand": asked.hottest_demand,
        "first_throttle_s": finite(asked.first_throttle_s),
        "throttled_share_afterwards": asked.throttled_share,
        "unused_share_of_supply": asked.unused_share,
        "refill_s": finite(refill_s(supply)),
        "smallest_setting": finite(setting),
        "largest_key_share": share,
    }
    lines = [
        ("bank", f"{amount(asked.bank_units)} units in {count} partition{'' if count == 1 else 's'}"),
        (
            "hottest partition",
            f"gets {amount(asked.hottest_supply)} units/s, is asked for {amount(asked.hottest_demand)}",
        ),
        ("first throttle after", duration(asked.first_throttle_s)),
        ("refused there afterwards", f"{asked.throttled_share:.1%}"),
        ("refill without traffic", duration(refill_s(supply))),
        ("smallest setting of a new table", "none" if math.isinf(setting) else f"{amount(setting)} units/s"),
        ("largest share that one key may have", f"{share:.1%}"),
    ]
    if for_s is not None:
        lasting = smallest_setting([demand] * max(1, math.ceil(for_s)), ceiling=ceiling, key_share=key_share)
        figures["smallest_setting_for_duration"] = finite(lasting)
        text = "none" if math.isinf(lasting) else f"{amount(lasting)} units/s, with a full bank"
        lines.append((f"smallest setting for {duration(for_s)}", text))
    return Answer(figures, lines, asked.dangers)
