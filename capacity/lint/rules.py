"""The rules of lint, in the order of their findings, and how they are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from capacity.lint import (
    auto_scaling,
    hot_key,
    index_throughput,
    item_collection,
    item_size,
    monotonic_sort_key,
    projection_all,
    time_to_live,
    unread_index,
)
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject
from capacity.pricing.prices import PriceList, load
from capacity.templates.description import Description


@dataclass(frozen=True)
class Rule:
    """One rule: its name in findings, what it looks for, and the check."""

    name: str
    title: str
    check: Callable[[Subject], Iterator[Finding]]


RULES = tuple(
    Rule(module.NAME, module.TITLE, module.check)
    for module in (
        hot_key,
        unread_index,
        projection_all,
        monotonic_sort_key,
        item_collection,
        item_size,
        time_to_live,
        auto_scaling,
        index_throughput,
    )
)


def lint(description: Description, prices: PriceList | None = None) -> list[Finding]:
    """Every finding on every table of a description, by line. `prices` default to the newest list."""
    subjects = [Subject(described, prices or load()) for described in description.tables]
    findings = [finding for subject in subjects for rule in RULES for finding in rule.check(subject)]
    return sorted(findings, key=lambda each: each.line)
