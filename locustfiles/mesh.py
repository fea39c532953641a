"""Mesh v2 under load: `locust -f locustfiles/mesh.py -H http://127.0.0.1:8080/graphql --headless`.

Options: --scenarios FILE, --scenario NAME, --run-dir FOLDER, --api-key KEY, or MESHCAP_SCENARIOS, MESHCAP_SCENARIO,
MESHCAP_RUN_DIR, MESHCAP_API_KEY. Without -u, -r or -t the scenario's schedule is in force.
"""

from __future__ import annotations

from typing import Any

import gevent
from locust import LoadTestShape, User, constant, events, task
from locust.exception import StopUser

from locustfiles.network.http_client import HttpClient
from locustfiles.network.requester import Requester
from locustfiles.nodes.host import Host
from locustfiles.nodes.member import GroupMember
from locustfiles.nodes.node import Node
from locustfiles.nodes.seats import Role
from locustfiles.nodes.session import TLS
from locustfiles.running.clock import now_s
from locustfiles.running.generator import generator
from locustfiles.running.scenario_options import add_scenario_options

_A_LONG_TIME_S = 1e8
AHEAD_S = 2.0
"""How long before a later lesson its users are spawned: Locust asks once a second how many there should be."""


class MeshUser(User):
    """One pupil's browser. Its task brings the node into its group; from then on the node's own timers act."""

    abstract = True
    wait_time = constant(_A_LONG_TIME_S)
    role: Role
    node_class: type[Node]
    node: Node | None = None

    def on_start(self) -> None:
        index = generator.take_seat(self.role)
        session = generator.session
        if index is None or session is None:
            raise StopUser("the scenario has no further node to play")
        http = HttpClient(session.graphql_url, {"Content-Type": "application/json", "x-api-key": session.api_key}, TLS)
        fire = self.environment.events.request.fire
        requester = Requester(http, fire, session.requests, session.notes, session.plan.node_name(index))
        self.node = self.node_class(session, session.plan.node(index), requester)
        session.add(self.node)

    @task
    def enter_group(self) -> None:
        """Arrive when the plan says so and enter the group."""
        node = self.node
        assert node is not None
        start = node.session.start
        if start.planned:
            gevent.sleep(max(0.0, start.start_s + node.session.plan.arrival_s(node.place.index) - now_s()))
        if not node.session.ended_s:  # a run may end itself while nodes are still arriving
            node.live()

    def on_stop(self) -> None:
        if self.node is not None:
            self.node.session.leave_later(self.node).join()
            generator.give_seat_back(self.node.place.index)


class MeshHost(MeshUser):
    """Opens a group."""

    role = "host"
    node_class = Host


class MeshMember(MeshUser):
    """Joins a host's group."""

    role = "member"
    node_class = GroupMember


class MeshSchedule(LoadTestShape):
    """The scenario's schedule: users ahead of their planned arrival, then the hold and the drain, then the end."""

    use_common_options = True  # -u, -r and -t put it out of force

    def tick(self) -> tuple[int, float] | None:
        """All nodes of a lesson from its beginning, at twice the planned rate; None once everybody has left."""
        scenario = generator.scenario
        assert scenario is not None
        if generator.has_ended():
            return None
        nodes, schedule = scenario.population.nodes, scenario.schedule
        lesson = schedule.lesson_at(AHEAD_S + (generator.elapsed_s() or 0.0))
        return nodes * (lesson + 1), max(1.0, 2 * nodes / schedule.ramp_s) if schedule.ramp_s else float(nodes)


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def _options(parser: Any) -> None:
    add_scenario_options(parser, "classroom")
    parser.add_argument("--api-key", env_var="MESHCAP_API_KEY", default="", is_secret=True, help="AppSync API key")


@events.init.add_listener  # type: ignore[untyped-decorator]
def _begin(environment: Any, **_: Any) -> None:
    scenario = generator.begin(environment, "mesh")
    options, population = environment.parsed_options, scenario.population
    MeshMember.weight = population.members_per_group
    if not population.members_per_group:
        environment.user_classes = [c for c in environment.user_classes if c is not MeshMember]
    if any((options.num_users, options.spawn_rate, options.run_time)):
        environment.shape_class = None
