"""A node's own rules, with a target that answers as the test says and a scheduler that only remembers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from capacity.scenario import Scenario
from locustfiles.nodes.answers import Answer
from locustfiles.nodes.host import Host
from locustfiles.nodes.member import GroupMember
from locustfiles.nodes.node import Node
from locustfiles.nodes.plan import Plan
from locustfiles.nodes.session import Start
from locustfiles.running.clock import now_s
from locustfiles.running.parts import ACCEPTED, FIRED, REFUSED, REPORT, UNANSWERED

OK = Answer("ok", data={})
GROUP = {"id": "group-1", "hostId": "run-n0", "heartbeatIntervalSeconds": 15, "useWebSocket": False}


class Target:
    """Stands for the requester: remembers what was sent and answers by operation."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, list[Answer | Callable[[], Answer]]] = {}
        self.domain: str | None = None
        self.group: str | None = None
        self.in_flight = 0

    def send(self, operation: str, variables: dict[str, Any], intended_s: float = 0.0, items: int = 0) -> Answer:
        self.sent.append((operation, variables))
        answers = self.answers.get(operation)
        answer = answers.pop(0) if answers else OK
        return answer if isinstance(answer, Answer) else answer()

    @property
    def operations(self) -> list[str]:
        """The operations sent, in order."""
        return [operation for operation, _ in self.sent]


def make(kind: type[Node], index: int, **traffic: object) -> tuple[Any, Target]:
    scenario = Scenario.model_validate(
        {
            "population": {"groups_per_domain": 1, "members_per_group": 3},
            "mode": "polling",
            "settings": {"profile": "deployed", "data_update_interval": "10ms", "event_batch_interval": "10ms"},
            "traffic": {"reports": "1/s", "event_batches": "1/s"} | traffic,
            "schedule": {"ramp": "0s", "hold": "60s"},
        }
    )
    plan = Plan(scenario, "run", groups=1, planned=False)
    session = SimpleNamespace(
        scenario=scenario,
        plan=plan,
        start=Start("run", 0.0, 1, False),
        scheduler=SimpleNamespace(enter=lambda *_: None, start=lambda action, due_s: action(due_s)),
        notes=Counter(),
        entered=0,
        sending_until_s=float("inf"),
        now_s=now_s,
        index_of=lambda _: -1,
        **{name: [] for name in ("publications", "presences", "receptions", "cursors")},
    )
    target = Target()
    return kind(session, plan.node(index), target), target  # type: ignore[arg-type]


def joined(**traffic: object) -> tuple[Any, Target]:
    node, target = make(GroupMember, 1, **traffic)
    target.answers = {
        "listGroupsByDomain": [Answer("ok", data=[GROUP])],
        "joinGroup": [Answer("ok", data=GROUP)],
        "listGroupStatuses": [Answer("ok", data=[])],
    }
    node.live()
    target.sent.clear()
    return node, target


def test_a_target_that_is_always_slower_than_the_updates_gets_one_report_after_the_other() -> None:
    node, target = joined()
    reports = 5_000  # far more than Python's stack has room for
    first_s = now_s() - 3600

    def slow() -> Answer:
        if len(target.sent) < reports:  # the project goes on while the report is under way
            node._change_variables(first_s + 0.02 * len(target.sent))
        return OK

    target.answers["reportDataByNode"] = [slow] * reports
    node._change_variables(first_s)
    assert target.operations == ["reportDataByNode"] * reports
    assert [row[2] for row in node.session.publications] == list(range(1, reports + 1))


def test_events_wait_for_the_report_that_is_under_way_and_no_longer() -> None:
    node, target = joined()

    def meanwhile() -> Answer:
        node._fire(now_s())
        assert target.operations == ["reportDataByNode"]
        return OK

    target.answers["reportDataByNode"] = [meanwhile]
    node._change_variables(now_s())
    assert target.operations == ["reportDataByNode", "recordEventsByNode"]


