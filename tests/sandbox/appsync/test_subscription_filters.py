"""Who receives a publication: looked up by index in the sandbox, told by the rule itself here."""

from __future__ import annotations

from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_under_test import REQUEST, documents

from sandbox.appsync.graphql.documents import SubscriptionStatement
from sandbox.appsync.metrics import AppSyncMetrics
from sandbox.appsync.subscriptions import Subscription, Subscriptions
from sandbox.cloudwatch.store import MetricStore

TITLES = st.sampled_from(["a", "b", "学校", None])
DOCUMENTS = (
    "subscription($title: String) { onChange(title: $title) { title } }",
    "subscription($title: String) { onChange(title: $title) { t: title leaf { name } } }",
    "subscription { onChange { title } }",
    'subscription { onChange(title: "a") { title } }',
    "subscription { onChange(title: null) { title } }",
)


class Inbox:
    def __init__(self) -> None:
        self.frames: list[Any] = []

    def send_frame(self, frame: bytes) -> None:
        self.frames.append(orjson.loads(frame[frame.index(b"{") :]))


@settings(max_examples=200, deadline=None)
@given(
    subscribers=st.lists(
        st.tuples(st.sampled_from(DOCUMENTS), st.fixed_dictionaries({}, optional={"title": TITLES}), st.booleans()),
        max_size=12,
    ),
    title=TITLES,
    selection=st.sampled_from(["title", "leaf { name }", "x: title leaf { name }"]),
)
def test_a_subscriber_receives_exactly_what_its_arguments_equal(
    subscribers: list[tuple[str, dict[str, Any], bool]], title: str | None, selection: str
) -> None:
    api = documents({"change": {"title": title, "leaf": {"name": "n"}}})
    registry = Subscriptions(api.publications, AppSyncMetrics(MetricStore(lambda: 0.0, 10), "api"))
    expected = []
    inboxes = []
    for number, (text, variables, leaves) in enumerate(subscribers):
        statement = api.statement(text, None)
        assert isinstance(statement, SubscriptionStatement)
        chosen, arguments = statement.bind(variables)
        inbox = Inbox()
        subscription = Subscription(inbox, f"s{number}", chosen, arguments)
        registry.add(subscription)
        if leaves:
            registry.remove(subscription)
        inboxes.append(inbox)
        published = title if "title" in selection else None
        # The rule: an argument left out does not filter; one that is given equals the published field, null included.
        wanted = "a" if '"a"' in text else None if "null" in text else variables.get("title")
        filters = "(title: $title" not in text or "title" in variables
        filters = filters and "onChange {" not in text
        expected.append(not leaves and (not filters or wanted == published))

    text = f'mutation {{ change(id: "1", pairs: []) {{ {selection} }} }}'
    registry.publish(api.statement(text, None).run({}, REQUEST).publications)  # type: ignore[union-attr]

    assert [len(inbox.frames) == 1 for inbox in inboxes] == expected
    assert [inbox.frames[0]["id"] for inbox in inboxes if inbox.frames] == [
        f"s{number}" for number, receives in enumerate(expected) if receives
    ]
    assert registry.count == sum(not leaves for _, _, leaves in subscribers)
