"""What ends a run by itself: a limit to its spend and thresholds that abort it. A run on AWS always has both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from capacity.judgement.expect import LIVE, parse_threshold

MAX_USD = 1.00
"""US dollars that a run on AWS may cost unless its user says otherwise."""
ABORT_ON_AWS = ("errors.rate < 50% abort after 10s", "throttles.rate < 20% abort after 10s")
"""Thresholds of a run on AWS whose user names none: a target that refuses that much is not loaded any further."""
NEVER = "never"


@dataclass(frozen=True)
class Safety:
    """The limits in force, None and empty where there are none."""

    max_usd: float | None
    abort: tuple[str, ...]

    def environment(self) -> dict[str, str]:
        """As the load generator is told."""
        told = {"MESHCAP_ABORT": "; ".join(self.abort)}
        return told if self.max_usd is None else told | {"MESHCAP_MAX_USD": repr(self.max_usd)}

    def sentence(self) -> str:
        """What ends the run, for a person."""
        ends = [] if self.max_usd is None else [f"its spend passes ${self.max_usd:.2f} (--max-usd)"]
        ends += [f"{each.split(' abort')[0]} breaks (--abort)" for each in self.abort]
        return f"It ends by itself when {', or when '.join(ends)}." if ends else "Nothing ends it before its plan."


def safety(max_usd: float | None, abort: Sequence[str], *, on_aws: bool) -> Safety:
    """The limits of a run, with those that AWS adds; `abort` may be `never` alone."""
    chosen = tuple(abort) or (ABORT_ON_AWS if on_aws else ())
    return Safety(MAX_USD if max_usd is None and on_aws else max_usd, () if chosen == (NEVER,) else chosen)


def abort_faults(abort: Sequence[str]) -> list[str]:
    """Everything that is wrong with the values of --abort."""
    faults = []
    for each in abort if tuple(abort) != (NEVER,) else ():
        try:
            threshold = parse_threshold(each)
        except ValueError as fault:
            faults.append(f"--abort: {fault}")
            continue
        if ";" in each or threshold.figure not in LIVE:
            faults.append(f"--abort {each!r}: {threshold.figure} is known after the run; use {', '.join(LIVE)}")
    return faults
