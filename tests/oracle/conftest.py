"""Fixtures for differential tests, here and elsewhere: `from tests.oracle.conftest import dynamodb_local_url`."""

from collections.abc import Iterator

import pytest

from tests.oracle import dynamodb_local as local


@pytest.fixture(scope="session")
def dynamodb_local_url() -> Iterator[str]:
    """Endpoint of an empty DynamoDB Local. Without Java or npm the test is skipped with the reason; in CI it fails."""
    engine = local.dynamodb_local()
    try:
        url = engine.__enter__()
    except local.Unavailable as reason:
        pytest.skip(str(reason))
    yield url
    engine.__exit__(None, None, None)


@pytest.fixture(scope="session")
def dynamodb_local(dynamodb_local_url: str) -> local.WireClient:
    """A client of an empty DynamoDB Local; every test creates tables under names of its own."""
    return local.WireClient(dynamodb_local_url)
