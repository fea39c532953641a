"""What a process of the generator keeps does not grow with the length of the run: counted, not weighed."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from capacity.scenario import Scenario
from locustfiles.nodes.answers import Answer
from locustfiles.nodes.member import GroupMember
from locustfiles.nodes.plan import Plan
from locustfiles.nodes.session import Start
from locustfiles.running.clock import now_s
from locustfiles.running.lateness import Lateness
from locustfiles.running.parts import STREAMS, PartStream


def member(folder: Path) -> tuple[Any, list[PartStream]]:
    """A polling member in its group, whose streams are real and flushed by the caller."""
    scenario = Scenario.model_validate(
        {
            "population": {"groups_per_domain": 1, "members_per_group": 3},
            "mode": "polling",
            "settings": {"data_update_interval": "10ms", "event_batch_interval": "10ms"},
            "traffic": {"reports": "100/s", "event_batches": "100/s"},
            "schedule": {"ramp": "0s", "hold": "60s"},
        }
    )
    plan = Plan(scenario, "run", groups=1, planned=False)
    streams = {name: PartStream(folder / f"{name}.arrows", schema) for name, schema in STREAMS.items()}
    session = SimpleNamespace(
        scenario=scenario,
        plan=plan,
        start=Start("run", 0.0, 1, False),
        scheduler=SimpleNamespace(enter=lambda *_: None, start=lambda action, due_s: action(due_s)),
        notes=Counter(),
        entered=0,
        now_s=now_s,
        index_of=lambda name: int(name.rpartition("-n")[2]),
        **streams,
    )
    node = GroupMember(session, plan.node(1), _Service())  # type: ignore[arg-type]
    node.live()
    return node, list(streams.values())


class _Service:
    """Answers as a group does in which another node fires an event before each poll."""

    def __init__(self) -> None:
        self.domain = self.group = None
        self.in_flight = self.number = 0

    def send(self, operation: str, variables: dict[str, Any], intended_s: float = 0.0, items: int = 0) -> Answer:
        self.number += 1
        key = f"EVENT#2026-11-30T13:30:00.000Z#20261130133000-{self.number:07d}#x"
        if operation == "listGroupsByDomain":
            return Answer("ok", data=[{"id": "g", "hostId": "run-n0"}])
        if operation == "recordEventsByNode":
            return Answer("ok", data={"nextSince": key})
        if operation == "pollGroupData":
            event = {"firedByNodeId": "run-n0", "payload": f"{self.number:07d}", "groupId": "g", "cursor": key}
            return Answer("ok", data={"events": [event], "nodeStatuses": []})
        return Answer("ok", data={"id": "g", "useWebSocket": False})


def test_a_node_keeps_nothing_of_what_it_sent_and_heard(tmp_path: Path) -> None:
    node, streams = member(tmp_path)

    def work(rounds: int) -> int:
        for number in range(rounds):
            node._change_variables(float(number))
            node._fire(float(number))
            node._hearing.poll(float(number))
            node._beat(float(number))
        for stream in streams:
            stream.flush()
        gc.collect()
        return sys.getallocatedblocks()

    work(300)  # caches fill
    before = work(300)
    assert work(3000) - before < 1500  # one object kept per round would be three thousand blocks


def test_lateness_keeps_counts_alone() -> None:
    lateness = Lateness()
    for number in range(20_000):
        lateness.add(number * 1e-6)
    assert len(lateness._pending) < 4096
    assert lateness.total == 20_000
