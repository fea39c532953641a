"""Values of the wrong JSON type, in the words of AWS's deserialiser.

Nothing here runs for a request that is well-formed: the engine asks only when something has already gone wrong.
"""

from __future__ import annotations

from typing import Any

from sandbox.dynamodb.errors import serialization
from sandbox.dynamodb.shapes import service_model, streams_model
from sandbox.dynamodb.values import decode_binary


def check_types(operation: str, request: dict[str, Any], streams: bool = False) -> None:
    """Raise SerializationException, in AWS's words, for the first value of another JSON type."""
    model = streams_model() if streams else service_model()
    shapes = model["shapes"]
    _check_structure(shapes[model["operations"][operation]["input"]["shape"]], request, shapes)


def _check_structure(shape: dict[str, Any], value: Any, shapes: dict[str, Any]) -> None:
    for name, member in shape["members"].items():
        if value.get(name) is not None:
            _check_type(member["shape"], value[name], shapes)


def _check_type(shape_name: str, value: Any, shapes: dict[str, Any]) -> None:
    shape = shapes[shape_name]
    kind = shape["type"]
    if kind == "string":
        _check_scalar(value, "String", str)
    elif kind == "boolean":
        _check_scalar(value, "Boolean", bool)
    elif kind in ("integer", "long", "double"):
        _check_scalar(value, {"integer": "Integer", "long": "Long", "double": "Double"}[kind], (int, float))
    elif kind == "blob":
        _check_blob(value)
    elif kind == "list":
        if isinstance(value, dict):
            raise serialization("Start of structure or map found where not expected")
        if not isinstance(value, list):
            raise serialization("Unexpected field type")
        for each in value:
            if each is not None:
                _check_type(shape["member"]["shape"], each, shapes)
    elif kind in ("map", "structure"):
        if isinstance(value, list):
            name = "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"
            raise serialization(f"Unrecognized collection type {name if kind == 'map' else _java_class(shape_name)}")
        if not isinstance(value, dict):
            raise serialization("Unexpected value type in payload" if kind == "structure" else "Unexpected field type")
        if kind == "structure":
            _check_structure(shape, value, shapes)
        else:
            for each in value.values():
                if each is not None:
                    _check_type(shape["value"]["shape"], each, shapes)


def _java_class(shape_name: str) -> str:
    return f"class com.amazonaws.dynamodb.v20120810.{shape_name}"


def _check_scalar(value: Any, name: str, kinds: type | tuple[type, ...]) -> None:
    if isinstance(value, list):
        raise serialization(f"Unrecognized collection type class java.lang.{name}")
    if isinstance(value, dict):
        raise serialization("Start of structure or map found where not expected")
    if isinstance(value, bool) and name != "Boolean":
        raise serialization(f"{'TRUE' if value else 'FALSE'}_VALUE cannot be converted to {name}")
    if isinstance(value, kinds):
        return
    if isinstance(value, str):
        raise serialization(
            f"STRING_VALUE cannot be converted to {name}"
            if name != "Boolean"
            else "Unexpected token received from parser"
        )
    what = "NUMBER_VALUE" if isinstance(value, int) or float(value).is_integer() else "DECIMAL_VALUE"
    raise serialization(f"{what} cannot be converted to {name}")


def _check_blob(value: Any) -> None:
    if isinstance(value, list):
        raise serialization("Unrecognized collection type class java.nio.ByteBuffer")
    if isinstance(value, dict):
        raise serialization("Start of structure or map found where not expected")
    if not isinstance(value, str):
        raise serialization("only base-64-encoded strings are convertible to bytes")
    if len(value) % 4:
        raise serialization(f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(value)}")
    try:
        decode_binary(value)
    except TypeError:
        raise serialization("Invalid last non-pad Base64 character dectected") from None
