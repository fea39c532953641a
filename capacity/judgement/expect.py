"""Thresholds of a scenario's `expect`: what a run must show, as k6 and Artillery write them, for capacity too.

Grammar (white space between parts is free):

    threshold = figure operator value [ "abort" [ "after" duration ] ]
    figure    = name { "." name } [ "(" argument { "," argument } ")" ]
    operator  = "<=" | ">=" | "==" | "!=" | "<" | ">"       (two-character operators first: "<" would match "<=")
    value     = number [ "ms" | "s" | "%" ]

Examples: `latency.p(95) < 300ms`, `latency.p(99, reportDataByNode) < 1s`, `errors.rate < 1%`,
`throttles.GSI(GroupNameIndex) == 0`, `prediction.error.wcu < 5%`, `cost.monthly_usd < 25`,
`errors.rate < 5% abort after 10s`.

A threshold that says `abort` is also watched while the run goes (LIVE): a run that breaks it ends then. It is looked at
from the run's start, or `after` a while of it, in which a ramp's first seconds may be left out.

A figure that a run does not know makes the threshold unknown, never passed.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

_EXAMPLE = "latency.p(95) < 300ms"
_ABORTING = "errors.rate < 5% abort after 10s"
_THRESHOLD = re.compile(
    r"\s*(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*(?:\(\s*(?P<arguments>[^()]*?)\s*\))?"
    r"\s*(?P<operator><=|>=|==|!=|<|>)\s*(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(?P<unit>ms|s|%)?\s*"
    r"(?P<abort>\babort\b\s*(?:after\s+(?P<after>\S+)\s*)?)?"
)
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}

# name -> (kind of value, fewest arguments, most arguments, meaning). Latencies are in ms, shares of one.
FIGURES: dict[str, tuple[Literal["ms", "share", "count", "number"], int, int, str]] = {
    "latency.p": ("ms", 1, 2, "percentile of the latency from the intended start; arguments: percentile[, operation]"),
    "latency.raw_p": (
        "ms",
        1,
        2,
        "percentile of the latency from the actual start; arguments: percentile[, operation]",
    ),
    "latency.max": ("ms", 0, 1, "largest latency from the intended start; argument: [operation]"),
    "requests.count": ("count", 0, 1, "requests sent in the measuring window; argument: [operation]"),
    "requests.rate": ("number", 0, 1, "requests per second in the measuring window; argument: [operation]"),
    "errors.rate": ("share", 0, 1, "share of requests that failed or were refused; argument: [operation]"),
    "errors.count": ("count", 0, 1, "requests that failed or were refused; argument: [operation]"),
    "throttles.answered": ("count", 0, 1, "requests answered with a throttle, as the generator saw; [operation]"),
    "throttles.rate": ("share", 0, 1, "share of requests answered with a throttle; argument: [operation]"),
    "deliveries.lost": ("count", 0, 0, "deliveries that never came, cursor-rule losses of polling apart"),
    "deliveries.lost_by_cursor": ("count", 0, 0, "events that a polling node's cursor rule skipped"),
    "deliveries.late": ("count", 0, 0, "deliveries later than the ledger's limit"),
    "deliveries.duplicate": ("count", 0, 0, "deliveries that came twice"),
    "deliveries.out_of_order": ("count", 0, 0, "deliveries that overtook an earlier one of the same sender"),
    "deliveries.crosstalk": ("count", 0, 0, "deliveries to a node of another group"),
    "deliveries.rate": ("share", 0, 0, "share of the expected deliveries that came"),
    "deliveries.p": ("ms", 1, 1, "percentile of the time from publishing to receiving; argument: percentile"),
    "throttles.table": ("count", 0, 0, "throttle events of the table, as measured"),
    "throttles.GSI": ("count", 1, 1, "throttle events of an index, as measured; argument: index"),
    "throttles.total": ("count", 0, 0, "throttle events of the table and every index, as measured"),
    "prediction.error.wcu": (
        "share",
        0,
        1,
        "largest error of write units, measured against planned; argument: [resource]",
    ),
    "prediction.error.rcu": (
        "share",
        0,
        1,
        "largest error of read units, measured against planned; argument: [resource]",
    ),
    "model.error.wcu": ("share", 0, 1, "error of write units, measured against the model of what was sent; [resource]"),
    "model.error.rcu": ("share", 0, 1, "error of read units, measured against the model of what was sent; [resource]"),
    "prediction.error.first_throttle_s": ("number", 0, 0, "seconds between forecast and measured first throttle"),
    "cost.run_usd": ("number", 0, 0, "forecast cost of the run in US dollars"),
    "cost.monthly_usd": ("number", 0, 0, "forecast cost of a month of 730 hours at the hold's rate in US dollars"),
    "generator.achieved": ("share", 0, 0, "requests sent as a share of those planned"),
}

LIVE = (
    "latency.p",
    "latency.raw_p",
    "requests.rate",
    "errors.rate",
    "errors.count",
    "throttles.answered",
    "throttles.rate",
    "cost.run_usd",
)
"""The figures that are known while a run goes, so that a threshold on them may abort it. The ledger of deliveries is
settled when all has come, and CloudWatch's points come minutes late."""


