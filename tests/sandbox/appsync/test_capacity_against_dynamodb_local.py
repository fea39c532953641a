"""The same thousand operations against the sandbox's engine and against AWS's own: same answers, same capacity.

Left out, because DynamoDB Local is wrong there (measured 2026-11): TransactWriteItems; a Query that finds nothing and a
key of a BatchGetItem without an item, for which it charges 0 where AWS charges the minimum.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import mesh_api as m
import pytest
from mesh_api import Mesh

from capacity.workloads.mesh.tables import TABLES
from sandbox.dynamodb.errors import DynamoDBError
from tests.oracle.conftest import dynamodb_local_url  # noqa: F401 - a fixture
from tests.oracle.dynamodb_local import RefusedError, WireClient

READS = ("GetItem", "Query", "Scan", "BatchGetItem")


class Metered:
    """Passes calls on and sums the capacity that the answers report, by table or index and kind."""

    def __init__(self, call: Any) -> None:
        self.call_through = call
        self.units: Counter[tuple[str, str]] = Counter()

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self.call_through(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        consumed = answer.get("ConsumedCapacity", [])
        if operation == "TransactWriteItems" or (operation in ("Query", "Scan") and answer["ScannedCount"] == 0):
            return answer
        if operation == "BatchGetItem":
            ((table, keys),) = request["RequestItems"].items()
            if len(answer["Responses"][table]) < len(keys["Keys"]):
                return answer
        kind = "read" if operation in READS else "write"
        for each in consumed if isinstance(consumed, list) else [consumed]:
            self.units["table", kind] += each.get("Table", {}).get("CapacityUnits", 0.0)
            for name, index in each.get("GlobalSecondaryIndexes", {}).items():
                self.units[name, kind] += index["CapacityUnits"]
        return answer


def operations(mesh: Mesh, seed: int, count: int) -> list[Any]:
    """Answers of a seeded mix of operations in which groups come and go."""
    dice = random.Random(seed)
    answers: list[Any] = []
    groups: list[dict[str, str]] = []

    def ask(text: str, **variables: Any) -> Any:
        answer = mesh.answer(text, variables)
        for error in answer.get("errors", ()):
            error["message"] = error["message"].partition(" (Service:")[0]
        found = (answer["data"] or {}).get("searchGroupsByNamePrefix")
        if found:  # two layouts scan for it, in an order of their own
            found.sort(key=lambda group: group["id"])
        answers.append(answer)
        return answer

    for _ in range(count):
        mesh.now_s += dice.choice([0, 0, 0.3, 1, 5])
        chance = dice.random()
        if not groups or chance < 0.05:
            host = f"host-{dice.randrange(10)}"
            answer = ask(m.CREATE_GROUP, name=dice.choice(["ab1", "ab2", "グループ"]), host=host,
                         domain=f"学校{dice.randrange(3)}", max=None, ws=dice.random() < 0.5)  # fmt: skip
            group = answer["data"]["createGroup"]
            groups.append({"group": group["id"], "domain": group["domain"], "host": group["hostId"]})
            continue
        if chance < 0.08:
            ask(m.DISSOLVE, **groups.pop(dice.randrange(len(groups))))
            continue
        here = dice.choice(groups)
        named = {"group": here["group"], "domain": here["domain"]}
        node = f"node-{dice.randrange(30)}"
        data = [{"key": f"k{n}", "value": "x" * dice.choice([1, 40, 900])} for n in range(dice.randrange(4))]
        fired = {"firedAt": "2026-11-30T14:54:12.345Z"}
        keys = [dice.choice([None, f"20261130145412-{n:07d}"]) for n in range(dice.randrange(40))]
        sizes = [dice.choice([0, 30, 1500]) for _ in keys]
        events = [
            {**fired, "eventName": f"e{n}", "payload": "p" * sizes[n], "orderKey": each} for n, each in enumerate(keys)
        ]
        since = "2026-11-30T14:54:12Z"
        text, more = dice.choice(
            [
                (m.JOIN_GROUP, {"node": node}), (m.JOIN_GROUP, {"node": node}),
                (m.REPORT, {"node": node, "data": data}), (m.REPORT, {"node": node, "data": data}),
                (m.REPORT, {"node": here["host"], "data": data}), (m.FIRE, {"node": node, "events": events}),
                (m.RECORD, {"node": node, "events": events}), (m.RENEW, {"host": here["host"]}),
                (m.MEMBER_HEARTBEAT, {"node": node}), (m.LEAVE, {"node": node}), (m.LIST_STATUSES, {}),
                (m.LIST_NODES, {}), (m.EVENTS_SINCE, {"since": since}), (m.POLL, {"since": since}),
                (m.NODE_STATUS, {"node": node}), (m.LIST_GROUPS, {}), (m.SEARCH, {"prefix": "ab", "limit": 100}),
            ]
        )  # fmt: skip
        ask(text, **{**named, **more})
    return answers


@pytest.mark.oracle
@pytest.mark.parametrize(("layout", "count"), [("phase1", 300), ("architecture", 300), ("deployed", 1000)])
def test_mixed_operations_answer_and_cost_the_same(dynamodb_local_url: str, layout: str, count: int) -> None:  # noqa: F811
    table = replace(TABLES[layout], name=f"Mesh-{layout}")
    client = WireClient(dynamodb_local_url)
    client.call("CreateTable", table.create_table_request())

    def outside(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return client.call(operation, request)
        except RefusedError as refused:
            message = refused.body.get("message") or refused.body.get("Message")
            raise DynamoDBError(refused.code, message, refused.status, refused.body) from None

    theirs, ours = Metered(outside), None
    meshes = []
    for call in (None, theirs.call):
        mesh = Mesh(layout, world="off", table_name=table.name, call=call)
        if call is None:
            ours = Metered(mesh.engine.call)
            mesh.through = ours.call
        meshes.append(mesh)
    assert operations(meshes[0], 5, count) == operations(meshes[1], 5, count)
    assert ours is not None
    assert ours.units == pytest.approx(theirs.units)
    assert ours.units["table", "write"] > count / 2
