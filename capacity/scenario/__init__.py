"""The scenario: the shared language of forecast, run and report."""

from capacity.scenario.arrivals import Ticks, Timer, arrivals_s, lesson_begin_s, lesson_of, load_clock_of, phases
from capacity.scenario.billing import Billing, Provisioned
from capacity.scenario.faults import Faults
from capacity.scenario.load import ScenarioError, load_scenario, load_scenarios
from capacity.scenario.load_shape import STEADY, LoadClock, Stage
from capacity.scenario.model import (
    LayoutName,
    Mode,
    Population,
    Scenario,
    Traffic,
    World,
)
from capacity.scenario.schedule import Schedule
from capacity.scenario.settings import ProfileName, Settings, profile

__all__ = [
    "STEADY",
    "Billing",
    "Faults",
    "LayoutName",
    "LoadClock",
    "Mode",
    "Population",
    "ProfileName",
    "Provisioned",
    "Scenario",
    "ScenarioError",
    "Schedule",
    "Settings",
    "Stage",
    "Ticks",
    "Timer",
    "Traffic",
    "World",
    "arrivals_s",
    "lesson_begin_s",
    "lesson_of",
    "load_clock_of",
    "load_scenario",
    "load_scenarios",
    "phases",
    "profile",
]
