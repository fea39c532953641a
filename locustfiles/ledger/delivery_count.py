"""How many messages have come so far, over all workers: for people who watch; the ledger counts by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_FIELD = "meshcap_deliveries"


class DeliveryCount:
    """Rides on the reports that workers send to the master every few seconds."""

    def __init__(self, events: Any, own: Callable[[], int]) -> None:
        """`own` counts the messages of this process; `events` are Locust's."""
        self._own = own
        self._of_workers: dict[str, int] = {}
        events.report_to_master.add_listener(self._on_report)
        events.worker_report.add_listener(self._on_worker_report)

    @property
    def total(self) -> int:
        """Messages received since the start of the run."""
        return self._own() + sum(self._of_workers.values())

    def reset(self) -> None:
        """A new run begins."""
        self._of_workers.clear()

    def _on_report(self, data: dict[str, Any], **_: Any) -> None:
        data[_FIELD] = self._own()

    def _on_worker_report(self, client_id: str, data: dict[str, Any], **_: Any) -> None:
        self._of_workers[client_id] = data.get(_FIELD, 0)
