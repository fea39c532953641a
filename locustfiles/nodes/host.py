"""A host: opens a group, keeps it alive, dissolves it."""

from __future__ import annotations

from typing import Any

from locustfiles.nodes.node import Node


class Host(Node):
    """A pupil whose project opens a group."""

    heartbeat_operation = "renewHeartbeat"

    _unheard = False
    """Whether a createGroup is out whose answer has not come."""

    def _enter_group(self) -> dict[str, Any] | None:
        if self.requester.domain is None:
            if self.requester.send("createDomain", {}).outcome != "ok":
                return None
            self.requester.domain = self.domain
        return None if self.ended else self._create_group()

    def _create_group(self) -> dict[str, Any] | None:
        plan, settings = self.session.plan, self.session.scenario.settings
        self._unheard = True
        answer = self.requester.send(
            "createGroup",
            {
                "name": plan.group_name(self.place.group_index),
                "hostId": self.name,
                "domain": self.domain,
                "maxConnectionTimeSeconds": int(settings.max_connection_time_s),
                "useWebSocket": plan.is_websocket(self.place.group_index),
            },
        )
        self._unheard = not answer.received
        if answer.outcome != "ok" or not answer.data:
            return None
        entered: dict[str, Any] = answer.data
        self.group_id = entered["id"]
        return entered

    def _find_group(self) -> None:
        """createGroup is idempotent per host and domain, so asking again names the group that is there."""
        if self.group_id is None and self._unheard:
            self._create_group()

    def _leave_operation(self) -> tuple[str, dict[str, Any]]:
        return "dissolveGroup", {"groupId": self.group_id, "domain": self.domain, "hostId": self.name}

    def _heartbeat_variables(self) -> dict[str, Any]:
        return {"hostId": self.name}

    def _heartbeat_interval_s(self) -> float:
        return self.session.scenario.settings.host_heartbeat_interval_s
