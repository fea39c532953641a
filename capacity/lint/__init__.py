"""Findings on described tables, each with a number from the model and a remedy."""

from capacity.lint.finding import Finding, Severity
from capacity.lint.rules import RULES, Rule, lint

__all__ = ["RULES", "Finding", "Rule", "Severity", "lint"]
