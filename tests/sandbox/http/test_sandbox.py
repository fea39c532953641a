"""The whole sandbox on one port: who answers what, and who may ask."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import botocore.exceptions
import pytest
import uvloop
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from websockets.asyncio.client import connect

from capacity.dynamodb.table import Throughput
from capacity.scenario import load_scenarios
from capacity.workloads.mesh.tables import TABLES
from sandbox.config import DEFAULT_API_KEY, SandboxConfig, SandboxConfigError
from sandbox.http.message import Request, Response
from sandbox.remote_dynamodb import RemoteDynamoDB
from sandbox.server import Sandbox
from sandbox.tls import TlsError, server_tls

KEY = "a-key-of-my-own"


def with_sandbox(use: Callable[[Sandbox], Any], config: SandboxConfig | None = None) -> Any:
    """Run blocking client code in a thread while a sandbox serves."""

    async def run() -> Any:
        async with Sandbox(config or SandboxConfig()) as sandbox:
            return await asyncio.wait_for(asyncio.to_thread(use, sandbox), 60)

    return uvloop.run(run())


def client(sandbox: Sandbox, service: str, secret: str = "sandbox") -> Any:
    return boto3.client(
        service,
        endpoint_url=sandbox.url,
        region_name="ap-northeast-1",
        aws_access_key_id="sandbox",
        aws_secret_access_key=secret,
        config=Config(retries={"total_max_attempts": 1}),
    )


def get(url: str, **headers: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def graphql(sandbox: Sandbox, document: str, key: str = DEFAULT_API_KEY) -> tuple[int, Any]:
    body = json.dumps({"query": document}).encode()
    headers = {"x-api-key": key, "Content-Type": "application/json"}
    try:
        asked = urllib.request.Request(f"{sandbox.url}/graphql", body, headers)
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read()


CREATE_GROUP = """mutation { createGroup(name: "g", hostId: "h", domain: "d", maxConnectionTimeSeconds: 300,
    useWebSocket: true) { id fullId } }"""


@pytest.mark.parametrize("layout", sorted(TABLES))
def test_the_table_of_the_layout_is_there_when_the_sandbox_is(layout: str) -> None:
    def use(sandbox: Sandbox) -> None:
        table = client(sandbox, "dynamodb").describe_table(TableName="Mine")["Table"]
        indexes = {index["IndexName"] for index in table["GlobalSecondaryIndexes"]}
        assert table["TableStatus"] == "ACTIVE"
        assert indexes == {index.name for index in TABLES[layout].indexes}
        assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"

    with_sandbox(use, SandboxConfig(layout=layout, table_name="Mine"))


def test_a_provisioned_table_has_its_units_and_an_index_its_own() -> None:
    def use(sandbox: Sandbox) -> None:
        table = client(sandbox, "dynamodb").describe_table(TableName="MeshV2Table")["Table"]
        units = {"table": table["ProvisionedThroughput"]["WriteCapacityUnits"]} | {
            index["IndexName"]: index["ProvisionedThroughput"]["WriteCapacityUnits"]
            for index in table["GlobalSecondaryIndexes"]
        }
        assert units == {"table": 7, "GroupIdIndex": 3, "GroupNameIndex": 7}

    with_sandbox(use, SandboxConfig(throughput=Throughput(5, 7), index_throughput={"GroupIdIndex": Throughput(2, 3)}))


def test_a_mutation_is_seen_in_dynamodb_and_in_cloudwatch() -> None:
    """One request over GraphQL: the item by boto3, the consumed units and the request count by CloudWatch."""

    def use(sandbox: Sandbox) -> None:
        status, answer = graphql(sandbox, CREATE_GROUP)
        assert (status, answer.get("errors")) == (200, None)
        items = client(sandbox, "dynamodb").scan(TableName="MeshV2Table")["Items"]
        assert any(answer["data"]["createGroup"]["id"] in str(item) for item in items)
        metrics = {
            (metric["MetricName"], tuple((each["Name"], each["Value"]) for each in metric["Dimensions"]))
            for metric in client(sandbox, "cloudwatch").list_metrics()["Metrics"]
        }
        assert ("ConsumedWriteCapacityUnits", (("TableName", "MeshV2Table"),)) in metrics
        assert ("Requests", (("GraphQLAPIId", sandbox.config.api_id),)) in metrics

    with_sandbox(use)


def test_the_subscription_protocol_is_spoken_on_both_paths() -> None:
    async def run() -> None:
        async with Sandbox(SandboxConfig()) as sandbox:
            for path in ("/graphql", "/graphql/realtime"):
                header = base64.b64encode(json.dumps({"host": "x", "x-api-key": DEFAULT_API_KEY}).encode()).decode()
                url = f"{sandbox.url.replace('http', 'ws', 1)}{path}?header={header}&payload=e30="
                async with connect(url, subprotocols=["graphql-ws"]) as socket:
                    await socket.send('{"type":"connection_init"}')
                    assert json.loads(await asyncio.wait_for(socket.recv(), 5))["type"] == "connection_ack"

    uvloop.run(run())


def test_info_tells_everything_but_the_keys() -> None:
    def use(sandbox: Sandbox) -> None:
        status, info = get(f"{sandbox.url}/_sandbox/info")
        assert status == 200
        assert (info["table_name"], info["layout"], info["graphql_url"]) == (
            "MeshV2Table",
            "deployed",
            f"{sandbox.url}/graphql",
        )
        everything = json.dumps(info) + str(get(f"{sandbox.url}/_sandbox/health")) + repr(sandbox.config)
        assert KEY not in everything

    with_sandbox(use, SandboxConfig(api_keys=(KEY,)))


def test_partitions_show_the_table_and_its_indexes() -> None:
    def use(sandbox: Sandbox) -> None:
        _, report = get(f"{sandbox.url}/_sandbox/partitions")
        assert set(report["MeshV2Table"]["indexes"]) == {"GroupIdIndex", "GroupNameIndex"}

    with_sandbox(use)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("POST", "/_sandbox/info", 405), ("HEAD", "/_sandbox/health", 200), ("GET", "/", 200)],
)
def test_paths(method: str, path: str, status: int) -> None:
    sandbox = Sandbox(SandboxConfig())
    answer = sandbox.router(Request(method, path, "", {}))
    assert isinstance(answer, Response)
    assert answer.status == status


def test_the_resolvers_can_use_another_dynamodb() -> None:
    """Two sandboxes: one is the DynamoDB of the other's resolvers."""

    async def run() -> None:
        async with Sandbox(SandboxConfig()) as store:
            config = SandboxConfig(dynamodb_endpoint=store.url, table_name="Elsewhere")
            sandbox = await asyncio.to_thread(Sandbox, config)
            await asyncio.to_thread(sandbox.create_table)
            await asyncio.to_thread(sandbox.create_table)  # a table that is there stays
            request = Request(
                "POST",
                "/graphql",
                "",
                {"x-api-key": DEFAULT_API_KEY, "content-type": "application/json"},
                json.dumps({"query": CREATE_GROUP}).encode(),
            )
            answer = await asyncio.to_thread(sandbox.router, request)
            answer = answer if isinstance(answer, Response) else await answer
            assert json.loads(answer.body)["data"]["createGroup"]["id"]
            assert store.engine.call("Scan", {"TableName": "Elsewhere"})["Count"] > 0

    uvloop.run(run())


