"""Whole runs against the sandbox: what is planned is sent, what is owed is accounted for, nothing is left behind."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cable import cable_to
from load_run import Load, Run, Sandbox, running_sandbox

from capacity.run_tables import DELIVERY_COUNTS
from locustfiles.nodes.plan import Plan
from tests.free_port import free_port

MERGED = "a report was merged into the next one: "


def every_tick_was_sent(run: Run) -> None:
    """Each node's timers ticked from its joining to the end; each tick sent an event, and a report or a merged one."""
    assert run.record.measuring_from is not None
    scenario, schedule = run.record.scenario, run.record.scenario.schedule
    plan = Plan(scenario, run.record.run_id, scenario.population.groups)
    end_s = run.record.measuring_from.timestamp() + schedule.hold_s
    entered = run.requests[run.requests["operation"].isin(["createGroup", "joinGroup"])]
    assert len(entered) == plan.nodes
    ticks = 0
    for request in entered.itertuples():
        joined_s = request.start.timestamp() + request.latency_ms / 1000
        first_s = joined_s + plan.phase("event", int(request.node.rpartition("-n")[2])) / 5
        ticks += max(0, math.ceil((end_s - first_s) * 5))
    sent = run.requests.groupby("operation", observed=True)["items"].sum()
    assert sent["fireEventsByNode"] == pytest.approx(ticks, abs=3)
    assert run.record.generator is not None
    notes = run.record.generator.notes
    merged = sum(int(note.removeprefix(MERGED).split()[0]) for note in notes if note.startswith(MERGED))
    reports = (run.requests["operation"] == "reportDataByNode").sum()
    assert reports + merged == pytest.approx(ticks, abs=plan.nodes + 3)  # the phases of the two timers differ


def every_pair_is_accounted_for(run: Run) -> None:
    parts = [name for name in DELIVERY_COUNTS if name not in ("expected", "crosstalk")]
    assert (run.deliveries["expected"] == run.deliveries[parts].sum(axis=1)).all()


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[dict[str, Any]]]:
    """A whole run over WebSocket, and what was in the table when it had ended."""
    directory = tmp_path_factory.mktemp("lesson")
    with running_sandbox(directory, "lesson") as sandbox:
        return Load(directory, sandbox.graphql_url).run("lesson"), sandbox.items()


def test_a_websocket_run_sends_its_plan_delivers_everything_and_leaves_nothing(
    lesson: tuple[Run, list[dict[str, Any]]],
) -> None:
    run, items = lesson
    assert run.exit_code == 0, run.output
    assert run.record.status == "finished"
    every_tick_was_sent(run)
    assert set(run.requests["outcome"]) == {"ok"}
    every_pair_is_accounted_for(run)
    # A mutation is owed to the three nodes of its group; during the ramp some of them are not there yet.
    mutations = run.requests["operation"].isin(["reportDataByNode", "fireEventsByNode"]).sum()
    assert 3 * mutations * 0.8 < run.count("expected") <= 3 * mutations
    for outcome in ("lost", "lost_after_ack", "duplicate", "crosstalk"):
        assert run.count(outcome) == 0, outcome
    assert items == []


def test_requests_come_in_the_order_of_a_client_with_both_latencies(lesson: tuple[Run, list[dict[str, Any]]]) -> None:
    requests = lesson[0].requests
    host = requests[requests["node"].str.endswith("-n0")]
    member = requests[requests["node"].str.endswith("-n1")]
    assert host["operation"].tolist()[:2] == ["createDomain", "createGroup"]
    joined = member["operation"].tolist()
    assert joined[0] == "createDomain"
    assert set(joined[1 : joined.index("joinGroup")]) == {"listGroupsByDomain"}
    assert member["operation"].iloc[-1] == "leaveGroup"
    assert host["operation"].iloc[-1] == "dissolveGroup"
    assert requests["start"].is_monotonic_increasing
    late_ms = (requests["start"] - requests["intended_start"]) / pd.Timedelta(milliseconds=1)
    assert (late_ms >= 0).all()
    assert np.allclose(requests["intended_latency_ms"] - requests["latency_ms"], late_ms, atol=0.01)
    assert requests["request_id"].notna().all()
    assert requests["request_id"].is_unique


