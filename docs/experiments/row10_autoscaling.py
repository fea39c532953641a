"""Row 10: auto scaling in mid-2017 and today, on load that climbs.

Source: Space Ape Games tech blog, "The problems with DynamoDB Auto Scaling" (2017), about AWS's own demonstration.
Published: the alarm needed 5 consecutive minutes, the reaction took 10 to 15 minutes, 70 % utilisation was not kept,
many requests were throttled. AWS's text of today: 2 consecutive minutes.
Reproduced in shape: with 5 minutes of alarm and a slow update the first new capacity comes after 10 minutes of overload
and utilisation stays above the target; with today's figures it comes after 3. Not reproduced: the demonstration's own
curve, of which only a picture was published. The alarm's lag (3 minutes then) and the update's time (2 minutes then, 1
now) are ours.
"""

from __future__ import annotations

import chart
import numpy as np

from capacity.physics.autoscaling import TargetTracking
from capacity.physics.settings import Settings
from capacity.physics.simulator import Options, Simulation, simulate

THEN = TargetTracking(100, 2000, up_minutes=5, alarm_delay_s=180.0, update_delay_s=120.0)
TODAY = TargetTracking(100, 2000)
STEP_S = 600  # when the climb begins
START = 100.0  # provisioned units, 60 of them used


def climb() -> np.ndarray:
    """60 units a second, then 20 more every minute for half an hour, then steady; twenty keys."""
    minutes = np.concatenate([np.full(10, 60.0), 60.0 + 20.0 * np.arange(1, 31), np.full(30, 660.0)])
    return np.repeat(np.repeat(minutes, 60)[:, None] / 20.0, 20, axis=1)


def scaled(policy: TargetTracking | None) -> Simulation:
    """The climb under a policy, or at the starting capacity."""
    return simulate(climb(), Settings("adaptive", 1, START), Options(autoscaling=policy, request_units=None))


def reaction_s(result: Simulation) -> float:
    """From the first full minute above the target to the first new capacity."""
    return result.capacity_changes[1][0] - STEP_S


def refused_share(result: Simulation) -> float:
    """Share of the units asked for that were refused."""
    return float(result.throttled.sum() / result.demand.sum())


def capacity(result: Simulation) -> np.ndarray:
    """Provisioned units in each second."""
    seconds = np.arange(len(result.demand))
    changes = np.array(result.capacity_changes)
    return changes[np.searchsorted(changes[:, 0], seconds, side="right") - 1, 1]


def main() -> None:
    """Print the figures and draw the picture."""
    then, today = scaled(THEN), scaled(TODAY)
    for name, result in (("2017", then), ("today", today)):
        climbing = slice(STEP_S, STEP_S + 1800)
        used = (result.consumed.sum(axis=1) / capacity(result))[climbing].mean()
        print(f"{name}: first new capacity after {reaction_s(result) / 60:.0f} min, "
              f"{used:.0%} used during the climb (target 70 %), {refused_share(result):.1%} refused")  # fmt: skip

    def draw(axes):
        minutes = np.arange(len(then.demand)) / 60
        axes.plot(minutes, then.demand.sum(axis=1), color=chart.QUIET, label="asked for")
        axes.plot(minutes, capacity(then), color=chart.ALARM, label="provisioned, alarms of 2017")
        axes.plot(minutes, capacity(today), color=chart.TIME, label="provisioned, today")
        axes.set(xlabel="minutes", ylabel="write units per second", title="Auto scaling on a climb")
        axes.legend(loc="upper left")

    chart.save(__file__, draw)


if __name__ == "__main__":
    main()
