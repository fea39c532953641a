from __future__ import annotations

import orjson
import pytest

from locustfiles.nodes.answers import no_answer, read_answer


def refused(error_type: str | None, message: str = "m") -> bytes:
    return orjson.dumps({"data": {"op": None}, "errors": [{"errorType": error_type, "message": message}]})


@pytest.mark.parametrize(
    ("status", "content", "outcome", "error_type", "disconnects"),
    [
        pytest.param(200, b'{"data":{"op":{"id":"x"}}}', "ok", None, False, id="done"),
        pytest.param(200, b'{"data":{"op":null}}', "ok", None, False, id="done, with nothing to say"),
        pytest.param(200, refused("GroupNotFound"), "refused", "GroupNotFound", True, id="the group is gone"),
        pytest.param(200, refused("Unauthorized"), "refused", "Unauthorized", True, id="no longer the host"),
        pytest.param(200, refused("NodeNotFound"), "refused", "NodeNotFound", True, id="no longer a member"),
        pytest.param(200, refused("DynamoDB:ProvisionedThroughputExceededException"), "refused",
                     "DynamoDB:ProvisionedThroughputExceededException", False, id="throttled, so still in the group"),
        pytest.param(200, refused("Lambda:Unhandled", "Group not found"), "refused", "Lambda:Unhandled", True,
                     id="recordEventsByNode says it in words"),
        pytest.param(401, orjson.dumps({"errors": [{"errorType": "UnauthorizedException", "message": "m"}]}), "refused",
                     "UnauthorizedException", False, id="a wrong key is no reason to leave the group"),
        pytest.param(503, b"<html>", "error", "HTTP 503", False, id="a filter's page in between"),
        pytest.param(200, b"", "error", "HTTP 200", False, id="an empty answer"),
        pytest.param(200, b"[1]", "error", "HTTP 200", False, id="JSON, but no answer of GraphQL"),
        pytest.param(500, b"{}", "error", "HTTP 500", False, id="a failure without errors"),
    ],
)  # fmt: skip
def test_what_an_answer_means(
    status: int, content: bytes, outcome: str, error_type: str | None, disconnects: bool
) -> None:
    answer = read_answer("op", status, content)
    assert (answer.outcome, answer.error_type, answer.disconnects) == (outcome, error_type, disconnects)
    assert answer.received


def test_the_operations_own_field_is_the_data() -> None:
    assert read_answer("op", 200, b'{"data":{"op":[1,2]}}').data == [1, 2]


def test_without_an_answer_nobody_knows_whether_the_work_was_done() -> None:
    answer = no_answer(ConnectionResetError("reset by peer"))
    assert (answer.outcome, answer.error_type, answer.received) == ("error", "ConnectionResetError", False)
