"""The page for people: what it is told, and that nothing a pupil types becomes markup or script."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import uvloop

from capacity.workloads.mesh.tables import TABLES
from sandbox.config import SandboxConfig
from sandbox.http.message import Request, Response
from sandbox.playground.state import consumption, mesh_groups
from sandbox.server import Sandbox
from tests.golden.chromium import BINARY, chromium

EVIL = "<img src=x onerror=document.title='owned'>"


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_796_040_000.0

    def __call__(self) -> float:
        return self.now_s


def graphql(sandbox: Sandbox, document: str, **variables: Any) -> Any:
    body = json.dumps({"query": document, "variables": variables}).encode()
    request = Request("POST", "/graphql", "", {"x-api-key": sandbox.config.api_keys[0]}, body)
    answer = sandbox.http.handler(request)
    assert isinstance(answer, Response)
    content = json.loads(answer.body)
    assert "errors" not in content, content
    return content["data"]


def with_group(sandbox: Sandbox, name: str = "Group", value: str = "5") -> str:
    """A group with one member that has reported."""
    created = graphql(
        sandbox,
        """mutation($name: String!) { createGroup(name: $name, hostId: "host", domain: "school", useWebSocket: true,
        maxConnectionTimeSeconds: 300) { id } }""",
        name=name,
    )
    group = created["createGroup"]["id"]
    graphql(sandbox, 'mutation($g: ID!) { joinGroup(groupId: $g, domain: "school", nodeId: "n1") { id } }', g=group)
    graphql(
        sandbox,
        """mutation($g: ID!, $v: String!) { reportDataByNode(groupId: $g, domain: "school", nodeId: "n1",
        data: [{key: "speed", value: $v}]) { groupId } }""",
        g=group,
        v=value,
    )
    return str(group)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(clock: Clock) -> Callable[..., Sandbox]:
    def made(**given: Any) -> Sandbox:
        sandbox = Sandbox(SandboxConfig(**given), clock)
        sandbox.create_table()
        return sandbox

    return made


@pytest.mark.parametrize("layout", sorted(TABLES))
def test_groups_and_what_their_nodes_report_in_every_layout(make, layout: str) -> None:
    sandbox = make(layout=layout)
    group = with_group(sandbox)
    rows = [record.text for record in sandbox.engine.find("MeshV2Table").rows.values()]
    [shown] = mesh_groups(rows)
    assert (shown["id"], shown["name"], shown["domain"], shown["host"]) == (group, "Group", "school", "host")
    assert [(node["id"], node["data"]) for node in shown["nodes"]] == [("n1", ["speed=5"])]


def test_consumption_is_that_of_the_closed_periods(make, clock: Clock) -> None:
    sandbox = make()
    with_group(sandbox)
    clock.now_s += 10
    sandbox.metrics.tick()
    lines = consumption(sandbox.metrics, "MeshV2Table")["units_per_s"]
    assert set(lines) == {"MeshV2Table", "GroupIdIndex", "GroupNameIndex"}
    written = sandbox.metrics.find("AWS/DynamoDB", "ConsumedWriteCapacityUnits", (("TableName", "MeshV2Table"),))[0]
    [(_, point)] = sandbox.metrics.read(written, clock.now_s - 10, clock.now_s, 10)
    assert lines["MeshV2Table"]["write"][-1] == pytest.approx(point.total / 10)
    assert lines["MeshV2Table"]["write"][-2] is None


def test_requests_are_noted_only_while_somebody_looks(make, clock: Clock) -> None:
    sandbox = make()
    bare = sandbox.http.handler
    with_group(sandbox)
    assert sandbox.recorder.look() == []
    graphql(sandbox, 'query Q { listGroupsByDomain(domain: "school") { id } }')
    sandbox.http.handler(Request("POST", "/", "", {"x-amz-target": "DynamoDB_20120810.ListTables"}, b"{}"))
    noted = [(each["service"], each["operation"], each["status"]) for each in sandbox.recorder.look()]
    assert noted == [("DynamoDB", "ListTables", 400), ("AppSync", "listGroupsByDomain", 200)]
    clock.now_s += 60
    graphql(sandbox, 'query { listGroupsByDomain(domain: "school") { id } }')
    assert sandbox.http.handler == bare


def test_looking_at_the_page_is_not_metered(make, clock: Clock) -> None:
    sandbox = make()
    with_group(sandbox)
    before = {(series.metric, series.dimensions): series.open_point() for series in sandbox.metrics.all()}
    sandbox.recorder.look()
    sandbox.engine.partitions()
    mesh_groups([record.text for record in sandbox.engine.find("MeshV2Table").rows.values()])
    after = {(series.metric, series.dimensions): series.open_point() for series in sandbox.metrics.all()}
    assert after == before


@pytest.mark.browser
@pytest.mark.skipif(BINARY is None, reason="Chromium is not on this machine")
def test_in_a_browser_names_are_text_and_nothing_else_is_asked() -> None:
    def look(sandbox: Sandbox) -> None:
        with_group(sandbox, name=EVIL, value=EVIL)
        with chromium() as page:
            page.call("Page.navigate", url=sandbox.url + "/")
            wanted = (EVIL, f"speed={EVIL}", "GroupNameIndex")
            text = ""
            for _ in range(300):  # its parts are asked for and drawn one after the other
                text = page.evaluate("document.body ? document.body.innerText : ''") or ""
                if all(each in text for each in wanted):
                    break
                time.sleep(0.1)
            assert [each for each in wanted if each not in text] == []
            assert page.evaluate("document.images.length") == 0
            assert page.evaluate("document.title") == "meshcap sandbox"
            assert all(url.startswith(sandbox.url) for url in page.requests if url.startswith("http"))
            assert page.errors == []

    async def run() -> None:
        async with Sandbox(SandboxConfig()) as sandbox:
            await asyncio.wait_for(asyncio.to_thread(look, sandbox), 60)

    uvloop.run(run())