def test_a_dynamodb_that_does_not_answer_is_one_sentence() -> None:
    sandbox = Sandbox(SandboxConfig(dynamodb_endpoint="http://127.0.0.1:1"))
    with pytest.raises(
        SandboxConfigError, match=r"cannot create table MeshV2Table: .*no answer from http://127\.0\.0\.1:1"
    ):
        sandbox.create_table()


def test_errors_of_another_dynamodb_keep_their_name() -> None:
    def use(sandbox: Sandbox) -> None:
        remote = RemoteDynamoDB(sandbox.url, "ap-northeast-1")
        with pytest.raises(Exception, match="ResourceNotFoundException") as failed:
            remote.call("GetItem", {"TableName": "None", "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}})
        assert failed.value.status == 400  # type: ignore[attr-defined]

    with_sandbox(use)


needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="making a certificate needs openssl")


@needs_openssl
def test_https_and_wss_with_a_certificate_of_its_own_making() -> None:
    async def run() -> None:
        async with Sandbox(SandboxConfig(tls=True)) as sandbox:
            info = sandbox.info().model_dump()
            assert info["url"].startswith("https://127.0.0.1:")
            assert info["realtime_url"].startswith("wss://127.0.0.1:")
            trust = ssl.create_default_context(cafile=info["ca_bundle"])

            def ask() -> Any:
                with urllib.request.urlopen(f"{info['url']}/_sandbox/health", context=trust, timeout=10) as answer:
                    return json.loads(answer.read())

            def list_tables() -> Any:
                settings = {"region_name": "x", "aws_access_key_id": "x", "aws_secret_access_key": "x"}
                dynamodb = boto3.client("dynamodb", endpoint_url=info["url"], verify=info["ca_bundle"], **settings)
                return dynamodb.list_tables()["TableNames"]

            assert (await asyncio.to_thread(ask))["status"] == "ok"
            assert await asyncio.to_thread(list_tables) == ["MeshV2Table"]
            header = base64.b64encode(json.dumps({"host": "x", "x-api-key": DEFAULT_API_KEY}).encode()).decode()
            url = f"{info['realtime_url']}?header={header}&payload=e30="
            async with connect(url, subprotocols=["graphql-ws"], ssl=trust) as socket:
                await socket.send('{"type":"connection_init"}')
                assert json.loads(await asyncio.wait_for(socket.recv(), 5))["type"] == "connection_ack"
            reader, writer = await asyncio.open_connection("127.0.0.1", sandbox.http.port, ssl=trust)
            writer.write(b"NONSENSE\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 400")
            writer.close()
        assert not Path(info["ca_bundle"]).exists()

    uvloop.run(run())


@needs_openssl
def test_a_certificate_can_be_given(tmp_path: Path) -> None:
    with server_tls(None, None, "127.0.0.1") as made:
        certificate = shutil.copy(made.ca_bundle, tmp_path / "c.pem")
        key = shutil.copy(made.ca_bundle.with_name("key.pem"), tmp_path / "k.pem")
    with server_tls(Path(certificate), Path(key), "127.0.0.1") as given:
        assert given.ca_bundle == Path(certificate)
    with pytest.raises(TlsError, match="are no certificate and its key"), server_tls(Path(key), Path(key), "x"):
        pass


def test_without_openssl_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TlsError, match="needs the program openssl"), server_tls(None, None, "127.0.0.1"):
        pass


