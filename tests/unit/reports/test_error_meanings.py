"""What the sandbox answers as DynamoDB does is explained in both languages; what nobody knows is left alone."""

from __future__ import annotations

import pytest

from reports.error_meanings import meaning
from reports.wording import Wording
from sandbox.dynamodb import throughput

REFUSALS = [
    throughput.PROVISIONED_TABLE,
    throughput.PROVISIONED_INDEX,
    throughput.ON_DEMAND_TABLE,
    throughput.ON_DEMAND_INDEX,
    throughput.ON_DEMAND_MAXIMUM,
    throughput.ACCOUNT,
]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_refusal_for_throughput_has_a_meaning_of_its_own(lang: str) -> None:
    said = [meaning(f"{message} (Service: DynamoDb, Status Code: 400)", Wording(lang)) for message in REFUSALS]
    assert None not in said
    assert len(set(said)) == len(REFUSALS)


def test_an_unknown_message_has_none() -> None:
    assert meaning("boom", Wording("ja")) is None
