"""Runs and sandboxes as the fault tests start them."""

from tests.faults.conftest import sandbox, start

__all__ = ["sandbox", "start"]