def switch(sandbox: Sandbox, body: Any, key: str = DEFAULT_API_KEY) -> tuple[int, Any]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = sandbox.router(Request("POST", "/_sandbox/faults", "", {"x-api-key": key}, content))
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body)


def test_faults_of_cloudwatch_are_switched_while_it_runs() -> None:
    def use(sandbox: Sandbox) -> None:
        cloudwatch = client(sandbox, "cloudwatch")
        status, now = switch(sandbox, {"cloudwatch": {"throttled_calls": 1, "late_points_s": 5}})
        assert (status, now["cloudwatch"]["late_points_s"]) == (200, 5.0)
        with pytest.raises(botocore.exceptions.ClientError, match="Rate exceeded"):
            cloudwatch.list_metrics()
        cloudwatch.list_metrics()
        assert switch(sandbox, {"cloudwatch": {"denied": True}})[0] == 200
        with pytest.raises(botocore.exceptions.ClientError, match="AccessDenied"):
            cloudwatch.list_metrics()
        assert switch(sandbox, {"cloudwatch": {}})[1]["cloudwatch"]["denied"] is False
        cloudwatch.list_metrics()

    with_sandbox(use)


def test_half_of_the_websockets_are_cut_at_once() -> None:
    async def run() -> None:
        async with Sandbox(SandboxConfig()) as sandbox:
            url = sandbox.url.replace("http", "ws", 1) + "/graphql/realtime"
            sockets = [await connect(url, subprotocols=["graphql-ws"]) for _ in range(10)]
            assert switch(sandbox, {"cut_websockets": 0.5})[1]["cut_websockets"] == 5
            await asyncio.sleep(0.2)
            assert sum(socket.close_code is not None for socket in sockets) == 5
            for socket in sockets:
                await socket.close()

    uvloop.run(run())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "example"),
        ([], "an object"),
        ({"network": 1}, "an object"),
        ({"cut_websockets": 2}, "from 0 to 1"),
        ({"cut_websockets": "all"}, "from 0 to 1"),
        ({"cloudwatch": {"late": 1}}, "late_points_s"),
        ({"cloudwatch": {"late_points_s": -1}}, "0 or more"),
        ({"cloudwatch": {"late_points_s": True}}, "0 or more"),
        ({"cloudwatch": {"denied": 1}}, "true or false"),
    ],
)
def test_a_wrong_switch_is_refused_with_an_example(body: Any, words: str) -> None:
    status, answer = switch(Sandbox(SandboxConfig()), body)
    assert status == 400
    assert words in answer["message"]


def test_only_a_holder_of_the_key_switches_faults() -> None:
    assert switch(Sandbox(SandboxConfig()), {}, key="guess")[0] == 401


REMOTE = SandboxConfig(host="0.0.0.0", allow_remote=True, api_keys=(KEY,))  # never bound in a test


def signed(secret: str, target: str, path: str = "/") -> Request:
    url = "http://sandbox.test" + path
    asked = AWSRequest("POST", url, headers={"X-Amz-Target": target, "Host": "sandbox.test"}, data=b"{}")
    SigV4Auth(Credentials("anything", secret), "dynamodb", "ap-northeast-1").add_auth(asked)
    headers = {name.lower(): str(value) for name, value in asked.headers.items()}
    return Request("POST", path, "", headers, b"{}")


