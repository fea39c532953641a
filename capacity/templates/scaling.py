"""Application Auto Scaling: scalable targets with their policies -> what scales, and between which bounds."""

from __future__ import annotations

import re

from capacity.document import Document, Fault
from capacity.physics.autoscaling import TargetTracking
from capacity.physics.parameters import Kind
from capacity.templates.description import Dimension
from capacity.templates.intrinsics import Evaluator
from capacity.templates.parts import Part
from capacity.templates.resources import SCALABLE_TARGET, SCALING_POLICY

_RESOURCE = re.compile(r"table/(?P<table>.+?)(/index/(?P<index>.+))?")
_DIMENSION = re.compile(r"dynamodb:(table|index):(?P<kind>Read|Write)CapacityUnits")


def scaling_by_table(
    document: Document, evaluator: Evaluator, faults: list[Fault]
) -> dict[str, dict[Dimension, TargetTracking]]:
    """Table name -> what of it scales. A target without a policy never scales, and is left out."""
    targets: dict[str, tuple[str, Dimension, Part]] = {}
    found: dict[str, dict[Dimension, TargetTracking]] = {}
    for logical_id, resource in evaluator.resources.items():
        if resource.get("Type") != SCALABLE_TARGET or evaluator.exists(logical_id) is False:
            continue
        part = Part(document, ("Resources", logical_id, "Properties"), evaluator.properties(logical_id), faults)
        where = _where(part)
        if where is not None:
            targets[logical_id] = (*where, part)
    for logical_id, resource in evaluator.resources.items():
        if resource.get("Type") != SCALING_POLICY or evaluator.exists(logical_id) is False:
            continue
        part = Part(document, ("Resources", logical_id, "Properties"), evaluator.properties(logical_id), faults)
        by_id = targets.get(part.text("ScalingTargetId") or "")
        same = _where(part) if by_id is None else None
        target = by_id or next((each for each in targets.values() if same is not None and each[:2] == same), None)
        tracking = part.part("TargetTrackingScalingPolicyConfiguration")
        if target is None or not tracking.content:
            continue
        table, dimension, bounds = target
        lowest, highest = bounds.number("MinCapacity", "5"), bounds.number("MaxCapacity", "100")
        value = tracking.number("TargetValue", "70")
        if lowest is not None and highest is not None and value is not None:
            made = policy(part, lowest, highest, value)
            if made is not None:
                found.setdefault(table, {})[dimension] = made
    return found


def policy(part: Part, lowest: float, highest: float, percent: float) -> TargetTracking | None:
    """A policy with its target in percent; None, with a fault, when its bounds make no sense."""
    try:
        return TargetTracking(lowest, highest, percent / 100)
    except ValueError as fault:
        part.fault(None, str(fault))
        return None


def _where(part: Part) -> tuple[str, Dimension] | None:
    """Table and dimension of a target; None when it scales something else."""
    resource = _RESOURCE.fullmatch(part.text("ResourceId") or "")
    dimension = _DIMENSION.fullmatch(part.text("ScalableDimension") or "")
    if resource is None or dimension is None:
        return None
    kind: Kind = "read" if dimension["kind"] == "Read" else "write"
    return resource["table"], (resource["index"], kind)
