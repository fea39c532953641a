"""When a run must end itself: its spend, or a threshold that says abort. Pure: it is told the time and the counts.

Shares, rates and percentiles are those of the last WINDOW_S seconds, so that a target that begins to refuse is left
alone soon, however long it answered before; counts are since the start. Throttles are the refused answers that the
generator saw: CloudWatch's own count comes minutes later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from capacity.judgement.expect import FIGURES, Threshold
from capacity.judgement.figures import required_samples
from capacity.record import EarlyStop
from locustfiles.live.tally import FAILED, INTENDED, RAW, REFUSED, SENT, THROTTLED, Tally, quantile_ms

WINDOW_S = 30.0
MIN_REQUESTS = 20
"""Fewer requests than this make no share: one refusal of the first three is no reason to stop."""


class Watch:
    """Looks at a run once a second or so."""

    def __init__(self, expect: Iterable[Threshold], abort: Iterable[Threshold], max_usd: float | None) -> None:
        """`expect` are the scenario's thresholds, of which those that say abort count; `abort` count all."""
        self._rules = [("expect", each) for each in expect if each.abort_after_s is not None]
        self._rules += [("abort", each) for each in abort]
        self._max_usd = max_usd
        self._past: deque[tuple[float, Tally]] = deque([(0.0, Tally())])

    def look(self, elapsed_s: float, total: Tally, spend_usd: float) -> EarlyStop | None:
        """Why the run must end now, `elapsed_s` seconds after its zero; None when it may go on."""
        while len(self._past) > 1 and self._past[1][0] <= elapsed_s - WINDOW_S:
            self._past.popleft()
        since_s, before = self._past[0]
        recent, recent_s = total.since(before), elapsed_s - since_s
        self._past.append((elapsed_s, total.copy()))
        if self._max_usd is not None and spend_usd > self._max_usd:
            return _over_budget(spend_usd, self._max_usd, elapsed_s)
        for rule, threshold in self._rules:
            if elapsed_s < (threshold.abort_after_s or 0.0):
                continue
            actual = live_figure(threshold, total, recent, recent_s, spend_usd)
            if actual is not None and not threshold.holds(actual):
                return _broken(rule, threshold, actual, elapsed_s)
        return None


def live_figure(threshold: Threshold, total: Tally, recent: Tally, recent_s: float, spend_usd: float) -> float | None:
    """A figure of LIVE in its base unit as it stands; None while too little was sent to say.

    Of the bin that a percentile falls into, the edge that speaks for the target is taken.
    """
    name, arguments = threshold.figure, threshold.arguments
    if name == "cost.run_usd":
        return spend_usd
    if name in ("latency.p", "latency.raw_p"):
        percentile = float(arguments[0])
        row = recent.of(arguments[1] if len(arguments) > 1 else None)
        histogram = row[INTENDED if name == "latency.p" else RAW]
        if histogram.sum() < required_samples(percentile):
            return None
        edges = quantile_ms(histogram, percentile / 100)
        assert edges is not None
        return edges[0] if threshold.operator in ("<", "<=") else edges[1]
    operation = arguments[0] if arguments else None
    row, whole = recent.of(operation), total.of(operation)
    if name == "errors.count":
        return float(whole[REFUSED] + whole[FAILED])
    if name == "throttles.answered":
        return float(whole[THROTTLED])
    if name == "requests.rate":
        return float(row[SENT]) / recent_s if recent_s >= 1 else None
    if row[SENT] < MIN_REQUESTS:
        return None
    bad = row[THROTTLED] if name == "throttles.rate" else row[REFUSED] + row[FAILED]
    return float(bad / row[SENT])


def _over_budget(spend_usd: float, max_usd: float, elapsed_s: float) -> EarlyStop:
    return EarlyStop(
        rule="max-usd",
        expression=f"--max-usd {max_usd:g}",
        limit=max_usd,
        actual=spend_usd,
        unit="number",
        after_s=elapsed_s,
        sentence=(
            f"stopped by itself after {elapsed_s:.0f} s: what was sent has cost about ${spend_usd:.4g}, "
            f"more than --max-usd {max_usd:g}."
        ),
    )


def _broken(rule: str, threshold: Threshold, actual: float, elapsed_s: float) -> EarlyStop:
    unit = FIGURES[threshold.figure][0]
    shown = f"{actual:.1%}" if unit == "share" else f"{actual:,.0f} ms" if unit == "ms" else f"{actual:,.4g}"
    where = "--abort" if rule == "abort" else "the scenario"
    return EarlyStop.model_validate(
        {
            "rule": rule,
            "expression": threshold.expression,
            "limit": threshold.limit,
            "actual": actual,
            "unit": unit,
            "after_s": elapsed_s,
            "sentence": (
                f"stopped by itself after {elapsed_s:.0f} s: {threshold.condition} did not hold (it was {shown}), "
                f"and {where} says abort."
            ),
        }
    )
