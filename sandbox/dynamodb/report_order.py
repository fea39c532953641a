"""Orders in which the service lists things in validation messages: neither alphabetical nor those of its model.

Sources: dynalite (messages captured from DynamoDB, to 2025-09); dynamodb-conformance (two regions, 2026-10-09).
"""

from __future__ import annotations

MEMBER_ORDER: dict[str, tuple[str, ...]] = {
    operation: tuple(members.split())
    for operation, members in {
        "PutItem": "returnConsumedCapacity tableName item conditionalOperator expected returnValues",
        "UpdateItem": "returnConsumedCapacity tableName returnItemCollectionMetrics returnValues "
        "conditionalOperator key",
        "DeleteItem": "returnConsumedCapacity tableName returnValues returnItemCollectionMetrics key "
        "conditionalOperator",
        "any": "select indexName totalSegments clientRequestToken requestItems returnConsumedCapacity "
        "attributeDefinitions queryFilter tableName billingMode provisionedThroughput keySchema "
        "globalSecondaryIndexes localSecondaryIndexes returnItemCollectionMetrics conditionalOperator scanFilter "
        "segment attributesToGet limit",
    }.items()
}
"""Members of a request in the order in which violations are reported; members that are not named come last."""

ENUM_ORDER: dict[str, tuple[str, ...]] = {
    name: tuple(values.split())
    for name, values in {
        "ReturnValue": "ALL_NEW UPDATED_OLD ALL_OLD NONE UPDATED_NEW",
        "ConditionalOperator": "OR AND",
        "Select": "SPECIFIC_ATTRIBUTES COUNT ALL_ATTRIBUTES ALL_PROJECTED_ATTRIBUTES",
        "ComparisonOperator": "IN NULL BETWEEN LT NOT_CONTAINS EQ GT NOT_NULL NE LE BEGINS_WITH GE CONTAINS",
        "ScalarAttributeType": "B N S",
        "ProjectionType": "ALL INCLUDE KEYS_ONLY",
    }.items()
}
"""Values of each enum (by shape name) in the order of "Member must satisfy enum value set: [...]"."""
