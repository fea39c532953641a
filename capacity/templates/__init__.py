"""Descriptions of tables that exist outside meshcap: CloudFormation and CDK templates, answers of DescribeTable, NoSQL
Workbench models.
"""

from capacity.templates.description import Call, DescribedTable, Description, Place
from capacity.templates.items import add_items
from capacity.templates.load import TemplateError, read_description
from capacity.templates.measured_reads import add_metrics

__all__ = [
    "Call",
    "DescribedTable",
    "Description",
    "Place",
    "TemplateError",
    "add_items",
    "add_metrics",
    "read_description",
]