def test_reports_are_polled_as_states_and_events_lost_by_the_cursor_rule_are_named(
    load: Load, sandbox: Sandbox
) -> None:
    run = load.run("polling")
    every_pair_is_accounted_for(run)
    assert set(run.deliveries["mode"]) == {"polling"}
    assert run.count("superseded", "report") > run.count("delivered", "report") > 0  # five reports in two polls
    assert run.count("lost") == 0
    # Every node records an event a second and polls every half: some of the others' fall into the leaps.
    assert run.count("lost_by_cursor", "event") > 0
    assert run.count("lost_by_cursor", "report") == 0
    assert (run.faults["outcome"] == "lost_by_cursor").sum() == run.count("lost_by_cursor")
    left = {item["sk"]["S"].split("#")[0] for item in sandbox.items()}
    assert left <= {"EVENT"}  # events have no delete: they wait for their time to live, ten seconds


@pytest.mark.parametrize("sandbox", ["faulty"], indirect=True)
def test_faults_happen_to_the_nodes_that_the_plan_names(load: Load, sandbox: Sandbox) -> None:
    run = load.run("faulty")
    plan = Plan(run.record.scenario, run.record.run_id, groups=4)
    operations = run.requests.groupby("node", observed=True)["operation"].agg(set)
    for index in range(plan.nodes):
        did, place = operations[plan.node_name(index)], plan.node(index)
        polls = plan.has_fault("filtered", index) or not plan.is_websocket(place.group_index)
        assert ("pollGroupData" in did, "fireEventsByNode" in did) == (polls, not polls), index
        if not place.is_host:
            assert ("sendMemberHeartbeat" in did) != plan.has_fault("silent_members", index), index
        elif plan.has_fault("vanishing_hosts", index):
            beats = run.requests[
                (run.requests["node"] == plan.node_name(index)) & (run.requests["operation"] == "renewHeartbeat")
            ]
            assert run.record.measuring_from is not None
            vanished_s = run.record.measuring_from.timestamp() - 2 + plan.fault_s(index)
            assert beats["intended_start"].max().timestamp() < vanished_s
    assert run.record.generator is not None
    broken = next(note for note in run.record.generator.notes if note.startswith("WebSocket lost: broken on purpose"))
    assert int(broken.split(": ")[-1].split()[0]) > 0
    every_pair_is_accounted_for(run)
    assert run.count("lost") == 0  # what is published while a node is away is owed to nobody
    assert run.count("crosstalk") == 0
    assert {item["sk"]["S"].split("#")[0] for item in sandbox.items()} <= {"EVENT"}


def test_an_interrupted_run_leaves_nothing_behind_and_has_a_whole_record(load: Load, sandbox: Sandbox) -> None:
    process = load.start("long")
    load.wait_until_busy(4)
    os.killpg(process.pid, signal.SIGINT)
    run = load.end(process)
    assert run.record.status == "interrupted"
    assert run.record.generator is not None
    assert not run.record.generator.valid
    every_pair_is_accounted_for(run)
    assert run.count("delivered") > 0
    assert sandbox.items() == []


@pytest.mark.parametrize("seconds", [0.7, 1.2])
def test_an_interruption_while_nodes_arrive_leaves_nothing_either(load: Load, sandbox: Sandbox, seconds: float) -> None:
    process = load.start("crowd")
    load.wait_until_busy(seconds)
    os.killpg(process.pid, signal.SIGINT)
    run = load.end(process)
    assert run.record.status == "interrupted"
    assert sandbox.items() == []


def test_a_stall_of_the_target_is_seen_from_the_intended_start_alone(load: Load, sandbox: Sandbox) -> None:
    process = load.start("lesson")
    load.wait_until_busy(2)
    sandbox.stall(2.0)
    run = load.end(process)
    reports = run.requests[run.requests["operation"] == "reportDataByNode"]
    # One report per node was under way; the ten that the plan wanted meanwhile were merged into the next one.
    waited = (reports["latency_ms"] > 1000).sum()
    assert waited <= 6
    assert (reports["intended_latency_ms"] > 1000).sum() >= 2 * waited
    every_pair_is_accounted_for(run)
    assert run.count("lost") == 0


def test_a_cut_network_is_in_the_record_and_the_nodes_come_back(sandbox: Sandbox, tmp_path: Path) -> None:
    with cable_to(sandbox.graphql_url) as (cable, url):
        load = Load(tmp_path, url)
        process = load.start("long", "-u", "6", "-r", "6", "-t", "16s")
        load.wait_until_busy(4)
        cable.pull()
        cut_s = time.time()
        time.sleep(4)
        cable.plug_in()
        run = load.end(process)
    failed = run.requests[run.requests["outcome"] == "error"]
    assert len(failed) > 0
    assert set(failed["error_type"]) <= {"ConnectionResetError", "ConnectionRefusedError", "BrokenPipeError"}
    started_s = run.requests["start"].map(pd.Timestamp.timestamp)
    after = run.requests[started_s > cut_s + 6]
    assert (after["outcome"] == "ok").mean() > 0.9
    assert run.record.generator is not None
    assert any(note.startswith("WebSocket lost: ") for note in run.record.generator.notes)
    every_pair_is_accounted_for(run)
    second_s = run.deliveries["second"].map(pd.Timestamp.timestamp)
    back = run.deliveries[second_s > cut_s + 7]
    assert back["delivered"].sum() > 0.9 * back["expected"].sum() > 0
    assert sandbox.items() == []


