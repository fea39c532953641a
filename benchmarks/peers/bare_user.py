"""The peer of the generator's benchmark: a FastHttpUser that posts one prepared report on an absolute schedule.

It does nothing else: no JSON of the answer is read, nothing is recorded. On stdout, in the end, one JSON object with
the CPU seconds and requests of the measuring window. `benchmarks/generator.py` starts it.
"""

from __future__ import annotations

import json
import os
import random
import time
from typing import Any

import gevent
from locust import FastHttpUser, constant, events, task

from locustfiles.nodes.operations import body

PERIOD_S, RAMP_S, HOLD_S = (float(os.environ[name]) for name in ("BARE_PERIOD_S", "BARE_RAMP_S", "BARE_HOLD_S"))
GROUP = {
    "groupId": os.environ["BARE_GROUP"],
    "domain": "benchmark",
    "nodeId": "2026-11-30T13-30-00Z-benchmark-n1",
}
DATA = [{"key": f"var0{number}", "value": "0000001abcdefghi"} for number in (1, 2)]
BODY = body("reportDataByNode", {**GROUP, "data": DATA})
STARTED_S = time.perf_counter()
sent = 0


class BareUser(FastHttpUser):
    """Posts the report every period."""

    wait_time = constant(0)

    @task
    def post(self) -> None:
        """On an absolute schedule with a random phase, until Locust stops."""
        global sent
        headers = {"Content-Type": "application/json", "x-api-key": os.environ["MESHCAP_API_KEY"]}
        due_s = time.perf_counter() + random.random() * PERIOD_S
        while True:
            gevent.sleep(max(0.0, due_s - time.perf_counter()))
            self.client.post("", data=BODY, headers=headers, name="reportDataByNode")
            sent += 1
            due_s += PERIOD_S


@events.test_start.add_listener
def _measure(**_: Any) -> None:
    def window() -> None:
        gevent.sleep(RAMP_S)
        before, cpu_s = sent, time.process_time()
        gevent.sleep(HOLD_S)
        print(json.dumps({"requests": sent - before, "cpu_s": time.process_time() - cpu_s}), flush=True)

    gevent.spawn(window)
