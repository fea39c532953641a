"""Which JSON document each command prints with `--json`, and so which file in schemas/ describes it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from capacity.forecasting.forecast import Forecast
from capacity.judgement.comparison import Comparison
from capacity.pricing.cost_study import CostStudy
from capacity.studies.highest_rate import HighestRate
from capacity.studies.sizing_record import Sizing
from capacity.workloads.own_forecast import OwnForecast
from meshcap.calculator_documents import BurstAnswer, PartitionsAnswer, SimulateAnswer, SizeAnswer, UnitsAnswer
from meshcap.json_documents import (
    DoctorDocument,
    HeartbeatDocument,
    LimitsDocument,
    LintDocument,
    PricesDocument,
    TimelineLimitsDocument,
)
from meshcap.run_listing import RunListing
from reports.compare import ComparedRuns
from sandbox.info import SandboxInfo

PUBLISHED: Mapping[str, tuple[tuple[str, type[BaseModel]], ...]] = {
    "plan": (("forecast", Forecast), ("own_forecast", OwnForecast)),
    "run": (("find-max", HighestRate),),
    "compare": (("comparison", Comparison), ("compared_runs", ComparedRuns)),
    "runs": (("runs", RunListing),),
    "cost": (("cost", CostStudy),),
    "heartbeat": (("heartbeat", HeartbeatDocument),),
    "limits": (("limits", LimitsDocument), ("timeline_limits", TimelineLimitsDocument)),
    "lint": (("lint", LintDocument),),
    "sizing": (("sizing", Sizing),),
    "sandbox": (("sandbox", SandboxInfo),),
    "doctor": (("doctor", DoctorDocument),),
    "prices show": (("prices", PricesDocument),),
    "calc size": (("calc_size", SizeAnswer),),
    "calc units": (("calc_units", UnitsAnswer),),
    "calc partitions": (("calc_partitions", PartitionsAnswer),),
    "calc burst": (("calc_burst", BurstAnswer),),
    "calc simulate": (("calc_simulate", SimulateAnswer),),
}
"""Command -> names and types of the documents that its `--json` prints, one of them at a time."""