def test_two_processes_send_what_one_does(load: Load, sandbox: Sandbox) -> None:
    port = str(free_port())
    run = load.run("lesson", "--processes", "2", "--master-bind-port", port, "--master-port", port)
    generator = run.record.generator
    assert generator is not None
    assert (generator.workers, generator.missing_workers) == (2, 0)
    every_tick_was_sent(run)
    assert run.requests["node"].nunique() == 6
    every_pair_is_accounted_for(run)
    for outcome in ("lost", "lost_after_ack", "duplicate", "crosstalk"):
        assert run.count(outcome) == 0, outcome
    assert run.requests["start"].is_monotonic_increasing
    assert sandbox.items() == []


def test_a_workers_parts_come_from_another_machine(load: Load, sandbox: Sandbox, tmp_path: Path) -> None:
    port = str(free_port())
    master = load.start("lesson", "--master", "--master-bind-port", port, "--expect-workers", "1")
    elsewhere = {"MESHCAP_RUN_DIR": str(tmp_path / "elsewhere" / "run")}
    worker = load.start("lesson", "--worker", "--master-port", port, **elsewhere)
    run = load.end(master)
    worker.communicate(timeout=30)
    assert run.record.generator is not None
    assert (run.record.generator.workers, run.record.generator.missing_workers) == (1, 0)
    every_tick_was_sent(run)
    every_pair_is_accounted_for(run)
    assert run.count("lost") == 0
    assert sandbox.items() == []


def test_a_killed_worker_is_reported_and_the_others_record_is_whole(load: Load) -> None:
    port = str(free_port())
    process = load.start("lesson", "--processes", "2", "--master-bind-port", port, "--master-port", port)
    load.wait_until_busy(3)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout
    os.kill(int(children.split()[0]), signal.SIGKILL)
    run = load.end(process, timeout_s=150)
    generator = run.record.generator
    assert generator is not None
    assert (generator.workers, generator.missing_workers) == (2, 1)
    assert any("did not report" in reason for reason in generator.reasons)
    assert len(run.requests) > 0


def test_a_target_that_dies_ends_in_a_record_that_says_so(load: Load, sandbox: Sandbox) -> None:
    process = load.start("lesson")
    load.wait_until_busy(2)
    sandbox.process.kill()
    run = load.end(process)
    assert run.record.status == "finished"
    errors = run.requests[run.requests["outcome"] == "error"]
    assert set(errors["error_type"]) <= {"ConnectionRefusedError", "ConnectionResetError", "HTTPConnectionClosed"}
    assert len(errors) > 0
    assert run.record.generator is not None
    assert any("WebSocket lost" in note for note in run.record.generator.notes)
    every_pair_is_accounted_for(run)


def test_a_wrong_key_is_no_measurement_and_the_record_says_why(load: Load) -> None:
    run = load.end(load.start("lesson", MESHCAP_API_KEY="wrong"))
    assert set(run.requests["error_type"]) == {"UnauthorizedException"}
    assert run.record.generator is not None
    assert "no node got into its group; the notes say what the target answered" in run.record.generator.reasons
    assert any(note.startswith("createDomain refused, UnauthorizedException: ") for note in run.record.generator.notes)


def test_locusts_own_options_put_the_schedule_out_of_force(load: Load, sandbox: Sandbox) -> None:
    run = load.run("lesson", "-u", "3", "-r", "3", "-t", "4s")
    assert run.requests["node"].nunique() == 3
    assert run.record.status == "finished"
    assert sandbox.items() == []


def test_a_faulty_scenario_ends_before_anything_is_sent(load: Load) -> None:
    started = time.monotonic()
    process = load.start("no-such-scenario")
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 104
    assert "no scenario 'no-such-scenario'; it has lesson, polling, faulty, crowd, long" in output
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://127.0.0.1:8080", "does not say where GraphQL is; give it like -H http://127.0.0.1:8080/graphql"),
        ("127.0.0.1/graphql", "is no http or https URL"),
    ],
)
def test_a_target_that_cannot_be_one_is_refused_at_once(tmp_path: Path, url: str, message: str) -> None:
    output, _ = (process := Load(tmp_path, url).start("lesson")).communicate(timeout=60)
    assert process.returncode == 104
    assert message in output
    assert "Traceback" not in output
