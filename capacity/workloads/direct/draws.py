"""What each user of a direct load sends: the same for forecast and load generator, with any number of workers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from capacity.scenario import Scenario, arrivals_s, phases
from capacity.scenario.workload import DynamoDBSettings
from capacity.workloads.direct.keys import chooser


@dataclass(frozen=True)
class Draw:
    """One request: when, in seconds from the start of the run, which operation, and the key that it names."""

    time_s: float
    operation: str
    number: int
    row: int


def settings_of(scenario: Scenario) -> DynamoDBSettings:
    """The scenario's settings of this workload. Raises TypeError for a scenario of another one."""
    settings = scenario.workload
    if not isinstance(settings, DynamoDBSettings):
        raise TypeError(f"the scenario runs workload {settings.name}, expected dynamodb")
    return settings


def draws(scenario: Scenario, user: int) -> Iterator[Draw]:
    """Everything that one user sends, in order."""
    settings = settings_of(scenario)
    seed = scenario.seed * 1_000_003 + user
    generator = random.Random(seed)
    keys = settings.keys
    next_key = chooser(settings.distribution, keys, seed, start=user * max(1, keys // settings.users) % keys)
    operations, weights = list(settings.mix), list(settings.mix.values())
    period_s = 1 / settings.requests_per_s
    arrival_s = float(arrivals_s(scenario, settings.users)[user])
    at_s = arrival_s + float(phases(scenario.seed, "event", np.array([user]))[0]) * period_s
    tick = 0
    while (time_s := at_s + tick * period_s) < scenario.schedule.sending_s:
        operation = generator.choices(operations, weights)[0]
        yield Draw(time_s, operation, next_key(), generator.randrange(settings.rows))
        tick += 1
