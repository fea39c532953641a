"""The scenario: the shared language of forecast, run and report."""

from capacity.scenario.arrivals import Timer, arrivals_s, phases
from capacity.scenario.faults import Faults
from capacity.scenario.load import ScenarioError, load_scenario, load_scenarios
from capacity.scenario.model import (
    Billing,
    LayoutName,
    Mode,
    Population,
    Provisioned,
    Scenario,
    Schedule,
    Traffic,
    World,
)
from capacity.scenario.settings import ProfileName, Settings, profile

__all__ = [
    "Billing",
    "Faults",
    "LayoutName",
    "Mode",
    "Population",
    "ProfileName",
    "Provisioned",
    "Scenario",
    "ScenarioError",
    "Schedule",
    "Settings",
    "Timer",
    "Traffic",
    "World",
    "arrivals_s",
    "load_scenario",
    "load_scenarios",
    "phases",
    "profile",
]
