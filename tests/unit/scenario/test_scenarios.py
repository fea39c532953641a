"""The shipped scenarios, and what a person is told about a scenario file that is not right."""

from __future__ import annotations

from pathlib import Path

import pytest

from capacity.scenario import Scenario, ScenarioError, load_scenario, load_scenarios
from capacity.scenario.load import parse_scenarios

ROOT = Path(__file__).parents[3]
SHIPPED = load_scenarios(ROOT / "scenarios.yaml")

MINIMAL = """\
version: 1
scenarios:
  mine:
    population: {groups_per_domain: 1, members_per_group: 3}
    traffic: {reports: 1/s, event_batches: 1/s}
    schedule: {ramp: 2s, hold: 10s}
"""


def faults_of(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        parse_scenarios(text, "mine.yaml")
    return [str(fault) for fault in caught.value.faults]


def edited(old: str, new: str) -> str:
    assert old in MINIMAL
    return MINIMAL.replace(old, new)


def test_the_shipped_scenarios_are_those_that_the_readme_promises() -> None:
    assert set(SHIPPED) == {
        "smoke",
        "classroom",
        "classroom-polling",
        "one-school",
        "hundred-groups",
        "bell",
        "school-day",
        "spike",
        "soak",
        "idle",
        "burst",
        "timeline",
        "timeline-sharded",
    }


def test_hundred_groups_asks_for_the_published_load_goal() -> None:
    # mesh-v2's own load test: 100 groups x 4 nodes, 4 data updates/s and 4 events/s per node, 3,200 requests/s
    scenario = SHIPPED["hundred-groups"]
    traffic = scenario.traffic
    assert scenario.population.nodes == 400
    assert scenario.population.nodes * (traffic.reports_per_s + traffic.event_batches_per_s) == 3200


@pytest.mark.parametrize("name", SHIPPED)
def test_a_scenario_survives_its_way_through_run_json(name: str) -> None:
    again = Scenario.model_validate_json(SHIPPED[name].model_dump_json())
    assert again == SHIPPED[name]
    assert again.digest() == SHIPPED[name].digest()


def test_profiles_are_the_columns_of_the_contract() -> None:
    assert SHIPPED["classroom"].settings.environment() == {
        "MESH_HOST_HEARTBEAT_INTERVAL_SECONDS": "60",
        "MESH_HOST_HEARTBEAT_TTL_SECONDS": "150",
        "MESH_MEMBER_HEARTBEAT_INTERVAL_SECONDS": "120",
        "MESH_MEMBER_HEARTBEAT_TTL_SECONDS": "600",
        "MESH_MAX_CONNECTION_TIME_SECONDS": "2100",
        "MESH_EVENT_TTL_SECONDS": "10",
        "MESH_POLLING_INTERVAL_SECONDS": "2",
        "MESH_DATA_UPDATE_INTERVAL_MS": "1000",
        "MESH_EVENT_BATCH_INTERVAL_MS": "1000",
        "MESH_PERIODIC_DATA_SYNC_INTERVAL_MS": "15000",
    }


def test_an_override_keeps_the_rest_of_its_profile() -> None:
    text = MINIMAL + "    settings: {profile: seeds-production, host_heartbeat_interval: 20s}\n"
    settings = parse_scenarios(text)["mine"].settings
    assert (settings.host_heartbeat_interval_s, settings.host_heartbeat_ttl_s) == (20, 150)


@pytest.mark.parametrize(
    ("sentence", "text", "line", "words"),
    [
        (
            "A value below its limit names the limit and a value that works.",
            edited("groups_per_domain: 1", "groups_per_domain: 0"),
            4,
            ["population.groups_per_domain", "0", "greater than or equal to 1", "groups_per_domain: 10"],
        ),
        (
            "An unknown key names the known ones.",
            edited("ramp: 2s", "rampe: 2s"),
            6,
            ["schedule.rampe", "known are ramp, hold, drain"],
        ),
        (
            "A missing key is named at its mapping.",
            edited("reports: 1/s, ", ""),
            5,
            ["traffic.reports", "is missing", "reports: 1/s"],
        ),
        (
            "A duration that is none shows how one is written.",
            edited("hold: 10s", "hold: ten seconds"),
            6,
            ["schedule.hold", "'ten seconds'", "30s, 250ms or 5m"],
        ),
        (
            "A rate above what the client's interval lets through is refused, not merged in silence.",
            edited("reports: 1/s", "reports: 4/s"),
            3,
            ["traffic.reports of 4/s", "settings.data_update_interval: 250ms"],
        ),
        (
            "A threshold on a figure that no run has names the figures.",
            MINIMAL + "    expect: [latencey.p(95) < 300ms]\n",
            7,
            ["'latencey.p'", "latency.p,"],
        ),
        (
            "A schedule longer than a group lives is refused.",
            edited("hold: 10s", "hold: 1h"),
            3,
            ["3607 s", "2100 s", "max_connection_time"],
        ),
        (
            "Infinity is no number of seconds.",
            edited("hold: 10s", "hold: .inf"),
            6,
            ["schedule.hold", "not a finite number"],
        ),
        ("A key written twice is refused, since YAML would drop one.", MINIMAL + "    traffic: {}\n", 7, ["twice"]),
        ("Text that is no YAML is located.", "version: 1\nscenarios: [\n", 3, ["is not YAML"]),
        ("An empty file says how to begin.", "", 1, ["is empty", "version: 1"]),
        (
            "A provisioned table needs each of its indexes provisioned.",
            MINIMAL + "    billing: {table: {read: 5, write: 5}}\n",
            3,
            ["GroupIdIndex", "GroupNameIndex", "{read: 5, write: 10}"],
        ),
    ],
)
def test_a_fault_says_where_what_and_how_it_would_pass(sentence: str, text: str, line: int, words: list[str]) -> None:
    whole = "\n".join(fault for fault in faults_of(text) if fault.startswith(f"mine.yaml:{line}: "))
    for word in words:
        assert word in whole, sentence


def test_all_faults_are_told_at_once() -> None:
    text = MINIMAL.replace("groups_per_domain: 1", "groups_per_domain: 0").replace("ramp: 2s", "ramp: soon")
    lines = [fault.split(":")[1] for fault in faults_of(text + "    mode: pigeon\n    colour: red\n")]
    assert lines == ["4", "6", "7", "8"]


def test_aliases_that_explode_are_refused_before_they_do() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    (fault,) = faults_of("\n".join(levels))
    assert "more than 50,000 values" in fault


def test_deep_nesting_is_refused_without_a_traceback() -> None:
    assert "levels" in faults_of("a: " + "[" * 200 + "]" * 200)[0]
    assert faults_of("a: " + "[" * 20_000 + "]" * 20_000)


def test_a_missing_scenario_names_those_that_exist() -> None:
    with pytest.raises(ScenarioError, match="no scenario 'clasroom'; it has smoke, classroom"):
        load_scenario(ROOT / "scenarios.yaml", "clasroom")


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"nowhere\.yaml:1: cannot be read: No such file"):
        load_scenarios(tmp_path / "nowhere.yaml")
