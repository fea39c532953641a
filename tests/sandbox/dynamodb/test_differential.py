"""Random operations give the same answers, errors and consumed capacity as AWS's own engine.

Where DynamoDB Local is wrong, oracle_differences.yaml says so and who says what is right. More operations:
`MESHCAP_DIFFERENTIAL_SEEDS=400 pytest tests/sandbox/dynamodb/test_differential.py` runs 400 seeds of 500 operations.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from differential import Result, run

from tests.oracle.dynamodb_local import Unavailable, WireClient, dynamodb_local

pytestmark = [pytest.mark.oracle, pytest.mark.timeout(7200)]

SEEDS = int(os.environ.get("MESHCAP_DIFFERENTIAL_SEEDS", "20"))
FIRST_SEED = int(os.environ.get("MESHCAP_DIFFERENTIAL_FIRST_SEED", "1"))
OPERATIONS_PER_SEED = 500


@pytest.fixture(scope="module")
def oracle() -> Iterator[WireClient]:
    try:
        with dynamodb_local() as url:
            yield WireClient(url)
    except Unavailable as reason:
        pytest.skip(str(reason))


def test_random_operations_agree_with_dynamodb_local(oracle: WireClient) -> None:
    result = Result()
    for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
        run(oracle, seed, OPERATIONS_PER_SEED, result)
    total = sum(result.outcomes.values())
    print(f"\n{total} operations, {len(result.differences)} differences, {sum(result.excused.values())} excused:")
    for says, count in result.excused.most_common():
        print(f"  {count} x {says}")
    print(f"{result.messages_equal} error messages equal, {len(result.messages_different)} kinds different")
    assert not result.differences, "\n".join(result.differences[:5])
    assert total == SEEDS * OPERATIONS_PER_SEED
    # A comparison that only ever met errors, or only successes, would show little.
    answered = sum(count for (_, code), count in result.outcomes.items() if code == "answered")
    assert 0.3 < answered / total < 0.9
