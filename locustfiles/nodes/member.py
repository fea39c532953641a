"""A member: finds its host's group by listing the domain, joins it, keeps its place, leaves."""

from __future__ import annotations

from typing import Any

from locustfiles.nodes.node import Node


class GroupMember(Node):
    """A pupil whose project joins the group of another."""

    heartbeat_operation = "sendMemberHeartbeat"

    def live(self) -> None:
        super().live()
        if self.connected:
            self._list_statuses(self.session.now_s())

    def _enter_group(self) -> dict[str, Any] | None:
        if self.requester.domain is None:
            if self.requester.send("createDomain", {}).outcome != "ok":
                return None
            self.requester.domain = self.domain
        listed = self.requester.send("listGroupsByDomain", {"domain": self.domain})
        host = self.session.plan.node_name(self.session.plan.host_index(self.place.group_index))
        group = next((group for group in listed.data or () if group["hostId"] == host), None)
        if group is None:
            return None
        if self.ended:
            return None
        self.group_id = group["id"]  # from here on leaving makes sense, whether or not the answer ever comes
        group_uses_websocket = self.session.plan.is_websocket(self.place.group_index)
        answer = self.requester.send(
            "joinGroup",
            {
                "groupId": self.group_id,
                "domain": self.domain,
                "nodeId": self.name,
                "useWebSocket": group_uses_websocket and not self.filtered,
            },
        )
        if answer.outcome != "ok" or not answer.data:
            return None
        entered: dict[str, Any] = answer.data
        return entered

    def _leave_operation(self) -> tuple[str, dict[str, Any]]:
        return "leaveGroup", {"groupId": self.group_id, "domain": self.domain, "nodeId": self.name}

    def _heartbeat_variables(self) -> dict[str, Any]:
        return {"nodeId": self.name}

    def _heartbeat_interval_s(self) -> float:
        return self.session.scenario.settings.member_heartbeat_interval_s
