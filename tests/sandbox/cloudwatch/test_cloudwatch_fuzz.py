"""Whatever body comes in, in any encoding, CloudWatch's API gives a result or a refusal, never a fault of its own.

FUZZ_EXAMPLES=100000 makes it a long run.
"""

from __future__ import annotations

import gzip
import json
import os
import xml.etree.ElementTree as ElementTree
from urllib.parse import urlencode

import cbor2
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sandbox.cloudwatch.api import CloudWatchApi
from sandbox.cloudwatch.store import MetricStore
from sandbox.http.message import Request, Response

NOON = 1_796_040_000.0
_LONG_RUN = os.environ.get("FUZZ_EXAMPLES")
fuzz = settings(
    deadline=None,
    derandomize=_LONG_RUN is None,
    max_examples=int(_LONG_RUN or 150),
    suppress_health_check=list(HealthCheck),
)

OPERATIONS = ["GetMetricData", "GetMetricStatistics", "ListMetrics", "PutMetricData", "Nothing", ""]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=10),
    st.sampled_from(
        ["AWS/DynamoDB", "Sum", "p99", "Count", "2026-11-30T12:00:00Z", "PT3H", "\x00", "\ud7ff", "e" * 300]
    ),
    st.sampled_from([NOON, NOON + 60, 1e300, 60, 10, 0, -1]),
)
_FIELDS = [
    "MetricDataQueries", "Id", "MetricStat", "Metric", "Namespace", "MetricName", "Dimensions", "Name", "Value",
    "Period", "Stat", "StartTime", "EndTime", "ScanBy", "MaxDatapoints", "NextToken", "Statistics",
    "ExtendedStatistics", "Unit", "MetricData", "Values", "Counts", "StatisticValues", "SampleCount", "Sum",
    "Minimum", "Maximum", "Timestamp", "StorageResolution", "Expression", "ReturnData", "Label", "RecentlyActive",
    "EntityMetricData",
]  # fmt: skip
_DATUM = ("Value", "Values", "Counts", "StatisticValues", "Timestamp", "Dimensions")
names = st.sampled_from(_FIELDS)
anything = st.recursive(
    scalars,
    lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(names, below, max_size=5)),
    max_leaves=20,
)
_METRIC = st.fixed_dictionaries({"Namespace": st.just("N"), "MetricName": st.just("m"), "Dimensions": anything})
nearly_right = st.one_of(
    st.fixed_dictionaries(
        {
            "StartTime": st.one_of(st.just(NOON), scalars),
            "EndTime": st.one_of(st.just(NOON + 600), scalars),
            "MetricDataQueries": st.lists(
                st.fixed_dictionaries(
                    {
                        "Id": st.one_of(st.just("a"), st.just("b"), scalars),
                        "MetricStat": st.fixed_dictionaries(
                            {
                                "Metric": _METRIC,
                                "Period": st.one_of(st.just(60), scalars),
                                "Stat": st.one_of(st.just("Sum"), scalars),
                            }
                        ),
                    }
                ),
                max_size=3,
            ),
            "MaxDatapoints": scalars,
        }
    ),
    st.fixed_dictionaries(
        {
            "Namespace": st.just("N"),
            "MetricData": st.lists(
                st.fixed_dictionaries(
                    {"MetricName": st.just("m")},
                    optional=dict.fromkeys(_DATUM, anything),
                ),
                max_size=3,
            ),
        }
    ),
    st.dictionaries(names, anything, max_size=8),
)


def small_api() -> CloudWatchApi:
    """An API with two series."""
    store = MetricStore(lambda: NOON + 30, 10)
    store.series("N", "m", (("a", "b"),)).add(1.0)
    store.series("N", "m").add(2.0)
    return CloudWatchApi(store, lambda: NOON + 30)


@pytest.fixture(scope="module")
def api() -> CloudWatchApi:
    return small_api()


