"""What a node writes down of what it hears, over a WebSocket and by polling."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from locustfiles.ledger.marker import stamp
from locustfiles.nodes.answers import Answer
from locustfiles.nodes.hearing import Polling, Subscription
from locustfiles.running.parts import FIRED, RECORDED, REPORT

GROUP, DOMAIN = "group-1", "run-d0"


class Node:
    """A node with just what an ear needs: index 1 of group 0, and answers to its polls."""

    def __init__(self) -> None:
        self.rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in ("receptions", "presences", "cursors")}
        streams = {name: SimpleNamespace(append=rows.append) for name, rows in self.rows.items()}
        self.session = SimpleNamespace(
            index_of=lambda name: int(name[1:]) if name.startswith("n") else -1, notes={}, **streams
        )
        self.place = SimpleNamespace(index=1, group_index=0)
        self.group_id, self.domain = GROUP, DOMAIN
        self.answers: list[Answer] = []
        self.polled: list[str] = []
        self.disconnected = False

    def disconnect(self) -> None:
        self.disconnected = True

    def call(self, operation: str, variables: dict[str, Any], due_s: float) -> Answer:
        assert operation == "pollGroupData"
        self.polled.append(variables["since"])
        return self.answers.pop(0)

    def heard(self) -> list[tuple[Any, ...]]:
        """(sender, kind, sequence, foreign) of each reception."""
        return [(row[1], row[2], row[3], row[5]) for row in self.rows["receptions"]]


def message(**part: Any) -> dict[str, Any]:
    return {"groupId": GROUP, "domain": DOMAIN, "nodeStatus": None, "batchEvent": None, "groupDissolve": None} | part


def status(node: str, sequence: int) -> dict[str, Any]:
    return {"nodeId": node, "groupId": GROUP, "data": [{"key": "var01", "value": stamp(sequence, 16)}]}


def event(node: str, sequence: int, cursor: str = "") -> dict[str, Any]:
    return {"firedByNodeId": node, "groupId": GROUP, "payload": stamp(sequence, 20), "cursor": cursor}


def poll_answer(events: list[dict[str, Any]] = [], statuses: list[dict[str, Any]] = []) -> Answer:  # noqa: B006
    return Answer("ok", data={"events": events, "nodeStatuses": statuses})


@pytest.mark.parametrize(
    ("said", "written"),
    [
        pytest.param(message(nodeStatus=status("n2", 7)), (2, REPORT, 7, False), id="a report"),
        pytest.param(message(nodeStatus=status("n1", 3)), (1, REPORT, 3, False), id="its own report"),
        pytest.param(
            message(batchEvent={"firedByNodeId": "n3", "events": [event("n3", 5), event("n3", 6)]}),
            (3, FIRED, 5, False),
            id="a batch of events goes by its first one",
        ),
        pytest.param(message(nodeStatus=status("stranger", 1)), (-1, REPORT, 1, False), id="a node of another run"),
        pytest.param(
            message(groupId="group-2", nodeStatus=status("n2", 7)), (-1, FIRED, -1, True), id="another group's"
        ),
        pytest.param(
            message(domain="run-d1", nodeStatus=status("n2", 7)), (-1, FIRED, -1, True), id="another school's"
        ),
        pytest.param(
            message(nodeStatus={"nodeId": "n2", "data": [{"key": "k", "value": "warm"}]}),
            (2, REPORT, -1, False),
            id="a value that is not ours",
        ),
    ],
)
def test_a_publication_is_written_down_as(said: dict[str, Any], written: tuple[Any, ...]) -> None:
    node = Node()
    Subscription(node)._heard(said, 10.0)  # type: ignore[arg-type]
    assert node.heard() == [written]


def test_a_dissolved_group_disconnects() -> None:
    node = Node()
    Subscription(node)._heard(message(groupDissolve={"message": "bye"}), 10.0)  # type: ignore[arg-type]
    assert node.disconnected
    assert node.heard() == []


def polling() -> tuple[Node, Polling]:
    node = Node()
    ear = Polling(node, joined_s=1796052452.5, entering_s=1796052452.25)  # type: ignore[arg-type]
    ear._node._call = node.call  # type: ignore[assignment, method-assign]
    ear.start()
    return node, ear


def test_a_poll_hears_the_events_of_others_and_goes_on_from_the_last_one() -> None:
    node, ear = polling()
    node.answers = [poll_answer([event("n2", 1, "EVENT#a"), event("n1", 1, "EVENT#b")]), poll_answer()]
    ear.poll(0.0)
    ear.poll(2.0)
    assert node.heard() == [(2, RECORDED, 1, False)]
    assert node.polled == ["2026-11-30T15:27:32.250Z", "EVENT#b"]


def test_after_its_own_record_it_polls_from_the_end_of_that() -> None:
    node, ear = polling()
    node.answers = [poll_answer([event("n2", 1, "EVENT#a")]), poll_answer(), poll_answer()]
    ear.poll(0.0)
    ear.recorded("EVENT#m")
    ear.poll(2.0)
    ear.recorded(None)  # a refused record
    ear.poll(4.0)
    assert node.polled[1:] == ["EVENT#m", "EVENT#m"]
    assert [row[2] for row in node.rows["cursors"]] == ["EVENT#a", "EVENT#m", "EVENT#m"]


def test_a_status_is_written_down_once_for_each_report_it_shows_and_never_its_own() -> None:
    node, ear = polling()
    node.answers = [
        poll_answer(statuses=[status("n1", 9), status("n2", 4)]),
        poll_answer(statuses=[status("n2", 4)]),
        poll_answer(statuses=[status("n2", 6)]),
    ]
    for moment_s in (0.0, 2.0, 4.0):
        ear.poll(moment_s)
    assert node.heard() == [(2, REPORT, 4, False), (2, REPORT, 6, False)]


def test_what_is_published_after_the_last_answered_poll_is_owed_to_nobody() -> None:
    node, ear = polling()
    node.answers = [Answer("error", error_type="TimeoutError")]
    ear.poll(0.0)
    ear.stop()
    opened, closed = node.rows["presences"]
    assert opened[:4] == closed[:4] == (1, 0, GROUP, True)
    assert closed[5] == 1796052452.5  # no poll was ever answered
