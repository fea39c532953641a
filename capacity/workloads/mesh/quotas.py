"""How near a stream of GraphQL requests comes to each quota of AppSync, in its busiest second."""

from __future__ import annotations

import numpy as np

from capacity.workloads.limit_use import LimitUse, limit_use
from capacity.workloads.mesh.realtime import Realtime
from capacity.workloads.mesh.requests import CODE, Requests

# AppSync quotas of the larger regions, Tokyo and N. Virginia among them: AWS general reference, AppSync endpoints and
# quotas, read 2026-11.
APPSYNC_TOKENS_PER_S = 10_000.0
APPSYNC_CONNECTS_PER_S = 2_000.0
APPSYNC_INBOUND_PER_S = 10_000.0
APPSYNC_OUTBOUND_PER_S = 1_000_000.0
_APPSYNC = "AWS general reference, AppSync quotas, 2026-11"


def appsync_limits(requests: Requests, live: Realtime, seconds: int) -> list[LimitUse]:
    """Every quota, whether the requests use some of it or not."""
    second = requests.time_s.astype(np.int64)
    per_s = np.bincount(second, minlength=seconds).astype(np.float64)
    joins = np.isin(requests.operation, [CODE["createGroup"], CODE["joinGroup"]]) & (live.connections > 0)
    connects = np.bincount(second[joins], minlength=seconds).astype(np.float64)
    inbound = np.bincount(second[live.request], minlength=seconds).astype(np.float64)
    outbound = np.bincount(second[live.request], live.metered_messages, minlength=seconds).astype(np.float64)
    return [
        limit_use("request tokens, one per request", "AppSync", "", APPSYNC_TOKENS_PER_S, per_s, "tokens/s", _APPSYNC),
        limit_use("connects", "AppSync", "", APPSYNC_CONNECTS_PER_S, connects, "connects/s", _APPSYNC),
        limit_use("inbound messages", "AppSync", "", APPSYNC_INBOUND_PER_S, inbound, "messages/s", _APPSYNC),
        limit_use("outbound messages", "AppSync", "", APPSYNC_OUTBOUND_PER_S, outbound, "5 kB messages/s", _APPSYNC),
    ]