@pytest.mark.parametrize(
    ("answer", "fate"),
    [
        pytest.param(OK, ACCEPTED, id="done"),
        pytest.param(Answer("refused", error_type="DynamoDB:ThrottlingException"), REFUSED, id="throttled"),
        pytest.param(Answer("error", error_type="HTTP 503"), REFUSED, id="a filter in between"),
        pytest.param(Answer("error", error_type="TimeoutError", received=False), UNANSWERED, id="no answer"),
    ],
)
def test_the_ledger_learns_what_became_of_a_report(answer: Answer, fate: int) -> None:
    node, target = joined()
    target.answers["reportDataByNode"] = [answer]
    node._change_variables(now_s())
    (row,) = node.session.publications
    assert (row[0], row[1], row[2], row[6]) == (1, REPORT, 1, fate)
    assert node.connected


@pytest.mark.parametrize("error_type", ["GroupNotFound", "Unauthorized", "NodeNotFound"])
def test_a_node_that_is_told_it_has_no_place_goes_silent_but_leaves_in_the_end(error_type: str) -> None:
    node, target = joined()
    target.answers["sendMemberHeartbeat"] = [Answer("refused", error_type=error_type)]
    node._beat(now_s())
    assert not node.connected
    node._change_variables(now_s())
    node._fire(now_s())
    assert target.operations == ["sendMemberHeartbeat"]
    node.end()
    assert target.sent[-1] == ("leaveGroup", {"groupId": "group-1", "domain": "run-d0", "nodeId": "run-n1"})


def test_a_value_has_its_size_in_every_report_and_payload() -> None:
    node, target = joined(value="40B", payload="7B", variables_per_report=3, events_per_batch=2)
    node._change_variables(now_s())
    node._fire(now_s())
    (_, report), (_, events) = target.sent
    assert [len(each["value"]) for each in report["data"]] == [40, 40, 40]
    assert [len(each["payload"]) for each in events["events"]] == [7, 7]
    assert [each["orderKey"][-7:] for each in events["events"]] == ["0000001", "0000002"]


def test_leaving_twice_is_leaving_once() -> None:
    node, target = joined()
    node.end()
    node.end()
    assert target.operations == ["leaveGroup"]


def test_a_member_interrupted_while_joining_leaves_though_it_never_heard_of_it() -> None:
    node, target = make(GroupMember, 1)

    def interrupted() -> Answer:
        node.ended = True
        raise KeyboardInterrupt

    target.answers = {"listGroupsByDomain": [Answer("ok", data=[GROUP])], "joinGroup": [interrupted]}
    with pytest.raises(KeyboardInterrupt):
        node.live()
    node.end()
    assert target.operations[-1] == "leaveGroup"


def test_a_host_interrupted_while_opening_asks_for_its_group_and_dissolves_it() -> None:
    node, target = make(Host, 0)

    def interrupted() -> Answer:
        raise KeyboardInterrupt

    target.answers = {"createGroup": [interrupted, Answer("ok", data=GROUP)]}
    with pytest.raises(KeyboardInterrupt):
        node.live()
    node.end()
    assert target.operations == ["createDomain", "createGroup", "createGroup", "dissolveGroup"]
    assert target.sent[-1][1] == {"groupId": "group-1", "domain": "run-d0", "hostId": "run-n0"}


def test_a_host_that_never_asked_for_a_group_leaves_without_a_word() -> None:
    node, target = make(Host, 0)
    node.end()
    assert target.operations == []


def test_events_over_websocket_are_fired_and_one_message_by_batch() -> None:
    node, target = joined(events_per_batch=3)
    node._hearing = SimpleNamespace(is_polling=False, event_operation="fireEventsByNode", stop=lambda: None)
    node._fire(now_s())
    node._fire(now_s())
    assert target.operations == ["fireEventsByNode"] * 2
    assert [(row[1], row[2]) for row in node.session.publications] == [(FIRED, 1), (FIRED, 4)]