def whole(answer: Response) -> object:
    """The answer, decoded as a client would; it must not be the sandbox's own fault."""
    assert answer.status in (200, 400, 413, 415), answer.body
    if answer.content_type == "application/cbor":
        return cbor2.loads(answer.body)
    if answer.content_type == "text/xml":
        return ElementTree.fromstring(answer.body)
    return json.loads(answer.body)


def ask(api: CloudWatchApi, protocol: str, operation: str, body: bytes, **headers: str) -> Response:
    if protocol == "cbor":
        path = f"/service/GraniteServiceVersion20100801/operation/{operation}"
        return api.handle(Request("POST", path, "", {"content-type": "application/cbor", **headers}, body))
    if protocol == "json":
        headers = {"x-amz-target": f"GraniteServiceVersion20100801.{operation}", **headers}
    return api.handle(Request("POST", "/", "", headers, body))


def flattened(value: object, name: str = "") -> list[tuple[str, str]]:
    """A structure as form fields."""
    prefix = f"{name}." if name else ""
    if isinstance(value, dict):
        return [pair for key, below in value.items() for pair in flattened(below, prefix + key)]
    if isinstance(value, list):
        return [pair for at, below in enumerate(value, 1) for pair in flattened(below, f"{prefix}member.{at}")]
    return [(name, str(value))]


def in_each_encoding(api: CloudWatchApi, operation: str, content: object) -> list[int]:
    """The statuses of one structure in CBOR, JSON and a form; each answer must be whole."""
    form = urlencode([("Action", operation), *flattened(content)], errors="replace")
    bodies = {"cbor": cbor2.dumps(content), "json": json.dumps(content).encode(), "query": form.encode()}
    answers = [ask(api, protocol, operation, body) for protocol, body in bodies.items()]
    for answer in answers:
        whole(answer)
    return [answer.status for answer in answers]


@fuzz
@given(operation=st.sampled_from(OPERATIONS), content=nearly_right)
@example(operation="GetMetricData", content={"StartTime": NOON, "EndTime": 10**400, "MetricDataQueries": [{}]})
def test_any_structure_in_each_encoding(api, operation, content) -> None:
    in_each_encoding(api, operation, content)


@fuzz
@given(
    protocol=st.sampled_from(["cbor", "json", "query"]),
    operation=st.sampled_from(OPERATIONS),
    body=st.one_of(
        st.binary(max_size=60),
        st.sampled_from([b"[" * 100_000, b"\x81" * 100_000, b'{"a":' * 50_000, b"a." * 50_000 + b"b=1"]),
        st.sampled_from([b"a=1&a.b=2&a.b.c=3", b"\x9b" + b"\x7f" * 8, b"\xbf", b"\xd8\x1c\xa1\x61a\xd8\x1d\x00"]),
    ),
    encoding=st.sampled_from(["", "gzip", "br", "identity"]),
)
def test_any_bytes(api, protocol, operation, body, encoding) -> None:
    headers = {"content-encoding": encoding} if encoding else {}
    whole(ask(api, protocol, operation, body, **headers))


def test_a_gzip_body_that_unpacks_without_end_is_refused(api) -> None:
    body = gzip.compress(b" " * (64 * 1024 * 1024))
    assert len(body) < 100_000
    assert ask(api, "json", "PutMetricData", body, **{"content-encoding": "gzip"}).status == 413


def test_references_that_multiply_are_not_followed(api) -> None:
    """Thirty lists, each holding the one before it twice, are a billion elements when written out."""
    bomb: list[object] = ["x"]
    for _ in range(30):
        bomb = [bomb, bomb]
    body = cbor2.dumps({"Namespace": bomb, "MetricData": bomb, "StartTime": bomb}, value_sharing=True)
    assert len(body) < 1000
    for operation in OPERATIONS:
        assert ask(api, "cbor", operation, body).status == 400 or operation == "ListMetrics"
