from __future__ import annotations

import pytest
from mesh_api import Mesh


@pytest.fixture(params=["phase1", "architecture", "deployed"])
def mesh(request: pytest.FixtureRequest) -> Mesh:
    """The API in each layout."""
    return Mesh(request.param)


@pytest.fixture
def deployed() -> Mesh:
    """The API in the deployed layout."""
    return Mesh()
