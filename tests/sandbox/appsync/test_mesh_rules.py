"""Long random classrooms against the rules of Mesh v2, written down once more as plain Python.

The model below knows nothing of tables, keys or resolvers: groups, hosts, members and clocks. Whatever mixture of
operations and waiting comes, every layout must answer as it says.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import mesh_api as m
import pytest
from mesh_api import Mesh

HOST_TTL_S, MEMBER_TTL_S, LIFETIME_S = 150, 600, 2100


@dataclass
class Group:
    """A group as pupils know it. Times are whole seconds of the server."""

    domain: str
    host: str
    created_s: int
    heartbeat_s: int
    node_until_s: dict[str, int] = field(default_factory=dict)

    def is_there(self, now_s: int) -> bool:
        return now_s <= self.created_s + LIFETIME_S and now_s <= self.heartbeat_s + HOST_TTL_S

    def is_listed(self, now_s: int) -> bool:
        return now_s < self.created_s + LIFETIME_S and now_s < self.heartbeat_s + HOST_TTL_S


class Classroom:
    """Plays one random operation after the other and checks each answer."""

    def __init__(self, layout: str, seed: int) -> None:
        self.mesh = Mesh(layout, world="off")
        self.layout = layout
        self.dice = random.Random(seed)
        self.groups: dict[str, Group] = {}
        self.seen: set[str] = set()

    @property
    def now_s(self) -> int:
        return int(self.mesh.now_s)

    def play(self) -> None:
        self.mesh.now_s += self.dice.choice([0, 0, 0, 1, 5, 30, 60, 150, 300]) if self.dice.random() < 0.3 else 0
        often = [self.join, self.renew]
        seldom = [self.create, self.stay, self.leave, self.dissolve, self.report, self.list_groups, self.list_nodes]
        self.dice.choice([*often, *often, *seldom])()

    def ask(self, text: str, **variables: Any) -> tuple[str | None, Any]:
        """The type of the error, or None and the answer."""
        answer = self.mesh.answer(text, variables)
        if "errors" in answer:
            (error,) = answer["errors"]
            self.seen.add(error["errorType"])
            return error["errorType"], None
        ((_, value),) = answer["data"].items()
        return None, value

    def some_group(self) -> tuple[str, Group]:
        if not self.groups or self.dice.random() < 0.05:
            return "unknown", Group("d1", "host-1", -10_000, -10_000)
        return self.dice.choice(list(self.groups.items()))

    def create(self) -> None:
        domain, host = self.dice.choice(["d1", "学校"]), f"host-{self.dice.randrange(4)}"
        mine = [
            group_id
            for group_id, group in self.groups.items()
            if (group.domain, group.host) == (domain, host) and group.is_listed(self.now_s)
        ]
        error, answer = self.ask(m.CREATE_GROUP, name="n", host=host, domain=domain, max=None, ws=True)
        assert error is None
        if mine:
            assert answer["id"] in mine
        else:
            assert answer["id"] not in self.groups
            self.groups[answer["id"]] = Group(domain, host, self.now_s, self.now_s)

    def join(self) -> None:
        group_id, group = self.some_group()
        node = f"node-{self.dice.randrange(8)}"
        error, _ = self.ask(m.JOIN_GROUP, group=group_id, domain=group.domain, node=node)
        assert error == (None if group.is_there(self.now_s) else "GroupNotFound")
        if error is None:
            group.node_until_s[node] = self.now_s + MEMBER_TTL_S if self.layout != "phase1" else 10**10

    def renew(self) -> None:
        group_id, group = self.some_group()
        host = group.host if self.dice.random() < 0.8 else "somebody"
        error, _ = self.ask(m.RENEW, group=group_id, domain=group.domain, host=host)
        if not group.is_there(self.now_s):
            assert error == "GroupNotFound"
        elif host != group.host:
            assert error == "Unauthorized"
        else:
            assert error is None
            group.heartbeat_s = self.now_s

    def stay(self) -> None:
        group_id, group = self.some_group()
        node = f"node-{self.dice.randrange(8)}"
        error, _ = self.ask(m.MEMBER_HEARTBEAT, group=group_id, domain=group.domain, node=node)
        if not group.is_there(self.now_s):
            assert error == "GroupNotFound"
        else:
            assert error == (None if node in group.node_until_s else "NodeNotFound")
            if error is None:
                group.node_until_s[node] = self.now_s + MEMBER_TTL_S

    def leave(self) -> None:
        group_id, group = self.some_group()
        node = f"node-{self.dice.randrange(8)}"
        error, _ = self.ask(m.LEAVE, group=group_id, domain=group.domain, node=node)
        assert error is None
        group.node_until_s.pop(node, None)

    def dissolve(self) -> None:
        group_id, group = self.some_group()
        host = group.host if self.dice.random() < 0.2 else "somebody"
        error, _ = self.ask(m.DISSOLVE, group=group_id, domain=group.domain, host=host)
        if not group.is_there(self.now_s):
            assert error == "GroupNotFound"
        elif host != group.host:
            assert error == "Unauthorized"
        else:
            assert error is None
            del self.groups[group_id]

    def report(self) -> None:
        group_id, group = self.some_group()
        joined = list(group.node_until_s)
        if joined:
            node = self.dice.choice(joined)
            error, _ = self.ask(m.REPORT, group=group_id, domain=group.domain, node=node, data=[])
            assert error == (None if group.is_there(self.now_s) else "GroupNotFound")

    def list_groups(self) -> None:
        for domain in ("d1", "学校"):
            error, answer = self.ask(m.LIST_GROUPS, domain=domain)
            assert error is None
            assert {each["id"] for each in answer} == {
                group_id
                for group_id, group in self.groups.items()
                if group.domain == domain and group.is_listed(self.now_s)
            }

    def list_nodes(self) -> None:
        group_id, group = self.some_group()
        error, answer = self.ask(m.LIST_NODES, group=group_id, domain=group.domain)
        assert error is None
        assert {each["id"] for each in answer} == {
            node for node, until_s in group.node_until_s.items() if until_s > self.now_s
        }


@pytest.mark.parametrize("layout", ["phase1", "architecture", "deployed"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_random_classroom_goes_by_the_rules(layout: str, seed: int) -> None:
    classroom = Classroom(layout, seed)
    for _ in range(800):
        classroom.play()
    assert classroom.seen == {"GroupNotFound", "Unauthorized", "NodeNotFound"}
