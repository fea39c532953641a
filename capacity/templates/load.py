"""Any description of tables from a file, told apart by its content; every fault of the file at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from capacity.document import Document, DocumentError, Fault
from capacity.templates.cloudformation import read_cloudformation
from capacity.templates.describe_table import read_describe_table
from capacity.templates.description import Description
from capacity.templates.nosql_workbench import read_workbench
from capacity.templates.source import parse_document, read_document

_EXPECTED = (
    "is no description of tables; expected a CloudFormation template (Resources), an answer of describe-table (Table) "
    "or a NoSQL Workbench model (DataModel)"
)


class TemplateError(DocumentError):
    """A file that describes no tables, or describes them wrongly. `faults` holds all of them."""


def read_description(path: Path, parameters: Mapping[str, str] | None = None) -> Description:
    """The tables that a file describes. `parameters`: values for a template's parameters.

    Raises TemplateError with every fault, each with its line.
    """
    try:
        document = read_document(path)
    except DocumentError as error:
        raise TemplateError(error.faults) from None
    return _described(document, parameters or {})


def parse_description(text: str, file: str, parameters: Mapping[str, str] | None = None) -> Description:
    """The tables that a text describes. Raises TemplateError like `read_description`."""
    try:
        document = parse_document(text, file)
    except DocumentError as error:
        raise TemplateError(error.faults) from None
    return _described(document, parameters or {})


def _described(document: Document, parameters: Mapping[str, str]) -> Description:
    content, faults = document.content, list(document.faults)
    if not isinstance(content, Mapping):
        raise TemplateError([*faults, Fault(document.file, 1, "", _EXPECTED)])
    try:
        if isinstance(content.get("Resources"), Mapping):
            description = read_cloudformation(document, parameters, faults)
        elif "DataModel" in content:
            description = read_workbench(document, faults)
        elif isinstance(content.get("Table"), Mapping) or "KeySchema" in content:
            description = read_describe_table(document, faults)
        else:
            raise TemplateError([*faults, Fault(document.file, 1, "", _EXPECTED)])
    except RecursionError:
        raise TemplateError([*faults, Fault(document.file, 1, "", "refers from place to place without end")]) from None
    if not faults and not description.tables:
        faults.append(Fault(document.file, 1, "", "has no DynamoDB table"))
    if faults:
        raise TemplateError(faults)
    return description
