"""Units that nobody can tell from the answers: of requests that may have done a part of their work, or none of it.

An operation that writes in several calls, as a Lambda function that clears a group does, may be throttled at any of
them: what it wrote before is consumed, and its answer does not tell how much that was. A request without an answer
may not have reached the table at all. Neither is an error of the model, so both bound what was sent, and the model is
wrong only where the measurement lies outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capacity.workloads.charge_rows import WRITE, Charges
from capacity.workloads.stream import Floats, Ints, Outcome, Sent


@dataclass(frozen=True)
class OpenUnits:
    """By resource and kind (read, write), in arrays of shape (resources, 2): how far the units sent may be off.

    `stopped` are the requests that may have been stopped in the midst of their writes.
    """

    below: Floats
    above: Floats
    stopped: int = 0


def open_units(sent: Sent[Any], charges: Charges, charge: Callable[[Any], Charges]) -> OpenUnits:
    """What `sent`, charged as in `charges`, leaves open; `charge` is asked what throttled requests cost when done."""
    requests = sent.requests
    as_charged = charges.per_request(len(requests))
    below: Floats = as_charged[sent.uncertain].sum(axis=0)
    throttled = np.flatnonzero(np.isin(requests.outcome, [Outcome.THROTTLED, Outcome.READ_THROTTLED]))
    if not len(throttled):
        return OpenUnits(below, np.zeros_like(below))
    outcome = requests.outcome.copy()
    outcome[throttled] = Outcome.DONE
    done = charge(replace(requests, outcome=outcome))
    stopped = np.intersect1d(throttled, _writing_in_several_calls(done, len(requests)))
    above = np.maximum(done.per_request(len(requests))[stopped] - as_charged[stopped], 0.0).sum(axis=0)
    return OpenUnits(below, above, len(stopped))


def _writing_in_several_calls(charges: Charges, requests: int) -> Ints:
    writes = (charges.kind == WRITE) & (charges.resource == 0)
    found: Ints = np.flatnonzero(np.bincount(charges.request[writes], minlength=requests) > 1)
    return found
