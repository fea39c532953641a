"""CloudFormation's functions, as far as a template alone can answer them: Ref, Fn::Sub, Fn::If and their kin.

What only a deployment knows (a parameter without default, an import, an attribute of a made resource) stays
`Unresolved`; inside a name it is written `${Name}`, so that two places that build the same name still agree.
Source: CloudFormation User Guide, intrinsic function reference (read 2026-11-30).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from capacity.templates.resources import TABLE_TYPES

MAX_TEXT = 200_000
"""Characters of one evaluated text: a few short `!Sub` that name each other can double beyond all bounds."""
_VARIABLE = re.compile(r"\$\{(!?)([^${}]+)\}")
_NO_VALUE = object()


@dataclass(frozen=True)
class Unresolved:
    """A value that the template leaves open, and why."""

    text: str
    why: str

    def __str__(self) -> str:
        return f"${{{self.text}}}"


class Evaluator:
    """Evaluates the parts of one template, with parameters as given or by default."""

    def __init__(self, template: Mapping[str, Any], parameters: Mapping[str, str]) -> None:
        self._parameters = mapping_of(template.get("Parameters"))
        self._given = parameters
        self._mappings = mapping_of(template.get("Mappings"))
        self._conditions = mapping_of(template.get("Conditions"))
        self.resources = {
            name: resource
            for name, resource in mapping_of(template.get("Resources")).items()
            if isinstance(resource, Mapping)
        }
        self._known_conditions: dict[str, bool | Unresolved] = {}
        self._names: dict[str, str] = {}
        self._properties: dict[str, Any] = {}
        self._functions: dict[str, Callable[[Any], Any]] = {
            "Ref": self._ref,
            "Fn::GetAtt": self._get_att,
            "Fn::Sub": self._sub,
            "Fn::Join": self._join,
            "Fn::If": self._if,
            "Fn::FindInMap": self._find_in_map,
            "Fn::Select": self._select,
            "Fn::Split": self._split,
        }

    def properties(self, resource: str) -> Any:
        """The evaluated properties of a resource."""
        if resource not in self._properties:
            self._properties[resource] = {}  # what refers to itself finds nothing there
            self._properties[resource] = self.value(self.resources[resource].get("Properties", {}))
        return self._properties[resource]

    def exists(self, resource: str) -> bool | Unresolved:
        """Whether a resource is made at all, by its Condition."""
        name = self.resources[resource].get("Condition")
        return True if name is None else self.condition(str(name))

    def name(self, resource: str) -> str:
        """What `Ref` gives for a resource: a table's name if it has one, else the resource's own."""
        if resource not in self._names:
            self._names[resource] = resource
            found = self.resources[resource]
            if found.get("Type") in TABLE_TYPES:
                given = self.value(mapping_of(found.get("Properties")).get("TableName"))
                if isinstance(given, str | Unresolved) and str(given):
                    self._names[resource] = str(given)
        return self._names[resource]

    def value(self, node: Any) -> Any:
        """A part of the template with every function answered as far as it can be."""
        if isinstance(node, Mapping):
            if len(node) == 1:
                ((key, argument),) = node.items()
                if key in self._functions:
                    return self._functions[key](argument)
                if key.startswith("Fn::"):
                    return Unresolved(_written(key, argument), "only a deployment can tell")
            evaluated = {key: self.value(value) for key, value in node.items()}
            return {key: value for key, value in evaluated.items() if value is not _NO_VALUE}
        if isinstance(node, list):
            return [value for value in map(self.value, node) if value is not _NO_VALUE]
        return node

    def condition(self, name: str) -> bool | Unresolved:
        """Whether a condition of the template holds."""
        if name not in self._known_conditions:
            open_ = Unresolved(f"Condition {name}", "it depends on itself, or is not in the template")
            self._known_conditions[name] = open_
            if name in self._conditions:
                self._known_conditions[name] = self._truth(self._conditions[name])
        return self._known_conditions[name]

    def _truth(self, node: Any) -> bool | Unresolved:
        if isinstance(node, Mapping) and len(node) == 1:
            ((key, argument),) = node.items()
            if key == "Condition":
                return self.condition(str(argument))
            if key == "Fn::Equals" and isinstance(argument, list) and len(argument) == 2:
                one, other = map(self.value, argument)
                unknown = next((each for each in (one, other) if isinstance(each, Unresolved)), None)
                return unknown or str(one) == str(other)
            if key in ("Fn::And", "Fn::Or", "Fn::Not") and isinstance(argument, list):
                return _combined(key, [self._truth(each) for each in argument])
        value = self.value(node)
        if isinstance(value, bool | Unresolved):
            return value
        return Unresolved(f"Condition {node!r:.60}", "it is no condition")

    # The functions

    def _ref(self, name: Any) -> Any:
        name = str(name)
        if name == "AWS::NoValue":
            return _NO_VALUE
        if name.startswith("AWS::"):
            return f"${{{name}}}"
        if name in self._parameters:
            return self._parameter(name)
        if name in self.resources:
            return self.name(name)
        return Unresolved(name, "the template has no parameter or resource of this name")

    def _parameter(self, name: str) -> Any:
        declared = mapping_of(self._parameters[name])
        kind = str(declared.get("Type", "String"))
        value: Any = self._given.get(name)
        if value is None and not kind.startswith("AWS::SSM::Parameter::Value"):  # whose default is a path
            value = declared.get("Default")
        if value is None:
            return Unresolved(name, f"a parameter without a default: give it, as in --parameter {name}=VALUE")
        if "List" in kind and isinstance(value, str):
            return [each.strip() for each in value.split(",")]
        return value

    def _get_att(self, argument: Any) -> Any:
        parts = argument.split(".", 1) if isinstance(argument, str) else argument
        if not isinstance(parts, list) or len(parts) != 2:
            return Unresolved(f"GetAtt {argument!r:.60}", "it names no resource and attribute")
        resource, attribute = str(parts[0]), str(self.value(parts[1]))
        if resource not in self.resources:
            return Unresolved(f"{resource}.{attribute}", "the template has no resource of this name")
        if self.resources[resource].get("Type") in TABLE_TYPES and attribute == "Arn":
            return f"arn:${{AWS::Partition}}:dynamodb:${{AWS::Region}}:${{AWS::AccountId}}:table/{self.name(resource)}"
        if attribute == "Name":
            given = self.value(mapping_of(self.resources[resource].get("Properties")).get("Name"))
            return str(given) if isinstance(given, str | Unresolved) else resource
        if attribute in ("ApiId", "FunctionId"):
            return resource
        return Unresolved(f"{resource}.{attribute}", "only a deployment can tell")

    def _sub(self, argument: Any) -> Any:
        text = argument if isinstance(argument, str) else None
        own: Mapping[str, Any] = {}
        if isinstance(argument, list) and len(argument) == 2 and isinstance(argument[0], str):
            text, own = argument[0], mapping_of(argument[1])
        if text is None:
            return Unresolved(_written("Fn::Sub", argument), "it holds no text")

        def replacement(variable: re.Match[str]) -> str:
            literal, name = variable.groups()
            if literal:
                return f"${{{name}}}"
            if name in own:
                return _text(self.value(own[name]))
            return _text(self._get_att(name) if "." in name else self._ref(name))

        return _bounded(_VARIABLE.sub(replacement, text))

    def _join(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 2:
            return Unresolved(_written("Fn::Join", argument), "it joins nothing")
        parts = self.value(argument[1])
        if not isinstance(parts, list):
            return parts if isinstance(parts, Unresolved) else Unresolved("Fn::Join", "it joins nothing")
        return _bounded(str(argument[0]).join(_text(part) for part in parts))

    def _if(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 3:
            return Unresolved(_written("Fn::If", argument), "it needs a condition and two values")
        holds = self.condition(str(argument[0]))
        return holds if isinstance(holds, Unresolved) else self.value(argument[1 if holds else 2])

    def _find_in_map(self, argument: Any) -> Any:
        keys = [self.value(each) for each in argument[:3]] if isinstance(argument, list) else []
        found: Any = self._mappings
        for key in keys:
            if isinstance(key, Unresolved):
                return key
            found = found.get(str(key)) if isinstance(found, Mapping) else None
        if found is not None and len(keys) == 3:
            return self.value(found)
        fallback = argument[3] if isinstance(argument, list) and len(argument) > 3 else None
        if isinstance(fallback, Mapping) and "DefaultValue" in fallback:
            return self.value(fallback["DefaultValue"])
        return Unresolved(_written("Fn::FindInMap", argument), "the mapping has no such entry")

    def _select(self, argument: Any) -> Any:
        place, values = map(self.value, argument) if isinstance(argument, list) and len(argument) == 2 else (None, None)
        if isinstance(values, list) and str(place).isdigit() and int(str(place)) < len(values):
            return values[int(str(place))]
        return Unresolved(_written("Fn::Select", argument), "only a deployment can tell")

    def _split(self, argument: Any) -> Any:
        separator, text = map(self.value, argument) if isinstance(argument, list) and len(argument) == 2 else ("", None)
        if isinstance(text, str) and isinstance(separator, str) and separator:
            return text.split(separator)
        return Unresolved(_written("Fn::Split", argument), "only a deployment can tell")


def _combined(key: str, truths: list[bool | Unresolved]) -> bool | Unresolved:
    unknown = next((each for each in truths if isinstance(each, Unresolved)), None)
    if key == "Fn::Not":
        return unknown or not (truths and truths[0])
    decisive = key == "Fn::Or"
    return decisive if any(each is decisive for each in truths) else unknown or not decisive


def mapping_of(node: Any) -> Mapping[str, Any]:
    """The mapping that should stand here; an empty one when something else does."""
    return node if isinstance(node, Mapping) else {}


def _text(value: Any) -> str:
    if value is _NO_VALUE:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_text, value)) if isinstance(value, list) else str(value)


def _bounded(text: str) -> Any:
    return text if len(text) <= MAX_TEXT else Unresolved("Fn::Sub", f"it makes a text of more than {MAX_TEXT:,} bytes")


def _written(function: str, argument: Any) -> str:
    return f"{function} {argument!r:.60}"
