"""Units that nobody can tell from the answers: of requests that may have done a part of their work, or none of it.

An operation of several calls, as a Lambda function that clears a group is, may be throttled at any of them: what it did
before is consumed, and its answer does not tell how much that was. Where both reads and writes were throttled, an
answer does not tell which it was; the deployed group check even calls a group missing whose read was throttled. A
request without an answer may not have reached the table at all. None of this is an error of the model, so it bounds
what was sent, and the model is wrong only where the measurement lies outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capacity.workloads.charge_rows import READ, WRITE, Charges
from capacity.workloads.stream import Floats, Ints, Outcome, Sent


@dataclass(frozen=True)
class ThrottledKinds:
    """What CloudWatch counted throttles of, on the table or any index."""

    reads: bool = False
    writes: bool = False

    @property
    def only_reads(self) -> bool:
        return self.reads and not self.writes


@dataclass(frozen=True)
class OpenUnits:
    """By resource and kind (read, write), in arrays of shape (resources, 2): how far the units sent may be off.

    `stopped` are the requests that may have been stopped in the midst of their calls, `unread` those that may have been
    stopped before their first.
    """

    below: Floats
    above: Floats
    stopped: int = 0
    unread: int = 0


def open_units(
    sent: Sent[Any], charges: Charges, charge: Callable[[Any], Charges], kinds: ThrottledKinds | None = None
) -> OpenUnits:
    """What `sent`, charged as in `charges`, leaves open; `charge` is asked what requests cost that get further, or less
    far. `kinds`: None when nothing was measured."""
    kinds = kinds or ThrottledKinds()
    requests = sent.requests
    as_charged = charges.per_request(len(requests))
    below: Floats = as_charged[sent.uncertain].sum(axis=0)
    above: Floats = np.zeros_like(below)

    def charged_as(outcome: Outcome, chosen: Ints) -> Charges:
        outcomes = requests.outcome.copy()
        outcomes[chosen] = outcome
        return charge(replace(requests, outcome=outcomes))

    throttled = np.flatnonzero(np.isin(requests.outcome, [Outcome.THROTTLED, Outcome.READ_THROTTLED]))
    stopped: Ints = np.zeros(0, np.int64)
    if len(throttled):
        done = charged_as(Outcome.DONE, throttled)
        further = np.maximum(done.per_request(len(requests)) - as_charged, 0.0)
        for kind, may_be_refused in ((READ, kinds.reads), (WRITE, not kinds.only_reads)):
            if not may_be_refused:
                continue
            chosen = np.intersect1d(throttled, _in_several_calls(done, kind, len(requests)))
            above[:, kind] += further[chosen, :, kind].sum(axis=0)
            stopped = np.union1d(stopped, chosen)
    unread: Ints = np.zeros(0, np.int64)
    if kinds.reads:
        unread = np.flatnonzero(np.isin(requests.outcome, [Outcome.THROTTLED, Outcome.NO_GROUP]))
        less = charged_as(Outcome.READ_THROTTLED, unread).per_request(len(requests))
        below += (as_charged - less)[np.setdiff1d(unread, sent.uncertain)].sum(axis=0)
    return OpenUnits(below, above, len(stopped), len(unread))


def _in_several_calls(charges: Charges, kind: int, requests: int) -> Ints:
    """Requests with more than one call of a kind: of writes, on the table itself, since indexes follow it."""
    of_kind = charges.kind == kind
    if kind == WRITE:
        of_kind &= charges.resource == 0
    found: Ints = np.flatnonzero(np.bincount(charges.request[of_kind], minlength=requests) > 1)
    return found
