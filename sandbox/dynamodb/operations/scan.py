"""Scan, whole or in segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.dynamodb.errors import validation
from sandbox.dynamodb.expressions.plan import Plan, plan_of
from sandbox.dynamodb.keys import BEYOND
from sandbox.dynamodb.legacy import filter_plan
from sandbox.dynamodb.operations.page import check_select, read_page, start_order, target_of
from sandbox.dynamodb.operations.parameters import Values, check_mixed, value_parameters
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.values import canonical_item

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("Scan")
_EXPRESSIONS = ("ProjectionExpression", "FilterExpression")
_OTHERS = ("AttributesToGet", "ScanFilter", "ConditionalOperator")


def scan(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    segment, segments = _segment(request)
    plan, values = _plan(request)
    check_select(request)
    start = request.get("ExclusiveStartKey")
    if start is not None:
        start = canonical_item(start)
    target = target_of(engine, request)
    low, high = (segment * BEYOND // segments,), ((segment + 1) * BEYOND // segments,)
    if start is not None:
        order = start_order(target, start)
        if not low <= order < high:
            raise validation(
                "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                "ExclusiveStartKey with correct Segment. "
                f"TotalSegments: {segments} Segment: {segment}"
            )
        low = (*order, 0)
    now_s = engine.clock()
    target.admit(now_s, low)
    page = read_page(target.records.ascending(low, high), target, plan, values, request, emit)
    target.charge(now_s, low, page)
    return page.answer(request)


def _segment(request: dict[str, Any]) -> tuple[int, int]:
    segment, segments = request.get("Segment"), request.get("TotalSegments")
    if segments is None and segment is not None:
        raise validation(
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present"
        )
    if segments is not None and segment is None:
        raise validation(
            "The Segment parameter is required but was not present in the request when "
            "parameter TotalSegments is present"
        )
    if segments is None or segment is None:
        return 0, 1
    if segment >= segments:
        raise validation(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {segments}"
        )
    return int(segment), int(segments)


def _plan(request: dict[str, Any]) -> tuple[Plan, Values]:
    if check_mixed(request, _EXPRESSIONS, _OTHERS):
        values = value_parameters(request, wrapped=True)
        return plan_of(request, values), values
    return filter_plan(request.get("ScanFilter"), request.get("ConditionalOperator"), request.get("AttributesToGet"))