@dataclass(frozen=True)
class Threshold:
    """One parsed threshold. `limit` is in the figure's base unit: milliseconds, a share of one, or a plain number."""

    expression: str
    figure: str
    arguments: tuple[str, ...]
    operator: str
    limit: float
    unit: str
    """ms, s, % or nothing, as written."""
    abort_after_s: float | None = None
    """Seconds of the run after which breaking it ends the run; None: it is judged at the end alone."""

    def holds(self, actual: float) -> bool:
        """Whether `actual`, in the figure's base unit, is within the limit."""
        return _OPERATORS[self.operator](actual, self.limit)

    @property
    def condition(self) -> str:
        """What must hold, without when the run ends for it."""
        return self.expression.split(" abort")[0].strip()

    def margin(self, actual: float) -> float | None:
        """How far `actual` lies from the limit as a share of it; None for a limit of zero."""
        return None if self.limit == 0 else (actual - self.limit) / self.limit

    def __str__(self) -> str:
        return self.expression

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def validate(value: Any) -> Threshold:
            return value if isinstance(value, Threshold) else parse_threshold(value)

        return core_schema.no_info_plain_validator_function(
            validate,
            serialization=core_schema.to_string_ser_schema(when_used="always"),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {"type": "string", "description": "a threshold", "examples": [_EXAMPLE, _ABORTING]}


def parse_threshold(text: Any) -> Threshold:
    """Parse one threshold.

    Raises ValueError that says what was given, what was expected, and an example that works.
    """
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is no threshold; write it like {_EXAMPLE}")
    match = _THRESHOLD.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} does not read as FIGURE OPERATOR VALUE; write it like {_EXAMPLE}")
    name = match["name"]
    if name not in FIGURES:
        raise ValueError(f"{name!r} in {text!r} is no figure of a run; known are {', '.join(FIGURES)}")
    kind, fewest, most, meaning = FIGURES[name]
    arguments = tuple(a.strip() for a in match["arguments"].split(",")) if match["arguments"] else ()
    if not fewest <= len(arguments) <= most or "" in arguments:
        raise ValueError(f"{name} takes {fewest} to {most} arguments, {text!r} has {len(arguments)} ({meaning})")
    if name.endswith(("p", "raw_p")) and kind == "ms":
        percentile = _percentile(arguments[0], text)
        arguments = (f"{percentile:g}", *arguments[1:])
    unit = match["unit"] or ""
    if not math.isfinite(float(match["number"])):
        raise ValueError(f"the limit of {text!r:.80} is too large a number; write it like {_EXAMPLE}")
    return Threshold(
        text.strip(),
        name,
        arguments,
        match["operator"],
        _limit(float(match["number"]), unit, kind, text),
        unit,
        _abort_after_s(name, match["after"], text) if match["abort"] else None,
    )


def _abort_after_s(name: str, after: str | None, text: str) -> float:
    from capacity.scenario.quantities import parse_duration_s  # the scenario's model imports this module

    if name not in LIVE:
        raise ValueError(
            f"{text!r} cannot abort: {name} is known after the run; known while it goes: {', '.join(LIVE)}"
        )
    if after is None:
        return 0.0
    try:
        return parse_duration_s(after)
    except ValueError as fault:
        raise ValueError(f"{text!r}: {fault}; as in {_ABORTING}") from None


def _percentile(argument: str, text: str) -> float:
    try:
        percentile = float(argument)
    except ValueError:
        percentile = math.nan
    if not 0 < percentile <= 100:
        raise ValueError(f"{argument!r} in {text!r} is no percentile above 0 and up to 100; write it like {_EXAMPLE}")
    return percentile


def _limit(number: float, unit: str, kind: str, text: str) -> float:
    if kind == "ms":
        if unit not in ("ms", "s"):
            raise ValueError(f"the limit of {text!r} needs ms or s, like {_EXAMPLE}")
        return number * 1000 if unit == "s" else number
    if kind == "share":
        if unit not in ("", "%"):
            raise ValueError(f"the limit of {text!r} is a share: write it like 1% or 0.01")
        return number / 100 if unit == "%" else number
    if unit not in ("", "s"):
        raise ValueError(f"the limit of {text!r} is a plain number: leave out {unit!r}")
    return number
