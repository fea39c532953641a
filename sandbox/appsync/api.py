"""The sandbox's AppSync API: Mesh v2's schema and resolvers, GraphQL over HTTP and the real-time endpoint."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sandbox.appsync.api_keys import ApiKeys
from sandbox.appsync.behaviour import Behaviour
from sandbox.appsync.context import Util
from sandbox.appsync.data_sources.dynamodb import DynamoDBDataSource, EngineCall
from sandbox.appsync.graphql.documents import Documents
from sandbox.appsync.graphql.execution import Api
from sandbox.appsync.graphql.schema import make_schema
from sandbox.appsync.graphql_http import GraphQLOverHttp
from sandbox.appsync.lambda_service import LambdaFunction
from sandbox.appsync.mesh.architecture import Architecture
from sandbox.appsync.mesh.deployed import Deployed
from sandbox.appsync.mesh.layout import Layout
from sandbox.appsync.mesh.operations import Operations
from sandbox.appsync.mesh.phase1 import Phase1
from sandbox.appsync.mesh.settings import MeshSettings
from sandbox.appsync.metrics import AppSyncMetrics, LambdaMetrics, MetricSink
from sandbox.appsync.realtime import Realtime
from sandbox.appsync.subscriptions import Subscriptions
from sandbox.http.message import Request, Response

if TYPE_CHECKING:
    from sandbox.config import SandboxConfig

FUNCTION_NAME = "MeshV2Handler"
"""The one Lambda function behind Mesh v2's four Lambda operations."""

LAYOUTS: dict[str, Callable[[str], Layout]] = {layout.name: layout for layout in (Phase1, Architecture, Deployed)}
"""Layout name -> its class; one module each."""


class AppSyncApi:
    """One API. `engine_call(operation, request)` is the DynamoDB behind it, in DynamoDB JSON.

    clock: epoch seconds, for every time a resolver sees. ids: source of group and event ids; None is the system's.
    behaviour: quotas and delays to imitate, by default those of the configuration, else none. call_later(delay_s,
    callback): when delayed publications go on, by default by the event loop.
    """

    def __init__(
        self,
        config: SandboxConfig,
        engine_call: EngineCall,
        metrics: MetricSink,
        clock: Callable[[], float] = time.time,
        ids: random.Random | None = None,
        behaviour: Behaviour | None = None,
        call_later: Callable[[float, Callable[[], None]], Any] | None = None,
    ) -> None:
        behaviour = behaviour or getattr(config, "behaviour", None) or Behaviour()
        dice = random.Random(config.seed)
        # A DynamoDB elsewhere is waited for in threads; the engine of this process answers at once.
        threads = ThreadPoolExecutor(16, "resolver") if config.dynamodb_endpoint else None
        settings = MeshSettings.from_environment(config.settings.environment())
        util = Util(clock, ids)
        layout = LAYOUTS[config.layout](config.table_name)
        operations = Operations(layout, DynamoDBDataSource(config.table_name, engine_call))
        schema = make_schema(files("sandbox.appsync.mesh").joinpath("schema.graphql").read_text(encoding="utf-8"))
        self.function = LambdaFunction(LambdaMetrics(metrics, FUNCTION_NAME), behaviour, clock, dice)
        resolvers = operations.resolvers(settings, clock, util.auto_id, self.function)
        documents = Documents(Api(schema, resolvers, settings, util))
        keys = ApiKeys(config.api_keys, clock, config.api_key_expires_s)
        self.metrics = AppSyncMetrics(metrics, config.api_id)
        self.subscriptions = Subscriptions(documents.publications, self.metrics, behaviour, clock, call_later)
        self.http = GraphQLOverHttp(
            documents, keys, self.metrics, self.subscriptions.publish, behaviour, clock, dice=dice, threads=threads
        )
        self.realtime = Realtime(documents, self.subscriptions, keys, self.metrics, behaviour=behaviour, clock=clock)
        self.handle: Callable[[Request], Response | Awaitable[Response]] = self.http.handle

    def info(self) -> dict[str, Any]:
        """What a person looking at the sandbox wants to know."""
        return {"connections": len(self.realtime.connections), "subscriptions": self.subscriptions.count}
