"""A host: opens a group, keeps it alive, dissolves it."""

from __future__ import annotations

from typing import Any

from locustfiles.node import Node


class Host(Node):
    """A pupil whose project opens a group."""

    heartbeat_operation = "renewHeartbeat"

    def _enter_group(self) -> dict[str, Any] | None:
        plan, settings = self.session.plan, self.session.scenario.settings
        if self.requester.domain is None:
            if self.requester.send("createDomain", {}).outcome != "ok":
                return None
            self.requester.domain = self.domain
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
        if answer.outcome != "ok" or not answer.data:
            return None
        self.group_id = answer.data["id"]
        entered: dict[str, Any] = answer.data
        return entered

    def _leave_operation(self) -> tuple[str, dict[str, Any]]:
        return "dissolveGroup", {"groupId": self.group_id, "domain": self.domain, "hostId": self.name}

    def _heartbeat_variables(self) -> dict[str, Any]:
        return {"hostId": self.name}

    def _heartbeat_interval_s(self) -> float:
        return self.session.scenario.settings.host_heartbeat_interval_s