@pytest.mark.parametrize("target", ["DynamoDB_20120810.ListTables", "GraniteServiceVersion20100801.ListMetrics"])
def test_on_a_network_aws_requests_must_be_signed_with_the_api_key(target: str) -> None:
    sandbox = Sandbox(REMOTE)
    statuses = [
        sandbox.router(request).status  # type: ignore[union-attr]
        for request in (
            signed(KEY, target),
            signed("guess", target),
            Request("POST", "/", "", {"x-amz-target": target}),
        )
    ]
    assert statuses == [200, 400, 400]


@pytest.mark.parametrize("service", ["dynamodb", "cloudwatch"])
def test_on_a_network_boto3_works_with_the_key_as_secret_and_with_no_other(service: str) -> None:
    def use(url: str) -> None:
        for secret, allowed in ((KEY, True), ("guess", False)):
            settings = {"region_name": "ap-northeast-1", "aws_access_key_id": "me", "aws_secret_access_key": secret}
            boto = boto3.client(service, endpoint_url=url, config=Config(retries={"total_max_attempts": 1}), **settings)
            call = boto.list_tables if service == "dynamodb" else partial(put_much, boto)
            if allowed:
                call()
            else:
                with pytest.raises(botocore.exceptions.ClientError):
                    call()

    def put_much(boto: Any) -> None:  # enough for botocore to compress it
        data = [{"MetricName": f"metric_{number:04}", "Value": 1.0} for number in range(900)]
        boto.put_metric_data(Namespace="Custom", MetricData=data)

    async def run() -> None:
        sandbox = Sandbox(REMOTE)
        await sandbox.http.start("127.0.0.1")  # the checks of a sandbox on a network, without one
        await asyncio.to_thread(use, f"http://127.0.0.1:{sandbox.http.port}")
        await sandbox.http.stop()

    uvloop.run(run())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-api-key": "guess"}, 401),
        ({"authorization": "Basic " + base64.b64encode(b"me:guess").decode()}, 401),
        ({"authorization": "Basic !!!"}, 401),
        ({"x-api-key": KEY}, 200),
        ({"authorization": "Basic " + base64.b64encode(f"me:{KEY}".encode()).decode()}, 200),
    ],
)
def test_on_a_network_pages_ask_for_the_key(headers: dict[str, str], status: int) -> None:
    answer = Sandbox(REMOTE).router(Request("GET", "/_sandbox/health", "", headers))
    assert answer.status == status  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"host": "0.0.0.0"}, "--allow-remote"),
        ({"host": "0.0.0.0", "allow_remote": True}, "not the default one"),
        ({"host": "example.org", "allow_remote": True, "api_keys": (KEY, DEFAULT_API_KEY)}, "not the default one"),
        ({"port": 70_000}, "outside 0 to 65535"),
        ({"api_keys": ()}, "at least one"),
        ({"layout": "phase9"}, "choose from phase1, architecture, deployed"),
        ({"world": "adaptive"}, "needs provisioned throughput"),
        ({"world": "on_demand", "throughput": Throughput(1, 1)}, "contradicts"),
        ({"index_throughput": {"GroupIdIndex": Throughput(1, 1)}}, "the table is not"),
        ({"throughput": Throughput(1, 1), "index_throughput": {"GSI9": Throughput(1, 1)}}, "it has GroupIdIndex"),
        ({"metric_resolution_s": 7}, "is not one of"),
        ({"ttl_lag_s": (float("nan"), 1.0)}, "0 or more"),
        ({"dynamodb_endpoint": "localhost"}, "is no URL"),
        ({"tls": True, "tls_key": Path("k.pem")}, "give both PEM files"),
        ({"tls_certificate": Path("c.pem"), "tls_key": Path("k.pem")}, "TLS is off"),
    ],
)
def test_a_wrong_configuration_is_refused_with_an_example(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SandboxConfigError, match=words):
        SandboxConfig(**given)


def test_all_faults_of_a_configuration_come_at_once() -> None:
    with pytest.raises(SandboxConfigError) as refused:
        SandboxConfig(port=-1, layout="x", api_keys=("",), metric_resolution_s=0)
    assert len(str(refused.value).splitlines()) == 4


def test_every_shipped_scenario_has_its_sandbox() -> None:
    scenarios = load_scenarios(Path(__file__).parents[3] / "scenarios.yaml")
    configs = {name: SandboxConfig.of_scenario(scenario, port=0) for name, scenario in scenarios.items()}
    assert configs["burst"].throughput is not None
    for name, config in configs.items():
        assert config.settings == scenarios[name].settings
        Sandbox(config).create_table()


def test_boto3_is_refused_on_a_missing_signature() -> None:
    def use(sandbox: Sandbox) -> None:
        with pytest.raises(botocore.exceptions.ClientError):
            boto3.client(
                "dynamodb",
                endpoint_url=sandbox.url,
                region_name="x",
                config=Config(signature_version=botocore.UNSIGNED, retries={"total_max_attempts": 1}),
            ).list_tables()

    with_sandbox(use)
