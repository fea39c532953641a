"""A template's text as plain data: YAML with CloudFormation's short forms (`!Ref x`), or JSON."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from capacity.document import Document, NodeReader, Steps, parse, read_text

MAX_FILE_BYTES = 4 * 1024 * 1024
"""CloudFormation takes 1 MB of template (quotas, 2026-11); models with sample items may be larger."""

_PLAIN_TAG = "tag:yaml.org,2002:"
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)")


class TemplateReader(NodeReader):
    """Turns `!Ref x` into {"Ref": "x"} and `!Sub x` into {"Fn::Sub": "x"}, as CloudFormation does."""

    max_values = 300_000
    max_depth = 100

    def value(self, node: yaml.Node, path: Steps) -> Any:
        if not node.tag.startswith("!") or node.tag == "!":
            return super().value(node, path)
        function = node.tag[1:]
        if isinstance(node, yaml.ScalarNode):
            content: Any = node.value
            if function == "GetAtt":
                content = node.value.split(".", 1)
        else:
            node.tag = _PLAIN_TAG + ("map" if isinstance(node, yaml.MappingNode) else "seq")
            content = super().value(node, path)
        return {function if function in ("Ref", "Condition") else f"Fn::{function}": content}


def read_document(path: Path) -> Document:
    """A template file. Raises DocumentError when it is unreadable, no YAML or JSON, or past a limit."""
    return parse_document(read_text(path, MAX_FILE_BYTES), str(path))


def parse_document(source: str, file: str) -> Document:
    """A template's text. Raises DocumentError like `read_document`."""
    if source.lstrip()[:1] in ("{", "["):
        # JSON writes characters beyond the first 65,536 as two escapes, which YAML doesn't know, and may use tabs.
        source = _ESCAPE.sub(_character, source).replace("\t", " ")
    return parse(source, file, TemplateReader(file))


def _character(escape: re.Match[str]) -> str:
    found = escape.group()
    if len(found) == 12:
        return chr(0x10000 + (int(found[2:6], 16) - 0xD800) * 0x400 + int(found[8:], 16) - 0xDC00)
    return "\ufffd" if len(found) == 6 else found
